/// A problem as a person declares it, a value known at run time:
///
///     M x'' = f(x, x', t, theta) - g'(x, t)^T lambda,   g(x, t) = 0           (vibrated (3.1), (4.1))
///     the same with M(x, t)                                                   (stroboscopic (37))
///     theta_j = omega_j t + start_j
///     or y' = r(y, t, theta)
///
/// Every part is optional but names and forces; methods say what they need. Lento's sign of the multipliers is the
/// opposite of vibrated's. Problems are made by the functions in `problem/systems.hpp`, and by text models.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lento/base/phase.hpp"
#include "lento/problem/constraints.hpp"
#include "lento/problem/exact_part.hpp"
#include "lento/problem/forces.hpp"
#include "lento/problem/mass.hpp"
#include "lento/problem/slow_functions.hpp"
#include "lento/problem/springs.hpp"

namespace [[gnu::visibility("default")]] lento {

struct Phase {
    double frequency = 0;  ///< angular, radians a unit of time
    double start = 0;      ///< its value at t = 0
    std::string name = "theta";

    double at(double t) const { return reduced_phase(frequency, t, start); }
    double period() const { return 2 * std::numbers::pi / frequency; }
};

/// What is known of f under theta -> -theta, all phases at once.
enum class Parity { unknown, even };

/// The fast part of the velocity at position x, time t and phases theta, where the user has a formula for it.
using FastVelocity = std::function<void(In x, double t, In theta, Out w)>;

struct FasterProblem;

struct Problem {
    std::vector<std::string> names;  ///< of coordinates or variables
    bool second_order = true;        ///< coordinates with forces; else variables with rates
    Mass mass{};
    Forces forces{};  ///< complete, springs included; accelerations M^-1 f where masses vary
    std::vector<Phase> phases{};
    std::optional<double> period{};  ///< of a fast oscillation that no phase tells
    std::shared_ptr<const Constraints> constraints{};
    std::optional<Springs> springs{};
    std::shared_ptr<const ExactPart> exact{};  ///< a part of the rates whose flow is known
    std::shared_ptr<const SlowFunctions> slow{};
    std::vector<double> parameters{};  ///< inputs of the forces; other values compile nothing again
    bool time_dependent = true;        ///< false: forces are known not to see t but through the phases
    Parity parity = Parity::unknown;
    FastVelocity fast_velocity{};
    /// Sizes of (x, v), or of the variables, that atol is multiplied by; none: 1.
    std::vector<double> scales{};
    // The same problem otherwise, where it knows how.
    /// Its fast motion so many times faster; none where that is another kind of motion.
    std::function<std::optional<FasterProblem>(double factor)> faster{};
    /// Springs in place of its constraints.
    std::function<Problem(double frequency, const std::vector<double>& strengths)> relaxed{};

    std::size_t dimension() const { return names.size(); }
    /// Of the state: twice the dimension for coordinates with velocities.
    std::size_t unknowns() const { return second_order ? 2 * names.size() : names.size(); }
    /// "x", or "the velocity of x".
    std::string name_of_unknown(std::size_t i) const;
    std::vector<double> phases_at(double t) const;
    /// Whether forces, constraints and slow forces can be evaluated with truncated series.
    bool takes_series() const;

    // The same with something else declared. They throw Misuse where it does not fit.
    /// Masses that vary are given once: forces, springs included, are divided by them.
    Problem with_mass(Mass other) const;
    Problem with_names(std::vector<std::string> other) const;
    Problem with_constraint_names(std::vector<std::string> other) const;
    /// The phases at t = 0.
    Problem with_phase_start(std::vector<double> start) const;
    /// Declares f(x, v, t, -theta) = f(x, v, t, theta); nobody checks it. Undeclared, it is found numerically.
    Problem with_parity(Parity declared) const;
    Problem with_fast_velocity(FastVelocity formula) const;
    Problem with_period(double length) const;
    /// One a component of (x, v) or of the variables.
    Problem with_scales(std::vector<double> sizes) const;
    /// Without its constraints.
    Problem free() const;
};

/// Throws Misuse unless there are none, or one above zero for each component of the state.
void require_scales(const Problem& problem, In scales);

struct FasterProblem {
    Problem problem;
    std::vector<double> start{};  ///< (x, v) or variables, where they depend on how fast the motion is; else empty
};

}  // namespace lento
