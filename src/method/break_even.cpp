#include "method/break_even.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "judge/price.hpp"

namespace lento {

BreakEven::BreakEven(const PhaseField& field, const Outset& outset)
    : length_(outset.length()), period_(field.period().value()), frequency_(field.frequency()), rtol_(outset.rtol) {}

double BreakEven::price_of_direct() const {
    return lento::price_of_direct(periods(), rtol_);
}

double BreakEven::separation(const HarmonicPlan& plan) const {
    return frequency_ / std::max(plan.slow_frequency, 1 / length_);
}

std::string BreakEven::too_few_periods() const {
    return fmt::format("the run lasts {:.3g} periods of the vibration", periods());
}

double BreakEven::step(const HarmonicPlan& plan, double tightness) const {
    return std::min(plan.step * std::pow(tightness, 0.125), length_ / 10);
}

std::string BreakEven::too_short_steps(const HarmonicPlan& plan, double tightness) const {
    constexpr double least_turn = 12;  // radians a step
    constexpr double little = 30;
    const double turn = step(plan, tightness) * frequency_;
    if (turn >= least_turn) {
        return {};
    }
    if (separation(plan) > little) {
        return fmt::format("at this tolerance the slow motion takes steps of {:.2g} vibrations",
                           turn / (2 * std::numbers::pi));
    }
    return fmt::format("the vibration is only {:.3g} times as fast as the slow motion{}", separation(plan),
                       separation(plan) < 3
                           ? ", in which there is a stiffness near the square of its frequency (resonance), or a force "
                             "in proportion to the velocity with a factor near it"
                           : "");
}

bool BreakEven::dearer(const HarmonicPlan& plan, double tightness) const {
    const double steps = 2 * length_ / step(plan, tightness);
    return steps * 2 * static_cast<double>(plan.phases) > price_of_direct();
}

std::optional<NoConvergence> no_convergence(const HarmonicPlan& plan) {
    constexpr double most = 0.5;
    const double left = plan.defect.worst();
    if (left <= 1) {
        return std::nullopt;
    }
    if (plan.ratio > most) {
        return NoConvergence{
            Outcome::no_scale_separation,
            fmt::format("each sweep changes the averaged force by {:.2g} of what the one before did, where less than "
                        "{} is needed: a stiffness near the square of the frequency (resonance), or forces in "
                        "proportion to the velocity with a factor near the frequency",
                        plan.ratio, most),
            "; put such a part into an exactly solved flow, or loosen rtol and atol"};
    }
    if (plan.noise > 1 || left < 1e3) {
        return std::nullopt;  // the estimate of the error will tell
    }
    if (plan.phases >= HarmonicStart::most_phases) {
        return NoConvergence{
            Outcome::refused,
            fmt::format("{} phases leave {:.2g} times the tolerance: the force is not smooth enough in the phase",
                        plan.phases, left),
            "; loosen rtol and atol"};
    }
    return NoConvergence{
        Outcome::no_scale_separation,
        fmt::format("{} sweeps over {} phases leave {:.2g} times the tolerance, the last ones each {:.2g} of what the "
                    "one before did",
                    plan.sweeps, plan.phases, left, plan.ratio),
        ": the vibration is too strong for its frequency, or the force has kinks; loosen rtol and atol"};
}

}  // namespace lento
