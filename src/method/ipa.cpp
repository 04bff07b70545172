#include "lento/method/ipa.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lento/average/filter.hpp"
#include "lento/base/number.hpp"
#include "lento/method/stiff_run.hpp"

namespace lento {

Solution ipa(const StiffMotion& springs, const Request& request) {
    StiffRun run(springs, request, ipa_description, ipa_window);
    const auto project = run.request().options.project.value_or(run.request().options.project_times ? "times" : "each");
    require_one_of("project", project, {"each", "start", "times"});
    require_one_of("guess", run.request().options.guess.value_or("elongations"), {"elongations", "none"});
    SlowMotion motion;
    run.schedule(project, motion);
    if (run.violation()) {
        return run.not_started();
    }
    const std::size_t d = springs.dimension();
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
        run.guess_projections();
        if (const auto& filter = *run.options().filter; Filter(filter).vanishing_moments() < 3) {
            run.warn(
                fmt::format("filter = {} has one vanishing moment: projections end O(omega^-2) beside the slow "
                            "manifold, and what the "
                            "window leaks of the springs' force there does not become less with stiffer springs. Take "
                            "cubic or flat4, "
                            "which have three",
                            filter));
        }
        run.raise_tolerance_to_glide();
        std::vector<double> evaluated_at = y;
        // NOTE: steps of SUNDIALS do not start from the projected point. They are drawn to it instead,
        //     z' = phi(P z) + (P z - z)/tau
        // which on the slow manifold is the same.
        const auto macro = run.request().options.macro.value_or("");
        const bool own_steps = macro.starts_with("cvode") || macro.starts_with("arkode");
        const std::size_t pulled = own_steps ? 2 * d : 0;
        const double pull = 10 / run.size().time;
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
            for (std::size_t i = 0; i < pulled; ++i) {
                rate[i] += pull * (evaluated_at[i] - z[i]);
            }
        };
        motion.evaluated_at = [&] { return std::span<const double>(evaluated_at); };
        motion.wants_projection = [&](double t, std::span<const double> z) {
            run.require_frequencies(t, z.first(d));
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

    motion.acceleration = [&, acceleration = springs.acceleration()](double t, std::span<const double> x,
                                                                     std::span<const double> v, std::span<double> a) {
        acceleration(t, x, v, a);
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
