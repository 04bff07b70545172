#include "method/slow_leapfrog.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "method/slow_prediction.hpp"

namespace lento {
namespace {

/// What grows by a factor e^g a step is multiplied by g^2 e^(50 g) from one smoothing to the next, and stays small for
/// g < 0.09. The four points ahead that each smoothing needs are 8 % of the windows.
constexpr std::int64_t steps_between_smoothings = 50;

/// Section 4.2: the segments are less than 1 % of the run in all.
constexpr std::int64_t steps_a_segment = 100;

std::int64_t number_of_steps(Interval interval, double step) {
    return static_cast<std::int64_t>(std::ceil(interval.length() / step - 1e-9));
}

Reconstruct reconstruct_of(const std::string& macro, const Options& options) {
    if (macro == "leapfrog-tangent") {
        return Reconstruct::tangent;
    }
    if (macro == "leapfrog-field") {
        return Reconstruct::field;
    }
    return options.reconstruction == "nearest" ? Reconstruct::nearest : Reconstruct::symmetric;
}

}  // namespace

const std::vector<std::string>& leapfrogs() {
    static const std::vector<std::string> names{"leapfrog", "leapfrog-tangent", "leapfrog-field"};
    return names;
}

bool is_leapfrog(const std::string& macro) {
    return std::ranges::count(leapfrogs(), macro) > 0;
}

void require_leapfrog_options(const Options& options, const std::string& macro) {
    require_one_of("reconstruction", options.reconstruction.value_or("symmetric"), {"symmetric", "nearest"});
    require_one_of("smoothing", options.smoothing.value_or("even-odd"), {"even-odd", "segments", "none"});
    if (options.reconstruction && macro != "leapfrog") {
        throw Misuse(fmt::format("reconstruction = {} is for macro = leapfrog; macro = {} has no choice of it",
                                 *options.reconstruction, macro));
    }
    if (options.smoothing && !is_leapfrog(macro)) {
        throw Misuse(fmt::format("smoothing = {} is for leapfrogs; macro = {} has none of their modes",
                                 *options.smoothing, macro));
    }
    if (options.segments == 0 || options.segment_steps == 0) {
        throw Misuse("segments and segment_steps must be 1 or more; smoothing = none has none of them");
    }
    if ((options.segments || options.segment_steps) && options.smoothing != "segments") {
        throw Misuse(
            "segments and segment_steps say where the true motion is followed; they need smoothing = segments");
    }
}

SlowLeapfrog::SlowLeapfrog(Run& run, const MacroChoice& macro)
    : run_(&run),
      plan_{.interval = run.interval(),
            .steps = number_of_steps(run.interval(), *macro.step),
            .kind = reconstruct_of(macro.name, run.options()),
            .partition = partition_of(run.problem(), run.request().t_start, run.start())},
      reconstruction_(run.options().reconstruction.value_or("symmetric")),
      smoothing_(run.options().smoothing.value_or("even-odd")) {
    if (smoothing_ == "even-odd") {
        plan_.smooth_every = steps_between_smoothings;
    } else if (smoothing_ == "segments") {
        const auto& options = run.options();
        plan_.segment_steps = static_cast<std::int64_t>(options.segment_steps.value_or(1));
        plan_.segments = options.segments
                             ? static_cast<std::int64_t>(*options.segments)
                             : std::max<std::int64_t>(1, plan_.steps / (steps_a_segment * plan_.segment_steps));
        if (plan_.segments > (plan_.steps - 1) / plan_.segment_steps) {
            throw Misuse(
                fmt::format("{} segments of {} macro-steps each leave nothing of a run of {}; give fewer or "
                            "shorter ones, or use the method {}",
                            plan_.segments, plan_.segment_steps, plan_.steps, method::direct.name));
        }
    }
}

Marched SlowLeapfrog::from(SlowField& field, In x) {
    const auto& request = run_->request();
    Recorder recorder(plan_.interval, request.samples, request.sink, request.keep, request.progress);
    recorder.begin(x);
    auto result = march(field, x, recorder);
    report(result);
    judge_bridges(result);
    return {std::move(result.march), std::move(recorder).trajectory(), {.position = std::move(result.final_state)}};
}

LeapfrogResult SlowLeapfrog::march(SlowField& field, In x, Recorder& recorder) {
    std::optional<SlowPrediction> prediction;
    std::int64_t known = 0;
    const auto middle = [&](const SlowField::Point& point, std::int64_t followed) {
        if (!prediction) {
            prediction.emplace(field, point);
        } else if (followed > known) {
            prediction->moved(point);
        } else {
            prediction->evaluated(point);
            prediction->reached(point.t, span_of(point.x));
        }
        known = followed;
    };
    auto result = LeapfrogMarch(field, plan_)
                      .from(vector_of(x),
                            {[&](double to) { return recorder.wants(to); },
                             [&](DenseStep step) { recorder.take(std::move(step)); },
                             {},
                             middle},
                            run_->request().stop);
    if (const auto lost = prediction ? prediction->lost() : std::nullopt;
        lost && result.march.outcome == Outcome::completed) {
        end_as(result.march, Outcome::unstable,
               *lost +
                   "; where the slow motion loses energy even and odd steps of a leapfrog part, and smoothing helps "
                   "short steps alone: rk4, or no macro_step at all, suits it");
    }
    return result;
}

void SlowLeapfrog::report(const LeapfrogResult& result) {
    if (result.bridges > 0) {
        run_->warn(
            fmt::format("{} of {} macro-steps were bridged by micro-steps, where the reconstruction did not "
                        "converge: they do not lead back; try a shorter macro_step, or alternatives to slow "
                        "variables whose gradients become dependent",
                        result.bridges, plan_.steps));
    }
    if (result.parted) {
        run_->warn(
            fmt::format("even and odd macro-steps drifted apart at t = {:.4g}, by up to {:.2g} of the range of a "
                        "slow variable: values at single times are no better than that, means over some steps may "
                        "be; a shorter macro_step parts later{}",
                        *result.parted, result.gap,
                        smoothing_ == "even-odd" ? "" : ", and smoothing = even-odd keeps them together"));
    }
    if (is_curved(plan_.kind)) {
        run_->note("reconstruction", reconstruction_);
    }
    run_->note("smoothing", smoothing_);
    if (plan_.segments > 0) {
        run_->note("segments", fmt::format("{}", plan_.segments));
        run_->note("segment_steps", fmt::format("{}", plan_.segment_steps));
    }
    run_->statistics().bridges = result.bridges;
}

void SlowLeapfrog::judge_bridges(LeapfrogResult& result) {
    constexpr double most_bridged = 0.05;
    if (result.march.outcome == Outcome::completed &&
        static_cast<double>(result.bridges) > most_bridged * static_cast<double>(plan_.steps)) {
        end_as(result.march, Outcome::not_converged,
               fmt::format("the reconstruction did not converge at {} of {} macro-steps: the slow variables are "
                           "too curved for steps of {:.3g}, or their gradients become dependent; try a shorter "
                           "macro_step, alternatives, or the method {}",
                           result.bridges, plan_.steps, step(), method::direct.name));
    }
}

}  // namespace lento
