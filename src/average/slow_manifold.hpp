/// The point of the slow manifold of stiff springs that belongs to a position and a velocity. With multipliers as in
/// `average/multiplier_expansion.hpp`, all of x moved along M^-1 g'^T of the point given, it solves
///
///     g(x, t) = K^-1 lambda(x, v, t),        g' v + g_t = K^-1 lambda'(x, v, t)
///
/// by Newton's method, in which lambda counts as constant: what it really changes by is O(omega^-2) of the move, and each iteration gains
/// that factor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "average/multiplier_expansion.hpp"
#include "lento/problem/problem.hpp"
#include "problem/normal_matrix.hpp"

namespace lento {

class SlowManifold {
public:
    /// NOTE: keeps pointers to both.
    SlowManifold(const Problem& problem, MultiplierExpansion& expansion);

    enum class Ending { settled, dependent, too_far };

    /// Moves (x, v) at t. The expansion is left at the point where it ends.
    Ending operator()(int sweeps, double t, std::span<double> x, std::span<double> v);

    /// Of the last point: how many iterations, and the change in the last one over the size of the motion.
    int iterations() const { return iterations_; }
    double residual() const { return residual_; }

private:
    /// y <- y - M^-1 g'^T N^-1 r, g' where it was at first; the largest change of a component.
    double move(std::span<double> r, std::span<double> y);

    const Problem* problem_;
    MultiplierExpansion* expansion_;
    NormalMatrix matrix_;
    int iterations_ = 0;
    double residual_ = 0;
    std::vector<double> directions_, values_, rates_, step_, scratch_;
};

}  // namespace lento
