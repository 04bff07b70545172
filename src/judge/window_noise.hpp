/// What windows add to the averaged force that is not slow motion: the share of the vibration that the filter lets through, and
/// rounding errors of the vibration. Each is small or ends in a sentence.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace lento {

struct WindowNoise {
    std::string filter;
    double periods = 0;    ///< the width of the window in periods of the slowest phase
    double leakage = 0;    ///< the share of the vibration that comes through
    double amplitude = 0;  ///< of the oscillating acceleration
    double across = 0;     ///< what rounding adds to the averaged acceleration across constraints
    double cancelled = 0;  ///< the amplitude that constraints take away

    /// An equilibrium on constraints: what they leave of the vibration is rounding.
    bool is_nothing(double acceleration) const { return acceleration <= 1e-14 * cancelled && cancelled > 0; }

    /// One rounding of a position changes the leading force by its slope times 1e-16.
    double rounding() const { return 1e-16 * amplitude; }

    /// Why the averaged accelerations found at the start would be noise, if they would.
    std::optional<std::string> dominates(std::span<const double> found) const;

    /// What is no longer small against averaged accelerations of up to `largest`.
    std::optional<std::string> leakage_warning(double rtol, double largest) const;
    std::optional<std::string> rounding_warning(double rtol, double largest) const;
    std::optional<std::string> multiplier_warning(double largest) const;
};

}  // namespace lento
