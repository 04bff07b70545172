/// The macro-solver by name: fixed steps with any stepper, Dormand-Prince 5(4) with a controller, Adams'
/// methods of variable order, or SUNDIALS.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lento/base/options.hpp"
#include "lento/march/recorder.hpp"
#include "lento/march/result.hpp"
#include "lento/run/request.hpp"
#include "lento/solution/solution.hpp"

namespace [[gnu::visibility("default")]] lento {

struct MacroChoice {
    std::string name;
    std::optional<double> step;  ///< none: adaptive
};

/// The solvers that a kind of system has: those for fixed steps, the usual one of them, and those that choose their
/// own.
struct MacroSolvers {
    std::vector<std::string> fixed;
    std::string usual;
    std::vector<std::string> adaptive{"dopri5", "ode45"};
};
/// Of systems with coordinates and without constraints, and of those that only have y' = rate(t, y).
const MacroSolvers& free_solvers();
const MacroSolvers& rate_solvers();
/// The first with another usual one: Verlet would lose its symmetry to forces that depend on the velocity, as those of
/// averaged springs do.
const MacroSolvers& spring_solvers();

/// Throws Misuse for names and steps that do not fit each other.
MacroChoice macro_choice(const Options& options, Interval interval, const MacroSolvers& solvers);

struct Marched {
    MarchResult result;
    Trajectory trajectory;
    Snapshot final_state;
};

/// A slow motion y(t), and where it is to be projected on the way. Each piece between projections is an initial value
/// problem of its own (stiff, section 3.2).
struct SlowMotion {
    FirstOrderRate rate{};
    /// Where y = (x, v) and y' = (v, a): the acceleration alone. Steppers for second-order systems need it.
    AveragedAcceleration acceleration{};
    /// Where the last evaluation was really made, if not at the point given: results of Runge-Kutta steps start there.
    std::function<std::span<const double>()> evaluated_at{};
    /// Asked after each step whether to stop there for a projection.
    std::function<bool(double t, std::span<const double> y)> wants_projection{};
    /// Moves y where a piece ends and the next begins; false if it cannot.
    std::function<bool(double t, std::span<double> y)> project{};
    /// Moves the last state.
    std::function<void(double t, std::span<double> y)> finish{};
    /// When pieces end in any case: ascending, inside the run.
    std::vector<double> projection_times{};
};

/// Marches as the choice and the request say; the final state's position is y.
Marched march_macro(const MacroChoice& choice, const SlowMotion& motion, const Request& request, std::vector<double> y);

/// Marches x'' = force from (x, v).
Marched march_macro(const MacroChoice& choice, const AveragedAcceleration& force, const Request& request,
                    std::span<const double> x, std::span<const double> v);

/// Both halves of y = (x, v) in their places.
Marched taken_apart(Marched marched);
/// y = (x, v)
std::vector<double> put_together(std::span<const double> x, std::span<const double> v);
void put_together(std::span<const double> x, std::span<const double> v, std::span<double> y);

/// y' = (v, a) from the acceleration.
FirstOrderRate first_order_rate(AveragedAcceleration acceleration);

}  // namespace lento
