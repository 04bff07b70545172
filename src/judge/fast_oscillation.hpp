/// The fast oscillation of stiff springs that a slow motion from (X, V) leaves out of the true one from (x, v):
///
///     energy         E = 1/2 w^T M w + 1/2 sum_j k_j (g_j(x) - g_j(X))^2,     w = v - V
///     amplitudes     of v_i: sqrt(2 E (M^-1)_ii),  of x_i: that over the slowest frequency mu
///
/// While it lasts, E/mu stays (an adiabatic invariant): it pushes the slow motion like a potential E mu(X)/mu(X_0),
/// with the force -E grad ln mu, which `judge/fast_energy.hpp` adds. Its square shifts the mean of any other force by
/// the share (amplitude/length)^2, and leaves the slow start uncertain by the square of the share of the velocity that
/// it turns where level sets are bent: a velocity, which moves the motion as long as it runs.
#pragma once

#include <vector>

#include "judge/slow_size.hpp"
#include "lento/judge/outset.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

struct FastOscillation {
    double energy = 0;
    std::vector<double> amplitudes{};  ///< of y = (x, v): what is left out
    // How far these would have moved the slow motion's y by the end, at most.
    std::vector<double> pushes{};  ///< the potential
    std::vector<double> shifts{};  ///< the square of the amplitudes
};

FastOscillation fast_oscillation(const Problem& problem, const Outset& outset, In x, In v, const SlowSize& size);

}  // namespace lento
