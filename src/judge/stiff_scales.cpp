#include "judge/stiff_scales.hpp"

#include <fmt/format.h>

#include "judge/window_size.hpp"

namespace lento {

TimeScales spring_scales(const std::vector<SpringEntry>& springs) {
    const auto [slow, fast] = std::ranges::minmax_element(springs, {}, &SpringEntry::frequency);
    return {.fastest = 2 * std::numbers::pi / fast->frequency,
            .slowest = 2 * std::numbers::pi / slow->frequency,
            .common_period = {},
            .ratios = {}};
}

Leakage leakage(const FilterWeights& weights, std::string_view micro, double micro_step,
                const SpringSpectrum& spectrum) {
    constexpr int frequencies = 24;
    Leakage largest;
    for (int n = 0; n <= frequencies; ++n) {
        const double mu = spectrum.slowest * std::pow(spectrum.fastest / spectrum.slowest, n / double(frequencies));
        // NOTE: Verlet with step h oscillates too fast: sin(mu' h/2) = mu h/2.
        const double turned = mu * micro_step / 2;
        const double angle = micro == "verlet" ? 2 * std::asin(std::min(turned, 1.0)) : 2 * turned;
        const double share = std::abs(weights.leakage(2 * std::numbers::pi / angle));
        largest.share = std::max(largest.share, share);
        largest.frequency = std::max(largest.frequency, std::sqrt(share > 1e-15 ? share : 0.0) * mu);
    }
    return largest;
}

namespace {

constexpr std::array<double, 16> widths{12, 14, 16, 18, 20, 24, 30, 36, 40, 50, 60, 80, 120, 160, 240, 320};

/// Of a window with these options.
Leakage leakage(const Options& options, const TimeScales& scales, const SpringSpectrum& spectrum) {
    const Filter kernel(*options.filter);
    const auto steps = given_steps_per_period(options, scales).value_or(6);
    return leakage(FilterWeights(kernel, steps_each_side(kernel, scales, options, steps)),
                   options.micro.value_or("verlet"), scales.fastest / static_cast<double>(steps), spectrum);
}

/// The first width, in nominal periods and at least `least`, at which a filter leaks less than `limit`.
std::optional<double> sufficient_periods(Options options, const std::string& filter, double least,
                                         const TimeScales& scales, const SpringSpectrum& spectrum, double limit) {
    options.filter = filter;
    options.window.reset();
    for (const double periods : widths) {
        options.window_periods = periods;
        if (periods >= least && leakage(options, scales, spectrum).frequency < limit) {
            return periods;
        }
    }
    return std::nullopt;
}

/// The first width at which one pass through the filter takes away nearly all of an oscillation.
double projecting_periods(Options options, double least, const TimeScales& scales, const SpringSpectrum& spectrum) {
    constexpr double most_left = 0.005;
    for (double periods = least; periods < widths.back(); ++periods) {
        options.window_periods = periods;
        if (leakage(options, scales, spectrum).share < most_left) {
            return periods;
        }
    }
    return least;
}

/// Verlet keeps the amplitude of an oscillation, however few steps a period has. Runge-Kutta methods damp it or make it
/// grow: by less than a percent in a window with so many times more steps.
double steps_beside_verlet(std::string_view micro) {
    return micro == "midpoint" ? 10 : micro == "heun3" ? 5 : micro == "rk4" ? 4 : micro == "dopri5" ? 3 : 1;
}

/// Of several filters the one that leaks least through the window given.
std::string tightest(Options options, const std::vector<std::string>& filters, const TimeScales& scales,
                     const SpringSpectrum& spectrum) {
    return *std::ranges::min_element(filters, {}, [&](const std::string& filter) {
        options.filter = filter;
        return leakage(options, scales, spectrum).frequency;
    });
}

}  // namespace

Options with_window(Options options, const WindowDefaults& defaults, const TimeScales& scales,
                    const SpringSpectrum& spectrum, double length) {
    if (!options.micro_step && !options.micro_steps_per_period) {
        const double finer = steps_beside_verlet(options.micro.value_or("verlet"));
        const double true_steps = defaults.least_steps * spectrum.fastest * scales.fastest / (2 * std::numbers::pi);
        options.micro_steps_per_period = static_cast<std::size_t>(
            std::ceil(finer * std::max(static_cast<double>(defaults.steps_per_period), std::ceil(true_steps))));
    }
    const auto filters = options.filter ? std::vector{*options.filter} : defaults.filters;
    if (options.window || options.window_periods) {
        options.filter = filters.size() > 1 ? tightest(options, filters, scales, spectrum) : filters.front();
        return options;
    }
    const double true_periods = defaults.least_periods * 2 * std::numbers::pi / spectrum.slowest / scales.slowest;
    const double least = std::max(defaults.periods, std::ceil(true_periods));
    options.filter = filters.back();
    options.window_periods = least;
    if (defaults.most_growth == 0 && filters != defaults.filters) {
        options.window_periods = projecting_periods(options, least, scales, spectrum);
    }
    if (defaults.most_growth > 0) {
        // NOTE: springs that act on each other change their frequencies as they turn: in line by a factor of 1.6.
        SpringSpectrum on_the_way = spectrum;
        on_the_way.slowest /= defaults.margin;
        double narrowest = HUGE_VAL;
        for (const auto& filter : filters) {
            const auto periods =
                sufficient_periods(options, filter, least, scales, on_the_way, defaults.most_growth / length);
            if (periods && *periods <= narrowest) {
                narrowest = *periods;
                options.filter = filter;
            }
        }
        options.window_periods = std::isfinite(narrowest) ? narrowest : least;
    }
    return options;
}

std::string better_windows(const Options& options, const TimeScales& scales, const SpringSpectrum& spectrum,
                           double limit) {
    for (const auto& filter : {options.filter.value_or("flat16"), std::string("flat16"), std::string("flat32")}) {
        if (const auto periods = sufficient_periods(options, filter, 0, scales, spectrum, limit)) {
            return fmt::format("filter = {} with window_periods = {:.0f} would do", filter, *periods);
        }
    }
    return fmt::format("no window up to {:.0f} periods would do: take more micro_steps_per_period", widths.back());
}

}  // namespace lento
