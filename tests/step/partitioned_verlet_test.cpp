#include "step/partitioned_verlet.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "papers/slope.hpp"
#include "step/verlet.hpp"

namespace lento {
namespace {

/// A pendulum as variables (p, q), the wrong way round on purpose.
FirstOrderState<double> pendulum_after(double T, int steps, int* evaluations = nullptr) {
    PartitionedVerlet stepper({.positions = {1}, .momenta = {0}, .coupling = {{1, 0, 2.0}}});
    FirstOrderState<double> state(2);
    const auto rate = [&](double, std::span<const double> y, std::span<double> r) {
        r[0] = -std::sin(y[1]);
        r[1] = 2 * y[0];
        if (evaluations != nullptr) {
            ++*evaluations;
        }
    };
    state.y = {0.5, 0.3};
    rate(0, state.y, state.rate);
    for (int k = 0; k < steps; ++k) {
        stepper.step(rate, T / steps, state);
    }
    return state;
}

TEST(PartitionedVerlet, has_order_2_and_one_evaluation_a_step) {
    int evaluations = 0;
    const auto exact = pendulum_after(2, 100000).y[1];
    std::vector<double> h, error;
    for (const int steps : {20, 40, 80}) {
        h.push_back(2.0 / steps);
        error.push_back(std::abs(pendulum_after(2, steps, &evaluations).y[1] - exact));
    }
    EXPECT_NEAR(papers::slope(h, error), 2, 0.05);
    EXPECT_EQ(evaluations, 20 + 40 + 80 + 3);
}

TEST(PartitionedVerlet, is_the_verlet_method) {
    // q'' = -2 sin q, v = 2 p.
    Verlet<double, dynamic> stepper(1);
    MotionState<double> state(1);
    state.x()[0] = 0.3;
    state.v()[0] = 1.0;
    const auto acceleration = [](double, auto x, auto, auto a) { a[0] = -2 * std::sin(x[0]); };
    acceleration(0, state.x(), state.v(), state.a());
    for (int k = 0; k < 50; ++k) {
        stepper.step(acceleration, 0.04, state);
    }
    const auto same = pendulum_after(2, 50);
    EXPECT_NEAR(same.y[1], state.x()[0], 1e-13);
    EXPECT_NEAR(2 * same.y[0], state.v()[0], 1e-13);
    EXPECT_NEAR(same.rate[1], state.v()[0], 1e-13) << "the rate at the new point, as windows need it";
    EXPECT_NEAR(2 * same.rate[0], state.a()[0], 1e-13);
}

}  // namespace
}  // namespace lento
