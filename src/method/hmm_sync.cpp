/// Synchronous HMM (vibrated, Algorithm 1). The window at time t follows the true motion near the slow state (X, V):
///
///     x(t) = X,  v(t) = V + W(X, theta(t)),  theta(t) = omega t + theta_0          (2.10), (3.8)
///     F = sum_k w_k a(x_k, v_k, t_k, theta_k)                                      (2.11)
///
/// W is the fast part of the velocity: the user's formula, or computed from the force's own part of zero mean. F
/// depends, weakly, on V and on the phase, so the macro-step is neither symmetric nor symplectic.
///
/// Variables, y' = r(y, t, theta), have no velocity to enslave (appendix A). The window starts at the true state
/// itself,
///
///     y(t) = Y + Delta(Y, theta(t)),     F = sum_k w_k r(y_k, t_k, theta_k)
///
/// so that for rates of size one F is the averaged rate up to what the filter adds, with nothing of the phase in it;
/// from Y itself it would be off by F' Delta = O(1/omega).
#include <fmt/format.h>

#include "average/fast_part.hpp"
#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "method/averaged_run.hpp"

namespace lento {
namespace {

constexpr std::array options{
    Method::Option{"macro", "verlet, for variables rk4, with macro_step or steps, else dopri5"},
    Method::Option{"macro_step", "adaptive"},
    Method::Option{"steps", "adaptive"},
    Method::Option{"micro", "dopri5"},
    Method::Option{"micro_step", "from micro_steps_per_period"},
    Method::Option{"micro_steps_per_period", "doubled until the averaged force settles"},
    Method::Option{"filter", "cos8; flat8 for variables"},
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
    AveragedRun averaged(run, free_motion(run.problem()));
    const Problem& problem = run.problem();
    const Filter filter(run.options().filter.value_or(averaged.usual_kernel()));
    if (filter.is_one_period()) {
        throw Misuse(fmt::format(
            "filter = period needs windows that start from rest at a phase of symmetry, as those of {} do; here they "
            "start at the current phase, where it gives errors of order one. Use a kernel (filter = cos8)",
            method::hmm_async.name));
    }
    std::optional<FastPart> fast_part;
    if (!problem.fast_velocity || !problem.second_order) {
        const auto& start = run.request();
        fast_part.emplace(averaged.acceleration(), start.start, start.velocity, start.t_start);
    }

    return averaged.solve(filter, Sides::both, WindowPhase::runs, [&](Window& window) {
        return [&](double t, In X, In V, Out F) {
            const auto theta = problem.phases_at(t);
            std::vector<double> x(X.begin(), X.end());
            std::vector<double> v(V.begin(), V.end());
            if (!problem.second_order) {
                add_to(x, 1, fast_part->at(X, V, t, theta).displacement);
            } else if (fast_part) {
                add_to(v, 1, fast_part->at(X, V, t, theta).velocity);
            } else {
                std::vector<double> w(V.size());
                problem.fast_velocity(X, t, theta, w);
                add_to(v, 1, w);
            }
            window.average_acceleration({.x = x, .v = v, .t = t, .phases = theta, .time = ExplicitTime::running}, F);
        };
    });
}

}  // namespace

constinit const Method method::hmm_sync{
    .name = "hmm-sync",
    .problems = "vibrated",
    .paper = "vibrated",
    .slow_is = SlowMeaning::averaged,
    .summary =
        "windows around the current time with the fast part of velocities or variables added, "
        "averaged by a kernel; then large steps",
    .options = options,
    .judge = judge,
    .solve = solve};

}  // namespace lento
