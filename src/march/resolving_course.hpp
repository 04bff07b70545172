/// What the ways to take steps share in one march (`march/resolving.hpp`).
#pragma once

#include <algorithm>
#include <limits>

#include "march/resolving.hpp"

namespace lento {

struct ResolvingMarch::Course {
    Interval interval;
    Tolerance tolerance;
    const Limits& limits;
    std::vector<double>& y;
    Recorder& recorder;
    MarchResult result{};
    bool hands_over = false;  // to another way to take steps, from where it has come to
    bool sees_velocity = false;

    double longest() const { return std::min(limits.longest, interval.length()); }
    /// Steps below it are lost in roundings of the time.
    double shortest() const {
        constexpr double roundings = 4;
        return roundings * std::numeric_limits<double>::epsilon() *
               std::max({std::abs(interval.from), std::abs(interval.to), interval.length()});
    }
};

inline void keep_largest(Out largest, In values) {
    for (std::size_t i = 0; i < largest.size(); ++i) {
        largest[i] = std::max(largest[i], values[i]);
    }
}

}  // namespace lento
