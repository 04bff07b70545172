/// The iterated projection algorithm (slow-manifold) put to work. Slow solutions of stiff springs lie on the slow
/// manifold; P projects onto it (`average/projection.hpp`).
///
///     each    y' = phi(P y), so that only the slow manifold is seen. A Runge-Kutta step has stages
///             Z^i = P(z_n + H sum_j a_ij phi(Z^j)), ends at z_{n+1} = P z_n + H sum_i b_i phi(Z^i)      (38)
///             phi takes the acceleration filtered in the last window of P. The iterations of P begin where springs are
///             as long as at the last point (`average/slow_manifold.hpp`): stiffness does not add to the cost.
///     start   the stiff system itself is integrated from P(q_0, p_0)                          (section 6.3)
///     times   and is projected again on the way                                               (section 6.4)
///
/// What the oscillation of the start does to the slow motion comes to phi (`judge/fast_energy.hpp`): there is none
/// after P.
#include <fmt/format.h>

#include "average/filter.hpp"
#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "method/relaxed_run.hpp"
#include "method/stiff_run.hpp"
#include "problem/acceleration.hpp"

namespace lento {
namespace {

constexpr std::array options{
    Method::Option{"macro",
                   "rk4 with macro_step or steps, else dopri5; with project = each no verlet, no implicit-midpoint"},
    Method::Option{"macro_step", "adaptive"},
    Method::Option{"steps", "adaptive"},
    Method::Option{"micro", "verlet"},
    Method::Option{"micro_step", "from micro_steps_per_period"},
    Method::Option{"micro_steps_per_period", "6, more where springs move faster together"},
    Method::Option{"filter", "cubic"},
    Method::Option{"window", "from window_periods"},
    Method::Option{"window_periods", "6, more where springs move slower together"},
    Method::Option{"project", "each; or start, times"},
    Method::Option{"project_times", "none"},
    Method::Option{"projection_tolerance", "follows the frequency"},
    Method::Option{"guess", "elongations; or none, as in the paper"},
    Method::Option{"fast_energy", "adiabatic; or none, as in the papers"},
    Method::Option{"estimate", "yes"}};

Solution on_springs(Run& under_way) {
    StiffRun run(under_way, ipa_window);
    const auto project = run.options().project.value_or(run.options().project_times ? "times" : "each");
    require_one_of("project", project, {"each", "start", "times"});
    require_one_of("guess", run.options().guess.value_or("elongations"), {"elongations", "none"});
    SlowMotion motion;
    run.schedule(project, motion);
    if (run.violation()) {
        return under_way.not_started();
    }
    const std::size_t d = run.problem().dimension();
    const auto start = run.projected(run.request().t_start, run.request().start, run.request().velocity);
    if (start) {
        run.judge_start(start->position, start->velocity, start->acceleration);
    } else {
        run.give_up();
    }
    if (run.violation()) {
        return under_way.not_started();
    }
    auto y = run.start_pushes() ? run.slow_start() : put_together(start->position, start->velocity);
    run.judge_glide(start->position, start->velocity);

    if (project == "each") {
        run.course.steps_start_projected = true;
        run.guess_projections();
        if (const auto& filter = *run.chosen().filter; Filter(filter).vanishing_moments() < 3) {
            under_way.warn(
                fmt::format("filter = {} has one vanishing moment: projections end O(omega^-2) beside the slow "
                            "manifold, and what the window leaks of the springs' force there does not become less with "
                            "stiffer springs. Take cubic or flat4, which have three",
                            filter));
        }
        run.raise_tolerance_to_glide();
        std::vector<double> evaluated_at = y;
        // NOTE: steps of SUNDIALS do not start from the projected point. They are drawn to it instead,
        //     z' = phi(P z) + (P z - z)/tau
        // which on the slow manifold is the same.
        const auto macro = run.options().macro.value_or("");
        const bool own_steps = macro.starts_with("cvode") || macro.starts_with("arkode");
        const std::size_t pulled = own_steps ? 2 * d : 0;
        const double pull = 10 / run.size().time;
        motion.rate = [&](double t, In z, Out rate) {
            const auto point = run.projected(t, z.first(d), z.last(d));
            if (!point) {
                std::fill(rate.begin(), rate.end(), std::numeric_limits<double>::quiet_NaN());
                return;
            }
            put_together(point->velocity, point->acceleration, rate);
            run.push(t, point->position, point->velocity, rate.last(d));
            put_together(point->position, point->velocity, evaluated_at);
            for (std::size_t i = 0; i < pulled; ++i) {
                rate[i] += pull * (evaluated_at[i] - z[i]);
            }
        };
        motion.evaluated_at = [&] { return In(evaluated_at); };
        motion.wants_projection = [&](double t, In z) {
            run.require_frequencies(t, z.first(d));
            const double moved = largest_change(z.first(d), evaluated_at);
            if (run.violation() || moved < 0.3 * run.size().length) {
                return run.violation().has_value();
            }
            under_way.refuse(
                Outcome::unstable,
                fmt::format("a macro-step leaves the slow manifold by {:.2g} at t = {:.6g}, where the motion is "
                            "of size {:.2g}: it is too long; take a smaller macro_step, or a tighter rtol",
                            moved, t, run.size().length));
            return true;
        };
        motion.project = [](double, Out) { return false; };
        motion.finish = [&](double t, Out z) {
            if (const auto point = run.projected(t, z.first(d), z.last(d))) {
                put_together(point->position, point->velocity, z);
            }
        };
        return run.solve(motion, rate_solvers(), std::move(y));
    }

    Acceleration acceleration(run.problem());
    motion.acceleration = [&](double t, In x, In v, Out a) {
        acceleration(x, v, t, {}, a);
        run.push(t, x, v, a);
        run.count_evaluations(1);
    };
    motion.rate = first_order_rate(motion.acceleration);
    motion.project = [&](double t, Out z) {
        const auto point = run.projected(t, z.first(d), z.last(d));
        if (!point) {
            run.give_up();
        } else {
            put_together(point->position, point->velocity, z);
        }
        return point.has_value();
    };
    run.allow_many_steps();
    return run.solve(motion, spring_solvers(), std::move(y));
}

}  // namespace

constinit const Method method::ipa{
    .name = "ipa",
    .problems = "stiff springs, constraints",
    .paper = "slow-manifold",
    .slow_is = SlowMeaning::slow_manifold,
    .summary =
        "projects onto the slow manifold by filtering again and again, before each "
        "evaluation of the force; any solver for the slow motion",
    .options = options,
    // NOTE: as many evaluations as resolving five thousand oscillations at a tolerance of 1e-6 takes.
    .judge = [](const Problem& problem, const Request&) { return springs_verdict(problem, 8e5); },
    .solve = [](Run& run) { return solve_on_springs(run, on_springs); }};

}  // namespace lento
