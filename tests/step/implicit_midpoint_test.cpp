/// The implicit midpoint rule: order, symmetry, energy, and what happens where its iteration does not converge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "march/fixed.hpp"
#include "papers/slope.hpp"
#include "step/implicit_midpoint.hpp"

namespace lento {
namespace {

using View = std::span<const double>;

void pendulum(double, View x, View, std::span<double> a) {
    a[0] = -std::sin(x[0]);
}

/// Two coupled coordinates with a force even in the velocity, as of a double pendulum.
void even_in_velocity(double, View x, View v, std::span<double> a) {
    a[0] = -std::sin(x[0]) + 0.3 * v[1] * v[1] * std::sin(x[0] - x[1]);
    a[1] = -2 * std::sin(x[1]) - 0.3 * v[0] * v[0] * std::sin(x[0] - x[1]);
}

MotionState<double> state_of(std::vector<double> x, std::vector<double> v, auto&& force) {
    MotionState<double> state(x.size());
    std::copy(x.begin(), x.end(), state.x().begin());
    std::copy(v.begin(), v.end(), state.v().begin());
    force(0.0, View(state.x()), View(state.v()), state.a());
    return state;
}

double distance(const MotionState<double>& one, const MotionState<double>& other) {
    double most = 0;
    for (std::size_t i = 0; i < one.y.size(); ++i) {
        most = std::max(most, std::abs(one.y[i] - other.y[i]));
    }
    return most;
}

TEST(ImplicitMidpoint, has_order_2_with_explicit_time_and_damping) {
    // x'' = -x - 0.4 x' + cos(t), solved by x = 2.5 sin(t) + c e^(-t/5) cos(w t)
    const double w = std::sqrt(0.96);
    const auto exact = [&](double t) { return 2.5 * std::sin(t) + std::exp(-t / 5) * std::cos(w * t); };
    std::vector<double> steps;
    std::vector<double> errors;
    for (const int count : {50, 100, 200, 400}) {
        const double h = 3.0 / count;
        const auto force = [](double t, View x, View v, std::span<double> a) {
            a[0] = -x[0] - 0.4 * v[0] + std::cos(t);
        };
        auto state = state_of({1}, {2.5 - 0.2}, force);
        ImplicitMidpoint midpoint(1);
        for (int n = 0; n < count; ++n) {
            midpoint.step([&](double c, View x, View v, std::span<double> a) { force((n + c) * h, x, v, a); }, h,
                          state);
        }
        steps.push_back(h);
        errors.push_back(std::abs(state.x()[0] - exact(3)));
    }
    EXPECT_NEAR(papers::slope(steps, errors), 2, 0.01);
    EXPECT_LT(errors.back(), 5e-5);
}

TEST(ImplicitMidpoint, returns_to_1e14_forward_then_backward_also_for_a_force_even_in_the_velocity) {
    const auto start = state_of({1.2, -0.7}, {0.3, 0.9}, even_in_velocity);
    ImplicitMidpoint midpoint(2);
    for (const double h : {0.01, 0.1, 0.3}) {
        auto state = start;
        midpoint.step(even_in_velocity, h, state);
        EXPECT_GT(distance(state, start), h / 2);
        midpoint.step(even_in_velocity, -h, state);
        EXPECT_LT(distance(state, start), 1e-14) << "h = " << h;
    }
    // Reversible too: with the velocities turned it goes back the way it came.
    auto state = start;
    const auto turn = [&] { std::transform(state.v().begin(), state.v().end(), state.v().begin(), std::negate<>()); };
    for (int n = 0; n < 200; ++n) {
        if (n == 100) {
            turn();
        }
        midpoint.step(even_in_velocity, 0.1, state);
    }
    turn();
    EXPECT_LT(distance(state, start), 1e-12);
}

TEST(ImplicitMidpoint, the_energy_of_the_pendulum_does_not_drift_over_1e4_steps) {
    const auto energy = [](MotionState<double>& state) {
        return state.v()[0] * state.v()[0] / 2 - std::cos(state.x()[0]);
    };
    auto state = state_of({1.5}, {0}, pendulum);
    ImplicitMidpoint midpoint(1);
    const double before = energy(state);
    double worst = 0;
    std::vector<double> mean(2);  // over either half
    for (int n = 0; n < 10'000; ++n) {
        midpoint.step(pendulum, 0.1, state);
        worst = std::max(worst, std::abs(energy(state) - before));
        mean[n < 5000 ? 0 : 1] += (energy(state) - before) / 5000;
    }
    EXPECT_LT(worst, 1.5e-3);
    EXPECT_GT(worst, 1e-5) << "of the size of h^2, not conserved exactly";
    EXPECT_LT(std::abs(mean[1] - mean[0]), 1e-3 * worst);
}

TEST(ImplicitMidpoint, takes_few_iterations_and_counts_them) {
    auto state = state_of({1.2}, {0.3}, pendulum);
    ImplicitMidpoint midpoint(1);
    std::int64_t calls = 0;
    for (int n = 0; n < 100; ++n) {
        midpoint.step(
            [&](double c, View x, View v, std::span<double> a) {
                calls += c == 0.5 ? 1 : 0;
                pendulum(c, x, v, a);
            },
            0.1, state);
        ASSERT_TRUE(midpoint.converged());
    }
    EXPECT_EQ(midpoint.iterations(), calls);
    EXPECT_LT(midpoint.iterations(), 100 * 10);  // contraction h^2/4 = 0.0025: 6 to 7 for 16 digits
    EXPECT_GT(midpoint.iterations(), 100 * 4);
}

TEST(ImplicitMidpoint, a_step_too_long_to_converge_is_told_and_ends_the_march) {
    const auto stiff = [](double, View x, View, std::span<double> a) { a[0] = -1e4 * x[0]; };
    ImplicitMidpoint midpoint(1);
    auto state = state_of({1}, {0}, stiff);
    midpoint.step(stiff, 0.013, state);  // contraction (100 h/2)^2 = 0.42: 16 digits in 43 iterations
    EXPECT_TRUE(midpoint.converged());
    state = state_of({1}, {0}, stiff);
    midpoint.step(stiff, 0.016, state);  // 0.64: not in 50
    EXPECT_FALSE(midpoint.converged());
    for (const double value : state.y) {
        EXPECT_TRUE(std::isnan(value));
    }
    EXPECT_TRUE(std::isnan(state.a()[0]));

    struct Nobody {
        bool wants(double) const { return false; }
        void take(const DenseStep&) const {}
    };
    state = state_of({1}, {0}, stiff);
    const auto result = march_fixed(midpoint, stiff, {0, 1}, 0.1, state, Nobody{}, {});
    EXPECT_EQ(result.outcome, Outcome::diverged);
    EXPECT_EQ(result.reached, 0);
    EXPECT_EQ(state.x()[0], 1);
    midpoint.step(stiff, 0.001, state);
    EXPECT_TRUE(midpoint.converged());
}

TEST(ImplicitMidpoint, a_force_that_is_not_finite_is_not_converged) {
    const auto broken = [](double, View, View, std::span<double> a) {
        a[0] = std::nan("");
        a[1] = 1;
    };
    const auto whole = [](double, View, View, std::span<double> a) { a[0] = a[1] = 1; };
    auto state = state_of({1, 1}, {0, 0}, whole);
    ImplicitMidpoint midpoint(2);
    midpoint.step(broken, 0.1, state);
    EXPECT_FALSE(midpoint.converged());
    EXPECT_EQ(midpoint.iterations(), 1);
}

}  // namespace
}  // namespace lento
