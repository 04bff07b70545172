/// Numbers: from text, and compared so that a NaN shows; lists of them.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string_view>

namespace lento {

/// The number that the whole of `text` spells. Throws Misuse, naming `what`, for anything else.
double number_from(std::string_view text, std::string_view what);

/// The larger of two numbers; NaN if either is. std::max would hide it.
constexpr double larger(double a, double b) {
    return a >= b ? a : b > a ? b : std::numeric_limits<double>::quiet_NaN();
}

/// The largest size of a component; NaN if one is.
inline double largest(std::span<const double> values) {
    double size = 0;
    for (const double value : values) {
        size = larger(size, std::abs(value));
    }
    return size;
}

/// y += factor x
inline void add_to(std::span<double> y, double factor, std::span<const double> x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        y[i] += factor * x[i];
    }
}

}  // namespace lento
