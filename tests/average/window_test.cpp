#include "average/window.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "allocation_count.hpp"
#include "average/fast_part.hpp"
#include "lento/lento.hpp"
#include "papers/pendulum.hpp"
#include "papers/slope.hpp"
#include "papers/two_coordinates.hpp"
#include "problem/probe.hpp"
#include "step/catalogue.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;
const papers::Pendulum pendulum;

std::vector<double> rest_average(const char* stepper, const Problem& problem, std::vector<double> X,
                                 const Filter& filter, std::size_t steps_per_period, double periods, Sides sides) {
    Acceleration acceleration(problem);
    const auto each_side = static_cast<std::size_t>(periods * static_cast<double>(steps_per_period) / 2);
    const auto window = make_window(stepper, acceleration, time_scales(problem),
                                    {FilterWeights(filter, each_side), steps_per_period, sides});
    const std::vector<double> rest(X.size(), 0.0);
    const std::vector<double> phases(problem.phases.size(), 0.0);
    std::vector<double> F(X.size());
    window->average_acceleration({.x = X, .v = rest, .phases = phases}, F);
    EXPECT_EQ(window->micro_steps(), static_cast<std::int64_t>(each_side) * (sides == Sides::both ? 2 : 1));
    return F;
}

TEST(Window, averages_the_pendulum_to_formula_2_6_up_to_1_over_omega) {
    const std::vector<double> omegas{1e4, 1e5, 1e6};
    for (const char* name : {"cos8", "period"}) {
        const Filter filter(name);
        std::vector<double> errors;
        for (const double omega : omegas) {
            const auto F = rest_average("verlet8", pendulum.vibrated(omega), {0.5}, filter, 128, filter.usual_periods(),
                                        Sides::both);
            errors.push_back(std::abs(F[0] - pendulum.averaged_force(0.5)));
        }
        EXPECT_NEAR(papers::slope(omegas, errors), -1, 0.05) << name;
    }
}

TEST(Window, half_a_window_equals_the_whole_for_even_forces) {
    const auto half =
        rest_average("verlet", pendulum.vibrated(1e4), {0.5}, Filter("exponential"), 40, 40, Sides::forward);
    const auto whole =
        rest_average("verlet", pendulum.vibrated(1e4), {0.5}, Filter("exponential"), 40, 40, Sides::both);
    EXPECT_NEAR(half[0], whole[0], 1e-9 * std::abs(whole[0]));
}

/// Heap allocations of a window after its construction.
std::size_t allocations_of_a_window(const std::string& stepper, const Problem& problem, const std::vector<double>& X,
                                    VelocityUse use, ExplicitTime time = ExplicitTime::frozen) {
    Acceleration acceleration(problem);
    const auto window = make_window(stepper, acceleration, time_scales(problem),
                                    {FilterWeights(Filter("cos8"), 200), 32, Sides::both, use});
    const std::vector<double> rest(X.size(), 0.0);
    const std::vector<double> phases(problem.phases.size(), 0.0);
    std::vector<double> F(X.size());
    std::vector<double> V(X.size());
    std::vector<double> A(X.size());
    const std::size_t before = allocations;
    window->average_acceleration({.x = X, .v = rest, .phases = phases}, F);
    window->average_acceleration({.x = X, .v = rest, .slow_velocity = rest, .phases = phases, .time = time}, F);
    window->average_motion({.x = X, .v = rest, .phases = phases, .time = time}, F, V, A);
    return allocations - before;
}

TEST(Window, is_free_of_heap_allocation) {
    const std::size_t before = allocations;
    const std::vector<double> proof(10);
    ASSERT_EQ(allocations - before, 1U) << "the counter counts";
    EXPECT_EQ(allocations_of_a_window("verlet", pendulum.vibrated(1e4), {0.5}, VelocityUse::possible), 0U);
    const papers::TwoCoordinates massive{.mass = (Eigen::Matrix2d() << 2.0, 0.3, 0.3, 1.0).finished()};
    EXPECT_EQ(allocations_of_a_window("verlet", massive.vibrated(1e4), {0.5, 0.1}, VelocityUse::none), 0U);
}

TEST(Window, every_stepper_is_free_of_heap_allocation) {
    const papers::TwoCoordinates example;
    for (const auto& name : names_of(motion_steppers)) {
        EXPECT_EQ(allocations_of_a_window(name, example.vibrated(1e4), {0.5, 0.1}, VelocityUse::possible), 0U) << name;
    }
}

TEST(Window, of_variables_is_free_of_heap_allocation_with_every_stepper) {
    for (const std::size_t n : {1U, 2U, 4U}) {
        const auto rates = [](auto y, auto, auto theta, auto rate) {
            for (std::size_t i = 0; i < rate.size(); ++i) {
                rate[i] = cos(theta[0]) * y[i];
            }
        };
        for (const auto& name : names_of(rate_steppers)) {
            EXPECT_EQ(allocations_of_a_window(name, first_order_system(n, {{.frequency = 1e3}}, rates),
                                              std::vector<double>(n, 1.0), VelocityUse::possible),
                      0U)
                << name << ", " << n;
        }
    }
}

/// Where the length is known to the compiler and where it is not, with masses, phases, constraints and springs.
TEST(Window, is_free_of_heap_allocation_whatever_the_problem_declares) {
    const auto expect_none = [](const Problem& problem, const char* which) {
        std::vector<double> X;
        for (std::size_t i = 0; i < problem.dimension(); ++i) {
            X.push_back(1 + 0.1 * static_cast<double>(i));
        }
        // NOTE: a thread takes the work space of problems with many coordinates in its first evaluation of one.
        Acceleration(problem).at(X, X, 0, problem.phases_at(0));
        EXPECT_EQ(allocations_of_a_window("verlet4", problem, X, VelocityUse::possible, ExplicitTime::running), 0U)
            << which << ", " << problem.dimension() << " coordinates";
    };
    for (const std::size_t n : {1U, 2U, 3U, 4U, 40U}) {
        const auto swings = [](auto x, auto v, auto t, auto theta, auto f) {
            for (std::size_t i = 0; i < f.size(); ++i) {
                f[i] = 1e3 * cos(theta[0]) * sin(x[i]) - 0.1 * v[i] + t * cos(theta[1]);
            }
        };
        const auto system = vibrated_system(n, {1e3, 1.1e3}, swings);
        std::vector<double> masses(n, 2.0);
        expect_none(system, "two phases");
        expect_none(system.with_mass(Mass::diagonal(masses)), "masses");
        expect_none(system.with_mass(Mass::full(Eigen::MatrixXd(
                        2 * Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n))))),
                    "a full mass matrix");
        if (n > 1) {
            expect_none(constrained(system, 1, [](auto x, auto, auto g) { g[0] = x[0] * x[0] + x[1] * x[1] - 1.0; }),
                        "a constraint that is eliminated");
        }
        expect_none(stiff_system(
                        n,
                        [](auto, auto, auto, auto f) {
                            for (auto& component : f) {
                                component = 0.0;
                            }
                        },
                        {1e3}, [](auto x, auto, auto g) { g[0] = x[0] - 1.0; })
                        .with_period(6e-3),
                    "a spring");
    }
}

/// The same window in long double, written out: Verlet steps forward from rest at phase 0, and the one-period filter.
long double exact_rest_average(const papers::Pendulum& p, long double omega, long double X, int steps_per_period) {
    const long double h = 2 * std::numbers::pi_v<long double> / omega / steps_per_period;
    const auto acceleration = [&](int k, long double x) {
        const long double theta = 2 * std::numbers::pi_v<long double> * k / steps_per_period;
        return (p.g + p.v_max * omega * std::cos(theta)) / static_cast<long double>(p.l) * std::sin(x);
    };
    long double x = X;
    long double v = 0;
    long double a = acceleration(0, x);
    long double sum = a;
    for (int k = 1; k <= steps_per_period / 2; ++k) {
        v += h / 2 * a;
        x += h * v;
        a = acceleration(k, x);
        v += h / 2 * a;
        sum += (2 * k == steps_per_period ? 1 : 2) * a;
    }
    return sum / steps_per_period;
}

TEST(Window, double_agrees_with_long_double_to_rounding_even_at_1e8) {
    const auto exact = exact_rest_average(pendulum, 1e8L, 0.5L, 80);
    const auto F = rest_average("verlet", pendulum.vibrated(1e8), {0.5}, Filter("period"), 80, 1, Sides::forward);
    // One rounding of the position, 1.1e-16 at most, changes the force by 2e9 times as much.
    EXPECT_NEAR(F[0], static_cast<double>(exact), 2 * 2e9 * 1.2e-16);
}

TEST(Window, lets_as_much_of_a_pure_tone_through_as_the_filter_says) {
    // A force that does not depend on the position is its own tone.
    const auto tone = vibrated_system(1, 1e3, [](auto, auto, auto, auto theta, auto f) { f[0] = 1e9 * cos(theta); });
    for (const double periods : {10.0, 20.0}) {
        const auto F = rest_average("verlet", tone, {0.0}, Filter("exponential"), 24, periods, Sides::both);
        EXPECT_NEAR(F[0], 1e9 * Filter("exponential").leakage(periods), 1e-4 * std::abs(F[0]));
    }
    EXPECT_NEAR(rest_average("verlet", tone, {0.0}, Filter("cos8"), 24, 12, Sides::both)[0], 0, 1e-6);
}

TEST(Window, explicit_time_runs_or_stays_as_asked) {
    const auto clock = vibrated_system(1, 1e3, [](auto, auto, auto t, auto, auto f) { f[0] = t * t; });
    Acceleration acceleration(clock);
    const auto window =
        make_window("verlet", acceleration, time_scales(clock), {FilterWeights(Filter("cos2"), 100), 20});
    const std::vector<double> zero{0.0};
    std::vector<double> F(1);
    window->average_acceleration({.x = zero, .v = zero, .t = 2.0, .phases = zero, .time = ExplicitTime::frozen}, F);
    EXPECT_DOUBLE_EQ(F[0], 4.0);
    window->average_acceleration({.x = zero, .v = zero, .t = 2.0, .phases = zero, .time = ExplicitTime::running}, F);
    const double half_width = 100 * (2 * pi / 1e3 / 20);
    EXPECT_NEAR(F[0] - 4.0, Filter("cos2").moment(2) * half_width * half_width, 1e-6);
}

TEST(Window, a_filtered_state_is_the_slow_part_of_an_oscillation) {
    // x = 1 + 2t + cos(w t)/w: the slow part at t = 0 is (1, 2).
    const double w = 1e3;
    const auto oscillator =
        oscillating_system(1, 2 * pi / w, [w](auto x, auto, auto t, auto f) { f[0] = -w * w * (x[0] - 1 - 2 * t); });
    Acceleration acceleration(oscillator);
    const auto window =
        make_window("verlet8", acceleration, time_scales(oscillator), {FilterWeights(Filter("cos8"), 12 * 16), 32});
    const std::vector<double> x{1 + 1 / w};
    const std::vector<double> v{2};
    std::vector<double> X(1);
    std::vector<double> V(1);
    std::vector<double> A(1);
    window->average_motion({.x = x, .v = v, .time = ExplicitTime::running}, X, V, A);
    EXPECT_NEAR(A[0], 0, 1e-5);  // of an amplitude of 1e3
    EXPECT_NEAR(X[0], 1, 1e-11);
    EXPECT_NEAR(V[0], 2, 1e-8);
}

TEST(FastPart, of_the_pendulum_is_the_papers_formula) {
    for (const double omega : {1e3, 1e6}) {
        const auto system = pendulum.vibrated(omega);
        Acceleration acceleration(system);
        const std::vector<double> X{0.5};
        const std::vector<double> V{1.0};
        FastPart fast(acceleration, X, V, 0);
        EXPECT_EQ(fast.points(), 16U);
        for (const double theta : {0.0, 0.7, 2.0, -1.3}) {
            const auto part = fast.at(X, V, 0, std::vector<double>{theta});
            EXPECT_NEAR(part.velocity[0], 20 * std::sin(theta) * std::sin(0.5), 1e-11);                       // (2.7)
            EXPECT_NEAR(part.displacement[0], -20 / omega * std::cos(theta) * std::sin(0.5), 1e-11 / omega);  // (2.4)
        }
        const auto profile = fast.profile(X, V, 0, time_scales(system));
        EXPECT_NEAR(profile.mean[0], 49 * std::sin(0.5), 1e-9);
        EXPECT_NEAR(profile.swing[0], 40 * std::sin(0.5), 1e-10);
    }
}

enum class WindowFrom { averaged_state, true_state };

/// The rates of the pendulum in (q, p*), averaged in a window from (0.5, 0.7), or from the true state for it.
std::vector<double> averaged_rates(double omega, double theta, const Filter& filter, WindowFrom from) {
    const auto system = pendulum.in_momentum(omega);
    Acceleration rates(system);
    const auto each_side = static_cast<std::size_t>(filter.usual_periods() * 32);
    const auto window =
        make_window("dopri8", rates, time_scales(system), {FilterWeights(filter, each_side), 64, Sides::both});
    std::vector<double> y{0.5, 0.7};
    const std::vector<double> phases{theta};
    if (from == WindowFrom::true_state) {
        y = combined(y, 1, FastPart(rates, y, {}, 0).at(y, {}, 0, phases).displacement);
    }
    std::vector<double> F(2);
    window->average_acceleration({.x = y, .v = {}, .phases = phases}, F);
    return F;
}

/// Their distance from (P, F(Q)) of (2.5), and how that falls with the frequency.
double error_of_rates(double omega, double theta, const Filter& filter, WindowFrom from) {
    const auto F = averaged_rates(omega, theta, filter, from);
    return std::hypot(F[0] - 0.7, F[1] - pendulum.averaged_force(0.5));
}
double order_of_rates(double theta, const Filter& filter, WindowFrom from) {
    const std::vector<double> omegas{1e4, 2e4, 4e4};
    std::vector<double> errors;
    for (const double omega : omegas) {
        errors.push_back(error_of_rates(omega, theta, filter, from));
    }
    return papers::slope(omegas, errors);
}

TEST(Window, averages_rates_of_size_one_to_second_order_from_the_true_state) {
    for (const double theta : {0.0, 1.0, pi / 2}) {
        for (const char* name : {"cos8", "exponential"}) {
            EXPECT_NEAR(order_of_rates(theta, Filter(name), WindowFrom::true_state), -2, 0.05) << name << " " << theta;
        }
        EXPECT_LT(error_of_rates(1e4, theta, Filter("flat8"), WindowFrom::true_state),
                  0.05 * error_of_rates(1e4, theta, Filter("cos8"), WindowFrom::true_state))
            << "most of what is left is the bias of the filter";
    }
    EXPECT_NEAR(order_of_rates(1.0, Filter("cos8"), WindowFrom::averaged_state), -1, 0.1) << "what is left out matters";
}

TEST(Window, of_one_period_about_a_phase_of_symmetry_needs_no_true_state) {
    EXPECT_NEAR(order_of_rates(pi / 2, Filter("period"), WindowFrom::averaged_state), -2, 0.05);
    EXPECT_NEAR(order_of_rates(0, Filter("period"), WindowFrom::averaged_state), -1, 0.05) << "no symmetry there";
}

TEST(Window, of_rates_over_one_period_is_the_difference_of_its_ends) {
    // y' = y cos theta + 1: the trapezoidal sum of rates against (y(T/2) - y(-T/2))/T of the closed form
    // y = e^(s) (1 + int e^(-s)), s = sin(theta)/omega, from a fine Simpson sum.
    const double omega = 50;
    const auto system = first_order_system(
        1, {{.frequency = omega}}, [](auto y, auto, auto theta, auto rate) { rate[0] = y[0] * cos(theta[0]) + 1; });
    Acceleration rates(system);
    const auto window =
        make_window("dopri8", rates, time_scales(system), {FilterWeights(Filter("period"), 512), 1024, Sides::both});
    std::vector<double> F(1);
    const std::vector<double> phases{0.0};
    const std::vector<double> y{1.0};
    window->average_acceleration({.x = y, .v = {}, .phases = phases}, F);
    const auto end = [&](double t) {
        constexpr int intervals = 2000;
        double integral = 0;
        for (int k = 0; k <= intervals; ++k) {
            const double weight = k == 0 || k == intervals ? 1 : k % 2 == 1 ? 4 : 2;
            integral += weight * std::exp(-std::sin(omega * t * k / intervals) / omega) * t / intervals / 3;
        }
        return std::exp(std::sin(omega * t) / omega) * (1 + integral);
    };
    const double T = 2 * pi / omega;
    EXPECT_NEAR(F[0], (end(T / 2) - end(-T / 2)) / T, 1e-6);  // of the trapezoidal rule, with 1024 points
}

TEST(FastPart, of_variables_is_the_near_identity_map_to_second_order) {
    // y' = (cos theta - 1) y: y = C e^(-t) e^(s), s = sin(theta)/omega, averages to Y = C e^(-t) I_0(1/omega).
    // y' = t cos theta: y = C + t s + cos(theta)/omega^2.
    const std::vector<double> omegas{20, 40, 80};
    std::vector<double> errors;
    for (const double omega : omegas) {
        const auto system = first_order_system(2, {{.frequency = omega}}, [](auto y, auto t, auto theta, auto rate) {
            rate[0] = (cos(theta[0]) - 1) * y[0];
            rate[1] = t * cos(theta[0]);
        });
        Acceleration rates(system);
        const std::vector<double> Y{1.3, 0.4};
        const double theta = 0.7;
        const double t = 2;
        const auto moved = FastPart(rates, Y, {}, t).at(Y, {}, t, std::vector<double>{theta});
        EXPECT_TRUE(moved.velocity.empty());
        const double s = std::sin(theta) / omega;
        const double mean = std::cyl_bessel_i(0.0, 1 / omega);
        errors.push_back(std::abs(moved.displacement[0] - Y[0] * (std::exp(s) / mean - 1)));
        EXPECT_NEAR(moved.displacement[1], t * s + std::cos(theta) / (omega * omega), 1e-14);
        const auto there = true_state(rates, Y, {}, t);
        const auto back = averaged_state(rates, there.position, {}, t);
        EXPECT_NEAR(back.position[0], Y[0], 1e-9);  // six passes
    }
    EXPECT_NEAR(papers::slope(omegas, errors), -3, 0.1);
}

TEST(FastPart, of_a_momentum_is_that_of_a_velocity) {
    const double omega = 1e4;
    const auto coordinates = pendulum.vibrated(omega);
    const auto variables = first_order_system(2, {{.frequency = omega}}, [=](auto y, auto, auto theta, auto rate) {
        rate[0] = y[1];
        rate[1] = (pendulum.g + pendulum.v_max * omega * cos(theta[0])) / pendulum.l * sin(y[0]);
    });
    Acceleration forces(coordinates);
    Acceleration rates(variables);
    const std::vector<double> X{0.5}, V{0.0}, Y{0.5, 0.0}, theta{0.9};
    const auto expected = FastPart(forces, X, V, 0).at(X, V, 0, theta);
    const auto found = FastPart(rates, Y, {}, 0).at(Y, {}, 0, theta);
    EXPECT_NEAR(found.displacement[0], expected.displacement[0], 1e-10 * std::abs(expected.displacement[0]));
    EXPECT_NEAR(found.displacement[1], expected.velocity[0], 1e-10 * std::abs(expected.velocity[0]));
}

TEST(FastPart, takes_more_phases_for_sharper_forces) {
    const auto sharp = vibrated_system(
        1, 1e3, [](auto, auto, auto, auto theta, auto f) { f[0] = 1e3 * cos(theta) / (1.2 + cos(theta)); });
    Acceleration acceleration(sharp);
    const std::vector<double> zero{0.0};
    EXPECT_GE(FastPart(acceleration, zero, zero, 0).points(), 64U);
}

TEST(FastPart, of_two_phases_integrates_each_combination_by_its_own_frequency) {
    const double w1 = 1e3;
    const double w2 = 1.37e3;
    const auto system = vibrated_system(1, std::vector<double>{w1, w2}, [](auto, auto, auto, auto theta, auto f) {
        f[0] = 3 + cos(theta[0]) * sin(theta[1]) + sin(2 * theta[0]);
    });
    Acceleration acceleration(system);
    const std::vector<double> zero{0.0};
    FastPart fast(acceleration, zero, zero, 0);
    const double a = 0.4;
    const double b = 1.1;
    const auto part = fast.at(zero, zero, 0, std::vector<double>{a, b});
    const double velocity =
        -std::cos(a + b) / (2 * (w1 + w2)) + std::cos(a - b) / (2 * (w1 - w2)) - std::cos(2 * a) / (2 * w1);
    EXPECT_NEAR(part.velocity[0], velocity, 1e-15);
}

TEST(FastPart, phases_of_equal_frequency_share_their_mean) {
    const auto system = vibrated_system(1, std::vector<double>{1e3, 1e3}, [](auto, auto, auto, auto theta, auto f) {
                            f[0] = 2 * cos(theta[0]) * cos(theta[1]);
                        }).with_phase_start({0.0, 0.3});
    Acceleration acceleration(system);
    const std::vector<double> zero{0.0};
    const auto profile = FastPart(acceleration, zero, zero, 0).profile(zero, zero, 0, time_scales(system));
    EXPECT_NEAR(profile.mean[0], std::cos(0.3), 1e-12);
}

}  // namespace
}  // namespace lento
