/// The point of the slow manifold to which the iterated projection takes a start (slow-manifold, sections 5.3 and 5.4), with the elongations
/// g of the springs and their multipliers k g, which approach those of the constraints as the springs become stiffer:
///
///     omega^2 g = lambda + O(omega^-2)                                             (4)
///
/// Richardson extrapolation in omega, from springs as they are and twice as fast, removes the leading error: (4 lambda(2 omega) - lambda(omega))/3.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lento/method/ipa.hpp"
#include "lento/method/relaxed.hpp"
#include "lento/method/stiff_run.hpp"

namespace lento {

struct SlowPoint {
    Outcome outcome = Outcome::completed;
    std::string explanation{};  ///< for outcomes other than completed
    std::vector<double> position{}, velocity{};
    std::vector<std::string> springs{};  ///< their names
    std::vector<double> elongations{}, multipliers{};
    int iterations = 0;
    double residual = 0;  ///< the last change over its tolerance
    std::int64_t force_evaluations = 0;
    std::vector<std::string> warnings{};
};

enum class Extrapolation { none, richardson };

namespace slow_point_detail {

template <class Springs>
SlowPoint projected(const StiffSystem<Springs>& system, Request request) {
    // NOTE: there is no run; only windows that last longer than one would be refused.
    request.t_end = request.t_start + 1e9 * spring_scales(system.springs().entries()).slowest;
    StiffRun<Springs> run(system, request, ipa_description, ipa_window);
    SlowPoint result;
    std::optional<ProjectedPoint> point;
    if (!run.violation()) {
        point = run.projected(run.request().t_start, run.request().start, run.request().velocity);
    }
    if (!point && !run.violation()) {
        run.give_up();
    }
    if (run.violation()) {
        result.outcome = run.violation()->outcome;
        result.explanation = run.violation()->sentence;
        return result;
    }
    result.position = point->position;
    result.velocity = point->velocity;
    double moved = 0;
    for (std::size_t i = 0; i < result.position.size(); ++i) {
        moved = larger(moved, std::abs(result.position[i] - run.request().start[i]));
    }
    if (!(moved <= 0.3 * run.size().length)) {
        result.outcome = Outcome::not_converged;
        result.explanation = fmt::format(
            "the projection ends {:.3g} from the start, where coordinates are of size {:.3g}: the start is too far "
            "from where "
            "the springs are at rest for its slow point to have a meaning; start nearer",
            moved, run.size().length);
        return result;
    }
    for (const auto& spring : system.springs().entries()) {
        result.springs.push_back(spring.name);
        result.elongations.push_back(spring.elongation(point->measures));
        result.multipliers.push_back(spring.strength * result.elongations.back());
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

}  // namespace slow_point_detail

template <class Springs>
SlowPoint slow_point(const StiffSystem<Springs>& system, const Request& request, Extrapolation extrapolation) {
    auto point = slow_point_detail::projected(system, request);
    if (extrapolation == Extrapolation::none || point.outcome != Outcome::completed) {
        return point;
    }
    auto stiffer = slow_point_detail::projected(system.stiffened(2), request);
    if (stiffer.outcome != Outcome::completed) {
        stiffer.explanation = "for the extrapolation, with springs twice as fast: " + stiffer.explanation;
        return stiffer;
    }
    point.iterations += stiffer.iterations;
    point.residual = std::max(point.residual, stiffer.residual);
    point.warnings.insert(point.warnings.end(), stiffer.warnings.begin(), stiffer.warnings.end());
    for (std::size_t j = 0; j < point.multipliers.size(); ++j) {
        point.multipliers[j] = (4 * stiffer.multipliers[j] - point.multipliers[j]) / 3;
    }
    point.force_evaluations += stiffer.force_evaluations;
    return point;
}

/// Of constraints, as springs.
template <class Free, class Constraints>
SlowPoint slow_point(const ConstrainedSystem<Free, Constraints>& system, const Request& request,
                     Extrapolation extrapolation) {
    return slow_point(relaxed_for(system, request).system, request, extrapolation);
}

}  // namespace lento
