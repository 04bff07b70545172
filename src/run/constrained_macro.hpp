/// The macro-solver for slow motions on constraints, by name, and states put back onto them.
#pragma once

#include <string>
#include <string_view>

#include "lento/run/macro.hpp"
#include "problem/manifold.hpp"
#include "step/verlet.hpp"

namespace lento {

/// Marches as the choice and the request say; samples and final state carry multipliers.
Marched march_on_manifold(const Problem& problem, Manifold& manifold, const MacroChoice& choice, VelocityUse velocity,
                          const AveragedAcceleration& force, const Request& request, In x, In v);

/// The solvers that keep constraints.
MacroSolvers constrained_solvers(std::string usual);

/// Throws Misuse for compositions, which lose their order to forces that depend on the velocity.
void require_rattle_suits_velocity(std::string_view role, std::string_view stepper);

/// Interpolated states onto the manifold.
Settling settling_onto(const Problem& problem);
/// The same for states of the true motion, with their multipliers behind them; both kinds are the same there.
Settling with_multipliers(const Problem& problem);

}  // namespace lento
