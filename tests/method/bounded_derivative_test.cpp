/// Stiff springs by the expansion of their multipliers: orders, cost, estimates of the error, refusals.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "average/multiplier_expansion.hpp"
#include "lento/base/misuse.hpp"
#include "lento/lento.hpp"
#include "lento/method/slow_point.hpp"
#include "lento/model/model.hpp"
#include "papers/two_springs.hpp"

namespace lento {
namespace {

using papers::TwoSprings;

Solution run(const Problem& system, Request request) {
    request.method = "bounded-derivative";
    return solve(system, request);
}

auto two_springs(double first, double second) {
    return stiff_system(4, TwoSprings::force(0, 0), {first, second}, TwoSprings::both_elongations());
}
/// slow-manifold, section 5.1.
Request two() {
    return {.start = {1, 0, 2, 0}, .velocity = {0, -0.5, 0, 0.5}, .t_end = 10, .method = "bounded-derivative"};
}
Request with_tolerance(Request request, double tolerance) {
    request.rtol = request.atol = tolerance;
    return request;
}
Request with_sweeps(Request request, std::size_t sweeps) {
    request.options.sweeps = sweeps;
    return request;
}

/// A unit mass on a spring of length 1, under gravity.
auto pendulum(double omega, double gravity) {
    return stiff_system(
        2,
        [gravity](auto, auto, auto, auto f) {
            f[0] = 0;
            f[1] = -gravity;
        },
        {omega}, [](auto q, auto, auto g) { g[0] = hypot(q[0], q[1]) - 1; });
}

/// The largest difference of positions and velocities over the run.
double difference(const Solution& one, const Solution& other, double t_end) {
    double largest = 0;
    for (int k = 0; k <= 200; ++k) {
        const auto a = one.slow(t_end * k / 200);
        const auto b = other.slow(t_end * k / 200);
        largest = std::max({largest, papers::largest_component(a.position, b.position),
                            papers::largest_component(a.velocity, b.velocity)});
    }
    return largest;
}

/// From the slow point nearest to the start: there is next to no oscillation.
Request at_slow_point(const Problem& system, Request request) {
    const auto point = slow_point(system, request, Extrapolation::none);
    EXPECT_EQ(point.outcome, Outcome::completed) << point.explanation;
    request.start = point.position;
    request.velocity = point.velocity;
    return request;
}

/// The true motion from there: every oscillation that it has is resolved.
Solution from_slow_point(const Problem& system, Request request) {
    request = at_slow_point(system, request);
    request.method = "direct";
    request.options = {.estimate = "none"};
    return solve(system, with_tolerance(request, 1e-12));
}

/// Completed, or missing its tolerance by what the oscillation that it leaves out would have done.
bool has_result(const Solution& solution) {
    return solution.outcome() == Outcome::completed || solution.outcome() == Outcome::tolerance_missed;
}

double largest(std::span<const double> values) {
    return *std::max_element(values.begin(), values.end());
}

TEST(BoundedDerivative, slow_point_of_two_springs_has_nine_digits) {
    const auto point = slow_point(two_springs(1000, 1000), two(), Extrapolation::none);
    ASSERT_EQ(point.outcome, Outcome::completed) << point.explanation;
    EXPECT_NEAR(point.position[0] - 1, 1.500045071e-6, 1e-15);
    EXPECT_NEAR(point.elongations[0], 1.500045071e-6, 1e-15);
    EXPECT_NEAR(point.multipliers[0], 1.500045071, 1e-9);
    EXPECT_LE(point.iterations, 5);
    // By windows the point is the same to O(omega^-2) of itself.
    auto by_windows = two();
    by_windows.method = "ipa";
    const auto other = slow_point(two_springs(1000, 1000), by_windows, Extrapolation::none);
    EXPECT_NEAR(point.position[0] - 1, other.position[0] - 1, 1e-9);
    EXPECT_NEAR(point.multipliers[1], other.multipliers[1], 2e-3);
    // Of infinitely stiff springs the multipliers are 1.5 and 1.25.
    const auto extrapolated = slow_point(two_springs(1000, 1000), two(), Extrapolation::richardson);
    EXPECT_NEAR(extrapolated.multipliers[0], 1.5, 1e-8);
    EXPECT_NEAR(extrapolated.multipliers[1], 1.25, 1e-8);
}

TEST(BoundedDerivative, slow_point_has_the_closed_form_of_a_turning_spring) {
    // slow-manifold, section 2.3: on a circle of radius r the spring holds omega^2 (r - 1) = v^2/r, and r' = 0.
    const double omega = 50;
    const auto point = slow_point(pendulum(omega, 0),
                                  {.start = {1, 0}, .velocity = {0.3, 1}, .t_end = 1, .method = "bounded-derivative"},
                                  Extrapolation::none);
    const double r = point.position[0];
    EXPECT_NEAR(omega * omega * (r - 1) * r, 1, 1e-12);
    EXPECT_NEAR(point.velocity[0], 0, 1e-15);
    EXPECT_NEAR(point.multipliers[0], 1 / r, 1e-12);
}

TEST(BoundedDerivative, each_sweep_gains_two_orders_in_the_frequency) {
    for (const std::size_t sweeps : {0, 1, 2}) {
        std::vector<double> errors;
        for (const double omega : {150.0, 300.0, 600.0}) {
            const auto system = two_springs(omega, omega);
            const auto request = with_tolerance(two(), 1e-13);
            errors.push_back(
                difference(run(system, with_sweeps(request, sweeps)), run(system, with_sweeps(request, 3)), 10));
        }
        const double order = 2.0 * static_cast<double>(sweeps) + 2;
        EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.4) << sweeps;
        EXPECT_NEAR(std::log2(errors[1] / errors[2]), order, 0.4) << sweeps;
    }
}

TEST(BoundedDerivative, follows_two_springs_to_1e_8_with_a_thousand_evaluations) {
    const auto system = two_springs(1000, 1000);
    const auto from = at_slow_point(system, two());
    const auto solution = run(system, with_tolerance(from, 1e-8));
    ASSERT_EQ(solution.outcome(), Outcome::completed) << solution.explanation();
    EXPECT_LT(difference(solution, from_slow_point(system, two()), 10), 1e-8);
    EXPECT_LT(solution.statistics().slow_evaluations, 1100);
    EXPECT_LT(solution.statistics().all_evaluations(), 14000);
    EXPECT_EQ(solution.statistics().micro_steps, 0);
    EXPECT_EQ(solution.record().slow_is, "slow manifold");
    // One sweep leaves 2.3e-9, two 1e-12.
    const auto tight = with_tolerance(from, 1e-12);
    const auto exact = run(system, with_sweeps(tight, 3));
    EXPECT_NEAR(difference(run(system, with_sweeps(tight, 1)), exact, 10), 2.3e-9, 0.2e-9);
    EXPECT_LT(difference(run(system, with_sweeps(tight, 2)), exact, 10), 3e-12);
}

TEST(BoundedDerivative, costs_no_more_where_springs_are_stiffer_and_rounding_does_not_limit_it) {
    const auto request = with_tolerance(two(), 1e-10);
    const auto from_there = [&](const Problem& system) { return run(system, at_slow_point(system, request)); };
    const auto reference = from_there(two_springs(1e7, 1e7));
    for (const double omega : {1e4, 1e6, 1e9, 1e12}) {
        const auto solution = from_there(two_springs(omega, omega));
        ASSERT_EQ(solution.outcome(), Outcome::completed) << solution.explanation();
        EXPECT_LT(solution.statistics().slow_evaluations, 1600) << omega;
        EXPECT_LT(difference(solution, reference, 10), 1e-9 + 100 / (omega * omega)) << omega;
    }
}

TEST(BoundedDerivative, takes_springs_of_different_stiffness) {
    const auto system = two_springs(400, 1500);
    const auto request = with_tolerance(two(), 1e-8);
    const auto solution = run(system, at_slow_point(system, request));
    ASSERT_EQ(solution.outcome(), Outcome::completed) << solution.explanation();
    EXPECT_LT(difference(solution, from_slow_point(system, request), 10), 3e-8);
}

TEST(BoundedDerivative, takes_a_full_mass_matrix_and_forces_of_velocity_and_time) {
    Eigen::MatrixXd mass(4, 4);
    mass << 2, 0.3, 0.1, 0, 0.3, 1.5, 0, 0.2, 0.1, 0, 1, 0.1, 0, 0.2, 0.1, 3;
    const auto system = stiff_system(
                            4,
                            [](auto q, auto v, auto t, auto f) {
                                f[0] = -0.3 * v[0] * abs(v[1]);
                                f[1] = cos(2 * t) - q[1];
                                f[2] = -0.1 * v[2] * v[2] * v[2];
                                f[3] = -1 - 0.2 * v[3];
                            },
                            {500, 800}, TwoSprings::both_elongations())
                            .with_mass(Mass::full(mass));
    auto request = with_tolerance(two(), 1e-8);
    request.t_end = 4;
    request = at_slow_point(system, request);
    const auto solution = run(system, request);
    ASSERT_TRUE(has_result(solution)) << solution.explanation();
    EXPECT_LT(difference(solution, from_slow_point(system, request), 4), 3e-8);
}

TEST(BoundedDerivative, takes_springs_that_move_with_the_time) {
    // slow-manifold (5) with a mass of 4: y = A cos t with A = omega^2/(omega^2 - 4)
    const double omega = 30;
    const auto system = stiff_system(
                            2,
                            [](auto q, auto, auto, auto f) {
                                f[0] = -q[0];
                                f[1] = 0;
                            },
                            {omega}, [](auto q, auto t, auto g) { g[0] = q[1] - cos(t); })
                            .with_mass(Mass::diagonal(std::vector<double>{1, 4}));
    const double amplitude = omega * omega / (omega * omega - 4);
    const auto solution = run(system, with_tolerance({.start = {1, 1.01}, .velocity = {0, 0.1}, .t_end = 5}, 1e-8));
    ASSERT_TRUE(has_result(solution)) << solution.explanation();
    EXPECT_NEAR(solution.final_state().position[0], std::cos(5.0), 1e-8);
    EXPECT_NEAR(solution.final_state().position[1], amplitude * std::cos(5.0), 1e-8);
}

TEST(BoundedDerivative, agrees_with_ipa) {
    Request request{.start = {1, 0}, .velocity = {0.1, 0}, .t_end = 3, .method = "ipa", .rtol = 1e-8, .atol = 1e-10};
    const auto system = pendulum(1e5, 9.8);
    EXPECT_LT(difference(run(system, request), solve(system, request), 3), 1e-6);
}

TEST(BoundedDerivative, stays_on_the_slow_manifold_for_long) {
#ifdef LENTO_SANITIZED
    constexpr double t_end = 30;
#else
    constexpr double t_end = 300;
#endif
    const Request request =
        with_tolerance({.start = {1, 0}, .velocity = {0, 0}, .t_end = t_end, .method = "bounded-derivative"}, 1e-6);
    const auto solution = run(pendulum(1e3, 9.8), request);
    ASSERT_EQ(solution.outcome(), Outcome::completed) << solution.explanation();
    const auto& x = solution.final_state().position;
    const auto& v = solution.final_state().velocity;
    const double tension = v[0] * v[0] + v[1] * v[1] - 9.8 * x[1];
    EXPECT_NEAR(std::hypot(x[0], x[1]), 1 + tension / 1e6, 1e-6);
    EXPECT_LT(largest(solution.record().error_estimate), 1e-5);
}

TEST(BoundedDerivative, every_macro_solver_follows_the_circle) {
    const Request circle{.start = {1, 0}, .velocity = {0, 1}, .t_end = 6, .method = "bounded-derivative"};
    for (const char* macro : {"stoermer-cowell", "dopri5", "ode45", "ode113", "cvode-adams", "cvode-bdf", "arkode-4",
                              "arkode-5", "arkode-8", "rk4", "implicit-midpoint"}) {
        auto request = circle;
        request.options.macro = macro;
        if (macro == std::string("rk4") || macro == std::string("implicit-midpoint")) {
            request.options.steps = 4000;
        }
        const auto solution = run(pendulum(1e5, 0), request);
        ASSERT_TRUE(has_result(solution)) << macro << ": " << solution.explanation();
        const auto& x = solution.final_state().position;
        const double error = std::max(std::abs(x[0] - std::cos(6.0)), std::abs(x[1] - std::sin(6.0)));
        EXPECT_LT(error, 5e-6) << macro;
        EXPECT_LT(error, 10 * largest(solution.record().error_estimate) + 1e-9) << macro;
    }
}

TEST(BoundedDerivative, estimates_its_error_honestly) {
    for (const double omega : {100.0, 1000.0, 1e5}) {
        const auto system = two_springs(omega, 1.3 * omega);
        const auto from = at_slow_point(system, two());
        const auto exact = run(system, with_sweeps(with_tolerance(from, 1e-13), 3));
        for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
            const auto solution = run(system, with_tolerance(from, tolerance));
            ASSERT_TRUE(has_result(solution)) << solution.explanation();
            const auto& estimate = solution.record().error_estimate;
            ASSERT_EQ(estimate.size(), 8u);
            std::vector<double> errors(8);
            for (int k = 0; k <= 200; ++k) {
                const auto a = solution.slow(k / 20.0);
                const auto b = exact.slow(k / 20.0);
                for (std::size_t i = 0; i < 4; ++i) {
                    errors[i] = std::max(errors[i], std::abs(a.position[i] - b.position[i]));
                    errors[4 + i] = std::max(errors[4 + i], std::abs(a.velocity[i] - b.velocity[i]));
                }
            }
            for (std::size_t i = 0; i < 8; ++i) {
                EXPECT_LE(errors[i], 10 * estimate[i]) << omega << " " << tolerance << " " << i;
            }
            // What is estimated is what was asked for (|y| is 2 at most), or the outcome says that it is not.
            if (solution.outcome() == Outcome::completed) {
                EXPECT_LE(largest(estimate), 3 * tolerance);
            }
        }
        for (const std::size_t sweeps : {0, 1}) {
            const auto solution = run(system, with_sweeps(with_tolerance(from, 1e-10), sweeps));
            const double error = difference(solution, exact, 10);
            EXPECT_LE(error, 3 * largest(solution.record().error_estimate)) << omega << " " << sweeps;
            EXPECT_LE(largest(solution.record().error_estimate), 10 * error + 1e-9) << omega << " " << sweeps;
        }
    }
}

TEST(BoundedDerivative, keeps_the_momentum_of_a_start_off_the_slow_manifold) {
    // A mass on a spring turns about the origin from r = 1 + a: it keeps r v, whatever the spring does.
    constexpr double omega = 1000, a = 1e-4;
    const auto system = pendulum(omega, 0);
    const Request request{.start = {1 + a, 0}, .velocity = {0, 0.8}, .t_end = 20, .method = "direct"};
    const auto truth = solve(system, with_tolerance(request, 1e-10));
    const auto solution = run(system, with_tolerance(request, 1e-6));
    ASSERT_TRUE(has_result(solution)) << solution.explanation();
    const auto angle = [](const Solution& found) {
        const auto& x = found.final_state().position;
        return std::atan2(x[1], x[0]);
    };
    const double turned = 0.8 * 20;  // the angle at the end; with the velocity kept it would be short of a times that
    EXPECT_LT(std::abs(angle(solution) - angle(truth)), 0.01 * a * turned);
    EXPECT_LT(std::abs(angle(solution) - angle(truth)), largest(solution.record().error_estimate));
}

TEST(BoundedDerivative, samples_come_once_each) {
    for (const char* macro : {"stoermer-cowell", "dopri5"}) {
        auto request = two();
        request.options.macro = macro;
        request.samples = 11;
        request.keep = Recorder::Keep::nothing;
        std::vector<double> times;
        request.sink = [&](double t, std::span<const double> y) {
            times.push_back(t);
            EXPECT_EQ(y.size(), 8u);
        };
        const auto solution = run(two_springs(1000, 1000), request);
        ASSERT_EQ(times.size(), 11u) << macro;
        for (std::size_t k = 0; k < times.size(); ++k) {
            EXPECT_NEAR(times[k], static_cast<double>(k), 1e-12);
        }
    }
}

Problem read(const std::string& text) {
    return Model::from_text("lento = 1\n" + text).problem();
}

TEST(BoundedDerivative, runs_text_models_like_those_written_in_cpp) {
    const auto text = read(R"toml(
[coordinates]
x1 = { start = 1 }
y1 = { start = 0, velocity = -0.5 }
x2 = { start = 2 }
y2 = { start = 0, velocity = 0.5 }
[forces]
y1 = "-0.2*y1_dot + sin(t)"
[mass]
x1 = 2
[springs.first]
elongation = "hypot(x1, y1) - 1"
frequency = 1000
[springs.second]
elongation = "hypot(x1 - x2, y1 - y2) - 1 - 0.1*sin(t)"
frequency = 700
[springs.third]
elongation = "x2 - 1"
frequency = 1
soft = true
)toml");
    const auto in_cpp = stiff_system(
                            4,
                            [](auto q, auto v, auto t, auto f) {
                                f[0] = f[3] = 0;
                                f[1] = -0.2 * v[1] + sin(t);
                                f[2] = -(q[2] - 1);
                            },
                            {1000, 700},
                            [](auto q, auto t, auto g) {
                                g[0] = hypot(q[0], q[1]) - 1;
                                g[1] = hypot(q[0] - q[2], q[1] - q[3]) - 1 - 0.1 * sin(t);
                            })
                            .with_mass(Mass::diagonal(std::vector<double>{2, 1, 1, 1}));
    auto request = with_tolerance(two(), 1e-8);
    request.t_end = 3;
    request = at_slow_point(in_cpp, request);
    const auto one = run(text, request);
    const auto other = run(in_cpp, request);
    ASSERT_TRUE(has_result(one)) << one.explanation();
    EXPECT_LT(difference(one, other, 3), 1e-11);
    EXPECT_EQ(one.statistics().slow_evaluations, other.statistics().slow_evaluations);
    EXPECT_LT(difference(one, from_slow_point(in_cpp, request), 3), 3e-8);
}

void expect_ends(const Solution& solution, Outcome outcome, const std::string& word) {
    EXPECT_EQ(solution.outcome(), outcome) << solution.explanation();
    EXPECT_NE(solution.explanation().find(word), std::string::npos) << solution.explanation();
}

TEST(BoundedDerivativeRefused, potentials_of_another_form) {
    const auto system = read(R"toml(
[coordinates]
x = { start = 1 }
y = { start = 0, velocity = 1 }
[springs.rod]
potential = "1e6/2*(hypot(x, y) - 1)^2"
frequency = 1000
)toml");
    EXPECT_THROW((void)run(system, {.start = {1, 0}, .velocity = {0, 1}, .t_end = 3}), Misuse);
}

TEST(BoundedDerivativeRefused, phases_options_and_forces_of_double_alone) {
    const auto with_phase = read(R"toml(
[coordinates]
x = { start = 1 }
[forces]
x = "cos(theta)"
[springs.rod]
elongation = "x - 1"
frequency = 1000
[vibration.theta]
frequency = 1000
)toml");
    EXPECT_THROW((void)run(with_phase, {.start = {1}, .t_end = 3}), Misuse);
    EXPECT_THROW((void)run(two_springs(1e3, 1e3), with_sweeps(two(), 9)), Misuse);
    auto request = two();
    request.options.filter = "cubic";
    EXPECT_THROW((void)run(two_springs(1e3, 1e3), request), Misuse);
    const auto of_double = stiff_system(
        1, [](std::span<const double>, std::span<const double>, double, std::span<double> f) { f[0] = 1; }, {1000},
        [](auto q, auto, auto g) { g[0] = q[0]; });
    EXPECT_THROW((void)run(of_double, {.start = {0}, .t_end = 1}), Misuse);
}

TEST(BoundedDerivativeRefused, springs_that_depend_on_each_other) {
    const auto system = stiff_system(
        2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0; }, {1000, 2000},
        [](auto q, auto, auto g) {
            g[0] = hypot(q[0], q[1]) - 1;
            g[1] = q[0] * q[0] + q[1] * q[1] - 1;
        });
    EXPECT_THROW((void)run(system, {.start = {1, 0}, .velocity = {0, 1}, .t_end = 3}), Misuse);
}

TEST(BoundedDerivativeRefused, an_elongation_without_gradient) {
    const auto system = stiff_system(
        2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0; }, {1000},
        [](auto q, auto, auto g) { g[0] = (q[0] - 1) * (q[0] - 1); });
    expect_ends(run(system, {.start = {1, 0}, .velocity = {0, 1}, .t_end = 3}), Outcome::refused, "vanishing gradient");
}

TEST(BoundedDerivativeRefused, springs_that_are_not_fast) {
    expect_ends(run(two_springs(1.5, 1.5), two()), Outcome::no_scale_separation, "direct");
    expect_ends(run(two_springs(15, 15), two()), Outcome::no_scale_separation, "direct");
    expect_ends(run(two_springs(100, 100), with_tolerance(two(), 1e-10)), Outcome::no_scale_separation, "tolerance");
    // On the way: the gradient of q0 q1 becomes less and less.
    const auto falling = stiff_system(
        2,
        [](auto, auto, auto, auto f) {
            f[0] = 0;
            f[1] = -9.8;
        },
        {2e3}, [](auto q, auto, auto g) { g[0] = q[0] * q[1]; });
    const auto solution = run(falling, {.start = {1, 0}, .velocity = {-1, 0}, .t_end = 2});
    EXPECT_NE(solution.outcome(), Outcome::completed);
    EXPECT_LT(solution.record().t_end, 1.01);
    EXPECT_FALSE(solution.explanation().empty());
}

TEST(BoundedDerivativeRefused, a_start_far_from_the_slow_manifold) {
    auto request = two();
    request.start = {1.5, 0, 3.5, 0};
    expect_ends(run(two_springs(1000, 1000), request), Outcome::refused, "amplitude");
    // Nearer, it is taken out, with a word about it, and what it would have done is an error.
    request.start = {1.05, 0, 2.05, 0};
    const auto solution = run(two_springs(1000, 1000), request);
    EXPECT_EQ(solution.outcome(), Outcome::tolerance_missed) << solution.explanation();
    EXPECT_NEAR(solution.record().left_out[4], 70, 30);
    EXPECT_TRUE(std::any_of(solution.warnings().begin(), solution.warnings().end(),
                            [](const auto& warning) { return warning.find("energy") != std::string::npos; }));
}

TEST(BoundedDerivativeRefused, where_the_force_becomes_infinite_on_the_way) {
    const auto system = stiff_system(
        2,
        [](auto q, auto, auto, auto f) {
            f[0] = 0;
            f[1] = -9.8 / ((q[1] + 0.5) * (q[1] + 0.5));
        },
        {1e5}, [](auto q, auto, auto g) { g[0] = hypot(q[0], q[1]) - 1; });
    const auto solution = run(system, {.start = {1, 0}, .velocity = {0, 0}, .t_end = 2});
    EXPECT_NE(solution.outcome(), Outcome::completed);
    EXPECT_FALSE(solution.explanation().empty());
    EXPECT_LT(solution.record().t_end, 0.2);
}

TEST(MultiplierExpansion, counts_what_series_take) {
    const auto system = two_springs(1000, 1000);
    MultiplierExpansion expansion(system);
    const std::vector<double> x{1, 0, 2, 0}, v{0, -0.5, 0, 0.5};
    const auto evaluations = [&](int sweeps) {
        const auto before = expansion.evaluations();
        EXPECT_TRUE(expansion(sweeps, MultiplierExpansion::Wanted::values, 0, x, v));
        return expansion.evaluations() - before;
    };
    EXPECT_EQ(evaluations(0), 1);
    EXPECT_EQ(evaluations(1), 1 + 2 + 3);
    EXPECT_EQ(evaluations(2), 1 + 2 + 3 + 4 + 5 + 2 + 3);
    // lambda^0 is the multiplier of the constraints, and what sweeps add falls by omega^-2.
    EXPECT_TRUE(expansion(2, MultiplierExpansion::Wanted::values, 0, x, v));
    const auto corrections = expansion.corrections();
    EXPECT_LT(corrections[1], 1e-4 * corrections[0]);
    EXPECT_LT(corrections[2], 1e-3 * corrections[1]);
}

}  // namespace
}  // namespace lento
