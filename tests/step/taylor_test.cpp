/// Steps by Taylor series, on motions whose series are known.
#include "step/taylor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace lento {
namespace {

/// y' = r(y) of one variable, by a formula for the coefficients with h = 1.
class Known final : public MotionSeries {
public:
    explicit Known(std::function<double(double y, int k)> coefficient) : coefficient_(std::move(coefficient)) {}
    Work work() const override { return {1, 1}; }
    bool masses_are_coupled() const override { return false; }
    std::size_t space(int) const override { return 4; }
    void coefficients(const Point& point, int order, double*, double* y) const override {
        for (int k = 1; k <= order; ++k) {
            y[k] = coefficient_(y[0], k) * std::pow(point.h, k);
        }
    }

private:
    std::function<double(double y, int k)> coefficient_;
};

double factorial(int k) {
    return std::tgamma(k + 1.0);
}

/// What one step of y' = y over the length h is wrong by.
double error_of_step(int order, double h) {
    const Known series([](double y, int k) { return y / factorial(k); });
    TaylorStep step(series, 1, order);
    EXPECT_TRUE(step.expand({.h = 0.25}, std::vector{1.0}));
    return std::abs(1 + step.increment(h / 0.25)[0] - std::exp(h));
}

TEST(TaylorStepTest, a_step_of_order_n_errs_by_the_power_n_plus_1) {
    for (const int order : {4, 6, 8}) {
        const double measured = std::log2(error_of_step(order, 0.5) / error_of_step(order, 0.25));
        EXPECT_NEAR(measured, order + 1, 0.15) << order;
    }
}

TEST(TaylorStepTest, the_longest_step_errs_by_less_than_its_weight_and_not_by_much_less) {
    const Known exponential([](double y, int k) { return y / factorial(k); });
    const Known geometric([](double y, int k) { return std::pow(y, k + 1); });
    for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
        const std::vector<double> weights{1 / tolerance};
        for (const bool pole : {false, true}) {
            TaylorStep step(pole ? geometric : exponential, 1, TaylorStep::order_for(tolerance));
            ASSERT_TRUE(step.expand({.h = 0.3}, std::vector{1.0}));
            const double sigma = step.longest(weights), h = 0.3 * sigma;
            const double error = std::abs(1 + step.increment(sigma)[0] - (pole ? 1 / (1 - h) : std::exp(h)));
            EXPECT_LE(error, tolerance) << pole;
            EXPECT_GE(error, 1e-3 * tolerance - 1e-15) << pole;
        }
    }
}

TEST(TaylorStepTest, missing_powers_do_not_make_steps_too_long) {
    // 1/(1 - t^4) at t = 0: of four coefficients three are zero.
    const Known series([](double, int k) { return k % 4 == 0 ? 1.0 : 0.0; });
    constexpr double tolerance = 1e-8;
    for (int order = 20; order < 24; ++order) {
        TaylorStep step(series, 1, order);
        ASSERT_TRUE(step.expand({.h = 0.1}, std::vector{1.0}));
        EXPECT_LT(0.1 * step.longest(std::vector{1 / tolerance}), 0.8) << order;
    }
}

TEST(TaylorStepTest, dense_output_is_the_series) {
    const Known series([](double y, int k) { return y / factorial(k); });
    TaylorStep step(series, 1, 20);
    ASSERT_TRUE(step.expand({.h = 2}, std::vector{1.0}));
    const auto dense = step.dense(5, 6, 0.5);
    for (const double t : {5.0, 5.3, 6.0}) {
        double y = 0;
        dense.value(t, {&y, 1});
        EXPECT_NEAR(y, std::exp(t - 5), 1e-15 * 4);
    }
}

TEST(TaylorStepTest, what_is_not_finite_is_told_and_forgotten) {
    bool broken = true;
    const Known series([&](double, int) { return broken ? std::numeric_limits<double>::quiet_NaN() : 1.0; });
    TaylorStep step(series, 1, 10);
    EXPECT_FALSE(step.expand({.h = 1}, std::vector{1.0}));
    broken = false;
    EXPECT_TRUE(step.expand({.h = 1}, std::vector{1.0}));
}

}  // namespace
}  // namespace lento
