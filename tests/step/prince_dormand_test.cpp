/// The tableau of order 8 that SUNDIALS is given, measured with the stepper of this library.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include "papers/slope.hpp"
#include "step/runge_kutta.hpp"

namespace lento {
namespace {

using Long = long double;

/// y' = y cos(t) from y(0) = 1, over [0, 3]: the distance to exp(sin(t)), and the largest error estimate of a step.
std::pair<double, double> errors_of(int steps) {
    RungeKutta<prince_dormand_tableau, Long> method(1);
    FirstOrderState<Long> state(1);
    const Long h = 3.0L / steps;
    state.y[0] = state.rate[0] = 1;
    Long most = 0;
    for (int n = 0; n < steps; ++n) {
        method.step([&](Long c, std::span<const Long> y,
                        std::span<Long> dy) { dy[0] = y[0] * std::cos((static_cast<Long>(n) + c) * h); },
                    h, state);
        Long estimate = 0;
        for (std::size_t i = 0; i < method.stages; ++i) {
            estimate += h * method.tableau.error[i] * method.rates()[i][0];
        }
        most = std::max(most, std::abs(estimate));
    }
    return {static_cast<double>(std::abs(state.y[0] - std::exp(std::sin(3.0L)))), static_cast<double>(most)};
}

TEST(PrinceDormand, has_order_8_and_an_estimate_of_order_7_in_long_double) {
    std::vector<double> steps;
    std::vector<double> errors;
    std::vector<double> estimates;
    for (const int count : {12, 16, 24, 32}) {
        const auto [error, estimate] = errors_of(count);
        steps.push_back(3.0 / count);
        errors.push_back(error);
        estimates.push_back(estimate);
    }
    EXPECT_NEAR(papers::slope(steps, errors), 8, 0.4);
    EXPECT_NEAR(papers::slope(steps, estimates), 8, 0.4) << "of one step: one more than the order";
}

TEST(PrinceDormand, rows_and_weights_are_consistent) {
    const auto& tableau = prince_dormand_tableau;
    Long weights = 0;
    Long embedded = 0;
    for (std::size_t i = 0; i < tableau.stages; ++i) {
        Long row = 0;
        for (std::size_t j = 0; j < i; ++j) {
            row += tableau.a[i][j];
        }
        EXPECT_NEAR(static_cast<double>(row - tableau.c[i]), 0, 3e-17) << i;
        weights += tableau.b[i];
        embedded += tableau.b[i] - tableau.error[i];
    }
    EXPECT_NEAR(static_cast<double>(weights), 1, 1e-17);
    EXPECT_NEAR(static_cast<double>(embedded), 1, 1e-17);
}

}  // namespace
}  // namespace lento
