/// Direct integration: every vibration resolved, no averaging. The reference.
///
/// Dormand-Prince 5(4) with step-size control, or any stepper with fixed steps, on M x'' = f(x, x', t, theta(t))
/// or y' = r(y, t, theta(t)) itself. Phases are reduced exactly, so that long runs keep them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
    .options = {
        {"macro", "verlet with macro_step or steps, else dopri5"}, {"macro_step", "adaptive"}, {"steps", "adaptive"}}};

/// A march as a solution; `names` are those of the unknowns.
Solution direct_solution(const Request& request, const std::vector<std::string>& names, const MacroChoice& macro,
                         Marched marched, std::int64_t evaluations, std::chrono::steady_clock::time_point began);

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
    const auto macro = macro_choice(request.options, {request.t_start, request.t_end});
    auto marched = march_macro(macro, rate, request, request.start, request.velocity);
    return direct_solution(request, system.names(), macro, std::move(marched), acceleration.evaluations(), began);
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
    const auto macro = macro_choice(request.options, {request.t_start, request.t_end});
    auto marched = march_macro(macro, rate, request, request.start);
    return direct_solution(request, system.names(), macro, std::move(marched), evaluations, began);
}

}  // namespace lento
