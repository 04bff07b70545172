#include "lento/base/jet.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "papers/derivative.hpp"

namespace lento {
namespace {

using J = Jet<double, 5>;
using Long = long double;

struct Function {
    std::string name;
    std::function<J(J)> on_jet;
    std::function<Long(Long)> on_number;
    double low, high;  // where to test it
};

const std::vector<Function>& functions() {
    static const std::vector<Function> all{
        {"exp", [](J x) { return exp(x); }, [](Long x) { return std::exp(x); }, -2, 2},
        {"expm1", [](J x) { return expm1(x); }, [](Long x) { return std::expm1(x); }, -2, 2},
        {"log1p", [](J x) { return log1p(x); }, [](Long x) { return std::log1p(x); }, -0.5, 3},
        {"log", [](J x) { return log(x); }, [](Long x) { return std::log(x); }, 0.5, 4},
        {"log10", [](J x) { return log10(x); }, [](Long x) { return std::log10(x); }, 0.5, 4},
        {"sin", [](J x) { return sin(x); }, [](Long x) { return std::sin(x); }, -4, 4},
        {"cos", [](J x) { return cos(x); }, [](Long x) { return std::cos(x); }, -4, 4},
        {"tan", [](J x) { return tan(x); }, [](Long x) { return std::tan(x); }, -1, 1},
        {"asin", [](J x) { return asin(x); }, [](Long x) { return std::asin(x); }, -0.7, 0.7},
        {"acos", [](J x) { return acos(x); }, [](Long x) { return std::acos(x); }, -0.7, 0.7},
        {"atan", [](J x) { return atan(x); }, [](Long x) { return std::atan(x); }, -3, 3},
        {"sinh", [](J x) { return sinh(x); }, [](Long x) { return std::sinh(x); }, -2, 2},
        {"cosh", [](J x) { return cosh(x); }, [](Long x) { return std::cosh(x); }, -2, 2},
        {"tanh", [](J x) { return tanh(x); }, [](Long x) { return std::tanh(x); }, -2, 2},
        {"sqrt", [](J x) { return sqrt(x); }, [](Long x) { return std::sqrt(x); }, 0.5, 4},
        {"cbrt", [](J x) { return cbrt(x); }, [](Long x) { return std::cbrt(x); }, -4, -0.5},
        {"abs", [](J x) { return abs(x); }, [](Long x) { return std::abs(x); }, -4, -0.5},
        {"1/x", [](J x) { return 1 / x; }, [](Long x) { return 1 / x; }, 0.5, 4},
        {"x^3", [](J x) { return pow(x, 3); }, [](Long x) { return x * x * x; }, -2, 2},
        {"x^-2", [](J x) { return pow(x, -2); }, [](Long x) { return 1 / (x * x); }, 0.5, 3},
        {"x^2.5", [](J x) { return pow(x, 2.5); }, [](Long x) { return std::pow(x, 2.5L); }, 0.5, 3},
        {"2^x", [](J x) { return pow(2.0, x); }, [](Long x) { return std::pow(2.0L, x); }, -2, 2},
        {"x^x", [](J x) { return pow(x, x); }, [](Long x) { return std::pow(x, x); }, 0.5, 2},
        {"atan2(x, 2-x)", [](J x) { return atan2(x, 2 - x); }, [](Long x) { return std::atan2(x, 2 - x); }, -1, 1},
        {"hypot(x, x^2)", [](J x) { return hypot(x, x * x); }, [](Long x) { return std::hypot(x, x * x); }, 0.5, 2},
        {"max(x, 0.1)", [](J x) { return max(x, J(0.1)); }, [](Long x) { return std::max(x, 0.1L); }, 0.5, 2},
        {"min(x, 0.1)", [](J x) { return min(x, J(0.1)); }, [](Long x) { return std::min(x, 0.1L); }, 0.5, 2},
        {"floor", [](J x) { return floor(x); }, [](Long x) { return std::floor(x); }, 0.3, 0.7},
        {"sign", [](J x) { return sign(x); }, [](Long x) { return Long((x > 0) - (x < 0)); }, 0.3, 0.7},
    };
    return all;
}

/// The Taylor coefficients of f at x by interpolation in long double on points x + k h, k = -4..4: an oracle that knows
/// no recurrences.
std::vector<Long> taylor_by_differences(const std::function<Long(Long)>& f, Long x) {
    constexpr int n = 9;
    const Long h = 0.005L;
    // Newton's divided differences on -4..4, then expansion about 0.
    std::vector<Long> at(n);
    std::vector<Long> difference(n);
    for (int i = 0; i < n; ++i) {
        at[static_cast<std::size_t>(i)] = i - 4;
        difference[static_cast<std::size_t>(i)] = f(x + (i - 4) * h);
    }
    for (std::size_t order = 1; order < n; ++order) {
        for (std::size_t i = n - 1; i >= order; --i) {
            difference[i] = (difference[i] - difference[i - 1]) / (at[i] - at[i - order]);
        }
    }
    std::vector<Long> polynomial(n, 0.0L);
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = n - 1; k > 0; --k) {
            polynomial[k] = polynomial[k - 1] - at[i] * polynomial[k];
        }
        polynomial[0] = difference[i] - at[i] * polynomial[0];
    }
    for (std::size_t k = 0; k < n; ++k) {
        polynomial[k] /= std::pow(h, static_cast<Long>(k));
    }
    return polynomial;
}

TEST(Jet, coefficients_of_every_function_agree_with_interpolation) {
    for (const auto& function : functions()) {
        for (const double share : {0.1, 0.5, 0.9}) {
            const double x = function.low + share * (function.high - function.low);
            const J jet = function.on_jet(J::variable(x));
            const auto expected = taylor_by_differences(function.on_number, x);
            for (int k = 0; k <= 3; ++k) {
                EXPECT_NEAR(jet[k], static_cast<double>(expected[static_cast<std::size_t>(k)]),
                            2e-8 * (1 + std::abs(jet[k])))
                    << function.name << " at " << x << ", degree " << k;
            }
        }
    }
}

RC_GTEST_PROP(Jet, identities_hold_for_every_series, ()) {
    J x;
    for (int k = 0; k <= J::top(); ++k) {
        x[k] = *rc::gen::inRange(-2000, 2000) / 1000.0;
    }
    const auto close = [](const J& a, const J& b) {
        for (int k = 0; k <= J::top(); ++k) {
            RC_ASSERT(std::abs(a[k] - b[k]) <= 1e-10 * (1 + std::abs(a[k])));
        }
    };
    close(sin(x) * sin(x) + cos(x) * cos(x), J(1.0));
    close(cosh(x) * cosh(x) - sinh(x) * sinh(x), J(1.0));
    close(log(exp(x)), x);
    close(exp(x) * exp(-x), J(1.0));
    close(tanh(x) * cosh(x), sinh(x));
    close(cbrt(exp(x)) * cbrt(exp(x)) * cbrt(exp(x)), exp(x));
    close(sqrt(exp(x)) * sqrt(exp(x)), exp(x));
    close(tan(atan(x)), x);
    close(pow(exp(x), 1.5), exp(1.5 * x));
    close(x / exp(x) * exp(x), x);
}

TEST(Jet, nested_jets_give_mixed_derivatives) {
    using Dual = Jet<double, 1>;
    using Nested = Jet<Dual, 2>;
    // f(s, e) = sin((1 + s)(2 + e)): d/de d/ds at 0 = cos(2) - 2 sin(2)
    Nested a = Nested(Dual(1.0));
    a[1] = Dual(1.0);
    Dual b(2.0);
    b[1] = 1.0;
    const Nested f = sin(a * Nested(b));
    EXPECT_NEAR(f[1][1], std::cos(2.0) - 2 * std::sin(2.0), 1e-14);
}

TEST(Jet, a_direction_that_starts_with_zero_is_not_lost) {
    // sqrt(a + e b), a = 4 + s, b = s: e (1/2) b / sqrt(a) = e (s/4 + O(s^2)); a power likewise.
    Jet<Taylor, 1> x(Taylor::variable(4, 2));
    x[1] = Taylor::variable(0, 2);
    EXPECT_DOUBLE_EQ(sqrt(x)[1][1], 0.25);
    EXPECT_DOUBLE_EQ(cbrt(x + 4)[1][1], 1.0 / 12);
    Jet<Taylor, 1> exponent(2.0);
    exponent[0] = Taylor::variable(2, 2);
    EXPECT_DOUBLE_EQ(pow(Jet<Taylor, 1>(3.0), exponent)[0][1], 9 * std::log(3));
}

TEST(Jet, tanh_does_not_overflow) {
    const J y = tanh(J::variable(800.0));
    EXPECT_EQ(y[0], 1.0);
    EXPECT_EQ(y[1], 0.0);
}

TEST(Jet, constants_at_the_edge_of_a_domain_stay_finite) {
    EXPECT_EQ(sqrt(J(0.0))[1], 0.0);
    EXPECT_EQ(cbrt(J(0.0))[1], 0.0);
    EXPECT_EQ(pow(J::variable(0.0), 2)[2], 1.0);
    EXPECT_EQ(pow(J::variable(-2.0), 3.0)[1], 12.0);
}

TEST(Derivative, jacobian_of_a_map_is_exact) {
    const auto f = [](auto x, auto y) {
        y[0] = x[0] * sin(x[1]);
        y[1] = x[0] * x[0] / x[1];
    };
    const std::vector<double> x{1.5, 0.7};
    const auto J2 = jacobian(f, 2, x);
    EXPECT_NEAR(J2(0, 0), std::sin(0.7), 1e-15);
    EXPECT_NEAR(J2(0, 1), 1.5 * std::cos(0.7), 1e-15);
    EXPECT_NEAR(J2(1, 0), 3.0 / 0.7, 1e-14);
    EXPECT_NEAR(J2(1, 1), -2.25 / 0.49, 1e-14);
}

/// The same recurrences, whether the compiler knows the degree or not.
TEST(Taylor, is_the_jet_of_its_degree) {
    const auto formula = [](auto x) {
        return pow(sin(x) / (2 + x * x), 2.5) + exp(-x) * log(1 + x * x) * tanh(x) + sqrt(x) * atan2(x, 2 - x) +
               hypot(x, x * x) + cbrt(x) + asin(x / 4) + pow(x, 3) / x + max(x, 0 * x) - abs(-x);
    };
    const auto expected = formula(Jet<double, 7>::variable(0.8));
    const auto found = formula(Taylor::variable(0.8, 7));
    ASSERT_EQ(found.top(), 7);
    for (int k = 0; k <= 7; ++k) {
        EXPECT_EQ(found[k], expected[k]) << k;
    }
}

TEST(Taylor, constants_go_with_series_of_any_degree) {
    const Taylor x = Taylor::variable(2, 3);
    const Taylor y = Taylor(5) - x * Taylor(3) + 1 / x;
    EXPECT_EQ(y.top(), 3);
    EXPECT_DOUBLE_EQ(y[0], -0.5);
    EXPECT_DOUBLE_EQ(y[1], -3.25);
    EXPECT_DOUBLE_EQ(y[3], -1.0 / 16);
    EXPECT_EQ((Taylor(2) * Taylor(4)).top(), 0);
}

TEST(Taylor, has_a_second_direction) {
    using Dual = Jet<Taylor, 1>;
    Dual x(Taylor::variable(0.8, 3));
    x[1] = Taylor(1);
    const Dual y = sin(x * x);
    const auto series = sin(Jet<double, 4>::variable(0.8) * Jet<double, 4>::variable(0.8));
    for (int k = 0; k <= 3; ++k) {
        EXPECT_NEAR(y[1][k], (k + 1) * series[k + 1], 1e-13) << k;
    }
}

}  // namespace
}  // namespace lento
