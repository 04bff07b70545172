#include "lento/method/slow_point.hpp"

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "method/expanded_motion.hpp"
#include "method/relaxed_run.hpp"
#include "method/stiff_run.hpp"
#include "problem/acceleration.hpp"

namespace lento {

namespace {

/// The acceleration at the projected point is that of the springs as they are there, k g; the filtered one that of the
/// slow motion. What lies between them is the error of k g, the first by far.
double multiplier_error(const StiffRun& run, const ProjectedPoint& point) {
    const auto& problem = run.problem();
    const double t = run.request().t_start;
    auto off = Acceleration(problem).at(point.position, point.velocity, t, {});
    std::vector<double> at_rest(problem.springs->measures->count()), change(problem.springs->measures->count());
    add_to(off, -1, point.acceleration);
    problem.springs->measures->rates(point.position, std::vector<double>(off.size()), t, Clock::running, at_rest);
    problem.springs->measures->rates(point.position, off, t, Clock::running, change);
    double error = 0;
    double rounding = 0;  // positions are known to 1e-16, elongations much better: that difference is not an error
    for (const auto& spring : problem.springs->entries) {
        rounding = larger(rounding, 1e-15 * spring.strength * SlowSize(point.position, {}, {}, 1).length);
        for (std::size_t m = spring.first; m < spring.last; ++m) {
            error =
                larger(error, spring.strength * std::abs(change[m] - at_rest[m]) / std::pow(run.spectrum().slowest, 2));
        }
    }
    return error > rounding ? error : 0;
}

/// NOTE: there is no run. It is so long that no window is longer, and the slow motion alone says how fast it is.
Request without_run(Request request, const Problem& problem, const Method& method) {
    request.t_end = request.t_start + 1e9 * spring_scales(problem.springs->entries).slowest;
    request.options = only(request.options, projection_option_names(method));
    request.options.fast_energy = "none";
    return request;
}

SlowPoint projected(const Problem& problem, const Request& given) {
    Run under_way(problem, without_run(given, problem, method::ipa), method::ipa);
    StiffRun run(under_way, ipa_window);
    std::optional<ProjectedPoint> point;
    if (!run.violation()) {
        point = run.projected(run.request().t_start, run.request().start, run.request().velocity);
    }
    if (point && !(largest_change(point->position, run.request().start) <= 0.3 * run.size().length)) {
        under_way.refuse(
            Outcome::not_converged,
            "the projection ends far from the start, which is too far from where the springs are at rest for "
            "its slow point to have a meaning; start nearer");
    } else if (point) {
        run.judge_start(point->position, point->velocity, point->acceleration);
    } else if (!run.violation()) {
        run.require_separation();
        run.give_up();
    }
    if (const auto& violation = run.violation()) {
        return {.outcome = violation->outcome, .explanation = violation->sentence};
    }
    SlowPoint result{.position = point->position,
                     .velocity = point->velocity,
                     .iterations = point->iterations,
                     .residual = point->residual,
                     .force_evaluations = run.window().force_evaluations()};
    for (const auto& spring : problem.springs->entries) {
        result.springs.push_back(spring.name);
        result.elongations.push_back(spring.elongation(point->measures));
        result.multipliers.push_back(spring.strength * result.elongations.back());
    }
    if (const double off = multiplier_error(run, *point); off > 1e-4 * largest(result.multipliers)) {
        result.warnings.push_back(
            fmt::format("multipliers are uncertain by up to {:.1g}: windows of {:.3g} periods see the slow motion "
                        "change. Shorter windows make that less, and so do stiffer springs",
                        off, run.window().width() / run.scales().slowest));
    }
    if (point->ending == ProjectedPoint::Ending::stalled) {
        result.warnings.push_back(
            fmt::format("the iteration stops at changes of {:.2g} times the tolerance: beyond that it only glides "
                        "along the slow manifold; a larger projection_tolerance or a shorter window avoids it",
                        point->residual));
    }
    return result;
}

/// By the expansion of multipliers.
SlowPoint expanded_point(const Problem& problem, const Request& given) {
    const auto request = checked(without_run(given, problem, method::bounded_derivative), problem);
    ExpandedMotion expanded(problem, request);
    std::vector<double> y, corrections;
    if (!expanded.violation()) {
        y = expanded.nearest(0);
    }
    if (!expanded.violation()) {
        corrections = expanded.corrections(y);
    }
    if (!expanded.violation()) {
        // Expansions of this kind need not converge: they end with the least correction.
        const auto least = std::ranges::min_element(corrections) - corrections.begin();
        const auto most = std::min<std::ptrdiff_t>(least, ExpandedMotion::most_sweeps);
        y = expanded.nearest(static_cast<int>(request.options.sweeps.value_or(static_cast<std::size_t>(most))));
    }
    if (const auto& violation = expanded.violation()) {
        return {.outcome = violation->outcome,
                .explanation = violation->sentence,
                .force_evaluations = expanded.force_evaluations()};
    }
    const auto middle = y.begin() + static_cast<std::ptrdiff_t>(problem.dimension());
    SlowPoint result{.position = {y.begin(), middle},
                     .velocity = {middle, y.end()},
                     .iterations = expanded.manifold().iterations(),
                     .residual = expanded.manifold().residual(),
                     .force_evaluations = expanded.force_evaluations()};
    for (std::size_t j = 0; j < problem.springs->entries.size(); ++j) {
        result.springs.push_back(problem.springs->entries[j].name);
        result.multipliers.push_back(expanded.expansion().multipliers()[j]);
        result.elongations.push_back(result.multipliers.back() / problem.springs->entries[j].strength);
    }
    const auto last = expanded.expansion().corrections();
    if (last.size() > 1 && last.back() > 1e-4 * last.front()) {
        result.warnings.push_back(
            fmt::format("multipliers are uncertain by about {:.1g} of their size, what the last sweep changed; stiffer "
                        "springs make that less",
                        last.back() / last.front()));
    }
    return result;
}

}  // namespace

std::vector<std::string> projection_option_names(const Method& method) {
    if (&method == &method::bounded_derivative) {
        return {"sweeps"};
    }
    return {"micro",  "micro_step",     "micro_steps_per_period", "filter",
            "window", "window_periods", "projection_tolerance"};
}

SlowPoint slow_point(const Problem& given, const Request& request, Extrapolation extrapolation) {
    if (!given.springs && !given.constraints) {
        throw Misuse("the system has neither stiff springs nor constraints: there is no slow manifold to project onto");
    }
    const bool expands = request.method == method::bounded_derivative.name;
    if (const auto verdict = (expands ? method::bounded_derivative : method::ipa).judge(given, request);
        !verdict.applies) {
        throw Misuse("there is no slow manifold to project onto: " + verdict.why);
    }
    const Problem problem = given.constraints ? relaxed_for(given, request).problem : given;
    const auto project = expands ? expanded_point : projected;
    auto point = project(problem, request);
    if (extrapolation == Extrapolation::none || point.outcome != Outcome::completed) {
        return point;
    }
    auto stiffer = project(stiffened(problem, 2), request);
    if (stiffer.outcome != Outcome::completed) {
        stiffer.explanation = "for the extrapolation, with springs twice as fast: " + stiffer.explanation;
        return stiffer;
    }
    point.iterations += stiffer.iterations;
    point.residual = std::max(point.residual, stiffer.residual);
    for (const auto& warning : stiffer.warnings) {
        point.warnings.push_back("with springs twice as fast: " + warning);
    }
    for (std::size_t j = 0; j < point.multipliers.size(); ++j) {
        point.multipliers[j] = (4 * stiffer.multipliers[j] - point.multipliers[j]) / 3;
    }
    point.force_evaluations += stiffer.force_evaluations;
    return point;
}

}  // namespace lento
