/// How many micro-steps a period windows need.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace lento {

/// Tries `fewest` steps a period and twice as many each time, until the averaged force at the start no longer changes by a tenth of rtol, or of
/// the fast period over the slow time: below the method's own error O(1/omega) there is nothing to gain.
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
    };
    explicit MicroStepSearch(const Scales& scales) : scales_(scales) {}

    /// Told the averaged force with the next number of steps: whether that is enough.
    bool settled(std::span<const double> force);

    /// By how much the force changed the last time.
    double change() const { return change_; }

private:
    Scales scales_;
    std::vector<double> coarse_;
    double change_ = 0;
};

/// The share by which steppers of order 2 change the averaged force: that of the second derivative of a vibration by differences.
double coarseness(std::string_view micro, std::size_t steps_per_period);

}  // namespace lento
