/// Phases of fast vibrations, as angles that keep their digits.
///
/// `omega * t` in double precision loses the phase once it is large: at 1e12 radians an ulp is 1e-4. Here the product
/// is formed with its rounding error and reduced by a 2 pi of more than 120 bits, in parts whose multiples are exact up
/// to 2^40 turns.
#pragma once

#include <cmath>
#include <numbers>

namespace [[gnu::visibility("default")]] lento {

/// start + frequency * t, reduced to (-pi, pi].
inline double reduced_phase(double frequency, double t, double start) {
    // 2 pi in three parts of 24 bits and a rest.
    constexpr long double first = 13176794.0L / 0x1p21L;
    constexpr long double second = 10625384.0L / 0x1p45L;
    constexpr long double third = 12727492.0L / 0x1p69L;
    constexpr long double last = 1.31280141714940021705e-21L;
    constexpr long double two_pi = 2 * std::numbers::pi_v<long double>;
    const double product = frequency * t;
    const double error = std::fma(frequency, t, -product);
    // NOTE: rint, not nearbyint, which saves the floating-point environment: this is half of what a direct run does.
    const long double turns = std::rint(product / two_pi);
    const long double rest = (((product - turns * first) - turns * second) - turns * third) - turns * last;
    const long double phase = rest + error + start;
    return static_cast<double>(std::abs(phase) <= two_pi / 2 ? phase : std::remainder(phase, two_pi));
}

}  // namespace lento
