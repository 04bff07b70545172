#include "method/slow_leapfrog.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "method/slow_prediction.hpp"

namespace lento {
namespace {

std::int64_t number_of_steps(Interval interval, double step) {
    return static_cast<std::int64_t>(std::ceil(interval.length() / step - 1e-9));
}

}  // namespace

const std::vector<std::string>& leapfrogs() {
    static const std::vector<std::string> names{"leapfrog", "leapfrog1", "naive"};
    return names;
}

bool is_leapfrog(const std::string& macro) {
    return std::ranges::count(leapfrogs(), macro) > 0;
}

void require_leapfrog_options(const Options& options, const std::string& macro) {
    const auto reconstruction = options.reconstruction.value_or("symmetric");
    require_one_of("reconstruction", reconstruction, {"symmetric", "nearest"});
    if (macro == "naive" && reconstruction == "nearest") {
        throw Misuse(
            "macro = naive is the step (2.7), which has no reconstruction = nearest; take leapfrog1, which is (3.9)");
    }
    if (options.reconstruction && !is_leapfrog(macro)) {
        throw Misuse(
            fmt::format("reconstruction = {} is for the leapfrog; macro = {} has none", reconstruction, macro));
    }
}

SlowLeapfrog::SlowLeapfrog(Run& run, const MacroChoice& macro)
    : run_(&run),
      plan_{.interval = run.interval(),
            .steps = number_of_steps(run.interval(), *macro.step),
            .order = macro.name == "leapfrog" ? 2 : 1,
            .kind = run.options().reconstruction == "nearest" ? Reconstruct::nearest : Reconstruct::symmetric,
            .partition = partition_of(run.problem(), run.request().t_start, run.start())},
      reconstruction_(run.options().reconstruction.value_or("symmetric")) {}

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
                   "; where the slow motion loses energy the leapfrog is unstable, however short its steps: rk4, "
                   "or no macro_step at all, suits it");
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
                        "be; a shorter macro_step parts later",
                        *result.parted, result.gap));
    }
    run_->note("reconstruction", reconstruction_);
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
