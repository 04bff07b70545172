/// The matrix g' M^-1 g'^T (`problem/normal_matrix.hpp`) at many points at once, by sparse L D L^T: the pattern of L
/// and the order of elimination are the same for all, so that every operation is one on a row of lanes
/// (`base/rows.hpp`).
///
///     A = S (G P) S,   S = diag(A_jj)^-1/2,     G the rows of g', P those of g' M^-1
///
/// With a unit diagonal the pivots are squares of sines of the angle between a normal and those eliminated before,
/// whatever the units of the constraints. A symmetric positive definite matrix needs no pivoting; where a pivot is
/// rounding, the constraints are dependent, and what is solved for in this lane is not a number.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lento/problem/constraints.hpp"

namespace lento {

class NormalLanes {
public:
    /// Of the patterns of G and P, which have a row a constraint.
    NormalLanes(const SparsePattern& normals, const SparsePattern& pushes);

    /// From the entries of G and P, a row of lanes each.
    void factorise(std::size_t lanes, const double* normals, const double* pushes);
    /// One row of lanes a constraint, in place; with the matrices factorised last.
    void solve(double* r);

private:
    /// Entry number `target` of L += normals[first] * pushes[second].
    struct Product {
        std::size_t target, first, second;
    };

    void find_pattern(const std::vector<std::vector<std::size_t>>& below);
    void eliminate(std::size_t column);
    double* entry(std::size_t e) { return entries_.data() + e * lanes_; }
    double* scale(std::size_t j) { return scales_.data() + j * lanes_; }

    std::size_t count_, lanes_ = 0;
    std::vector<std::size_t> order_;          // constraint order_[j] is eliminated as number j
    std::vector<std::size_t> starts_, rows_;  // of the columns of L, the diagonal, in whose place D is, first
    std::vector<Product> products_;
    // Rows of lanes.
    std::vector<double> entries_, scales_;
    std::vector<double> right_, factor_;
};

}  // namespace lento
