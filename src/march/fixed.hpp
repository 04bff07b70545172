/// Carries a right-hand side over an interval with steps of fixed length.
///
/// Of second order it is anything callable as `rhs(t, x, v, a)`, the stepper any of `step/`; of first order
/// `rate(t, y, dy)`, the stepper a Runge-Kutta method. The last step is shortened to end at the end. The observer is
/// asked `wants(to)` before each step's dense output is made and given it by `take(dense)`; an adjustment tells the
/// march about its points beside their rates.
#pragma once

#include <cmath>

#include <fmt/format.h>

#include "lento/march/result.hpp"
#include "lento/step/dense.hpp"
#include "march/ending.hpp"
#include "step/state.hpp"

namespace lento {

/// Nothing to adjust. Others may
/// - put only the first components under the control of the tolerance;
/// - start the result of a step from another point than its stages, as a projection does (slow-manifold (38));
/// - move the point a little after each accepted step, as onto a manifold, and say whether they could.
struct NoAdjustment {
    std::size_t controlled(std::size_t components) const { return components; }
    /// Told after the evaluation at the very start.
    void begin() const {}
    /// Where the result of the next step starts; empty: where the stages do.
    In base() const { return {}; }
    bool operator()(double, Out) const { return true; }
};

/// Dense output of a step whose points y = (x, v) were evaluated elsewhere, at their bases: the quintic between these.
inline DenseStep between_bases(double from, double to, In base0, In rate0, In base1, In rate1) {
    const std::size_t d = base0.size() / 2;
    return quintic_hermite(from, to, base0, rate0.last(d), base1, rate1.last(d));
}

/// Takes the steps: `step(t, h, next, march)` takes one; where it could not, it says why.
template <class Step>
MarchResult march_steps(Interval interval, double length, const std::stop_token& stop, Step&& step) {
    MarchResult march{.reached = interval.from};
    const auto total = static_cast<std::int64_t>(std::ceil(interval.length() / length - 1e-9));
    for (std::int64_t n = 0; n < total && goes_on(march, stop, n, total, interval.to); ++n) {
        // NOTE: n * length, not a running sum: 1e5 macro-steps must not lose the time.
        const double t = interval.from + static_cast<double>(n) * length;
        const double next = n + 1 == total ? interval.to : interval.from + static_cast<double>(n + 1) * length;
        step(t, n + 1 == total ? interval.to - t : length, next, march);
        if (march.outcome == Outcome::completed) {
            ++march.steps;
            march.reached = next;
        }
    }
    return march;
}

/// Whether the point that a step from t to `next` reached, and its rate, are finite; if not, the result says so.
inline bool is_finite(In y, In rate, double t, double next, MarchResult& march) {
    march.culprit = first_not_finite(y) ? first_not_finite(y) : first_not_finite(rate);
    if (march.culprit) {
        march.outcome = Outcome::diverged;
        march.explanation =
            fmt::format("the solution or its force stopped being finite between t = {:.6g} and {:.6g}", t, next);
    }
    return !march.culprit;
}

template <class Stepper, class RightHandSide, class Observer, class Adjust = NoAdjustment>
MarchResult march_fixed(Stepper& stepper, RightHandSide&& rhs, Interval interval, double step,
                        MotionState<double>& state, Observer&& observer, const std::stop_token& stop,
                        Adjust&& adjust = {}) {
    rhs(interval.from, In(state.x()), In(state.v()), state.a());
    if (const auto culprit = first_not_finite(state.a())) {
        return not_finite_at_start(interval.from, culprit);
    }
    MotionState<double> before = state;
    return march_steps(interval, step, stop, [&](double t, double h, double next, MarchResult& march) {
        before = state;
        stepper.step([&](double c, In x, In v, Out a) { rhs(t + c * h, x, v, a); }, h, state);
        if (!is_finite(state.y, state.a(), t, next, march)) {
            state = before;
            return;
        }
        if (observer.wants(next)) {
            observer.take(quintic_hermite(t, next, before.y, before.a(), state.y, state.a()));
        }
        adjust(next, std::span(state.y));
    });
}

template <class Method, class Rate, class Observer, class Adjust = NoAdjustment>
MarchResult march_fixed_rate(Method& method, Rate&& rate, Interval interval, double step,
                             FirstOrderState<double>& state, Observer&& observer, const std::stop_token& stop,
                             Adjust&& adjust = {}) {
    rate(interval.from, In(state.y), Out(state.rate));
    if (const auto culprit = first_not_finite(state.rate)) {
        return not_finite_at_start(interval.from, culprit);
    }
    adjust.begin();
    FirstOrderState<double> before = state;
    std::vector<double> base;
    return march_steps(interval, step, stop, [&](double t, double h, double next, MarchResult& march) {
        before = state;
        base.assign(adjust.base().begin(), adjust.base().end());
        method.step([&](double c, auto point, auto derivative) { rate(t + c * h, point, derivative); }, h, state,
                    In(base));
        if (!is_finite(state.y, state.rate, t, next, march)) {
            state = before;
            return;
        }
        adjust(next, std::span(state.y));
        if (observer.wants(next)) {
            observer.take(base.empty() ? cubic_hermite(t, next, before.y, before.rate, state.y, state.rate)
                                       : between_bases(t, next, base, before.rate, adjust.base(), state.rate));
        }
    });
}

}  // namespace lento
