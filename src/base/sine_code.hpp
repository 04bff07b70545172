/// Sine and cosine of four numbers at once, right to one unit in the last place, for |x| below `sine_code_reaches`:
///
///     x = n pi/2 + y0 + y1,     n the nearest whole number; sin and cos of y0 + y1 by polynomials
///
/// (fdlibm, e_rem_pio2.c, k_sin.c, k_cos.c; Sun Microsystems 1993). Pi/2 is taken in parts of 33, 33 and 53 bits:
/// products of the first two with n are exact, and what is left out is below n 2^-122. No double within reach is nearer
/// to a multiple than 2^-61.
///
/// Included by two files, which are compiled for different processors.
#pragma once

#include <cstdint>
#include <cstring>

namespace lento {

inline constexpr double sine_code_reaches = 1000;

/// From and to four numbers side by side; false where one of them is out of reach. The second is for processors with
/// AVX2 and FMA; it rounds otherwise.
bool sine_and_cosine_plain(const void* x, void* sine, void* cosine);
bool sine_and_cosine_avx2(const void* x, void* sine, void* cosine);

namespace {

using Four = double __attribute__((vector_size(4 * sizeof(double))));
using FourBits = std::int64_t __attribute__((vector_size(4 * sizeof(double))));

[[gnu::always_inline]] inline bool sine_and_cosine_of_four(const void* from, void* sine, void* cosine) {
    // NOTE: numbers were often stored two by two just before; read four by four they would be waited for.
    using Two = double __attribute__((vector_size(2 * sizeof(double))));
    Two low, high;
    std::memcpy(&low, from, sizeof low);
    std::memcpy(&high, static_cast<const char*>(from) + sizeof low, sizeof high);
    const Four x = __builtin_shufflevector(low, high, 0, 1, 2, 3);
    constexpr double rounding = 0x1.8p52;  // added, it leaves no bits behind the point
    const Four shifted = x * 0x1.45f306dc9c883p-1 + rounding;
    const Four n = shifted - rounding;
    const Four first = x - n * 1.57079632673412561417e+00;
    const Four second = n * 6.07710050630396597660e-11;
    const Four rest = first - second;
    const Four third = n * 2.02226624879595063154e-21 - ((first - rest) - second);
    const Four y0 = rest - third;
    const Four y1 = (rest - y0) - third;

    const Four z = y0 * y0;
    const Four w = z * z;
    const Four cube = z * y0;
    const Four of_sine =
        (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)) +
        z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
    const Four sine_here = y0 - ((z * (0.5 * y1 - cube * of_sine) - y1) + cube * 1.66666666666666324348e-01);
    const Four of_cosine =
        z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
        w * w * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
    const Four half = 0.5 * z;
    const Four less = 1.0 - half;
    const Four cosine_here = less + (((1.0 - less) - half) + (z * of_cosine - y0 * y1));

    // In odd quadrants they change places; the sine is negative in 2 and 3, the cosine in 1 and 2.
    const FourBits quadrant = reinterpret_cast<FourBits>(shifted);
    const FourBits odd = -(quadrant & 1);
    const FourBits a = reinterpret_cast<FourBits>(sine_here);
    const FourBits b = reinterpret_cast<FourBits>(cosine_here);
    const FourBits changed = (a ^ b) & odd;
    const FourBits s = (a ^ changed) ^ ((quadrant & 2) << 62);
    const FourBits c = (b ^ changed) ^ (((quadrant + 1) & 2) << 62);
    std::memcpy(sine, &s, sizeof s);
    std::memcpy(cosine, &c, sizeof c);
    const FourBits within = x * x <= sine_code_reaches * sine_code_reaches;
    return (within[0] & within[1] & within[2] & within[3]) != 0;
}

}  // namespace
}  // namespace lento
