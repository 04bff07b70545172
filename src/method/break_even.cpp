#include "break_even.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace lento {

BreakEven::BreakEven(const PhaseField& field, const Request& request)
    : length_(request.t_end - request.t_start),
      period_(field.period().value()),
      frequency_(field.frequency()),
      rtol_(request.rtol) {}

double BreakEven::price_of_direct() const {
    return 65 * periods() * std::pow(1e-4 / rtol_, 0.2);
}

double BreakEven::separation(const HarmonicPlan& plan) const {
    return frequency_ / std::max(plan.slow_frequency, 1 / length_);
}

std::string BreakEven::too_few_periods() const {
    return fmt::format("the run lasts {:.3g} periods of the vibration", periods());
}

std::string BreakEven::no_gain(const HarmonicPlan& plan, double tightness) const {
    constexpr double least_turn = 12;  // radians a step
    const double step = std::min(plan.step * std::pow(tightness, 0.125), length_ / 10);
    const double price = 2 * (length_ / step) * 2 * static_cast<double>(plan.phases);
    constexpr double little = 30;
    if (step * frequency_ < least_turn && separation(plan) > little) {
        return fmt::format("at this tolerance the slow motion takes steps of {:.2g} vibrations",
                           step * frequency_ / (2 * std::numbers::pi));
    }
    if (step * frequency_ < least_turn) {
        return fmt::format("the vibration is only {:.3g} times as fast as the slow motion{}", separation(plan),
                           separation(plan) < 3
                               ? ", in which there is a stiffness near the square of its frequency (resonance), or a "
                                 "force in proportion to the velocity with a factor near it"
                               : "");
    }
    return price > price_of_direct() ? too_few_periods() : std::string();
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
            "; put such a part into an exactly solved flow, loosen rtol and atol, or use the method direct"};
    }
    if (plan.noise > 1 || left < 1e3) {
        return std::nullopt;  // the estimate of the error will tell
    }
    if (plan.phases >= HarmonicStart::most_phases) {
        return NoConvergence{
            Outcome::refused,
            fmt::format("{} phases leave {:.2g} times the tolerance: the force is not smooth enough in the phase",
                        plan.phases, left),
            "; loosen rtol and atol, or use hmm-async (rattle-shake with constraints) or direct"};
    }
    return NoConvergence{
        Outcome::no_scale_separation,
        fmt::format("{} sweeps over {} phases leave {:.2g} times the tolerance, the last ones each {:.2g} of what the "
                    "one before did",
                    plan.sweeps, plan.phases, left, plan.ratio),
        ": the vibration is too strong for its frequency, or the force has kinks; loosen rtol and atol, or use the "
        "method direct"};
}

}  // namespace lento
