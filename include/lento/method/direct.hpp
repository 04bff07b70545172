/// Direct integration: every vibration resolved, no averaging. The reference.
///
/// Dormand-Prince 5(4) with step-size control, or any stepper with fixed steps, on M x'' = f(x, x', t, theta(t))
/// or y' = r(y, t, theta(t)) itself. Phases are reduced exactly, so that long runs keep them. With constraints: half-explicit
/// Dormand-Prince, or RATTLE and the other steppers that keep them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lento/method/constrained_motion.hpp"
#include "lento/method/macro.hpp"
#include "lento/method/options.hpp"
#include "lento/method/request.hpp"
#include "lento/problem/first_order_system.hpp"
#include "lento/problem/vibrated_system.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

inline const MethodDescription direct_description{
    .name = "direct",
    .problems = "all",
    .paper = "",
    .slow_is = "true",
    .summary = "resolves every vibration; the cost grows with the frequency",
    .options = {{"macro", "verlet (rattle with constraints) with macro_step or steps, else dopri5"},
                {"macro_step", "adaptive"},
                {"steps", "adaptive"}}};

/// A march as a solution; `names` are those of the unknowns, `statistics` what the march itself does not know.
Solution direct_solution(const Request& request, const std::vector<std::string>& names, const MacroChoice& macro,
                         Marched marched, Statistics statistics, std::vector<std::string> warnings, Settling settling,
                         std::optional<double> fastest_period, std::chrono::steady_clock::time_point began);

/// The period of the fastest phase, or the declared one.
template <class System>
std::optional<double> fastest_period(const System& system) {
    auto fastest = system.period();
    for (const auto& phase : system.phases()) {
        fastest = std::min(fastest.value_or(phase.period()), phase.period());
    }
    return fastest;
}

template <class Force, std::size_t Extent>
Solution direct(const VibratedSystem<Force, Extent>& system, const Request& given) {
    const auto began = std::chrono::steady_clock::now();
    const Request request = checked(given, system.dimension());
    require_options_apply(request.options, direct_description);
    Acceleration acceleration(system);
    std::vector<double> theta(system.phases().size());
    const AveragedAcceleration rate = [&](double t, std::span<const double> x, std::span<const double> v,
                                          std::span<double> a) {
        for (std::size_t j = 0; j < theta.size(); ++j) {
            theta[j] = system.phases()[j].at(t);
        }
        acceleration(view<Extent>(x), view<Extent>(v), t, std::span<const double>(theta), view<Extent>(a));
    };
    const auto macro = macro_choice(request.options, {request.t_start, request.t_end}, free_solvers());
    auto marched = march_macro(macro, rate, request, request.start, request.velocity);
    return direct_solution(request, system.names(), macro, std::move(marched),
                           {.force_evaluations = acceleration.evaluations()}, {}, {}, fastest_period(system), began);
}

template <class Free, class Constraints>
Solution direct(const ConstrainedSystem<Free, Constraints>& system, const Request& given) {
    constexpr auto extent = Free::extent;
    const auto began = std::chrono::steady_clock::now();
    Request request = checked(given, system.dimension());
    require_options_apply(request.options, direct_description);
    const auto macro = macro_choice(request.options, {request.t_start, request.t_end}, constrained_solvers("rattle"));
    Manifold<Constraints> manifold(system.mass(), system.constraints());
    Acceleration acceleration(system.free());
    std::vector<double> theta(system.phases().size());
    const AveragedAcceleration rate = [&](double t, std::span<const double> x, std::span<const double> v,
                                          std::span<double> a) {
        for (std::size_t j = 0; j < theta.size(); ++j) {
            theta[j] = system.phases()[j].at(t);
        }
        acceleration(view<extent>(x), view<extent>(v), t, std::span<const double>(theta),
                     view<extent>(a.first(x.size())));
        std::fill(a.begin() + static_cast<std::ptrdiff_t>(x.size()), a.end(), 0.0);
    };
    std::vector<std::string> warnings;
    Marched marched{.result = {.reached = request.t_start}, .trajectory = {}, .final_state = {}};
    if (const auto violation = StartOnManifold(manifold, system.names())(request, warnings)) {
        marched.result.outcome = violation->outcome;
        marched.result.explanation = violation->sentence;
        marched.final_state = {.t = request.t_start, .position = request.start, .velocity = request.velocity};
    } else {
        const ProbeStates probes(request.start, request.velocity, request.t_start, request.t_end);
        const bool velocity = velocity_dependence(acceleration, probes).any;
        if (velocity) {
            require_rattle_suits_velocity("macro", macro.name);
        }
        marched = march_on_manifold(manifold, macro, velocity ? VelocityUse::possible : VelocityUse::none, rate,
                                    request, request.start, request.velocity);
    }
    return direct_solution(
        request, system.names(), macro, std::move(marched),
        {.force_evaluations = acceleration.evaluations(), .newton_iterations = manifold.iterations()},
        std::move(warnings), settling_onto(system.mass(), system.constraints()), fastest_period(system), began);
}

template <class Rate>
Solution direct(const FirstOrderSystem<Rate>& system, const Request& given) {
    const auto began = std::chrono::steady_clock::now();
    const Request request = checked(given, system.dimension());
    require_options_apply(request.options, direct_description);
    std::vector<double> theta(system.phases().size());
    std::int64_t evaluations = 0;
    const FirstOrderRate rate = [&](double t, std::span<const double> y, std::span<double> derivative) {
        for (std::size_t j = 0; j < theta.size(); ++j) {
            theta[j] = system.phases()[j].at(t);
        }
        ++evaluations;
        system.template rate<double>(y, t, std::span<const double>(theta), derivative);
    };
    const auto macro = macro_choice(request.options, {request.t_start, request.t_end}, rate_solvers());
    auto marched = march_macro(macro, {.rate = rate}, request, request.start);
    return direct_solution(request, system.names(), macro, std::move(marched), {.force_evaluations = evaluations}, {},
                           {}, fastest_period(system), began);
}

}  // namespace lento
