/// Synchronous HMM (vibrated, Algorithm 1). The window at time t follows the true motion near the slow state (X, V):
///
///     x(t) = X,  v(t) = V + W(X, theta(t)),  theta(t) = omega t + theta_0          (2.10), (3.8)
///     F = sum_k w_k a(x_k, v_k, t_k, theta_k)                                      (2.11)
///
/// W is the fast part of the velocity: the user's formula, or computed from the force's own part of zero mean. F
/// depends, weakly, on V and on the phase, so the macro-step is neither symmetric nor symplectic.
#include <fmt/format.h>

#include "average/fast_part.hpp"
#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "method/averaged_run.hpp"

namespace lento {
namespace {

constexpr std::array options{Method::Option{"macro", "verlet with macro_step or steps, else dopri5"},
                             Method::Option{"macro_step", "adaptive"},
                             Method::Option{"steps", "adaptive"},
                             Method::Option{"micro", "dopri5"},
                             Method::Option{"micro_step", "from micro_steps_per_period"},
                             Method::Option{"micro_steps_per_period", "doubled until the averaged force settles"},
                             Method::Option{"filter", "cos8"},
                             Method::Option{"window", "from window_periods"},
                             Method::Option{"window_periods", "exponential 40, cubic 6, cosP P/2 + 8"},
                             Method::Option{"initial", "true-state"},
                             Method::Option{"mean_force", "refuse"},
                             Method::Option{"estimate", "yes"}};

Verdict judge(const Problem& problem, const Request&) {
    constexpr double evaluations = 8e4;
    auto verdict = windows_verdict(problem, ForConstraints::no, evaluations);
    if (verdict.applies && problem.phases.empty() && !problem.fast_velocity) {
        return {false,
                "it has to add the fast part of the velocity, and without a phase that cannot be computed: declare a "
                "formula for it"};
    }
    return verdict;
}

Solution solve(Run& run) {
    AveragedRun averaged(run, std::make_unique<Motion>(run.problem()));
    const Problem& problem = run.problem();
    const Filter filter(run.options().filter.value_or("cos8"));
    if (filter.is_one_period()) {
        throw Misuse(fmt::format(
            "filter = period needs windows that start from rest at a phase of symmetry, as those of {} do; here they "
            "start at the current phase, where it gives errors of order one. Use a kernel (filter = cos8)",
            method::hmm_async.name));
    }
    std::optional<FastPart> fast_part;
    if (!problem.fast_velocity) {
        const auto& start = run.request();
        fast_part.emplace(averaged.acceleration(), start.start, start.velocity, start.t_start);
    }

    return averaged.solve(filter, Sides::both, ExplicitTime::running, [&](Window& window) {
        return [&](double t, In X, In V, Out F) {
            const auto theta = problem.phases_at(t);
            std::vector<double> v(V.size());
            if (fast_part) {
                v = fast_part->at(X, V, t, theta).velocity;
            } else {
                problem.fast_velocity(X, t, theta, v);
            }
            add_to(v, 1, V);
            window.average_acceleration({.x = X, .v = v, .t = t, .phases = theta, .time = ExplicitTime::running}, F);
        };
    });
}

}  // namespace

constinit const Method method::hmm_sync{.name = "hmm-sync",
                                        .problems = "vibrated",
                                        .paper = "vibrated",
                                        .slow_is = SlowMeaning::averaged,
                                        .summary =
                                            "windows around the current time with the fast part of the velocity added, "
                                            "averaged by a kernel; then large steps",
                                        .options = options,
                                        .judge = judge,
                                        .solve = solve};

}  // namespace lento
