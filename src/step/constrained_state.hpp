/// What steppers for constrained systems share: where they stand, with the gradient of the constraints there.
///
/// They are given the acceleration M^-1 f of the active forces, `acceleration(c, x, v, a)`, and the time, `time(c)`, at the fraction c
/// of the step, as the steppers of `step/state.hpp`. A step that cannot reach the manifold says so and leaves the state undefined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "problem/manifold.hpp"
#include "step/state.hpp"

namespace lento {

/// A point with velocity, the acceleration of the active forces there, and the gradient of the constraints.
struct ConstrainedState : MotionState<double> {
    std::vector<double> gradient;

    explicit ConstrainedState(const Manifold& manifold)
        : MotionState<double>(manifold.dimension()), gradient(manifold.entries()) {}
};

/// Renews the gradient and its matrix at the state's position. Not converged: the constraints are dependent there.
inline Convergence linearise(Manifold& manifold, double t, ConstrainedState& state) {
    manifold.gradient(state.x(), t, state.gradient);
    const bool independent = manifold.factorise(state.gradient);
    return {.converged = independent, .independent = independent};
}

}  // namespace lento
