/// How wide an averaging window is, how finely it is stepped, and what it adds to the averaged force.
#pragma once

#include "average/filter.hpp"
#include "lento/base/options.hpp"
#include "problem/time_scales.hpp"

namespace lento {

/// Micro-steps on each side of the middle of a window. Throws Misuse for sizes that cannot work.
std::size_t steps_each_side(const Filter& filter, const TimeScales& scales, const Options& options,
                            std::size_t steps_per_period);

/// The whole width of a window as a time, before anything is known of its steps.
double window_width(const Filter& filter, const TimeScales& scales, const Options& options);

/// The micro-steps a period that the options ask for, if they do.
std::optional<std::size_t> given_steps_per_period(const Options& options, const TimeScales& scales);

/// Tries `fewest` steps a period and twice as many each time, until the averaged force at the start no longer changes
/// by a tenth of rtol, or of what the method itself neglects: O(1/omega), the fast period over the slow time, of
/// forces, and its square of rates.
class MicroStepSearch {
public:
    static constexpr std::size_t fewest = 8;
    static constexpr std::size_t most = 512;

    struct Scales {
        double rtol = 0;
        double fast_period = 0;
        double length = 0;     ///< of the run
        double extent = 0;     ///< the size of the positions
        double amplitude = 0;  ///< of the oscillating acceleration
        int order = 2;         ///< of the equation: forces make accelerations, rates are first derivatives
    };
    explicit MicroStepSearch(const Scales& scales) : scales_(scales) {}

    /// Told the averaged force with the next number of steps: whether that is enough.
    bool settled(In force);

    /// By how much the force changed the last time.
    double change() const { return change_; }

private:
    Scales scales_;
    std::vector<double> coarse_;
    double change_ = 0;
};

/// The share by which steppers of order 2 change the averaged force: as differences do a second derivative.
double coarseness(std::string_view micro, std::size_t steps_per_period);

/// What windows add to the averaged force that is not slow motion: what the filter lets through of the vibration, and
/// rounding errors of it. Each is small or ends in a sentence.
struct WindowNoise {
    std::string_view averaged;  ///< what is averaged: acceleration, rate
    std::string filter;
    double periods = 0;    ///< the width of the window in periods of the slowest phase
    double leakage = 0;    ///< the share of the vibration that comes through
    double amplitude = 0;  ///< of the oscillating acceleration, or rate
    double across = 0;     ///< what rounding adds to the averaged acceleration across constraints
    double cancelled = 0;  ///< the amplitude that constraints take away

    /// An equilibrium on constraints: what they leave of the vibration is rounding.
    bool is_nothing(double acceleration) const { return acceleration <= 1e-14 * cancelled && cancelled > 0; }

    /// One rounding of a position changes the leading force by its slope times 1e-16.
    double rounding() const { return 1e-16 * amplitude; }

    /// Why the averaged accelerations found at the start would be noise, if they would.
    std::optional<std::string> dominates(In found) const;

    /// Of what is no longer small against averaged accelerations of up to `largest`.
    std::vector<std::string> warnings(double rtol, double largest) const;
};

}  // namespace lento
