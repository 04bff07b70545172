#include "judge/window_size.hpp"

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"

namespace lento {
namespace {

constexpr double most_steps_per_period = 1e5;
constexpr double most_steps_per_window = 1e7;

/// The width asked for, in periods of the slowest phase; checked.
std::optional<double> given_periods(const TimeScales& scales, const Options& options) {
    require_not_both(options, "window", "window_periods");
    const auto periods = options.window ? std::optional(*options.window / scales.slowest) : options.window_periods;
    if (periods && !(*periods >= 1 - 1e-9 && *periods < 1e6)) {
        throw Misuse(
            fmt::format("the averaging window is {:.4g} periods wide (the slowest period is {:.4g}); it must be at "
                        "least one period and less than a million",
                        *periods, scales.slowest));
    }
    return periods;
}

}  // namespace

double window_width(const Filter& filter, const TimeScales& scales, const Options& options) {
    return filter.is_one_period() ? *scales.common_period
                                  : given_periods(scales, options).value_or(filter.usual_periods()) * scales.slowest;
}

std::optional<std::size_t> given_steps_per_period(const Options& options, const TimeScales& scales) {
    require_not_both(options, "micro_step", "micro_steps_per_period");
    if (options.micro_steps_per_period) {
        if (static_cast<double>(*options.micro_steps_per_period) > most_steps_per_period) {
            throw Misuse(fmt::format("micro_steps_per_period = {} is more than {:.0e}; a few dozen are usual",
                                     *options.micro_steps_per_period, most_steps_per_period));
        }
        return options.micro_steps_per_period;
    }
    if (!options.micro_step) {
        return std::nullopt;
    }
    require_positive(*options.micro_step, "micro_step");
    const double steps = std::ceil(scales.fastest / *options.micro_step * (1 - 1e-12));
    if (steps > most_steps_per_period) {
        throw Misuse(fmt::format("micro_step = {} makes {:.3g} steps a period of {:.3g}; a few dozen are usual",
                                 *options.micro_step, steps, scales.fastest));
    }
    // NOTE: even, so that half a period is a whole number of steps.
    const auto whole = static_cast<std::size_t>(steps);
    return whole + whole % 2;
}

std::size_t steps_each_side(const Filter& filter, const TimeScales& scales, const Options& options,
                            std::size_t steps_per_period) {
    if (steps_per_period < 4) {
        throw Misuse(
            fmt::format("{} micro-steps a period cannot follow a vibration; take at least 4", steps_per_period));
    }
    const auto periods = given_periods(scales, options);
    if (filter.is_one_period()) {
        if (periods && std::abs(*periods - 1) > 1e-9) {
            throw Misuse(fmt::format(
                "the filter period averages over exactly one period; window_periods = {} does not fit it", *periods));
        }
        const double steps = static_cast<double>(steps_per_period) * *scales.common_period / scales.fastest;
        const auto whole = static_cast<std::size_t>(std::llround(steps));
        if (whole % 2 != 0) {
            throw Misuse(fmt::format(
                "{} micro-steps a period: the filter period needs an even number, half on each side", whole));
        }
        return whole / 2;
    }
    const double steps = periods.value_or(filter.usual_periods()) * scales.slowest / scales.fastest *
                         static_cast<double>(steps_per_period);
    if (steps > most_steps_per_window) {
        throw Misuse(fmt::format(
            "one window would take {:.3g} micro-steps, more than {:.0e}: take a shorter window or fewer steps a period",
            steps, most_steps_per_window));
    }
    const auto each_side = static_cast<std::size_t>(std::llround(steps / 2));
    // NOTE: the joint of the cubic filter, at half the way, has to be a grid point, or its moments do not vanish.
    return each_side + (filter.name() == "cubic" ? each_side % 2 : 0);
}

bool MicroStepSearch::settled(In force) {
    const bool first = coarse_.empty();
    coarse_.resize(force.size(), 0.0);
    const double last_change = change_;
    const double size = largest(force);
    change_ = largest_change(force, coarse_);
    coarse_.assign(force.begin(), force.end());
    // The time in which this force moves the system by its own size: the slow time, as far as one point tells.
    const bool rates = scales_.order == 1;
    const double time = rates ? scales_.extent / size : std::sqrt(scales_.extent / size);
    const double separation = scales_.fast_period / std::clamp(time, 0.01 * scales_.length, scales_.length);
    const double neglected = rates ? separation * separation : separation;
    const double target = 0.1 * std::max(scales_.rtol, std::min(neglected, 1e-2));
    // NOTE: at an equilibrium there is no averaged force to compare with; what then counts is the vibration's own size.
    const bool converged = change_ <= std::max(target * size, 1e-15 * scales_.amplitude);
    const bool at_rounding = change_ <= 1e-6 * size && change_ > 0.25 * last_change;
    return !first && (converged || at_rounding);
}

double coarseness(std::string_view micro, std::size_t steps_per_period) {
    const bool second_order = micro == "verlet" || micro == "shake" || micro == "rattle" || micro == "midpoint";
    const double angle = 2 * std::numbers::pi / static_cast<double>(steps_per_period);
    return second_order ? angle * angle / 12 : 0.0;
}

std::optional<std::string> WindowNoise::dominates(In found) const {
    const double size = largest(found);
    if (is_nothing(size)) {
        return std::nullopt;
    }
    if (leakage * amplitude > 0.5 * size) {
        return fmt::format(
            "filter = {} over {:.4g} periods lets {:.2e} of the vibration through, {:.0f} % of what it averages to at "
            "the start: the result would be that, not the slow motion; take a wider window, or filter = cos8",
            filter, periods, leakage, 100 * leakage * amplitude / size);
    }
    if (rounding() > 0.01 * size && size > 0) {
        return fmt::format(
            "the vibration is so strong that rounding errors of it, about {:.2g}, are not small against the averaged "
            "{} {:.3g} at the start: double precision cannot average it",
            rounding(), averaged, size);
    }
    return std::nullopt;
}

std::vector<std::string> WindowNoise::warnings(double rtol, double largest) const {
    std::vector<std::string> found;
    if (leakage * amplitude > rtol * largest) {
        found.push_back(fmt::format(
            "the filter {} over {:.4g} periods lets {:.2e} of the vibration through: up to {:.2g} beside averaged {}s "
            "of up to {:.3g}; a wider window helps, and cos8 over a whole number of periods above 4 lets nothing "
            "through",
            filter, periods, leakage, leakage * amplitude, averaged, largest));
    }
    if (rounding() > rtol * largest && !is_nothing(largest)) {
        found.push_back(fmt::format(
            "rounding errors of the vibration, about {:.2g}, are no longer small against averaged {}s of up to {:.3g}: "
            "at this frequency double precision cannot reach rtol = {:.2g}",
            rounding(), averaged, largest, rtol));
    }
    if (across > 1e-3 * largest && !is_nothing(largest)) {
        found.push_back(fmt::format(
            "rounding errors of positions in windows give the multipliers lambda_NAME an error that corresponds to an "
            "acceleration of about {:.2g}, beside averaged ones of up to {:.3g}; the motion and lambda_total_NAME do "
            "not have it, and micro = rattle has none",
            across, largest));
    }
    return found;
}

}  // namespace lento
