/// The macro-solver by name: fixed steps with any stepper, or Dormand-Prince 5(4) with a controller.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lento/march/result.hpp"
#include "lento/method/options.hpp"
#include "lento/method/request.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

/// Where the type of the system is erased: any average, as the acceleration of the slow motion. Behind the acceleration there may be room
/// for more, which the march keeps beside the motion: the mean multipliers of a constrained system.
using AveragedAcceleration =
    std::function<void(double t, std::span<const double> x, std::span<const double> v, std::span<double> a)>;

struct MacroChoice {
    std::string name;
    std::optional<double> step;  ///< none: adaptive
};

/// The solvers that a kind of system has: those for fixed steps, and the usual one of them. dopri5 and ode45 with their own steps are
/// for all.
struct MacroSolvers {
    std::vector<std::string> fixed;
    std::string usual;
};
/// Of systems without constraints.
const MacroSolvers& free_solvers();

/// Throws Misuse for names and steps that do not fit each other.
MacroChoice macro_choice(const Options& options, Interval interval, const MacroSolvers& solvers);

struct Marched {
    MarchResult result;
    Trajectory trajectory;
    Snapshot final_state;
};

/// Marches x'' = force from (x, v) as the choice and the request say.
Marched march_macro(const MacroChoice& choice, const AveragedAcceleration& force, const Request& request,
                    std::span<const double> x, std::span<const double> v);

/// y' = rate(t, y) for first-order systems.
using FirstOrderRate = std::function<void(double t, std::span<const double> y, std::span<double> rate)>;

/// Marches y' = rate from y with an adaptive solver; the final state's position is y. Throws Misuse if the choice is of fixed steps.
Marched march_macro(const MacroChoice& choice, const FirstOrderRate& rate, const Request& request,
                    std::span<const double> y);

}  // namespace lento
