#include "lento/method/slow_point.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lento/base/number.hpp"
#include "lento/method/bounded_derivative.hpp"
#include "lento/method/ipa.hpp"
#include "lento/method/stiff_run.hpp"

namespace lento {

namespace {

/// The acceleration at the projected point is that of the springs as they are there, k g; the filtered one that of the slow motion. What
/// lies between them is the error of k g, the first by far.
double multiplier_error(const StiffRun& run, const ProjectedPoint& point) {
    const auto& motion = run.motion();
    const double t = run.request().t_start;
    std::vector<double> off(motion.dimension()), at_rest(motion.measures()), change(motion.measures());
    motion.acceleration()(t, point.position, point.velocity, off);
    for (std::size_t i = 0; i < off.size(); ++i) {
        off[i] -= point.acceleration[i];
    }
    motion.rates(t, point.position, std::vector<double>(off.size()), at_rest);
    motion.rates(t, point.position, off, change);
    double error = 0;
    for (const auto& spring : motion.springs()) {
        for (std::size_t m = spring.first; m < spring.last; ++m) {
            error =
                larger(error, spring.strength * std::abs(change[m] - at_rest[m]) / std::pow(run.spectrum().slowest, 2));
        }
    }
    // NOTE: positions are known to 1e-16, elongations much better; that difference is not an error.
    double rounding = 0;
    for (const auto& spring : motion.springs()) {
        rounding = larger(rounding, 1e-15 * spring.strength * SlowSize(point.position, {}, {}, 1).length);
    }
    return error > rounding ? error : 0;
}

bool moved_far(const StiffRun& run, const ProjectedPoint& point) {
    double moved = 0;
    for (std::size_t i = 0; i < point.position.size(); ++i) {
        moved = larger(moved, std::abs(point.position[i] - run.request().start[i]));
    }
    return !(moved <= 0.3 * run.size().length);
}

SlowPoint projected(const StiffMotion& motion, const Request& given) {
    Request request = given;
    // NOTE: there is no run; only windows that last longer than one would be refused.
    request.t_end = request.t_start + 1e9 * spring_scales(motion.springs()).slowest;
    request.options = only(request.options, projection_option_names(ipa_description.name));
    StiffRun run(motion, request, ipa_description, ipa_window);
    SlowPoint result;
    std::optional<ProjectedPoint> point;
    if (!run.violation()) {
        point = run.projected(run.request().t_start, run.request().start, run.request().velocity);
    }
    if (point && moved_far(run, *point)) {
        run.refuse(
            Outcome::not_converged,
            "the projection ends far from the start, which is too far from where the springs are at rest for its "
            "slow point to have a meaning; start nearer");
    } else if (point) {
        run.judge_start(point->position, point->velocity, point->acceleration);
    } else if (!run.violation()) {
        run.require_separation(run.size());
        run.give_up();
    }
    if (run.violation()) {
        result.outcome = run.violation()->outcome;
        result.explanation = run.violation()->sentence;
        return result;
    }
    result.position = point->position;
    result.velocity = point->velocity;
    for (const auto& spring : motion.springs()) {
        result.springs.push_back(spring.name);
        result.elongations.push_back(spring.elongation(point->measures));
        result.multipliers.push_back(spring.strength * result.elongations.back());
    }
    const double largest = std::abs(
        *std::ranges::max_element(result.multipliers, [](double a, double b) { return std::abs(a) < std::abs(b); }));
    if (const double off = multiplier_error(run, *point); off > 1e-4 * largest) {
        result.warnings.push_back(
            fmt::format("multipliers are uncertain by up to {:.1g}: windows of {:.3g} periods see the slow motion "
                        "change. Shorter windows make that less, and so do stiffer springs",
                        off, run.window().width() / run.scales().slowest));
    }
    result.iterations = point->iterations;
    result.residual = point->residual;
    result.force_evaluations = run.window().force_evaluations();
    if (point->ending == ProjectedPoint::Ending::stalled) {
        result.warnings.push_back(fmt::format(
            "the iteration stops at changes of {:.2g} times the tolerance: beyond that it only glides along "
            "the slow manifold; a larger projection_tolerance or a shorter window avoids it",
            point->residual));
    }
    return result;
}

}  // namespace

std::vector<std::string> projection_option_names(const std::string& method) {
    if (method == bounded_derivative_description.name) {
        return {"sweeps"};
    }
    return {"micro",  "micro_step",     "micro_steps_per_period", "filter",
            "window", "window_periods", "projection_tolerance"};
}

SlowPoint slow_point(const StiffMotion& motion, const Request& request, Extrapolation extrapolation) {
    const auto project = request.method == bounded_derivative_description.name ? expanded_point : projected;
    auto point = project(motion, request);
    if (extrapolation == Extrapolation::none || point.outcome != Outcome::completed) {
        return point;
    }
    auto stiffer = project(*motion.stiffened(2), request);
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
