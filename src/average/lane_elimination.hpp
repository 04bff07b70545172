/// Rigid constraints at many points at once, each along a truncated series. Multipliers are eliminated at the level of
/// accelerations (HARMONIC, "Rigid constraints"):
///
///     M a = f - g'^T lambda,     g' a + g''[v, v] + 2 g_t' v + g_tt = 0
///
/// With G_j, f_j, c_j the coefficients in slow time of g', f and of the curvature, and P_j those of g' M^-1,
/// coefficient after coefficient:
///
///     w = (M^-1 f)_k - sum_{j=1}^k P_j^T lambda_{k-j}
///     (G_0 P_0^T) lambda_k = G_0 w + sum_{j=1}^k G_j a_{k-j} + c_k,     a_k = w - P_0^T lambda_k
///
/// so that one factorisation serves all of them; also where the masses vary. Numbers stand in rows of lanes.
#pragma once

#include "lento/problem/problem.hpp"
#include "problem/normal_lanes.hpp"
#include "problem/normals.hpp"

namespace lento {

class LaneElimination {
public:
    explicit LaneElimination(const Problem& problem);

    /// Makes of the forces at a block of points accelerations, in place; not numbers where constraints are dependent.
    void operator()(const Block& given, Out f);
    /// Of all coefficients at all points.
    In multipliers() const { return lambda_; }
    /// Of coefficient 0, on average over the points.
    void mean_multipliers(Out mean) const;

private:
    /// P of coefficient j: as G, where masses are diagonal; else with all coordinates in a row.
    static SparsePattern push_pattern(const Mass& mass, const SparsePattern& normals);
    void find_pushes(const Block& block);
    template <class S>
    void divide(const Block& block, std::vector<S>& space);
    void divide_forces(double* f);
    void pull(std::size_t j, const double* lambda, double* a);

    /// Row `row` of coefficient j.
    double* normal(std::size_t j, std::size_t row) { return normals_.data() + (j * normal_rows_ + row) * lanes_; }
    double* push(std::size_t j, std::size_t row) {
        return pushes_.data() + (j * push_pattern_.entries() + row) * lanes_;
    }

    Mass mass_;
    Normals divided_;
    std::unique_ptr<BlockConstraints> constraints_;
    SparsePattern pattern_, push_pattern_;
    /// The entries of P by coordinates: those of coordinate i from starts_[i].
    struct Push {
        std::size_t entry, constraint;
    };
    std::vector<std::size_t> starts_{};
    std::vector<Push> by_coordinate_{};
    /// Of constant masses: entry number `push` of P += inverse_mass * entry number `entry` of G.
    struct Share {
        std::size_t push, entry;
        double inverse_mass;
    };
    std::vector<Share> shares_{};
    NormalLanes matrix_;
    std::size_t dimension_, normal_rows_, lanes_ = 0;
    std::vector<double> normals_{}, pushes_{}, lambda_{};  // G and the curvature; P; the multipliers
    std::vector<double> numbers_{}, row_{};
    std::vector<Taylor> series_{};
};

}  // namespace lento
