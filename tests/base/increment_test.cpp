/// Changes against fifty digits: every function, moves from 1e-18 of the argument to the argument itself.
#include "lento/base/increment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace lento {
namespace {

using Fine = boost::multiprecision::cpp_bin_float_50;
using I = Increment<double>;
using L = Increment<long double>;

Fine cube_root(const Fine& x) {
    return x < 0 ? -cube_root(-x) : pow(x, Fine(1) / 3);
}

/// A function for increments of two precisions and for fifty digits, on an interval in which it is monotonic: there,
/// and only there, a relative error of the change can be asked for without a condition number.
struct Function {
    std::string name;
    std::function<I(I)> on_double;
    std::function<L(L)> on_long_double;
    std::function<Fine(Fine)> exact;
    double low, high;

    template <class F, class E>
    Function(std::string name_, F f, E exact_, double low_, double high_)
        : name(std::move(name_)), on_double(f), on_long_double(f), exact(exact_), low(low_), high(high_) {}
};

std::vector<Function> smooth_functions() {
    return {
        {"exp", [](auto x) { return exp(x); }, [](Fine x) { return exp(x); }, -3, 3},
        {"expm1", [](auto x) { return expm1(x); }, [](Fine x) { return exp(x) - 1; }, -3, 3},
        {"log", [](auto x) { return log(x); }, [](Fine x) { return log(x); }, 1e-6, 9},
        {"log1p", [](auto x) { return log1p(x); }, [](Fine x) { return log(1 + x); }, -0.5, 9},
        {"log10", [](auto x) { return log10(x); }, [](Fine x) { return log10(x); }, 1e-6, 9},
        {"sin", [](auto x) { return sin(x); }, [](Fine x) { return sin(x); }, -1.5, 1.5},
        {"sin falling", [](auto x) { return sin(x); }, [](Fine x) { return sin(x); }, 1.6, 4.6},
        {"cos", [](auto x) { return cos(x); }, [](Fine x) { return cos(x); }, 0.05, 3.1},
        {"tan", [](auto x) { return tan(x); }, [](Fine x) { return tan(x); }, -1.2, 1.2},
        {"asin", [](auto x) { return asin(x); }, [](Fine x) { return asin(x); }, -1, 1},
        {"acos", [](auto x) { return acos(x); }, [](Fine x) { return acos(x); }, -1, 1},
        {"asin near 1", [](auto x) { return asin(x); }, [](Fine x) { return asin(x); }, 0.999999, 1},
        {"atan", [](auto x) { return atan(x); }, [](Fine x) { return atan(x); }, -30, 30},
        {"sinh", [](auto x) { return sinh(x); }, [](Fine x) { return sinh(x); }, -3, 3},
        {"cosh", [](auto x) { return cosh(x); }, [](Fine x) { return cosh(x); }, 0, 3},
        {"tanh", [](auto x) { return tanh(x); }, [](Fine x) { return tanh(x); }, -15, 15},
        {"sqrt", [](auto x) { return sqrt(x); }, [](Fine x) { return sqrt(x); }, 0, 4},
        {"cbrt", [](auto x) { return cbrt(x); }, cube_root, 0, 4},
        {"cbrt through 0", [](auto x) { return cbrt(x); }, cube_root, -4, 4},
        {"abs", [](auto x) { return abs(x); }, [](Fine x) { return abs(x); }, -4, 0},
        {"1/x", [](auto x) { return 1 / x; }, [](Fine x) { return 1 / x; }, 0.01, 4},
        {"x/3", [](auto x) { return x / 3; }, [](Fine x) { return x / 3; }, -4, 4},
        {"x/(1 + x)", [](auto x) { return x / (1 + x); }, [](Fine x) { return x / (1 + x); }, 0, 4},
        {"x x", [](auto x) { return x * x; }, [](Fine x) { return x * x; }, 0, 4},
        {"2 x - 1", [](auto x) { return 2 * x - 1; }, [](Fine x) { return 2 * x - 1; }, -4, 4},
        {"x^3", [](auto x) { return pow(x, 3); }, [](Fine x) { return x * x * x; }, 0, 3},
        {"x^-2", [](auto x) { return pow(x, -2); }, [](Fine x) { return 1 / (x * x); }, 0.1, 3},
        {"x^-12", [](auto x) { return pow(x, -12); }, [](Fine x) { return pow(x, -12); }, 0.05, 3},
        {"x^65", [](auto x) { return pow(x, 65); }, [](Fine x) { return pow(x, 65); }, -1.5, -0.1},
        {"x^67.0", [](auto x) { return pow(x, 67.0); }, [](Fine x) { return pow(x, 67); }, -1.5, -0.1},
        {"x^2.5", [](auto x) { return pow(x, 2.5); }, [](Fine x) { return pow(x, Fine(2.5)); }, 1e-3, 3},
        {"x^0.125", [](auto x) { return pow(x, 0.125); }, [](Fine x) { return pow(x, Fine(0.125)); }, 1e-6, 3},
        {"x^-0.5", [](auto x) { return pow(x, -0.5); }, [](Fine x) { return 1 / sqrt(x); }, 1e-3, 3},
        {"2^x", [](auto x) { return pow(2.0, x); }, [](Fine x) { return pow(Fine(2), x); }, -3, 3},
        {"x^x", [](auto x) { return pow(x, x); }, [](Fine x) { return pow(x, x); }, 0.6, 3},
        {"hypot(x, 2)", [](auto x) { return hypot(x, decltype(x)(2)); }, [](Fine x) { return sqrt(x * x + 4); }, 0, 9},
        {"hypot(1e200 x, 3e200)", [](auto x) { return hypot(1e200 * x, decltype(x)(3e200)); },
         [](Fine x) { return Fine(1e200) * hypot(x, Fine(3e200) / Fine(1e200)); }, 0, 9},
        {"atan2(x, 2)", [](auto x) { return atan2(x, decltype(x)(2)); }, [](Fine x) { return atan(x / 2); }, -9, 9},
        {"atan2(1, x)", [](auto x) { return atan2(decltype(x)(1), x); },
         [](Fine x) { return boost::math::constants::half_pi<Fine>() - atan(x); }, -9, 9},
        {"max(x, 0.5)", [](auto x) { return max(x, decltype(x)(0.5)); }, [](Fine x) { return x > 0.5 ? x : 0.5; }, -4,
         4},
        {"min(0.5, x)", [](auto x) { return min(decltype(x)(0.5), x); }, [](Fine x) { return x < 0.5 ? x : 0.5; }, -4,
         4},
    };
}

/// Random moves of x within [low, high], so many for every power of ten from 1e-18 of x to x.
template <class Visit>
void sweep(double low, double high, int moves, Visit visit) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> inside(low, high);
    std::uniform_real_distribution<double> mantissa(0.1, 1);
    for (int decade = -18; decade <= 0; ++decade) {
        for (int i = 0; i < moves; ++i) {
            const double x = inside(random);
            const double d = x * mantissa(random) * std::pow(10.0, decade) * (i % 2 == 0 ? 1 : -1);
            if (low < x + d && x + d < high) {
                visit(x, d);
            }
        }
    }
}

double relative_error(const Fine& computed, const Fine& exact) {
    return exact == 0 ? (computed == 0 ? 0.0 : 1.0) : static_cast<double>(abs((computed - exact) / exact));
}

TEST(Increment, changes_of_every_function_are_right_to_1e_minus_14_of_themselves) {
    for (const auto& f : smooth_functions()) {
        double worst = 0;
        double worst_long = 0;
        sweep(f.low, f.high, 24, [&](double x, double d) {
            const Fine exact = f.exact(Fine(x) + Fine(d)) - f.exact(Fine(x));
            worst = std::max(worst, relative_error(f.on_double(I::at(x, d)).change(), exact));
            worst_long = std::max(worst_long, relative_error(f.on_long_double(L::at(x, d)).change(), exact));
        });
        RecordProperty(f.name, std::to_string(worst / 1e-16) + "e-16");
        EXPECT_LT(worst, 1e-14) << f.name;
        EXPECT_LT(worst_long, 5e-18) << f.name << " in long double";
    }
}

/// A function of two arguments that move independently.
struct FunctionOfTwo {
    std::string name;
    std::function<I(I, I)> on_increments;
    std::function<Fine(Fine, Fine)> exact;
};

std::vector<FunctionOfTwo> functions_of_two() {
    return {
        {"x + y", [](I x, I y) { return x + y; }, [](Fine x, Fine y) { return x + y; }},
        {"x - y", [](I x, I y) { return x - y; }, [](Fine x, Fine y) { return x - y; }},
        {"x y", [](I x, I y) { return x * y; }, [](Fine x, Fine y) { return x * y; }},
        {"x / y", [](I x, I y) { return x / y; }, [](Fine x, Fine y) { return x / y; }},
        {"x^y", [](I x, I y) { return pow(x, y); }, [](Fine x, Fine y) { return pow(x, y); }},
        {"hypot", [](I x, I y) { return hypot(x, y); }, [](Fine x, Fine y) { return sqrt(x * x + y * y); }},
        {"atan2", [](I x, I y) { return atan2(x, y); }, [](Fine x, Fine y) { return atan(x / y); }},
        {"min", [](I x, I y) { return min(x, y); }, [](Fine x, Fine y) { return x < y ? x : y; }},
        {"max", [](I x, I y) { return max(x, y); }, [](Fine x, Fine y) { return x < y ? y : x; }},
    };
}

// NOTE: the moves of two arguments may undo one another; the error is then measured by what each does alone.
TEST(Increment, two_arguments_may_move_at_once) {
    for (const auto& f : functions_of_two()) {
        double worst = 0;
        sweep(0.2, 4, 8, [&](double x, double d) {
            sweep(0.2, 4, 8, [&](double y, double e) {
                if (std::abs(std::log10(std::abs(d / e))) > 0.5) {
                    return;  // of the pairs of sweeps those of like size
                }
                const Fine centre = f.exact(x, y);
                const Fine exact = f.exact(Fine(x) + d, Fine(y) + e) - centre;
                const Fine scale = abs(f.exact(Fine(x) + d, y) - centre) + abs(f.exact(x, Fine(y) + e) - centre);
                const Fine error = abs(f.on_increments(I::at(x, d), I::at(y, e)).change() - exact);
                worst = std::max(worst, scale == 0 ? (error == 0 ? 0.0 : 1.0) : static_cast<double>(error / scale));
            });
        });
        RecordProperty(f.name, std::to_string(worst / 1e-16) + "e-16");
        EXPECT_LT(worst, 1e-14) << f.name;
    }
}

TEST(Increment, value_and_total_are_those_of_plain_evaluation) {
    for (const auto& f : smooth_functions()) {
        sweep(f.low, f.high, 24, [&](double x, double d) {
            const I moved = f.on_double(I::at(x, d));
            const I centre = f.on_double(I(x));
            const I there = f.on_double(I(x + d));
            EXPECT_EQ(moved.value(), centre.value()) << f.name;
            EXPECT_EQ(centre.change(), 0) << f.name;
            // The plain argument is rounded, the moved one is not.
            const auto by_rounding = static_cast<double>(abs(f.exact(x + d) - f.exact(Fine(x) + Fine(d))));
            const double scale = std::abs(centre.value()) + std::abs(there.value());
            EXPECT_NEAR(centre.value(), static_cast<double>(f.exact(x)), 2e-14 * scale) << f.name << " at " << x;
            EXPECT_NEAR(moved.total(), there.value(), 1.01 * by_rounding + 2e-14 * scale) << f.name << " at " << x;
        });
    }
}

TEST(Increment, spring_of_frequency_1e8_is_quiet) {
    // g = hypot(x, y) - 1 moves by about 1e-8: rounding g makes a noise of 1e-8 of that, rounding its change one of
    // 1e-16.
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> angle(-3, 3);
    std::uniform_real_distribution<double> turn(-1, 1);
    double noise = 0;
    double noise_of_change = 0;
    for (int i = 0; i < 1000; ++i) {
        const double direction = angle(random);
        const double x = std::cos(direction);
        const double y = std::sin(direction);
        const double heading = direction + turn(random);  // more along the spring than across
        const double d = 1e-8 * std::cos(heading);
        const double e = 1e-8 * std::sin(heading);
        const auto exact_length = [](Fine a, Fine b) { return sqrt(a * a + b * b); };
        const Fine exact = exact_length(Fine(x) + d, Fine(y) + e) - exact_length(x, y);
        const I elongation = hypot(I::at(x, d), I::at(y, e)) - 1;
        const double plain = (std::hypot(x + d, y + e) - 1) - (std::hypot(x, y) - 1);
        noise = std::max(noise, relative_error(plain, exact));
        noise_of_change = std::max(noise_of_change, relative_error(elongation.change(), exact));
    }
    RecordProperty("plain", std::to_string(noise / 1e-8) + "e-8");
    RecordProperty("change", std::to_string(noise_of_change / 1e-16) + "e-16");
    EXPECT_LT(noise_of_change, 1e-14);
    EXPECT_GT(noise, 1e-8);
}

TEST(Increment, large_angles_keep_their_small_moves) {
    for (const double x : {1e6, -3e8, 4e10}) {
        const double d = 1e-9;  // less than the last digit of the largest
        EXPECT_NEAR(sin(I::at(x, d)).change() / (d * std::cos(x)), 1, 1e-8);
        EXPECT_NEAR(cos(I::at(x, d)).change() / (-d * std::sin(x)), 1, 1e-8);
        EXPECT_NEAR(tan(I::at(x, d)).change() / (d / std::pow(std::cos(x), 2)), 1, 1e-8);
        const Fine exact = sin(Fine(x) + Fine(d)) - sin(Fine(x));
        EXPECT_LT(relative_error(sin(I::at(x, d)).change(), exact), 1e-15);
    }
}

TEST(Increment, angle_jumps_where_atan2_does) {
    const auto jump = [](double y, double x, double d, double e) {
        const I angle = atan2(I::at(y, d), I::at(x, e));
        EXPECT_NEAR(angle.total(), std::atan2(y + d, x + e), 1e-15);
        return angle.change();
    };
    EXPECT_NEAR(jump(1e-3, -1, -2e-3, 0), -2 * std::numbers::pi + 2e-3, 1e-8);
    EXPECT_NEAR(jump(-1e-3, -1, 2e-3, 0), 2 * std::numbers::pi - 2e-3, 1e-8);
    EXPECT_NEAR(jump(1e-3, 1, -2e-3, 0), -2e-3, 1e-8);
    EXPECT_NEAR(jump(0, -1, 0, 2), -std::numbers::pi, 1e-15);  // through the origin
    EXPECT_NEAR(jump(-1, 1, 2, -2), std::numbers::pi, 1e-15);
    EXPECT_EQ(jump(0, -1, 0, 0), 0);
}

TEST(Increment, on_one_branch_changes_pass_exactly) {
    const double d = 1.234e-30;
    EXPECT_EQ(abs(I::at(0.7, d)).change(), d);
    EXPECT_EQ(abs(I::at(-0.7, d)).change(), -d);
    EXPECT_EQ(max(I::at(0.7, d), I::at(0.3, 0.2)).change(), d);
    EXPECT_EQ(min(I::at(0.7, 0.1), I::at(0.3, d)).change(), d);
    EXPECT_EQ(sign(I::at(-0.7, 0.1)).change(), 0);
    EXPECT_EQ(floor(I::at(-0.7, 0.1)).change(), 0);
    // ... and from one to another they are differences.
    EXPECT_EQ(abs(I::at(-0.5, 0.75)).change(), -0.25);
    EXPECT_EQ(abs(I::at(0, -d)).change(), d);
    EXPECT_EQ(max(I::at(0.5, -1), I::at(0.25, 0.5)).change(), 0.25);
    EXPECT_EQ(min(I::at(0.5, -1), I::at(0.25, 0.5)).change(), -0.75);
    EXPECT_EQ(sign(I::at(-0.5, 1)).change(), 2);
    EXPECT_EQ(floor(I::at(-0.5, 1)).change(), 1);
}

TEST(Increment, zero_that_stays_zero_has_no_change) {
    const I zero(0.0);
    for (const I& y :
         {sqrt(zero), cbrt(zero), hypot(zero, zero), abs(zero), pow(zero, 1.5), pow(zero, 2), atan2(zero, zero)}) {
        EXPECT_EQ(y.value(), 0);
        EXPECT_EQ(y.change(), 0);
    }
    EXPECT_EQ(asin(I(1.0)).change(), 0);
    EXPECT_EQ(pow(I::at(0, 4), 1.5).change(), 8);
    EXPECT_EQ(pow(I::at(4, -4), 1.5).change(), -8);
    EXPECT_EQ(sqrt(I::at(0, 4)).change(), 2);
}

TEST(Increment, far_moves_do_not_overflow) {
    EXPECT_NEAR(exp(I::at(-1000, 1001)).change(), std::exp(1.0), 1e-15);
    EXPECT_EQ(tanh(I::at(-1000, 2000)).change(), 2);
    EXPECT_NEAR(tanh(I::at(20, 1)).change() / (2 * std::exp(-40.0) * (1 - std::exp(-2.0))), 1, 1e-14);
    EXPECT_NEAR(pow(I::at(1e-200, 1), 2.5).change(), 1, 1e-15);
    EXPECT_NEAR(pow(I::at(1e-200, 1), I::at(2, 0.5)).change(), 1, 1e-15);
    EXPECT_NEAR(hypot(I::at(3e300, 1), I::at(4e300, 1)).change(), 1.4, 1e-15);
}

TEST(Increment, not_a_number_shows) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(min(I::at(1, 1), I::at(nan, 0)).total()));
    EXPECT_TRUE(std::isnan(max(I::at(nan, 0), I::at(1, 1)).total()));
    EXPECT_TRUE(std::isnan(max(I::at(1, 0), I::at(0, nan)).change()));
    EXPECT_TRUE(std::isnan(log(I::at(1, -2)).change()));
    EXPECT_TRUE(std::isnan(sqrt(I::at(1, -2)).change()));
    EXPECT_TRUE(std::isnan(pow(I::at(-1, -2), 0.3).change()));
}

TEST(Increment, passes_through_a_force_written_for_any_number) {
    const auto force = [](auto x, auto v) { return v < 2 ? -9.81 * sin(x) - 0.5 * v * abs(v) + 1 : x; };
    const double x = 0.4;
    const double v = -1.5;
    const I moved = force(I::at(x, 1e-12), I::at(v, -2e-12));
    const double slope = -9.81 * std::cos(x) * 1e-12 + std::abs(v) * 2e-12;  // to first order
    EXPECT_EQ(moved.value(), force(x, v));
    EXPECT_NEAR(moved.change() / slope, 1, 1e-11);
    EXPECT_TRUE(I::at(1, 2) > 2 && 3 == I::at(1, 2) && I::at(1, 2) <= I(3));
}

}  // namespace
}  // namespace lento
