/// How a run with stiff springs marches, ends, and what it says about itself.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lento/method/spring_start.hpp"
#include "lento/method/stiff_run.hpp"

namespace lento {

Solution StiffRun::solve(const SlowMotion& motion, const MacroSolvers& solvers, std::vector<double> y) {
    const auto macro = macro_choice(request_.options, {request_.t_start, request_.t_end}, solvers);
    record_.options.push_back({"macro", macro.name});
    if (macro.step) {
        record_.options.push_back({"macro_step", fmt::format("{}", *macro.step)});
    }
    Request limited = request_;
    limited.most_steps = std::min<std::int64_t>(request_.most_steps, most_steps_);
    auto marched = taken_apart(march_macro(macro, motion, limited, std::move(y)));
    auto& result = marched.result;
    record_.statistics.macro_steps = result.steps;
    record_.statistics.rejected_steps = result.rejected;
    record_.statistics.newton_iterations = result.newton_iterations;
    record_.t_end = result.reached;
    if (violation_) {
        return finished(violation_->outcome, violation_->sentence, std::move(marched));
    }
    if (const double moved = accumulated_glide(); result.outcome == Outcome::completed && moved > 0.3) {
        return finished(
            Outcome::no_scale_separation,
            fmt::format("windows of {:.3g} see the slow motion change, and move it by about {:.1g} of its size "
                        "in all: the springs are not fast against it; use the method direct",
                        window_->width(), moved),
            std::move(marched));
    }
    if (failure_ && result.outcome == Outcome::diverged) {
        return finished(Outcome::not_converged, *failure_, std::move(marched));
    }
    if (result.culprit) {
        result.explanation +=
            fmt::format(" (first in {}); try a smaller macro_step, or a tighter rtol where the step is adaptive",
                        motion_->names()[*result.culprit % motion_->dimension()]);
    }
    const auto [outcome, explanation] = std::pair(result.outcome, result.explanation);
    return finished(outcome, explanation, std::move(marched));
}

Solution StiffRun::not_started() {
    return finished(
        violation_->outcome, violation_->sentence,
        {.result = {},
         .trajectory = {},
         .final_state = {.t = request_.t_start, .position = request_.start, .velocity = request_.velocity}});
}

Solution StiffRun::finished(Outcome outcome, std::string explanation, Marched marched) {
    record_.outcome = outcome;
    record_.explanation = std::move(explanation);
    if (window_) {
        auto& statistics = record_.statistics;
        statistics.micro_steps = window_->micro_steps();
        statistics.force_evaluations += window_->force_evaluations();
        statistics.projections = projection_->projections();
        statistics.projection_iterations = projection_->iterations();
        statistics.projection_residual = projection_->largest_residual();
        record_.options.insert(record_.options.end(),
                               {{"micro", options_.micro.value_or("verlet")},
                                {"micro_steps_per_period", fmt::format("{}", window_->steps_per_period())},
                                {"filter", *options_.filter},
                                {"window_periods", fmt::format("{:.6g}", window_->width() / scales_.slowest)}});
    }
    warn_at_the_end(outcome);
    record_.statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    return Solution(std::move(record_), std::move(marched.trajectory), std::move(marched.final_state), {});
}

double StiffRun::accumulated_glide() const {
    const auto projections = static_cast<double>(std::max<std::int64_t>(1, projection_->projections()));
    const double applied =
        steps_start_projected_ ? static_cast<double>(record_.statistics.macro_steps) / projections : 1;
    return all_glides_ * applied;
}

double StiffRun::averaging_error() const {
    return averages_forces_ ? glide_ * std::pow((record_.t_end - request_.t_start) / size_.time, 2) : 0;
}

void StiffRun::warn_at_the_end(Outcome outcome) {
    const double moved = window_ ? std::max(accumulated_glide(), averaging_error()) : 0;
    if (outcome == Outcome::completed && moved > 10 * request_.rtol) {
        warn(fmt::format(
            "windows of filter = {} and {:.3g} periods see the slow motion change: an error of {:.0g} of its "
            "size. Stiffer springs make that less, and so do shorter windows and filters of three vanishing moments "
            "(cubic, flat4); the method direct avoids it",
            *options_.filter, window_->width() / scales_.slowest, moved));
    }
    if (outcome == Outcome::completed && !start_was_fast_ && moved_ > 10 * request_.rtol) {
        warn(fmt::format(
            "the motion left the slow manifold and was projected back {} times, by {:.1g} of its size in all: "
            "its error is of that order. A tighter rtol, or the method ipa, makes it less",
            projection_->projections() - 1, moved_));
    }
    if (drifted_at_) {
        warn(
            fmt::format("from t = {:.4g} on, the energy that the springs have gathered changes the averaged force by "
                        "a few percent or more: the slow motion may be far off; project = auto projects in time",
                        *drifted_at_));
    }
    if (!spectrum_.known) {
        warn(
            "the springs depend on each other, and are too many to find their lowest frequency: the window is that "
            "of "
            "the nominal ones; give a larger window_periods if projections do not converge");
    }
    if (stalled_ > 10 && scales_.slowest * 1e7 < size_.time) {
        warn(
            fmt::format("springs this stiff are at the limit of rounding: projections stop at changes of {:.2g} times "
                        "the tolerance, and the slow motion is uncertain accordingly. It differs from that of "
                        "infinitely stiff springs by {:.1g} of its size; frequencies a hundred times lower give the "
                        "same, without the noise",
                        stalled_, 100 * std::pow(scales_.slowest / size_.time, 2)));
    } else if (stalled_ > 10) {
        warn(
            fmt::format("projections stop at changes of {:.2g} times the tolerance: beyond that the iteration only "
                        "glides along the slow manifold; a larger projection_tolerance or a shorter window avoids it",
                        stalled_));
    }
    const double direct = spectrum_.vanishing ? 0 : evaluations_to_resolve(spectrum_, record_.t_end - request_.t_start);
    if (outcome == Outcome::completed && static_cast<double>(record_.statistics.force_evaluations) > direct) {
        warn(
            fmt::format("{} force evaluations, where resolving every oscillation would take about {:.0f}: the method "
                        "direct is the better choice here",
                        record_.statistics.force_evaluations, direct));
    }
}

}  // namespace lento
