/// How a run with stiff springs marches, ends, and what it says about itself.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "judge/price.hpp"
#include "method/stiff_run.hpp"

namespace lento {

Solution StiffRun::solve(const SlowMotion& motion, const MacroSolvers& solvers, std::vector<double> y) {
    const auto macro = macro_choice(request().options, run_->interval(), solvers);
    run_->note(macro);
    run_->allow_steps(most_steps_);
    auto marched = taken_apart(march_macro(macro, motion, request(), std::move(y)));
    auto& result = marched.result;
    if (const auto& violation = run_->violation()) {
        result.outcome = violation->outcome;
        result.explanation = violation->sentence;
        result.culprit.reset();
    } else if (const double moved = accumulated_glide(result.steps);
               result.outcome == Outcome::completed && moved > 0.3) {
        result.outcome = Outcome::no_scale_separation;
        result.explanation = fmt::format(
            "windows of {:.3g} see the slow motion change, and move it by about {:.1g} of its size in all: the springs "
            "are not fast against it",
            window_->width(), moved);
    } else if (failure_ && result.outcome == Outcome::diverged) {
        result.outcome = Outcome::not_converged;
        result.explanation = *failure_;
        result.culprit.reset();
    }
    count();
    warn_at_the_end(result);
    return run_->finished({.result = std::move(result),
                           .trajectory = std::move(marched.trajectory),
                           .final_state = std::move(marched.final_state),
                           .advice = "; try a smaller macro_step, or a tighter rtol where the step is adaptive"});
}

Solution StiffRun::not_started() {
    count();
    return run_->not_started();
}

void StiffRun::count() {
    if (!window_) {
        return;
    }
    auto& statistics = run_->statistics();
    statistics.micro_steps = window_->micro_steps();
    statistics.force_evaluations += window_->force_evaluations();
    statistics.projections = projection_->projections();
    statistics.projection_iterations = projection_->iterations();
    statistics.projection_residual = projection_->largest_residual();
    run_->note("micro", options_.micro.value_or("verlet"));
    run_->note("micro_steps_per_period", fmt::format("{}", window_->steps_per_period()));
    run_->note("filter", *options_.filter);
    run_->note("window_periods", fmt::format("{:.6g}", window_->width() / scales_.slowest));
}

double StiffRun::accumulated_glide(std::int64_t macro_steps) const {
    const auto projections = static_cast<double>(std::max<std::int64_t>(1, projection_->projections()));
    const double applied = steps_start_projected_ ? static_cast<double>(macro_steps) / projections : 1;
    return all_glides_ * applied;
}

double StiffRun::averaging_error(double reached) const {
    return averages_forces_ ? glide_ * std::pow((reached - request().t_start) / size_.time, 2) : 0;
}

void StiffRun::warn_at_the_end(const MarchResult& result) {
    const auto outcome = result.outcome;
    const double moved = window_ ? std::max(accumulated_glide(result.steps), averaging_error(result.reached)) : 0;
    if (outcome == Outcome::completed && moved > 10 * request().rtol) {
        run_->warn(
            fmt::format("windows of filter = {} and {:.3g} periods see the slow motion change: an error of {:.0g} of "
                        "its size. Stiffer springs make that less, and so do shorter windows and filters of three "
                        "vanishing moments (cubic, flat4); the method {} avoids it",
                        *options_.filter, window_->width() / scales_.slowest, moved, method::direct.name));
    }
    if (outcome == Outcome::completed && !start_was_fast_ && moved_ > 10 * request().rtol) {
        run_->warn(
            fmt::format("the motion left the slow manifold and was projected back {} times, by {:.1g} of its size in "
                        "all: its error is of that order. A tighter rtol, or the method {}, makes it less",
                        projection_->projections() - 1, moved_, method::ipa.name));
    }
    if (drifted_at_) {
        run_->warn(
            fmt::format("from t = {:.4g} on, the energy that the springs have gathered changes the averaged force by a "
                        "few percent or more: the slow motion may be far off; project = auto projects in time",
                        *drifted_at_));
    }
    if (!spectrum_.known) {
        run_->warn(
            "the springs depend on each other, and are too many to find their lowest frequency: the window is that of "
            "the nominal ones; give a larger window_periods if projections do not converge");
    }
    if (stalled_ > 10 && scales_.slowest * 1e7 < size_.time) {
        run_->warn(fmt::format(
            "springs this stiff are at the limit of rounding: projections stop at changes of {:.2g} times the "
            "tolerance, and the slow motion is uncertain accordingly. It differs from that of infinitely stiff springs "
            "by {:.1g} of its size; frequencies a hundred times lower give the same, without the noise",
            stalled_, 100 * std::pow(scales_.slowest / size_.time, 2)));
    } else if (stalled_ > 10) {
        run_->warn(
            fmt::format("projections stop at changes of {:.2g} times the tolerance: beyond that the iteration only "
                        "glides along the slow manifold; a larger projection_tolerance or a shorter window avoids it",
                        stalled_));
    }
    if (outcome == Outcome::completed) {
        run_->compare_with_direct(price_of_direct(spectrum_, result.reached - request().t_start, request().rtol));
    }
}

}  // namespace lento
