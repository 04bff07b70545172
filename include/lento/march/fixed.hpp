/// Carries a second-order right-hand side over an interval with steps of fixed length.
///
/// The right-hand side is anything callable as `rhs(t, x, v, a)`; the stepper any of `step/`. The last step is
/// shortened to end at the end. The observer is asked `wants(to)` before each step's dense output is made and given it
/// by `take(dense)`.
#pragma once

#include <cmath>
#include <span>
#include <stop_token>
#include <vector>

#include <fmt/format.h>

#include "lento/march/result.hpp"
#include "lento/step/dense.hpp"
#include "lento/step/state.hpp"

namespace lento {

template <class Stepper, class RightHandSide, class Observer>
MarchResult march_fixed(Stepper& stepper, RightHandSide&& rhs, Interval interval, double step,
                        MotionState<double>& state, Observer&& observer, const std::stop_token& stop) {
    using View = std::span<const double>;
    MarchResult result{.reached = interval.from};
    const auto total = static_cast<std::int64_t>(std::ceil(interval.length() / step - 1e-9));
    rhs(interval.from, View(state.x()), View(state.v()), state.a());
    if ((result.culprit = first_not_finite(state.a()))) {
        result.outcome = Outcome::diverged;
        result.explanation = fmt::format("the force is not a finite number at the start, t = {}", interval.from);
        return result;
    }
    MotionState<double> before = state;
    for (std::int64_t n = 0; n < total; ++n) {
        if (stop.stop_requested()) {
            result.outcome = Outcome::interrupted;
            break;
        }
        // NOTE: n * step, not a running sum: 1e5 macro-steps must not lose the time.
        const double t = interval.from + static_cast<double>(n) * step;
        const double next = n + 1 == total ? interval.to : interval.from + static_cast<double>(n + 1) * step;
        before = state;
        const double h = n + 1 == total ? interval.to - t : step;
        stepper.step([&](double c, View x, View v, std::span<double> a) { rhs(t + c * h, x, v, a); }, h, state);
        result.culprit = first_not_finite(state.y);
        if (!result.culprit) {
            result.culprit = first_not_finite(state.a());
        }
        if (result.culprit) {
            result.outcome = Outcome::diverged;
            result.explanation =
                fmt::format("the solution or its force stopped being finite between t = {:.6g} and {:.6g}", t, next);
            state = before;
            break;
        }
        ++result.steps;
        result.reached = next;
        if (observer.wants(next)) {
            observer.take(quintic_hermite(t, next, before.y, before.a(), state.y, state.a()));
        }
    }
    return result;
}

}  // namespace lento
