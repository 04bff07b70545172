/// Four numbers side by side: each comes to what it comes to alone.
#include "lento/base/lanes.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "base/sine_code.hpp"

namespace lento {
namespace {

/// Of a number that should be `exact`, in units of its last place.
double error_in_ulps(double found, long double exact) {
    const int exponent = std::ilogb(static_cast<double>(exact));
    return static_cast<double>(std::abs(found - exact)) / std::ldexp(1.0, std::max(exponent - 52, -1074));
}

std::uint64_t bits(double x) {
    return std::bit_cast<std::uint64_t>(x);
}

using SineCode = bool (*)(const void*, void*, void*);

std::vector<SineCode> sine_codes() {
    std::vector<SineCode> codes{sine_and_cosine_plain};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        codes.push_back(sine_and_cosine_avx2);
    }
#endif
    return codes;
}

/// The largest error of sines and cosines, with and without FMA.
double worst_error(std::array<double, 4> x) {
    double worst = 0;
    for (const SineCode code : sine_codes()) {
        std::array<double, 4> sine, cosine;
        EXPECT_TRUE(code(&x, &sine, &cosine));
        for (std::size_t k = 0; k < 4; ++k) {
            worst = std::max(worst, error_in_ulps(sine[k], std::sin(static_cast<long double>(x[k]))));
            worst = std::max(worst, error_in_ulps(cosine[k], std::cos(static_cast<long double>(x[k]))));
        }
    }
    return worst;
}

TEST(Lanes, sines_and_cosines_are_right_to_one_unit_in_the_last_place) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> mantissa(0.5, 1), wide(-sine_code_reaches, sine_code_reaches);
    std::uniform_int_distribution<int> exponent(-60, 9);
    double worst = 0;
    for (int k = 0; k < 200'000; ++k) {
        const auto small = [&] { return std::ldexp(mantissa(random), exponent(random)); };
        worst = std::max(worst, worst_error({small(), -small(), wide(random), wide(random)}));
    }
    EXPECT_LT(worst, 0.85);  // 0.79 in ten million
}

TEST(Lanes, sines_and_cosines_keep_their_digits_next_to_their_zeros) {
    double worst = 0;
    for (int n = 1; n * std::numbers::pi / 2 < sine_code_reaches - 1; ++n) {
        const double zero = n * std::numbers::pi / 2;
        const double above = std::nextafter(zero, HUGE_VAL);
        worst = std::max(worst, worst_error({zero, above, std::nextafter(zero, 0), std::nextafter(above, HUGE_VAL)}));
    }
    EXPECT_LT(worst, 0.85);
}

TEST(Lanes, sines_of_large_numbers_are_those_of_libm) {
    const Lanes x(0.5, 1e15, -HUGE_VAL, std::nan(""));
    EXPECT_EQ(bits(sin(x)[0]), bits(sin(Lanes(0.5))[2]));
    EXPECT_EQ(sin(x)[1], std::sin(1e15));
    EXPECT_EQ(cos(x)[1], std::cos(1e15));
    EXPECT_TRUE(std::isnan(sin(x)[2]) && std::isnan(cos(x)[3]));
    EXPECT_EQ(bits(sin(Lanes(-0.0))[1]), bits(-0.0));
    EXPECT_EQ(cos(Lanes(0.0))[3], 1);
}

TEST(Lanes, arithmetic_and_functions_are_those_of_each_lane) {
    const Lanes a(0.3, -0.7, 0.25, 0.99), b(2.5, 0.1, -1.25, 3);
    for (std::size_t k = 0; k < Lanes::count; ++k) {
        const double x = a[k], y = b[k];
        EXPECT_EQ((2 * a - b / 3 + a * b)[k], Lanes(2 * x - y / 3 + x * y)[0]);
        EXPECT_EQ((-a)[k], -x);
        EXPECT_EQ(bits(exp(a)[k]), bits(std::exp(x)));
        EXPECT_EQ(bits(tanh(b)[k]), bits(std::tanh(y)));
        EXPECT_EQ(bits(atan2(a, b)[k]), bits(std::atan2(x, y)));
        EXPECT_EQ(bits(hypot(a, b)[k]), bits(std::hypot(x, y)));
        EXPECT_EQ(bits(sqrt(abs(b))[k]), bits(std::sqrt(std::abs(y))));
        EXPECT_EQ(bits(pow(abs(b), a)[k]), bits(std::pow(std::abs(y), x)));
        EXPECT_EQ(bits(pow(a, 3)[k]), bits(x * (x * x)));
        EXPECT_EQ(bits(pow(a, -2.0)[k]), bits(std::pow(x, -2.0)));
        EXPECT_EQ(bits(pow(2.0, a)[k]), bits(std::pow(2.0, x)));
        EXPECT_EQ(min(a, b)[k], std::min(x, y));
        EXPECT_EQ(lento::max(a, Lanes(0))[k], std::max(x, 0.0));
        EXPECT_EQ(sign(a)[k], sign(x));
        EXPECT_EQ(floor(b)[k], std::floor(y));
    }
}

TEST(Lanes, comparisons_that_disagree_are_noted) {
    LanesMemory memory;
    const Lanes mixed(1, 2, 3, 4);
    LanesCall agreeing(memory);
    EXPECT_TRUE(mixed > 0);
    EXPECT_FALSE(mixed == 5);
    EXPECT_TRUE(agreeing.agreed());
    {
        const LanesCall inner(memory);
        EXPECT_TRUE(mixed < 2);  // as the first lane says
        EXPECT_FALSE(inner.agreed());
    }
    EXPECT_TRUE(agreeing.agreed());
}

int computed = 0;
double counted(double x) {
    ++computed;
    return std::sin(x);
}

TEST(Lanes, what_comes_back_is_not_computed_again) {
    LanesMemory memory;
    const auto force = [](const Lanes& x, const Lanes& theta) {
        return lanes_detail::value(counted, theta) + lanes_detail::value(counted, x);
    };
    const Lanes theta(0, 1, 2, 3);
    computed = 0;
    for (int step = 0; step < 10; ++step) {
        const LanesCall call(memory);
        force(Lanes(0.1 * step), theta);
    }
    EXPECT_EQ(computed, 4 + 10 * 4);
}

TEST(Lanes, what_is_remembered_is_what_would_be_computed) {
    LanesMemory memory;
    std::mt19937 random(2);
    std::uniform_int_distribution<int> choice(0, 3);
    const std::array<Lanes, 4> arguments{Lanes(0.0), Lanes(-0.0), Lanes(0.5, 1, 2, 4), Lanes(0.5, 1, 2, 4.5)};
    for (int step = 0; step < 2000; ++step) {
        const Lanes& a = arguments[static_cast<std::size_t>(choice(random))];
        const Lanes& b = arguments[static_cast<std::size_t>(choice(random))];
        const auto values = [&] { return std::array{sin(a), cos(b), sin(b), exp(a), atan2(a, b), cos(a), tanh(b)}; };
        const auto alone = values();
        const LanesCall call(memory);
        if (choice(random) == 0) {
            sin(b);  // the calls after it are then in other places
        }
        const auto found = values();
        for (std::size_t k = 0; k < alone.size(); ++k) {
            ASSERT_TRUE(same_bits(alone[k], found[k])) << k;
        }
    }
}

}  // namespace
}  // namespace lento
