/// How wide an averaging window is and how finely it is stepped, from the options.
#pragma once

#include <cstddef>
#include <optional>

#include "average/filter.hpp"
#include "lento/base/options.hpp"
#include "problem/time_scales.hpp"

namespace lento {

struct WindowSize {
    std::size_t steps_per_period = 0;  ///< of the fastest phase
    std::size_t each_side = 0;         ///< micro-steps on each side of the middle
};

/// Throws Misuse for windows shorter than a period and other sizes that cannot work.
WindowSize window_size(const Filter& filter, const TimeScales& scales, const Options& options,
                       std::size_t steps_per_period);

/// The whole width of a window as a time, before anything is known of its steps.
double window_width(const Filter& filter, const TimeScales& scales, const Options& options);

/// The micro-steps a period that the options ask for, if they do.
std::optional<std::size_t> given_steps_per_period(const Options& options, const TimeScales& scales);

}  // namespace lento
