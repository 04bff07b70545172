/// Carries a first-order right-hand side over an interval with Dormand-Prince 5(4), the step chosen by a controller.
///
/// The right-hand side is anything callable as `rate(t, y, dy)`. Observer and adjustment are as in
/// `march/fixed.hpp`.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lento/march/result.hpp"
#include "lento/step/dense.hpp"
#include "march/controller.hpp"
#include "march/fixed.hpp"
#include "step/runge_kutta.hpp"

namespace lento {

template <class Controller, class Rate, class Observer, class Adjust = NoAdjustment>
MarchResult march_adaptive(Controller controller, Rate&& rate, Interval interval, std::vector<double>& y,
                           Observer&& observer, const std::stop_token& stop, std::int64_t budget,
                           Adjust&& adjust = {}) {
    MarchResult result{.reached = interval.from};
    DormandPrince<double> method(y.size());
    FirstOrderState<double> state(y.size());
    const std::size_t controlled = adjust.controlled(y.size());
    std::vector<double> estimate(controlled);
    std::vector<double> base;
    state.y = y;
    rate(interval.from, In(state.y), Out(state.rate));
    if (const auto culprit = first_not_finite(state.rate)) {
        return not_finite_at_start(interval.from, culprit);
    }

    adjust.begin();
    double t = interval.from;
    // The tolerance is for the controlled components alone, from the first step on.
    const auto controlled_rate = [&](double time, In part, Out derivative) {
        std::vector<double> point = state.y;
        std::vector<double> slope(point.size());
        std::copy(part.begin(), part.end(), point.begin());
        rate(time, In(point), Out(slope));
        std::copy_n(slope.begin(), derivative.size(), derivative.begin());
    };
    double step = std::min(controller.first_step(controlled_rate, std::span(state.y).first(controlled),
                                                 std::span(state.rate).first(controlled)),
                           controller.largest_step());
    while (t < interval.to && goes_on(result, stop, result.steps + result.rejected, budget, interval.to)) {
        const bool last = controller.stretch() * step >= interval.to - t;
        const double h = last ? interval.to - t : step;
        const double next = last ? interval.to : t + h;
        base.assign(adjust.base().begin(), adjust.base().end());
        method.step([&](double c, auto point, auto derivative) { rate(t + c * h, point, derivative); }, h, state,
                    In(base));

        for (std::size_t i = 0; i < estimate.size(); ++i) {
            estimate[i] = 0;
            for (std::size_t j = 0; j < method.rates().size(); ++j) {
                estimate[i] += h * DormandPrince<double>::tableau.error[j] * method.rates()[j][i];
            }
        }
        const double error = controller.error(estimate, std::span(method.start()).first(controlled),
                                              std::span(state.y).first(controlled));
        const bool finite = !first_not_finite(state.rate) && !first_not_finite(state.y);
        const bool acceptable = error <= 1 && finite;
        DenseStep dense;  // made before the point is adjusted
        const bool wanted = acceptable && observer.wants(next);
        if (wanted && base.empty()) {
            dense = continuous_extension(t, next, method, state.y);
        }
        if (acceptable && adjust(next, std::span(state.y))) {
            ++result.steps;
            if (wanted && !base.empty()) {
                dense = between_bases(t, next, base, method.rates()[0], adjust.base(), state.rate);
            }
            if (dense.dimension() > 0) {
                observer.take(std::move(dense));
            }
            result.reached = t = next;
            step = std::min(controller.next_after_accepted(h, error), controller.largest_step());
            continue;
        }
        ++result.rejected;
        const auto culprit = first_not_finite(state.y) ? first_not_finite(state.y) : first_not_finite(state.rate);
        step = culprit || acceptable ? 0.2 * h : controller.next_after_rejected(h, error);
        state.y = method.start();
        state.rate = method.rates()[0];
        if (step < 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), interval.length())) {
            result.outcome = Outcome::not_converged;
            result.explanation = fmt::format(
                "the step size fell to {:.2g} at t = {:.6g} without meeting the tolerance; loosen rtol and atol, or "
                "look for a singularity of the force there",
                step, t);
            if (culprit) {
                diverge(result, culprit);
            }
            break;
        }
    }
    y = state.y;
    return result;
}

}  // namespace lento
