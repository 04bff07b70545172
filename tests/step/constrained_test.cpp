/// Orders, residuals and reversibility of the steppers for constrained systems, and the multipliers they give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <Eigen/Dense>

#include "lento/lento.hpp"
#include "papers/slope.hpp"
#include "step/catalogue.hpp"

namespace lento {
namespace {

template <class Function>
std::shared_ptr<const Constraints> one_constraint(std::size_t dimension, Function function) {
    return std::make_shared<ConstraintFunctions<Function>>(dimension, 1, std::move(function));
}

/// A mass on a sphere whose radius moves, with unequal masses (a full matrix), a force, and friction if there is any.
struct MovingSphere {
    double friction = 0;

    auto constraints() const {
        return one_constraint(3, [](auto x, auto t, auto g) {
            const auto radius = 1.0 + 0.1 * sin(t);
            g[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - radius * radius;
        });
    }
    Mass mass() const { return Mass::full((Eigen::Matrix3d() << 1, 0.2, 0, 0.2, 2, 0.1, 0, 0.1, 0.5).finished()); }
    void acceleration(double t, std::span<const double> x, std::span<const double> v, std::span<double> a) const {
        a[0] = -0.3 * x[0] - friction * v[0];
        a[1] = 0.1 * std::cos(t) - friction * v[1];
        a[2] = -1.0 - friction * v[2];
    }
};

struct Travel {
    std::vector<double> y;
    double position_residual = 0, velocity_residual = 0;
    bool converged = true;
};

template <class Stepper>
Travel run(const MovingSphere& sphere, double from, double to, int steps, std::vector<double> y = {}) {
    Manifold manifold(sphere.mass(), sphere.constraints());
    ConstrainedState state(manifold);
    state.y = y.empty() ? std::vector<double>{0.6, 0, -0.8, 0, 0.7, 0} : y;
    std::vector<double> nu(1);
    Travel result;
    result.converged = linearise(manifold, from, state).converged;
    EXPECT_TRUE(manifold.to_velocity(state.gradient, state.x(), from, state.v(), nu).converged);
    sphere.acceleration(from, state.x(), state.v(), state.a());
    Stepper stepper(manifold, sphere.friction == 0 ? VelocityUse::none : VelocityUse::possible);
    const double h = (to - from) / steps;
    for (int n = 0; n < steps && result.converged; ++n) {
        const double t = from + n * h;
        result.converged = stepper
                               .step([&](double c, auto x, auto v, auto a) { sphere.acceleration(t + c * h, x, v, a); },
                                     [&](double c) { return t + c * h; }, h, state)
                               .converged;
        result.position_residual =
            std::max(result.position_residual, manifold.position_residual(state.x(), t + h).residual);
        result.velocity_residual =
            std::max(result.velocity_residual, manifold.velocity_residual(state.x(), state.v(), t + h).residual);
    }
    result.y = state.y;
    return result;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = larger(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

template <class Stepper>
void expect_order(const MovingSphere& sphere, const std::vector<double>& reference, double order,
                  const std::vector<int>& counts) {
    std::vector<double> steps;
    std::vector<double> errors;
    for (const int count : counts) {
        const auto found = run<Stepper>(sphere, 0, 2, count);
        ASSERT_TRUE(found.converged);
        EXPECT_LT(found.position_residual, 1e-14);
        EXPECT_LT(found.velocity_residual, 1e-14);
        steps.push_back(2.0 / count);
        errors.push_back(distance(found.y, reference));
    }
    EXPECT_NEAR(papers::slope(steps, errors), order, 0.15);
}

TEST(ConstrainedSteppers, have_their_orders_with_moving_constraints_and_full_masses) {
    const MovingSphere sphere;
    const auto reference = run<Rattle8>(sphere, 0, 2, 320).y;
    expect_order<Shake>(sphere, reference, 2, {20, 40, 80});
    expect_order<Rattle>(sphere, reference, 2, {20, 40, 80});
    expect_order<Rattle4>(sphere, reference, 4, {10, 20, 40});
    expect_order<Rattle6>(sphere, reference, 6, {10, 20, 40});
    expect_order<Rattle8>(sphere, reference, 8, {8, 12, 16});
    expect_order<Lobatto>(sphere, reference, 4, {20, 40, 80});
}

TEST(ConstrainedSteppers, keep_their_orders_with_friction) {
    const MovingSphere sphere{.friction = 0.3};
    const auto reference = run<Lobatto>(sphere, 0, 2, 1280).y;
    expect_order<Shake>(sphere, reference, 2, {20, 40, 80});
    expect_order<Rattle>(sphere, reference, 2, {20, 40, 80});
    expect_order<Lobatto>(sphere, reference, 4, {20, 40, 80});
}

TEST(ConstrainedSteppers, rattle_and_lobatto_are_reversible) {
    const MovingSphere sphere;
    const auto tangential = run<Rattle>(sphere, 0, 2, 0).y;
    const auto check = [&](const Travel& there, const Travel& back) {
        ASSERT_TRUE(there.converged && back.converged);
        EXPECT_LT(distance(back.y, tangential), 1e-13);
        EXPECT_GT(distance(there.y, tangential), 0.1);
    };
    const auto rattle = run<Rattle>(sphere, 0, 2, 200);
    check(rattle, run<Rattle>(sphere, 2, 0, 200, rattle.y));
    const auto lobatto = run<Lobatto>(sphere, 0, 2, 50);
    check(lobatto, run<Lobatto>(sphere, 2, 0, 50, lobatto.y));
}

TEST(ConstrainedSteppers, shake_and_rattle_have_the_same_positions_and_velocities) {
    const MovingSphere sphere;
    EXPECT_LT(distance(run<Shake>(sphere, 0, 2, 100).y, run<Rattle>(sphere, 0, 2, 100).y), 1e-13);
}

/// A conical pendulum: 2 l lambda is the tension in the rod, m (g l/z + ...): for the horizontal circle g / cos(lean).
TEST(ConstrainedSteppers, multipliers_are_the_tension_with_lentos_sign) {
    const double l = 0.5;
    const double lean = 0.6;
    const double g = 9.8;
    const double turn = std::sqrt(g / (l * std::cos(lean)));
    const auto rod =
        one_constraint(3, [=](auto x, auto, auto c) { c[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - l * l; });
    Manifold manifold(Mass(3), rod);
    ConstrainedState state(manifold);
    state.y = {l * std::sin(lean), 0, -l * std::cos(lean), 0, l * std::sin(lean) * turn, 0};
    const auto gravity = [=](double, auto, auto, auto a) {
        a[0] = a[1] = 0;
        a[2] = -g;
    };
    const auto time = [](double) { return 0.0; };
    ASSERT_TRUE(linearise(manifold, 0, state).converged);
    gravity(0, 0, 0, state.a());
    const double tension = g / std::cos(lean);

    auto other = state;
    Rattle rattle(manifold, VelocityUse::none);
    Shake shake(manifold, VelocityUse::none);
    const double h = 1e-3;
    for (int n = 0; n < 10; ++n) {
        ASSERT_TRUE(rattle.step(gravity, time, h, state).converged);
    }
    std::vector<double> total(state.a().begin(), state.a().end()), lambda(1);
    manifold.constrain_acceleration(state.gradient, state.x(), state.v(), 0, total, lambda);
    EXPECT_NEAR(2 * l * lambda[0], tension, 1e-3);
    ASSERT_TRUE(linearise(manifold, 0, other).converged);
    for (int n = 0; n < 10; ++n) {
        ASSERT_TRUE(shake.step(gravity, time, h, other).converged);
    }
    EXPECT_NEAR(2 * l * shake.multipliers()[0], tension, 1e-3);
}

TEST(ConstrainedSteppers, a_step_that_cannot_reach_the_constraints_says_so) {
    // A pendulum flung by a whole turn in one step.
    const auto rod = one_constraint(2, [](auto x, auto, auto c) { c[0] = x[0] * x[0] + x[1] * x[1] - 1.0; });
    const auto nothing = [](double, auto, auto, auto a) { std::fill(a.begin(), a.end(), 0.0); };
    const auto time = [](double) { return 0.0; };
    const auto fails = [&]<class Stepper>(Manifold& manifold, Stepper stepper) {
        ConstrainedState state(manifold);
        state.y = {1, 0, 0, 6};
        EXPECT_TRUE(linearise(manifold, 0, state).converged);
        const auto taken = stepper.step(nothing, time, 1.0, state);
        EXPECT_FALSE(taken.converged);
        EXPECT_TRUE(!(taken.residual < 1e-3));
    };
    Manifold manifold(Mass(2), rod);
    fails(manifold, Shake(manifold));
    fails(manifold, Rattle(manifold));
    fails(manifold, Rattle4(manifold));
    fails(manifold, Lobatto(manifold));
}

}  // namespace
}  // namespace lento
