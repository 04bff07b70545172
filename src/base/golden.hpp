/// Points that fill an interval evenly, the same in every run: multiples of irrational numbers, modulo one.
#pragma once

#include <cmath>
#include <cstddef>

namespace lento {

/// Number `sample` of the sequence that belongs to `component`, in [0, 1).
inline double golden_fraction(std::size_t component, std::size_t sample) {
    const double root = std::sqrt(static_cast<double>(component) + 2.25);
    const double place = (static_cast<double>(sample) + 1) * (root + 0.6180339887498949);
    return place - std::floor(place);
}

}  // namespace lento
