/// Phases of fast vibrations, as angles that keep their digits.
///
/// `omega * t` in double precision loses the phase once it is large: at 1e12 radians an ulp is 1e-4. Here the product is formed
/// with its rounding error and reduced by a 2 pi of more than 120 bits, in parts whose multiples are exact up to 2^32 turns.
#pragma once

#include <cmath>
#include <numbers>

namespace lento {

/// start + frequency * t, reduced to (-pi, pi].
inline double reduced_phase(double frequency, double t, double start) {
    // 2 pi = high + middle + low: the first two have 32 bits each.
    constexpr long double high = 3373259426.0L / 0x1p29L;
    constexpr long double middle = 2242054355.0L / 0x1p63L;
    constexpr long double low = 8.0890649951838029295987e-21L;
    constexpr long double two_pi = 2 * std::numbers::pi_v<long double>;
    const double product = frequency * t;
    const double error = std::fma(frequency, t, -product);
    const long double turns = std::nearbyint(product / two_pi);
    const long double rest = ((product - turns * high) - turns * middle) - turns * low;
    return static_cast<double>(std::remainder(rest + error + start, two_pi));
}

}  // namespace lento
