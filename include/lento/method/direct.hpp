/// Direct integration: every vibration resolved, no averaging. The reference.
///
/// Dormand-Prince 5(4) with step-size control, or any stepper with fixed steps, on M x'' = f(x, x', t, theta(t))
/// itself. Phases are reduced exactly, so that long runs keep them.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "lento/method/macro.hpp"
#include "lento/method/options.hpp"
#include "lento/method/request.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

inline const MethodDescription direct_description{
    .name = "direct",
    .problems = "all",
    .paper = "",
    .slow_is = "true",
    .summary = "resolves every vibration; the cost grows with the frequency",
    .options = {
        {"macro", "verlet with macro_step or steps, else dopri5"}, {"macro_step", "adaptive"}, {"steps", "adaptive"}}};

template <class System>
Solution direct(const System& system, const Request& given) {
    const auto began = std::chrono::steady_clock::now();
    const Request request = checked(given, system.dimension());
    require_options_apply(request.options, direct_description);
    Acceleration<System> acceleration(system);
    std::vector<double> theta(system.phases().size());
    const AveragedAcceleration rate = [&](double t, std::span<const double> x, std::span<const double> v,
                                          std::span<double> a) {
        for (std::size_t j = 0; j < theta.size(); ++j) {
            theta[j] = system.phases()[j].at(t);
        }
        constexpr auto extent = System::extent;
        acceleration(view<extent>(x), view<extent>(v), t, std::span<const double>(theta), view<extent>(a));
    };

    const auto macro = macro_choice(request.options, {request.t_start, request.t_end});
    auto marched = march_macro(macro, rate, request, request.start, request.velocity);

    RunRecord record{.method = direct_description.name,
                     .requested_method = request.method,
                     .slow_is = direct_description.slow_is,
                     .outcome = marched.result.outcome,
                     .explanation = marched.result.explanation,
                     .t_end = marched.result.reached,
                     .options = {{"macro", macro.name}}};
    if (marched.result.culprit) {
        record.explanation +=
            fmt::format(" (first in {})", system.names()[*marched.result.culprit % system.dimension()]);
    }
    if (macro.step) {
        record.options.push_back({"macro_step", fmt::format("{}", *macro.step)});
    }
    record.statistics.macro_steps = marched.result.steps;
    record.statistics.rejected_steps = marched.result.rejected;
    record.statistics.force_evaluations = acceleration.evaluations();
    record.statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return Solution(std::move(record), std::move(marched.trajectory), std::move(marched.final_state),
                    [](const Snapshot& state) { return state; });
}

}  // namespace lento
