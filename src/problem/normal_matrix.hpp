/// The matrix g' M^-1 g'^T that multipliers are found with: one row and column a constraint. What it is made of are the
/// numbers of `problem/normals.hpp`.
///
/// Few constraints, or masses that are not diagonal: dense. Many: sparse L D L^T, pattern and order of elimination
/// analysed once.
#pragma once

#include "lento/problem/constraints.hpp"
#include "lento/problem/mass.hpp"

namespace lento {

/// Below this share of its diagonal entry, the squared sine of a gradient's angle with the others, a pivot is rounding.
inline constexpr double least_pivot = 1e-13;

/// The order in which constraints are eliminated so that the sparse factors of the matrix fill little (AMD).
std::vector<std::size_t> elimination_order(const SparsePattern& pattern);

class NormalMatrix {
public:
    NormalMatrix(const SparsePattern& pattern, const Mass& mass);
    ~NormalMatrix();
    NormalMatrix(NormalMatrix&&) noexcept;
    NormalMatrix& operator=(NormalMatrix&&) noexcept;

    /// g' M^-1 g'^T from the normals of a point. False where it is singular to rounding.
    [[nodiscard]] bool factorise(std::span<const double> normals);

    /// g'(there) M^-1 g'(here)^T, the matrix of Newton's method for a step from here to there; not symmetric.
    [[nodiscard]] bool factorise(std::span<const double> there, std::span<const double> here);

    /// Solves with the matrix factorised last, in place.
    void solve(std::span<double> r) {
        if (!is_dense()) {
            solve_sparse(r);
            return;
        }
        // NOTE: by the inverse: for two constraints a tenth of a general solver's time; iterations mend what it loses.
        std::copy(r.begin(), r.end(), right_.begin());
        for (std::size_t i = 0; i < r.size(); ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < r.size(); ++j) {
                sum += inverse_[i * r.size() + j] * right_[j];
            }
            r[i] = sum;
        }
    }

    /// Of a dense matrix, by rows.
    std::span<const double> inverse() const { return inverse_; }
    bool is_dense() const { return !inverse_.empty(); }

private:
    class Dense;
    class Sparse;

    void solve_sparse(std::span<double> r);

    std::unique_ptr<Dense> dense_;
    std::unique_ptr<Sparse> sparse_;
    std::vector<double> inverse_;  // by rows, of a dense matrix
    std::vector<double> right_;
};

/// The entry of row and column j, from the entries of g' and constant masses.
double normal_entry(const SparsePattern& pattern, const Mass& mass, std::span<const double> gradient, std::size_t j);

/// A linear relation among the rows of g': sum of weight * row = 0, up to rounding.
using Relation = std::vector<std::pair<std::size_t, double>>;

/// The first few relations, if the constraints are dependent; a row of zeros is a relation of its own.
std::vector<Relation> relations(const SparsePattern& pattern, const Mass& mass, std::span<const double> gradient);

}  // namespace lento
