#include "judge/window_noise.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"

namespace lento {

std::optional<std::string> WindowNoise::dominates(std::span<const double> found) const {
    double size = 0;
    for (const double a : found) {
        size = larger(size, std::abs(a));
    }
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
            "acceleration {:.3g} at the start: double precision cannot average it",
            rounding(), size);
    }
    return std::nullopt;
}

std::optional<std::string> WindowNoise::leakage_warning(double rtol, double largest) const {
    if (!(leakage * amplitude > rtol * largest)) {
        return std::nullopt;
    }
    return fmt::format(
        "the filter {} over {:.4g} periods lets {:.2e} of the vibration through: an acceleration of up to {:.2g} "
        "beside averaged ones of up to {:.3g}; a wider window helps, and cos8 over a whole number of periods above 4 "
        "lets nothing through",
        filter, periods, leakage, leakage * amplitude, largest);
}

std::optional<std::string> WindowNoise::rounding_warning(double rtol, double largest) const {
    if (!(rounding() > rtol * largest) || is_nothing(largest)) {
        return std::nullopt;
    }
    return fmt::format(
        "rounding errors of the vibration, about {:.2g}, are no longer small against averaged accelerations of up to "
        "{:.3g}: at this frequency double precision cannot reach rtol = {:.2g}",
        rounding(), largest, rtol);
}

std::optional<std::string> WindowNoise::multiplier_warning(double largest) const {
    if (!(across > 1e-3 * largest) || is_nothing(largest)) {
        return std::nullopt;
    }
    return fmt::format(
        "rounding errors of positions in windows give the multipliers lambda_NAME an error that corresponds to an "
        "acceleration of about {:.2g}, beside averaged ones of up to {:.3g}; the motion and lambda_total_NAME do not "
        "have it, and micro = rattle has none",
        across, largest);
}

}  // namespace lento
