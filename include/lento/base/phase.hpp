/// Phases of fast vibrations, as angles that keep their digits.
///
/// `omega * t` in double precision loses the phase once it is large: at 1e12 radians an ulp is 1e-4. Here the product
/// is formed with its rounding error and reduced by a 2 pi of 160 bits, in three parts whose multiples are formed with
/// theirs: what is left is right to a rounding for up to 2^53 turns.
#pragma once

#include <cmath>

namespace [[gnu::visibility("default")]] lento {

/// start + frequency * t, reduced to (-pi, pi].
inline double reduced_phase(double frequency, double t, double start) {
    constexpr double first = 0x1.921fb54442d18p+2, second = 0x1.1a62633145c07p-52, third = -0x1.f1976b7ed8fbcp-108;
    const double product = frequency * t;
    const double error = std::fma(frequency, t, -product);
    // NOTE: rint, not nearbyint, which saves the floating-point environment.
    const double turns = std::rint(product / first);
    const double whole = turns * first;
    const double of_whole = std::fma(turns, first, -whole);
    const double part = turns * second;
    const double of_part = std::fma(turns, second, -part);
    // The difference of product and whole is exact: they are nearly equal, or there are no turns.
    const double small = ((error - of_whole) - part) - (of_part + turns * third);
    const double phase = (product - whole) + (small + start);
    return std::abs(phase) <= first / 2 ? phase : std::remainder(phase, first);
}

}  // namespace lento
