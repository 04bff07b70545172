/// What rounding to the printed digits does, as a relative tolerance.
#pragma once

#include <cmath>

namespace lento::papers {

/// Half a unit of the last of `digits` printed digits.
inline double rounding(double published, int digits) {
    const double exponent = std::floor(std::log10(std::abs(published)) + 1e-9);
    return 0.50001 * std::pow(10.0, exponent - (digits - 1)) / std::abs(published);
}
/// Rounded to the printed digits, the same or one unit of the last apart.
inline double one_unit_after_rounding(double published, int digits) {
    return 3 * rounding(published, digits);
}

}  // namespace lento::papers
