/// Synchronous HMM (vibrated, Algorithm 1). The window at time t follows the true motion near the slow state (X, V):
///
///     x(t) = X,  v(t) = V + W(X, theta(t)),  theta(t) = omega t + theta_0          (2.10), (3.8)
///     F = sum_k w_k a(x_k, v_k, t_k, theta_k)                                      (2.11)
///
/// W is the fast part of the velocity: the user's formula, or computed from the force's own part of zero mean. F
/// depends, weakly, on V and on the phase, so the macro-step is neither symmetric nor symplectic.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lento/average/fast_part.hpp"
#include "lento/method/averaged_run.hpp"

namespace lento {

inline const MethodDescription hmm_sync_description{
    .name = "hmm-sync",
    .problems = "vibrated",
    .paper = "vibrated",
    .slow_is = "averaged",
    .summary =
        "windows around the current time with the fast part of the velocity added, averaged by a kernel; then large "
        "steps",
    .options = {{"macro", "verlet with macro_step or steps, else dopri5"},
                {"macro_step", "adaptive"},
                {"steps", "adaptive"},
                {"micro", "dopri5"},
                {"micro_step", "from micro_steps_per_period"},
                {"micro_steps_per_period", "doubled until the averaged force settles"},
                {"filter", "cos8"},
                {"window", "from window_periods"},
                {"window_periods", "exponential 40, cubic 6, cosP P/2 + 8"},
                {"initial", "true-state"},
                {"mean_force", "refuse"}}};

template <class System>
Solution hmm_sync(const System& system, const Request& request) {
    AveragedRun<System> run(system, request, hmm_sync_description);
    const Filter filter(request.options.filter.value_or("cos8"));
    if (filter.is_one_period()) {
        throw Misuse(
            "filter = period needs windows that start from rest at a phase of symmetry; in hmm-sync they start at the "
            "current "
            "phase, where it gives errors of order one. Use a kernel (filter = cos8), or the method hmm-async");
    }
    if (system.phases().empty() && !system.fast_velocity()) {
        throw Misuse(
            "hmm-sync has to add the fast part of the velocity, and without a phase it cannot be computed; give a "
            "formula for it, "
            "or use hmm-async");
    }
    std::optional<FastPart<System>> fast_part;
    if (!system.fast_velocity()) {
        const auto& start = run.request();
        fast_part.emplace(run.acceleration(), start.start, start.velocity, start.t_start);
    }

    return run.solve(filter, Sides::both, ExplicitTime::running, [&](AnyWindow<System>& window) {
        return [&](double t, std::span<const double> X, std::span<const double> V, std::span<double> F) {
            const auto theta = system.phases_at(t);
            std::vector<double> v(V.size());
            if (fast_part) {
                v = fast_part->at(X, V, t, theta).velocity;
            } else {
                system.fast_velocity()(X, t, theta, v);
            }
            for (std::size_t i = 0; i < v.size(); ++i) {
                v[i] += V[i];
            }
            window.average_acceleration({.x = view<System::extent>(X),
                                         .v = view<System::extent>(std::span<const double>(v)),
                                         .t = t,
                                         .phases = theta,
                                         .time = ExplicitTime::running},
                                        view<System::extent>(F));
        };
    });
}

}  // namespace lento
