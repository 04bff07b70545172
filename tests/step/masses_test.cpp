/// Orders of the steppers where masses depend on the coordinates, free and on constraints, against motions that are
/// known: forces are made for them.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lento/lento.hpp"
#include "papers/slope.hpp"
#include "problem/acceleration.hpp"
#include "problem/ground.hpp"
#include "step/catalogue.hpp"
#include "step/half_explicit.hpp"

namespace lento {
namespace {

/// A full M(x), positive definite near the motions below.
const auto masses = [](auto x, auto, auto M) {
    M(0, 0) = 1.5 + 0.3 * x[1];
    M(1, 1) = 2.0 + 0.4 * cos(x[0]);
    M(2, 2) = 1.0 + 0.2 * x[2] * x[2];
    M(0, 1) = 0.3 * x[0];
    M(0, 2) = 0.2 * sin(x[1]);
    M(1, 2) = 0.25 * x[2];
};

/// f = M(x) a: the force under which x'' = a.
template <class X, class A, class F>
void as_force(X x, const A& a, F f) {
    using S = std::remove_cvref_t<decltype(f[0])>;
    std::array<S, 6> entries{};
    const SymmetricEntries<S> M(entries, 3);
    masses(x, 0, M);
    for (std::size_t i = 0; i < 3; ++i) {
        f[i] = M(i, 0) * a[0] + M(i, 1) * a[1] + M(i, 2) * a[2];
    }
}

constexpr std::array<double, 3> squares{1.0, 1.69, 0.49};  // of frequencies

/// x_i = b_i cos(w_i t); with friction that vanishes along this motion, if there is any.
Problem oscillators(double friction) {
    return plain_system(3,
                        [=](auto x, auto v, auto t, auto f) {
                            using S = std::remove_cvref_t<decltype(f[0])>;
                            std::array<S, 3> a{};
                            for (std::size_t i = 0; i < 3; ++i) {
                                const double w = std::sqrt(squares[i]);
                                a[i] = -squares[i] * x[i];
                                if (friction > 0) {
                                    a[i] = a[i] - friction * (v[i] + 0.5 * w * sin(w * t)) * (1.0 + v[i] * v[i]);
                                }
                            }
                            as_force(x, a, f);
                        })
        .with_mass(Mass::function(3, masses));
}
double oscillation(std::size_t i, double t) {
    return 0.5 * std::cos(std::sqrt(squares[i]) * t);
}

template <class Stepper>
double free_error(double friction, int steps) {
    Acceleration acceleration(oscillators(friction));
    constexpr double end = 2;
    const double h = end / steps;
    double t = 0;
    const auto accelerate = [&](double c, In x, In v, Out a) { acceleration(x, v, t + c * h, {}, a); };
    const auto stepper_for = [&] {
        if constexpr (std::is_constructible_v<Stepper, std::size_t, VelocityUse>) {
            return Stepper(3, friction > 0 ? VelocityUse::possible : VelocityUse::none);
        } else {
            return Stepper(3);
        }
    };
    auto stepper = stepper_for();
    MotionState<double> state(3);
    state.y = {0.5, 0.5, 0.5, 0, 0, 0};
    accelerate(0, state.x(), state.v(), state.a());
    for (int n = 0; n < steps; ++n) {
        t = n * h;
        stepper.step(accelerate, h, state);
    }
    double error = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        error = larger(error, std::abs(state.x()[i] - oscillation(i, end)));
    }
    return error;
}

template <class Stepper>
void expect_free_order(double friction, double order, const std::vector<int>& counts) {
    std::vector<double> lengths, errors;
    for (const int count : counts) {
        lengths.push_back(1.0 / count);
        errors.push_back(free_error<Stepper>(friction, count));
    }
    EXPECT_NEAR(papers::slope(lengths, errors), order, 0.25) << Stepper::evaluations << " " << friction;
}

TEST(VaryingMasses, verlet_and_its_compositions_keep_their_orders) {
    expect_free_order<Verlet<double>>(0, 2, {20, 40, 80});
    expect_free_order<Verlet4<double>>(0, 4, {10, 20, 40});
    expect_free_order<Verlet6<double>>(0, 6, {4, 8, 16});
    expect_free_order<Verlet8<double>>(0, 8, {3, 4, 6});
    expect_free_order<OnMotion<DormandPrince, double>>(0, 5, {10, 20, 40});
}

/// As with constant masses: compositions are refused there (`require_stepper_suits_velocity`), since they are of order
/// 2.
TEST(VaryingMasses, where_forces_see_the_velocity_verlet_and_runge_kutta_keep_theirs) {
    expect_free_order<Verlet<double>>(0.3, 2, {20, 40, 80});
    expect_free_order<OnMotion<RungeKutta4, double>>(0.3, 4, {40, 80, 160});
    expect_free_order<OnMotion<DormandPrince, double>>(0.3, 5, {10, 20, 40});
}

// --- On constraints -----------------------------------------------------------------------------------------------

/// x_0 and x_1 on the unit circle at the angle t, x_2 an oscillator; the multiplier is 1 + x_0/2 + x_2/4.
Problem on_circle(double friction) {
    const auto free = plain_system(3, [=](auto x, auto v, auto, auto f) {
        using S = std::remove_cvref_t<decltype(f[0])>;
        std::array<S, 3> a{-x[0], -x[1], -squares[2] * x[2]};
        if (friction > 0) {
            a[0] = a[0] - friction * (v[0] + x[1]);
            a[1] = a[1] - friction * (v[1] - x[0]);
        }
        as_force(x, a, f);
        const S lambda = 1.0 + x[0] / 2 + x[2] / 4;
        f[0] = f[0] + x[0] * lambda;
        f[1] = f[1] + x[1] * lambda;
    });
    return constrained(free.with_mass(Mass::function(3, masses)), 1,
                       [](auto x, auto, auto g) { g[0] = (x[0] * x[0] + x[1] * x[1] - 1.0) / 2; });
}

struct Errors {
    double position = 0, velocity = 0, multiplier = 0;
};

/// Of a state at t, with its multiplier by elimination.
Errors errors_at(double t, Manifold& manifold, Acceleration& active, In x, In v) {
    const std::vector<double> position{std::cos(t), std::sin(t), oscillation(2, t)};
    const double w = std::sqrt(squares[2]);
    const std::vector<double> velocity{-std::sin(t), std::cos(t), -0.5 * w * std::sin(w * t)};
    Errors errors;
    for (std::size_t i = 0; i < 3; ++i) {
        errors.position = larger(errors.position, std::abs(x[i] - position[i]));
        errors.velocity = larger(errors.velocity, std::abs(v[i] - velocity[i]));
    }
    std::vector<double> normals(manifold.entries()), a(3), lambda(1);
    active(x, v, t, {}, a);
    manifold.gradient(x, t, normals);
    EXPECT_TRUE(manifold.factorise(normals));
    manifold.constrain_acceleration(normals, x, v, t, a, lambda);
    errors.multiplier = std::abs(lambda[0] - (1 + position[0] / 2 + position[2] / 4));
    return errors;
}

constexpr double turn = 2;  // how far the motions go

template <class Stepper>
Errors bound_errors(double friction, int steps) {
    const auto problem = on_circle(friction);
    Manifold manifold(problem);
    Acceleration active(problem.free());
    ConstrainedState state(manifold);
    state.y = {1, 0, 0.5, 0, 1, 0};
    EXPECT_TRUE(linearise(manifold, 0, state).converged);
    const auto accelerate = [&](double, In x, In v, Out a) { active(x, v, 0, {}, a); };
    accelerate(0, state.x(), state.v(), state.a());
    Stepper stepper(manifold, friction == 0 ? VelocityUse::none : VelocityUse::possible);
    for (int n = 0; n < steps; ++n) {
        EXPECT_TRUE(stepper
                        .step(
                            accelerate, [](double) { return 0.0; }, turn / steps, state)
                        .converged);
    }
    return errors_at(turn, manifold, active, state.x(), state.v());
}

template <class Stepper>
Errors half_explicit_errors(double friction, int steps) {
    const auto problem = on_circle(friction);
    Ground ground(problem);
    Acceleration active(problem.free());
    const auto rate = [&](double, In y, Out F) {
        std::ranges::copy(y.last(3), F.begin());
        active(y.first(3), y.last(3), 0, {}, F.last(3));
    };
    Stepper stepper(6);
    FirstOrderState<double> state(6);
    state.y = {1, 0, 0.5, 0, 1, 0};
    rate(0, state.y, state.rate);
    ground.begin(0, state.y);
    for (int n = 0; n < steps; ++n) {
        EXPECT_TRUE(stepper
                        .step(
                            rate, [&](double, Out y) { return ground.along(0, y); }, turn / steps, state)
                        .converged);
    }
    const In y(state.y);
    return errors_at(turn, ground.manifold(), active, y.first(3), y.last(3));
}

void expect_orders(const char* what, double order, const std::vector<int>& counts,
                   const std::function<Errors(int)>& errors_of) {
    std::vector<double> lengths, positions, velocities, multipliers;
    for (const int count : counts) {
        const auto errors = errors_of(count);
        lengths.push_back(turn / count);
        positions.push_back(errors.position);
        velocities.push_back(errors.velocity);
        multipliers.push_back(errors.multiplier);
    }
    EXPECT_NEAR(papers::slope(lengths, positions), order, 0.3) << what;
    EXPECT_NEAR(papers::slope(lengths, velocities), order, 0.3) << what;
    // NOTE: multipliers are a function of both, in which errors may cancel: that of rattle8 reaches rounding first.
    EXPECT_GT(papers::slope(lengths, multipliers), order - 0.3) << what;
}

template <class Stepper>
void expect_bound_order(const char* name, double friction, double order, const std::vector<int>& counts) {
    expect_orders(name, order, counts, [&](int count) { return bound_errors<Stepper>(friction, count); });
}

TEST(VaryingMasses, constrained_steppers_keep_their_orders_in_position_velocity_and_multiplier) {
    expect_bound_order<Shake>("shake", 0, 2, {20, 40, 80});
    expect_bound_order<Rattle>("rattle", 0, 2, {20, 40, 80});
    expect_bound_order<Rattle4>("rattle4", 0, 4, {10, 20, 40});
    expect_bound_order<Rattle6>("rattle6", 0, 6, {6, 12, 24});
    expect_bound_order<Rattle8>("rattle8", 0, 8, {6, 8, 11});
    expect_bound_order<Lobatto>("lobatto", 0, 4, {10, 20, 40});
}

TEST(VaryingMasses, constrained_steppers_keep_their_orders_with_friction) {
    expect_bound_order<Shake>("shake", 0.3, 2, {20, 40, 80});
    expect_bound_order<Rattle>("rattle", 0.3, 2, {20, 40, 80});
    expect_bound_order<Lobatto>("lobatto", 0.3, 4, {10, 20, 40});
}

/// The Gear-Gupta-Leimkuhler form, stroboscopic (37) to (40).
TEST(VaryingMasses, half_explicit_methods_keep_their_orders_in_position_velocity_and_multiplier) {
    for (const double friction : {0.0, 0.3}) {
        expect_orders("herk3", 3, {20, 40, 80},
                      [&](int count) { return half_explicit_errors<HalfExplicit3>(friction, count); });
        expect_orders("herk4", 4, {20, 40, 80},
                      [&](int count) { return half_explicit_errors<HalfExplicit4>(friction, count); });
    }
}

/// Of the last stage, which ends with the step: lambda has the order of the method; mu, which is zero for the solution
/// itself, falls as the square of the step.
TEST(VaryingMasses, both_sets_of_multipliers_of_a_stage_are_known) {
    std::vector<double> lengths, lambdas, mus;
    for (const int steps : {20, 40, 80}) {
        const auto problem = on_circle(0.3);
        Ground ground(problem);
        Acceleration active(problem.free());
        const auto rate = [&](double, In y, Out F) {
            std::ranges::copy(y.last(3), F.begin());
            active(y.first(3), y.last(3), 0, {}, F.last(3));
        };
        HalfExplicit3 stepper(6);
        FirstOrderState<double> state(6);
        state.y = {1, 0, 0.5, 0, 1, 0};
        rate(0, state.y, state.rate);
        ground.begin(0, state.y);
        const double h = turn / steps;
        for (int n = 0; n < steps; ++n) {
            ASSERT_TRUE(stepper
                            .step(
                                rate, [&](double, Out y) { return ground.along(0, y); }, h, state)
                            .converged);
        }
        const double share = h * HalfExplicit3::tableau.b[HalfExplicit3::stages - 1];
        lengths.push_back(h);
        lambdas.push_back(
            std::abs(ground.velocity_multipliers()[0] / share - (1 + std::cos(turn) / 2 + oscillation(2, turn) / 4)));
        mus.push_back(std::abs(ground.position_multipliers()[0] / share));
    }
    EXPECT_NEAR(papers::slope(lengths, lambdas), 3, 0.3) << lambdas.back();
    EXPECT_NEAR(papers::slope(lengths, mus), 2, 0.3) << mus.back();
}

}  // namespace
}  // namespace lento
