#include "judge/window_size.hpp"

#include <cmath>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

constexpr double most_steps_per_period = 1e5;
constexpr double most_steps_per_window = 1e7;

/// The width asked for, in periods of the slowest phase; checked.
std::optional<double> given_periods(const TimeScales& scales, const Options& options) {
    if (options.window && options.window_periods) {
        throw Misuse("both window and window_periods are given; one decides the other");
    }
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
    if (options.micro_step && options.micro_steps_per_period) {
        throw Misuse("both micro_step and micro_steps_per_period are given; one decides the other");
    }
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

WindowSize window_size(const Filter& filter, const TimeScales& scales, const Options& options,
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
        return {steps_per_period, whole / 2};
    }
    const double steps = periods.value_or(filter.usual_periods()) * scales.slowest / scales.fastest *
                         static_cast<double>(steps_per_period);
    if (steps > most_steps_per_window) {
        throw Misuse(fmt::format(
            "one window would take {:.3g} micro-steps, more than {:.0e}: take a shorter window or fewer steps a period",
            steps, most_steps_per_window));
    }
    auto each_side = static_cast<std::size_t>(std::llround(steps / 2));
    // NOTE: the joint of the cubic filter, at half the way, has to be a grid point, or its moments do not vanish.
    each_side += filter.name() == "cubic" ? each_side % 2 : 0;
    return {steps_per_period, each_side};
}

}  // namespace lento
