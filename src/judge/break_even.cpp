#include "judge/break_even.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "judge/price.hpp"
#include "problem/time_scales.hpp"

namespace lento {

BreakEven::BreakEven(const Problem& problem, const PhaseField& field, const Outset& outset)
    : length_(outset.length()),
      period_(field.period().value()),
      frequency_(field.frequency()),
      price_of_direct_(
          lento::price_of_direct(problem, length_ / period_ * turns_in_common(field.phases(), period_), outset.rtol)) {}

double BreakEven::separation(const SlowPace& pace) const {
    return frequency_ / std::max(pace.frequency, 1 / length_);
}

std::string BreakEven::too_few_periods() const {
    return fmt::format("the run lasts {:.3g} periods of the vibration", periods());
}

double BreakEven::step(const SlowPace& pace, double tightness) const {
    return std::min(pace.step * std::pow(tightness, 0.125), length_ / 10);
}

std::string BreakEven::too_short_steps(const SlowPace& pace, double tightness) const {
    constexpr double least_turn = 12;  // radians a step
    constexpr double little = 30;
    const double turn = step(pace, tightness) * frequency_;
    if (turn >= least_turn) {
        return {};
    }
    if (separation(pace) > little) {
        return fmt::format("at this tolerance the slow motion takes steps of {:.2g} vibrations",
                           turn / (2 * std::numbers::pi));
    }
    return fmt::format("the vibration is only {:.3g} times as fast as the slow motion{}", separation(pace),
                       separation(pace) < 3
                           ? ", in which there is a stiffness near the square of its frequency (resonance), or a force "
                             "in proportion to the velocity with a factor near it"
                           : "");
}

bool BreakEven::dearer(const SlowPace& pace, double tightness) const {
    const double steps = 2 * length_ / step(pace, tightness);
    return steps * pace.evaluations_a_step > price_of_direct();
}

}  // namespace lento
