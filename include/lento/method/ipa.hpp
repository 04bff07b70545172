/// The iterated projection algorithm (slow-manifold) put to work. Slow solutions of stiff springs lie on the slow manifold; P projects onto
/// it (`average/projection.hpp`).
///
///     each    y' = phi(P y), so that only the slow manifold is seen. A Runge-Kutta step has stages Z^i = P(z_n + H sum_j a_ij phi(Z^j)) and
///             ends at z_{n+1} = P z_n + H sum_i b_i phi(Z^i)                                  (38)
///             phi takes the acceleration filtered in the last window of P. The cost does not grow with the stiffness.
///     start   the stiff system itself is integrated from P(q_0, p_0)                          (section 6.3)
///     times   and is projected again on the way                                               (section 6.4)
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lento/method/hmm_stiff.hpp"
#include "lento/method/stiff_run.hpp"

namespace lento {

inline const MethodDescription ipa_description{
    .name = "ipa",
    .problems = "stiff springs, constraints",
    .paper = "slow-manifold",
    .slow_is = "slow manifold",
    .summary =
        "projects onto the slow manifold by filtering again and again, before each evaluation of the force; any "
        "solver for the slow motion",
    .options = {
        {"macro", "rk4 with macro_step or steps, else dopri5; with project = each no verlet, no implicit-midpoint"},
        {"macro_step", "adaptive"},
        {"steps", "adaptive"},
        {"micro", "verlet"},
        {"micro_step", "from micro_steps_per_period"},
        {"micro_steps_per_period", "6, more where springs move faster together"},
        {"filter", "cubic"},
        {"window", "from window_periods"},
        {"window_periods", "6, more where springs move slower together"},
        {"project", "each; or start, times"},
        {"project_times", "none"},
        {"projection_tolerance", "follows the frequency"}}};

inline const WindowDefaults ipa_window{
    .filter = "cubic", .periods = 6, .steps_per_period = 6, .least_periods = 3.6, .least_steps = 3.5};

template <class Springs>
Solution ipa(const StiffSystem<Springs>& system, const Request& request) {
    StiffRun<Springs> run(system, request, ipa_description, ipa_window);
    const auto project = run.request().options.project.value_or(run.request().options.project_times ? "times" : "each");
    require_one_of("project", project, {"each", "start", "times"});
    SlowMotion motion;
    schedule_projections(run, motion, project);
    if (run.violation()) {
        return run.not_started();
    }
    const std::size_t d = system.dimension();
    const auto start = run.projected(run.request().t_start, run.request().start, run.request().velocity);
    if (start) {
        run.judge_start(start->position, start->velocity, start->acceleration);
    } else {
        run.give_up();
    }
    if (run.violation()) {
        return run.not_started();
    }
    std::vector<double> y = start->position;
    y.insert(y.end(), start->velocity.begin(), start->velocity.end());
    run.judge_glide(start->position, start->velocity);

    if (project == "each") {
        run.note_steps_start_projected();
        run.raise_tolerance_to_glide();
        std::vector<double> evaluated_at = y;
        motion.rate = [&](double t, std::span<const double> z, std::span<double> rate) {
            const auto point = run.projected(t, z.first(d), z.last(d));
            if (!point) {
                std::fill(rate.begin(), rate.end(), std::numeric_limits<double>::quiet_NaN());
                return;
            }
            std::copy(point->acceleration.begin(), point->acceleration.end(),
                      std::copy(point->velocity.begin(), point->velocity.end(), rate.begin()));
            std::copy(point->velocity.begin(), point->velocity.end(),
                      std::copy(point->position.begin(), point->position.end(), evaluated_at.begin()));
        };
        motion.evaluated_at = [&] { return std::span<const double>(evaluated_at); };
        motion.wants_projection = [&](double t, std::span<const double> z) {
            double moved = 0;
            for (std::size_t i = 0; i < d; ++i) {
                moved = larger(moved, std::abs(z[i] - evaluated_at[i]));
            }
            if (run.violation() || moved < 0.3 * run.size().length) {
                return run.violation().has_value();
            }
            run.refuse(Outcome::unstable,
                       fmt::format(
                           "a macro-step leaves the slow manifold by {:.2g} at t = {:.6g}, where the motion is of size "
                           "{:.2g}: it is too long; take a smaller macro_step, or a tighter rtol",
                           moved, t, run.size().length));
            return true;
        };
        motion.project = [](double, std::span<double>) { return false; };
        motion.finish = [&](double t, std::span<double> z) {
            if (const auto point = run.projected(t, z.first(d), z.last(d))) {
                std::copy(point->velocity.begin(), point->velocity.end(),
                          std::copy(point->position.begin(), point->position.end(), z.begin()));
            }
        };
        return run.solve(motion, rate_solvers(), std::move(y));
    }

    Acceleration acceleration(system.whole());
    motion.acceleration = [&](double t, std::span<const double> x, std::span<const double> v, std::span<double> a) {
        acceleration(x, v, t, {}, a);
        run.count_evaluations(1);
    };
    motion.rate = first_order_rate(motion.acceleration);
    motion.project = [&](double t, std::span<double> z) {
        const auto point = run.projected(t, z.first(d), z.last(d));
        if (!point) {
            run.give_up();
        } else {
            std::copy(point->velocity.begin(), point->velocity.end(),
                      std::copy(point->position.begin(), point->position.end(), z.begin()));
        }
        return point.has_value();
    };
    run.allow_many_steps();
    return run.solve(motion, spring_solvers(), std::move(y));
}

}  // namespace lento
