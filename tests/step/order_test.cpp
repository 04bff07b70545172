/// The order of every stepper, measured: global error against step on a log-log slope.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lento/step/dense.hpp"
#include "papers/slope.hpp"
#include "step/catalogue.hpp"

namespace lento {
namespace {

using Long = long double;

/// A nonlinear oscillator with explicit time, and optionally damping: x'' = -sin(x) + cos(t)/5 - damping x'.
struct Oscillator {
    Long damping = 0;

    template <class S>
    void operator()(S t, std::span<const S> x, std::span<const S> v, std::span<S> a) const {
        a[0] = -std::sin(x[0]) + std::cos(t) / S(5) - S(damping) * v[0];
    }
};

template <class Stepper, class S>
std::pair<S, S> integrate(const Oscillator& oscillator, int steps) {
    Stepper stepper(1);
    typename Stepper::State state(1);
    state.x()[0] = S(1.2L);
    state.v()[0] = S(0.3L);
    const S h = S(2) / S(steps);
    oscillator(S(0), std::span<const S>(state.x()), std::span<const S>(state.v()), state.a());
    for (int n = 0; n < steps; ++n) {
        stepper.step([&](S c, std::span<const S> x, std::span<const S> v,
                         std::span<S> a) { oscillator((S(n) + c) * h, x, v, a); },
                     h, state);
    }
    return {state.x()[0], state.v()[0]};
}

double measured_order(const std::string& name, const Oscillator& oscillator, std::vector<int> counts) {
    const auto [x, v] = integrate<OnMotion<DormandPrince, Long>, Long>(oscillator, 20000);
    std::vector<double> steps;
    std::vector<double> errors;
    for (const int count : counts) {
        const auto end = with_stepper(name, "test", [&](auto choice) {
            return integrate<typename decltype(choice)::template Stepper<Long, dynamic>, Long>(oscillator, count);
        });
        steps.push_back(2.0 / count);
        errors.push_back(static_cast<double>(std::hypot(end.first - x, end.second - v)));
    }
    return papers::slope(steps, errors);
}

TEST(Order, every_stepper_has_the_order_it_claims_in_long_double) {
    const Oscillator oscillator;
    for (const auto& name : names_of(motion_steppers)) {
        const int order = with_stepper(
            name, "test", [](auto choice) { return decltype(choice)::template Stepper<Long, dynamic>::order; });
        const std::vector<int> counts =
            order >= 6 ? std::vector<int>{24, 32, 48, 64} : std::vector<int>{100, 200, 400, 800};
        EXPECT_NEAR(measured_order(name, oscillator, counts), order, order >= 6 ? 0.4 : 0.1) << name;
    }
}

TEST(Order, verlet_with_predicted_velocity_keeps_order_2_under_damping) {
    EXPECT_NEAR(measured_order("verlet", {.damping = 0.8L}, {100, 200, 400, 800}), 2, 0.05);
}

TEST(Order, compositions_fall_to_order_2_under_damping_which_is_why_methods_refuse_them) {
    EXPECT_NEAR(measured_order("verlet4", {.damping = 0.8L}, {100, 200, 400, 800}), 2, 0.2);
}

TEST(Order, double_and_long_double_agree_to_rounding) {
    const auto fine = integrate<Verlet6<Long>, Long>({}, 64);
    const auto coarse = integrate<Verlet6<double>, double>({}, 64);
    EXPECT_NEAR(coarse.first, static_cast<double>(fine.first), 1e-14);
    EXPECT_NEAR(coarse.second, static_cast<double>(fine.second), 1e-14);
}

TEST(Order, a_known_dimension_changes_nothing) {
    const auto known = [] {
        Verlet4<double, 1> stepper(1);
        MotionState<double, 1> state(1);
        state.x()[0] = 1.2;
        state.v()[0] = 0.3;
        const auto force = [](double, std::span<const double, 1> x, std::span<const double, 1>,
                              std::span<double, 1> a) { a[0] = -std::sin(x[0]); };
        force(0, state.x(), state.v(), state.a());
        stepper.step(force, 0.1, state);
        return state.x()[0];
    }();
    Verlet4<double> stepper(1);
    MotionState<double> state(1);
    state.x()[0] = 1.2;
    state.v()[0] = 0.3;
    const auto force = [](double, std::span<const double> x, std::span<const double>, std::span<double> a) {
        a[0] = -std::sin(x[0]);
    };
    force(0, state.x(), state.v(), state.a());
    stepper.step(force, 0.1, state);
    EXPECT_EQ(known, state.x()[0]);
}

TEST(Symmetry, verlet_and_its_compositions_return_to_rounding_and_rk4_does_not) {
    for (const auto& name : names_of(motion_steppers)) {
        const double missed = with_stepper(name, "test", [&](auto choice) {
            typename decltype(choice)::template Stepper<double, dynamic> stepper(1);
            MotionState<double> state(1);
            state.x()[0] = 1.2;
            state.v()[0] = 0.3;
            const auto force = [](double, std::span<const double> x, std::span<const double>, std::span<double> a) {
                a[0] = -std::sin(x[0]);
            };
            force(0, state.x(), state.v(), state.a());
            for (int n = 0; n < 200; ++n) {
                stepper.step(force, n < 100 ? 0.2 : -0.2, state);
            }
            return std::abs(state.x()[0] - 1.2);
        });
        if (name == "verlet" || is_composition(name, "verlet")) {
            EXPECT_LT(missed, 1e-12) << name;
        } else {
            EXPECT_GT(missed, 1e-8) << name;
        }
    }
}

template <const auto& T>
void expect_consistent() {
    long double weights = 0;
    long double nodes = 0;
    for (std::size_t i = 0; i < T.stages; ++i) {
        long double row = 0;
        for (std::size_t j = 0; j < i; ++j) {
            row += T.a[i][j];
        }
        EXPECT_NEAR(static_cast<double>(row - T.c[i]), 0, 1e-17);
        weights += T.b[i];
        nodes += T.b[i] * T.c[i];
    }
    EXPECT_NEAR(static_cast<double>(weights), 1, 1e-17);
    EXPECT_NEAR(static_cast<double>(nodes), 0.5, 1e-17);
}

TEST(Tableaus, rows_and_weights_are_consistent) {
    expect_consistent<midpoint_tableau>();
    expect_consistent<heun3_tableau>();
    expect_consistent<rk4_tableau>();
    expect_consistent<dormand_prince_tableau>();
    long double error = 0;
    for (const auto e : dormand_prince_tableau.error) {
        error += e;
    }
    EXPECT_NEAR(static_cast<double>(error), 0, 1e-17);
}

TEST(Dense, the_quintic_has_order_6_inside_a_step) {
    std::vector<double> steps;
    std::vector<double> errors;
    for (const double h : {0.8, 0.4, 0.2}) {
        const double from = -h / 2;
        const double to = h / 2;
        const auto y = [](double t) { return std::vector<double>{std::cos(t), -std::sin(t)}; };
        const auto a = [](double t) { return std::vector<double>{-std::cos(t)}; };
        const auto dense = quintic_hermite(from, to, y(from), a(from), y(to), a(to));
        std::vector<double> value(2);
        double worst = 0;
        for (int k = 0; k <= 20; ++k) {
            const double t = from + h * k / 20;
            dense.value(t, value);
            worst = std::max(worst, std::abs(value[0] - std::cos(t)));
        }
        steps.push_back(h);
        errors.push_back(worst);
        dense.value(to, value);
        EXPECT_NEAR(value[1], -std::sin(to), 1e-14);
    }
    EXPECT_NEAR(papers::slope(steps, errors), 6, 0.1);
}

TEST(Dense, the_continuous_extension_has_local_order_5) {
    std::vector<double> steps;
    std::vector<double> errors;
    for (const double h : {0.4, 0.2, 0.1, 0.05}) {
        DormandPrince<double> method(1);
        FirstOrderState<double> state(1);
        state.y[0] = 1;
        const auto rate = [&](double c, std::span<const double> y, std::span<double> dy) {
            dy[0] = y[0] * std::cos(c * h);
        };
        rate(0, state.y, state.rate);
        method.step(rate, h, state);
        const auto dense = continuous_extension(0, h, method, state.y);
        std::vector<double> value(1);
        double worst = 0;
        for (int k = 1; k < 20; ++k) {
            dense.value(h * k / 20, value);
            worst = std::max(worst, std::abs(value[0] - std::exp(std::sin(h * k / 20))));
        }
        steps.push_back(h);
        errors.push_back(worst);
        dense.value(h, value);
        EXPECT_NEAR(value[0], state.y[0], 1e-15);
    }
    EXPECT_NEAR(papers::slope(steps, errors), 5, 0.2);
}

}  // namespace
}  // namespace lento
