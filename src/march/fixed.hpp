/// Carries a right-hand side over an interval with steps of fixed length.
///
/// Of second order it is anything callable as `rhs(t, x, v, a)`, the stepper any of `step/`; of first order `rate(t, y, dy)`, the stepper
/// a Runge-Kutta method. The last step is shortened to end at the end. The observer is asked `wants(to)` before each step's dense output
/// is made and given it by `take(dense)`; the adjustment is as in `march/adjustment.hpp`.
#pragma once

#include <cmath>
#include <span>
#include <stop_token>
#include <vector>

#include <fmt/format.h>

#include "lento/march/result.hpp"
#include "lento/step/dense.hpp"
#include "march/adjustment.hpp"
#include "step/state.hpp"

namespace lento {

namespace fixed_detail {

/// Takes the steps: `step(t, h, next)` takes one and says which component stopped being finite, `undo()` takes it back.
template <class Step, class Undo>
MarchResult steps(Interval interval, double length, const std::stop_token& stop, Step&& step, Undo&& undo) {
    MarchResult result{.reached = interval.from};
    const auto total = static_cast<std::int64_t>(std::ceil(interval.length() / length - 1e-9));
    for (std::int64_t n = 0; n < total; ++n) {
        if (stop.stop_requested()) {
            result.outcome = Outcome::interrupted;
            break;
        }
        // NOTE: n * length, not a running sum: 1e5 macro-steps must not lose the time.
        const double t = interval.from + static_cast<double>(n) * length;
        const double next = n + 1 == total ? interval.to : interval.from + static_cast<double>(n + 1) * length;
        result.culprit = step(t, n + 1 == total ? interval.to - t : length, next);
        if (result.culprit) {
            result.outcome = Outcome::diverged;
            result.explanation =
                fmt::format("the solution or its force stopped being finite between t = {:.6g} and {:.6g}", t, next);
            undo();
            break;
        }
        ++result.steps;
        result.reached = next;
    }
    return result;
}

inline MarchResult not_finite_at_start(double t, std::size_t culprit) {
    return {.outcome = Outcome::diverged,
            .reached = t,
            .culprit = culprit,
            .explanation = fmt::format("the force is not a finite number at the start, t = {}", t)};
}

}  // namespace fixed_detail

template <class Stepper, class RightHandSide, class Observer, class Adjust = NoAdjustment>
MarchResult march_fixed(Stepper& stepper, RightHandSide&& rhs, Interval interval, double step,
                        MotionState<double>& state, Observer&& observer, const std::stop_token& stop,
                        Adjust&& adjust = {}) {
    using View = std::span<const double>;
    rhs(interval.from, View(state.x()), View(state.v()), state.a());
    if (const auto culprit = first_not_finite(state.a())) {
        return fixed_detail::not_finite_at_start(interval.from, *culprit);
    }
    MotionState<double> before = state;
    const auto one = [&](double t, double h, double next) {
        before = state;
        stepper.step([&](double c, View x, View v, std::span<double> a) { rhs(t + c * h, x, v, a); }, h, state);
        auto culprit = first_not_finite(state.y);
        culprit = culprit ? culprit : first_not_finite(state.a());
        if (!culprit && observer.wants(next)) {
            observer.take(quintic_hermite(t, next, before.y, before.a(), state.y, state.a()));
        }
        if (!culprit) {
            adjust(next, std::span(state.y));
        }
        return culprit;
    };
    return fixed_detail::steps(interval, step, stop, one, [&] { state = before; });
}

template <class Method, class Rate, class Observer, class Adjust = NoAdjustment>
MarchResult march_fixed_rate(Method& method, Rate&& rate, Interval interval, double step,
                             FirstOrderState<double>& state, Observer&& observer, const std::stop_token& stop,
                             Adjust&& adjust = {}) {
    rate(interval.from, std::span<const double>(state.y), std::span<double>(state.rate));
    if (const auto culprit = first_not_finite(state.rate)) {
        return fixed_detail::not_finite_at_start(interval.from, *culprit);
    }
    adjust.begin();
    FirstOrderState<double> before = state;
    std::vector<double> base;
    const auto one = [&](double t, double h, double next) {
        before = state;
        base.assign(adjust.base().begin(), adjust.base().end());
        method.step([&](double c, auto point, auto derivative) { rate(t + c * h, point, derivative); }, h, state,
                    std::span<const double>(base));
        auto culprit = first_not_finite(state.y);
        culprit = culprit ? culprit : first_not_finite(state.rate);
        if (!culprit) {
            adjust(next, std::span(state.y));
        }
        if (!culprit && observer.wants(next)) {
            observer.take(base.empty() ? cubic_hermite(t, next, before.y, before.rate, state.y, state.rate)
                                       : between_bases(t, next, base, before.rate, adjust.base(), state.rate));
        }
        return culprit;
    };
    return fixed_detail::steps(interval, step, stop, one, [&] { state = before; });
}

}  // namespace lento
