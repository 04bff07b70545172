/// Numbers: from text, and compared so that a NaN shows.
#pragma once

#include <limits>
#include <string_view>

namespace lento {

/// The number that the whole of `text` spells. Throws Misuse, naming `what`, for anything else.
double number_from(std::string_view text, std::string_view what);

/// The larger of two numbers; NaN if either is. std::max would hide it.
constexpr double larger(double a, double b) {
    return a >= b ? a : b > a ? b : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace lento
