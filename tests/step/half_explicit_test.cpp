#include "step/half_explicit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lento/lento.hpp"
#include "papers/slope.hpp"
#include "problem/ground.hpp"
#include "step/runge_kutta.hpp"

namespace lento {
namespace {

/// A pendulum of length 1 in the plane, from the horizontal.
const auto plane = constrained(vibrated_system(2, 1.0,
                                               [](auto, auto, auto, auto, auto f) {
                                                   f[0] = 0.0;
                                                   f[1] = -1.0;
                                               }),
                               1, [](auto x, auto t, auto g) { g[0] = x[0] * x[0] + x[1] * x[1] - 1 + 0 * t; });

void rate(double, std::span<const double> y, std::span<double> F) {
    F[0] = y[2];
    F[1] = y[3];
    F[2] = 0;
    F[3] = -1;
}

/// Its angle from the vertical at t = 2, by an integration in the angle.
double true_angle() {
    DormandPrince<double> method(2);
    FirstOrderState<double> state(2);
    const auto swing = [](double, auto y, auto r) {
        r[0] = y[1];
        r[1] = -std::sin(y[0]);
    };
    state.y = {std::acos(-1.0) / 2, 0};
    swing(0, state.y, std::span<double>(state.rate));
    for (int n = 0; n < 4000; ++n) {
        method.step(swing, 2.0 / 4000, state);
    }
    return state.y[0];
}

template <class Method>
void expect_order(int order) {
    std::vector<double> lengths, errors;
    const double exact = true_angle();
    for (const int steps : {100, 200, 400}) {
        Ground ground(plane);
        Method method(4);
        FirstOrderState<double> state(4);
        state.y = {1, 0, 0, 0};
        rate(0, state.y, state.rate);
        const double h = 2.0 / steps;
        ground.begin(0, state.y);
        for (int n = 0; n < steps; ++n) {
            ASSERT_TRUE(method
                            .step(
                                rate, [&](double, std::span<double> y) { return ground.along(0, y); }, h, state)
                            .converged);
        }
        EXPECT_NEAR(std::hypot(state.y[0], state.y[1]), 1, 1e-14);
        EXPECT_NEAR(state.y[0] * state.y[2] + state.y[1] * state.y[3], 0, 1e-14);
        lengths.push_back(h);
        errors.push_back(std::abs(std::atan2(state.y[0], -state.y[1]) - exact));
    }
    EXPECT_NEAR(papers::slope(lengths, errors), order, 0.3);
}

TEST(HalfExplicit, of_three_stages_has_order_three) {
    expect_order<HalfExplicit3>(3);
}

TEST(HalfExplicit, of_five_stages_has_order_four) {
    expect_order<HalfExplicit4>(4);
}

TEST(HalfExplicit, follows_constraints_that_move) {
    // On a ring of radius 1 + t/2 with nothing else acting, angular momentum stays.
    const auto ring =
        constrained(vibrated_system(2, 1.0,
                                    [](auto, auto, auto, auto, auto f) {
                                        f[0] = 0.0;
                                        f[1] = 0.0;
                                    }),
                    1, [](auto x, auto t, auto g) { g[0] = x[0] * x[0] + x[1] * x[1] - (1 + t / 2) * (1 + t / 2); });
    Ground ground(ring);
    HalfExplicit4 method(4);
    FirstOrderState<double> state(4);
    state.y = {1, 0, 0.5, 1};
    const auto free = [](double, std::span<const double> y, std::span<double> F) {
        F[0] = y[2];
        F[1] = y[3];
        F[2] = F[3] = 0;
    };
    free(0, state.y, state.rate);
    const double h = 1.0 / 50;
    ground.begin(0, state.y);
    for (int n = 0; n < 50; ++n) {
        ASSERT_TRUE(method
                        .step(
                            free, [&](double c, std::span<double> y) { return ground.along((n + c) * h, y); }, h, state)
                        .converged);
    }
    EXPECT_NEAR(std::hypot(state.y[0], state.y[1]), 1.5, 1e-14);
    EXPECT_NEAR(state.y[0] * state.y[3] - state.y[1] * state.y[2], 1, 1e-7);
}

TEST(HalfExplicit, says_when_constraints_are_out_of_reach) {
    Ground ground(plane);
    HalfExplicit3 method(4);
    FirstOrderState<double> state(4);
    state.y = {1, 0, 0, 50};
    rate(0, state.y, state.rate);
    ground.begin(0, state.y);
    EXPECT_FALSE(method
                     .step(
                         rate, [&](double, std::span<double> y) { return ground.along(0, y); }, 1.0, state)
                     .converged);
}

}  // namespace
}  // namespace lento
