/// The two HMMs for vibrated systems: orders, initial data, velocities, several phases, declared periods.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lento/lento.hpp"
#include "papers/pendulum.hpp"
#include "papers/plain_run.hpp"
#include "papers/slope.hpp"
#include "papers/two_coordinates.hpp"
#include "step/verlet.hpp"

namespace lento {
namespace {

using papers::plain_run;

constexpr double pi = std::numbers::pi;
const papers::Pendulum pendulum;

/// Order in the macro-step, measured through the averaged force: against the same averaged force with a far smaller
/// step.
double macro_order(const std::string& method, const std::string& macro, std::vector<std::size_t> counts) {
    const auto run = [&](const std::string& stepper, std::size_t steps) {
        return plain_run(pendulum.vibrated(1e6), {.start = {0.5},
                                                  .t_end = 0.5,
                                                  .method = method,
                                                  .options = {.macro = stepper,
                                                              .steps = steps,
                                                              .micro = "verlet",
                                                              .micro_steps_per_period = 16,
                                                              .filter = "cos4",
                                                              .initial = "averaged"}});
    };
    const double exact = run("verlet8", 400).final_state().position[0];
    std::vector<double> steps;
    std::vector<double> errors;
    for (const auto count : counts) {
        steps.push_back(0.5 / static_cast<double>(count));
        errors.push_back(std::abs(run(macro, count).final_state().position[0] - exact));
    }
    return papers::slope(steps, errors);
}

TEST(HmmAsync, macro_orders_are_those_of_the_steppers) {
    EXPECT_NEAR(macro_order("hmm-async", "verlet", {40, 80, 160}), 2, 0.1);
    EXPECT_NEAR(macro_order("hmm-async", "verlet4", {40, 80, 160}), 4, 0.2);
    EXPECT_NEAR(macro_order("hmm-async", "rk4", {40, 80, 160}), 4, 0.2);
    EXPECT_NEAR(macro_order("hmm-async", "verlet6", {16, 24, 32}), 6, 0.5);
}

TEST(HmmSync, macro_orders_are_those_of_the_steppers) {
    EXPECT_NEAR(macro_order("hmm-sync", "verlet", {40, 80, 160}), 2, 0.1);
    EXPECT_NEAR(macro_order("hmm-sync", "rk4", {40, 80, 160}), 4, 0.3);
}

TEST(HmmAsync, is_reversible_to_rounding) {
    // Forward to t = 1, then the velocity turned round: back at the start.
    const Options options{.macro = "verlet",
                          .steps = 50,
                          .micro = "verlet",
                          .micro_steps_per_period = 20,
                          .filter = "period",
                          .initial = "averaged"};
    const auto there =
        plain_run(pendulum.vibrated(1e5),
                  {.start = {0.5}, .velocity = {0.3}, .t_end = 1, .method = "hmm-async", .options = options});
    const auto& end = there.final_state();
    const auto back = plain_run(
        pendulum.vibrated(1e5),
        {.start = end.position, .velocity = {-end.velocity[0]}, .t_end = 1, .method = "hmm-async", .options = options});
    EXPECT_NEAR(back.final_state().position[0], 0.5, 1e-12);
    EXPECT_NEAR(back.final_state().velocity[0], -0.3, 1e-11);
}

/// The slow motion found from true initial data at a given phase.
template <class System>
Snapshot slow_at_end(const System& system, std::vector<double> q, std::vector<double> v, const std::string& method,
                     const std::string& initial, double t_start, double t_end) {
    const auto run = plain_run(system, {.start = std::move(q),
                                        .velocity = std::move(v),
                                        .t_start = t_start,
                                        .t_end = t_end,
                                        .method = method,
                                        .rtol = 1e-9,
                                        .atol = 1e-12,
                                        .options = {.filter = "cos8", .initial = initial}});
    EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    return run.final_state();
}

TEST(InitialData, the_same_motion_from_several_phases_gives_the_same_slow_motion) {
    // One true motion, entered at seven of its phases.
    constexpr double omega = 1e4;
    const auto system = pendulum.vibrated(omega);
    const auto motion = plain_run(system, {.start = {0.5},
                                           .velocity = {1.0},
                                           .t_end = 3 * 2 * pi / omega,
                                           .method = "direct",
                                           .rtol = 1e-12,
                                           .atol = 1e-14});
    for (const std::string method : {"hmm-async", "hmm-sync"}) {
        const auto expected = slow_at_end(system, {0.5}, {1.0}, method, "true-state", 0, 1);
        double worst_without = 0;
        for (int k = 1; k <= 7; ++k) {
            const double t = 2 * pi / omega * (1 + k / 7.0);
            const auto state = motion.slow(t);
            const auto found = slow_at_end(system, state.position, state.velocity, method, "true-state", t, 1);
            EXPECT_NEAR(found.position[0], expected.position[0], 80 / omega)
                << method << " entered at phase " << k << "/7";
            EXPECT_NEAR(found.velocity[0], expected.velocity[0], 400 / omega)
                << method << " entered at phase " << k << "/7";
            const auto without = slow_at_end(system, state.position, state.velocity, method, "averaged", t, 1);
            worst_without = std::max(worst_without, std::abs(without.velocity[0] - expected.velocity[0]));
        }
        EXPECT_GT(worst_without, 1.0) << "without the conversion the slow velocity is wrong by O(1)";
    }
}

TEST(InitialData, theta_start_shifts_the_phase_like_a_later_start) {
    constexpr double omega = 1e4;
    const auto shifted = slow_at_end(pendulum.vibrated(omega, 1.3), {0.5}, {2.0}, "hmm-async", "true-state", 0, 1);
    const auto later =
        slow_at_end(pendulum.vibrated(omega), {0.5}, {2.0}, "hmm-async", "true-state", 1.3 / omega, 1 + 1.3 / omega);
    EXPECT_NEAR(shifted.position[0], later.position[0], 1e-9);
}

TEST(Fast, the_true_solution_is_reconstructed_to_the_order_of_the_average) {
    const std::vector<double> omegas{1e3, 1e4, 1e5};
    std::vector<double> positions;
    std::vector<double> velocities;
    for (const double omega : omegas) {
        const auto system = pendulum.vibrated(omega, 0.8);
        const auto truth =
            plain_run(system, {.start = {0.5}, .t_end = 0.5, .method = "direct", .rtol = 1e-11, .atol = 1e-13});
        const auto run =
            plain_run(system, {.start = {0.5}, .t_end = 0.5, .method = "hmm-async", .rtol = 1e-9, .atol = 1e-12});
        double position = 0;
        double velocity = 0;
        for (int k = 0; k <= 100; ++k) {
            const auto expected = truth.slow(0.005 * k);
            const auto found = run.fast(0.005 * k);
            position = std::max(position, std::abs(found.position[0] - expected.position[0]));
            velocity = std::max(velocity, std::abs(found.velocity[0] - expected.velocity[0]));
        }
        positions.push_back(position);
        velocities.push_back(velocity);
    }
    EXPECT_NEAR(papers::slope(omegas, positions), -1, 0.1);
    EXPECT_NEAR(papers::slope(omegas, velocities), -1, 0.1);
}

TEST(HmmSync, computes_the_fast_velocity_that_the_formula_gives) {
    const auto with_formula = pendulum.vibrated(1e5, 0.4);
    const auto without = with_formula.with_fast_velocity({});
    const Request request{.start = {0.5},
                          .t_end = 1,
                          .method = "hmm-sync",
                          .options = {.macro = "rk4", .steps = 100, .micro_steps_per_period = 32}};
    EXPECT_NEAR(plain_run(with_formula, request).final_state().position[0],
                plain_run(without, request).final_state().position[0], 1e-9);
}

TEST(Velocity, damping_acts_on_the_slow_motion) {
    // A damped vibrated pendulum: the averaged equation is (2.5) with the same damping.
    constexpr double omega = 1e5;
    const auto system = vibrated_system(1, omega, [](auto x, auto v, auto, auto theta, auto f) {
        f[0] = (9.8 + 4 * omega * cos(theta)) / 0.2 * sin(x[0]) - 3 * v[0];
    });
    const auto averaged =
        plain_system(1, [](auto x, auto v, auto, auto f) { f[0] = (49 - 200 * cos(x[0])) * sin(x[0]) - 3 * v[0]; });
    const double exact =
        plain_run(averaged, {.start = {0.5}, .t_end = 1, .method = "direct", .rtol = 1e-10}).final_state().position[0];
    const double undamped = pendulum.averaged_reference().final_state().position[0];
    for (const std::string method : {"hmm-async", "hmm-sync"}) {
        for (const std::string filter : {"cos8", "period"}) {
            if (method == "hmm-sync" && filter == "period") {
                continue;
            }
            const auto run = plain_run(system, {.start = {0.5},
                                                .t_end = 1,
                                                .method = method,
                                                .rtol = 1e-8,
                                                .options = {.filter = filter, .initial = "averaged"}});
            EXPECT_NEAR(run.final_state().position[0], exact, 100 / omega) << method << " " << filter;
        }
    }
    EXPECT_GT(std::abs(undamped - exact), 0.05) << "damping matters here";
}

TEST(Velocity, compositions_are_refused_for_forces_that_depend_on_it) {
    const auto system = vibrated_system(
        1, 1e4, [](auto x, auto v, auto, auto theta, auto f) { f[0] = 1e4 * cos(theta) * sin(x[0]) - v[0]; });
    for (const Options& options : {Options{.micro = "verlet4"}, Options{.macro = "verlet4", .steps = 10}}) {
        EXPECT_THROW(plain_run(system, {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = options}),
                     Misuse);
    }
    EXPECT_EQ(
        plain_run(system,
                  {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.macro = "verlet", .steps = 100}})
            .outcome(),
        Outcome::completed);
}

TEST(ExplicitTime, slow_time_is_seen_by_both_algorithms) {
    // A slow drive beside the vibration: averaged (2.5) plus sin(3t).
    constexpr double omega = 1e5;
    const auto system = vibrated_system(1, omega, [](auto x, auto, auto t, auto theta, auto f) {
        f[0] = (9.8 + 4 * omega * cos(theta)) / 0.2 * sin(x[0]) + 20 * sin(3 * t);
    });
    const auto averaged = plain_system(
        1, [](auto x, auto, auto t, auto f) { f[0] = (49 - 200 * cos(x[0])) * sin(x[0]) + 20 * sin(3 * t); });
    const double exact =
        plain_run(averaged, {.start = {0.5}, .t_end = 1, .method = "direct", .rtol = 1e-10}).final_state().position[0];
    for (const std::string method : {"hmm-async", "hmm-sync"}) {
        const auto run = plain_run(
            system, {.start = {0.5}, .t_end = 1, .method = method, .rtol = 1e-8, .options = {.initial = "averaged"}});
        EXPECT_NEAR(run.final_state().position[0], exact, 100 / omega) << method;
    }
}

TEST(SeveralPhases, incommensurate_vibrations_add_their_averages) {
    // f1 = sin(x) (cos theta1 / 2 + cos theta2): each vibration adds -amplitude^2/2 cos(x) sin(x).
    constexpr double omega = 1e5;
    const double ratio = std::sqrt(2.0);
    const auto system =
        vibrated_system(1, std::vector<double>{omega, ratio * omega}, [ratio](auto x, auto, auto, auto theta, auto f) {
            f[0] = (10 + 8 * omega * cos(theta[0]) + 12 * ratio * omega * cos(theta[1])) * sin(x[0]);
        });
    const auto averaged =
        plain_system(1, [](auto x, auto, auto, auto f) { f[0] = (10 - (64 + 144) / 2.0 * cos(x[0])) * sin(x[0]); });
    const double exact =
        plain_run(averaged, {.start = {0.5}, .t_end = 1, .method = "direct", .rtol = 1e-10}).final_state().position[0];
    for (const std::string method : {"hmm-async", "hmm-sync"}) {
        const auto run = plain_run(
            system, {.start = {0.5}, .t_end = 1, .method = method, .rtol = 1e-7, .options = {.initial = "averaged"}});
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        EXPECT_NEAR(run.final_state().position[0], exact, 200 / omega) << method;
    }
    EXPECT_THROW(
        plain_run(system, {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.filter = "period"}}),
        Misuse);
}

TEST(SeveralPhases, phases_of_one_frequency_keep_their_relation) {
    // Two vibrations of equal frequency, shifted: their cross term averages to cos(shift), which a reset of each phase
    // would lose.
    constexpr double omega = 1e5;
    for (const double shift : {0.0, pi / 3, 2.0}) {
        const auto system =
            vibrated_system(1, std::vector<double>{omega, omega}, [](auto x, auto, auto, auto theta, auto f) {
                f[0] = (10 + 8 * omega * cos(theta[0]) + 8 * omega * cos(theta[1])) * sin(x[0]);
            }).with_phase_start({0.0, shift});
        const double strength = (64 + 64 + 128 * std::cos(shift)) / 2;
        const auto averaged =
            plain_system(1, [strength](auto x, auto, auto, auto f) { f[0] = (10 - strength * cos(x[0])) * sin(x[0]); });
        const double exact = plain_run(averaged, {.start = {0.5}, .t_end = 1, .method = "direct", .rtol = 1e-10})
                                 .final_state()
                                 .position[0];
        const auto run = plain_run(system, {.start = {0.5},
                                            .t_end = 1,
                                            .method = "hmm-async",
                                            .rtol = 1e-7,
                                            .options = {.filter = "cos8", .initial = "averaged"}});
        EXPECT_NEAR(run.final_state().position[0], exact, 200 / omega) << shift;
    }
}

TEST(OnePeriodFilter, finds_the_phase_of_symmetry_of_a_sine) {
    // sin(theta) is even about pi/2: the window has to start there.
    constexpr double omega = 1e5;
    const auto system = vibrated_system(1, omega, [](auto x, auto, auto, auto theta, auto f) {
        f[0] = (9.8 + 4 * omega * sin(theta)) / 0.2 * sin(x[0]);
    });
    const double exact = pendulum.averaged_reference().final_state().position[0];
    const auto run = plain_run(system, {.start = {0.5},
                                        .t_end = 1,
                                        .method = "hmm-async",
                                        .rtol = 1e-8,
                                        .options = {.filter = "period", .initial = "averaged"}});
    EXPECT_NEAR(run.final_state().position[0], exact, 100 / omega);
}

TEST(OnePeriodFilter, is_refused_for_forces_that_are_even_about_no_phase) {
    const auto system = vibrated_system(
        1, 1e5, [](auto x, auto, auto, auto theta, auto f) { f[0] = 1e5 * (cos(theta) + sin(2 * theta)) * sin(x[0]); });
    try {
        plain_run(system, {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.filter = "period"}});
        FAIL() << "must be refused";
    } catch (const Misuse& misuse) {
        EXPECT_NE(std::string(misuse.what()).find("even about"), std::string::npos);
    }
    const auto by_kernel = plain_run(system, {.start = {0.5}, .t_end = 1, .method = "hmm-async"});
    EXPECT_EQ(by_kernel.outcome(), Outcome::completed);
    EXPECT_THROW(plain_run(system, {.start = {0.5}, .t_end = 1, .method = "hmm-sync", .options = {.filter = "period"}}),
                 Misuse);
}

TEST(OnePeriodFilter, would_be_wrong_by_order_one_at_phase_zero_of_a_sine) {
    // Declared even although it is not: the windows start at phase 0 and the result is wrong, as the paper warns.
    constexpr double omega = 1e5;
    const auto lying = vibrated_system(1, omega, [](auto x, auto, auto, auto theta, auto f) {
                           f[0] = (9.8 + 4 * omega * sin(theta)) / 0.2 * sin(x[0]);
                       }).with_parity(Parity::even);
    const double exact = pendulum.averaged_reference().final_state().position[0];
    const auto run = plain_run(
        lying,
        {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.filter = "period", .initial = "averaged"}});
    EXPECT_GT(std::abs(run.final_state().position[0] - exact), 0.1);
}

TEST(DeclaredPeriod, a_stiff_linear_oscillation_is_averaged_without_a_phase) {
    // Section 3.2: z'' = -w^2 z + x, x'' = -sin(x) + z; z oscillates with amplitude 1/w about x/w^2, x is slow.
    const std::vector<double> frequencies{1e2, 1e3, 1e4};
    std::vector<double> errors;
    std::vector<double> velocities;
    for (const double w : frequencies) {
        const auto system = oscillating_system(2, 2 * pi / w, [w](auto x, auto, auto, auto f) {
            f[0] = -sin(x[0]) + x[1];
            f[1] = -w * w * x[1] + x[0];
        });
        const Request request{.start = {1.0, 1 / w}, .velocity = {0.0, 0.5}, .t_end = 3, .rtol = 1e-10, .atol = 1e-13};
        auto direct_request = request;
        direct_request.method = "direct";
        const auto truth = plain_run(system, direct_request);
        auto averaged_request = request;
        averaged_request.method = "hmm-async";
        const auto run = plain_run(system, averaged_request);
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        errors.push_back(std::abs(run.final_state().position[0] - truth.final_state().position[0]));
        EXPECT_FALSE(run.has_fast());
        EXPECT_THROW(run.fast(1.0), Misuse);
        velocities.push_back(std::abs(run.final_state().velocity[1]));
    }
    EXPECT_LT(velocities.back(), 1e-7) << "the fast velocity, 0.5 at the start, is filtered away";
    EXPECT_LT(papers::slope(frequencies, velocities), -0.9);
    RecordProperty("errors", testing::PrintToString(errors) + " velocities " + testing::PrintToString(velocities));
    EXPECT_LT(errors.back(), 1e-6);
    EXPECT_LT(papers::slope(frequencies, errors), -1.5);
}

TEST(DeclaredPeriod, windows_too_coarse_to_hold_a_stiff_oscillation_are_found_out) {
    // Sixteen steps of dopri5 a period at w = 1e5: the slow solution would grow to 1e57 by t = 3.
    constexpr double w = 1e5;
    const auto system = oscillating_system(2, 2 * pi / w, [](auto x, auto, auto, auto f) {
        f[0] = -sin(x[0]) + x[1];
        f[1] = -w * w * x[1] + x[0];
    });
    Request request{.start = {1.0, 1 / w}, .velocity = {0.0, 0.5}, .t_end = 3, .method = "hmm-async"};
    request.options = {.micro = "dopri5", .micro_steps_per_period = 16, .filter = "period"};
    const auto coarse = plain_run(system, request);
    EXPECT_EQ(coarse.outcome(), Outcome::unstable);
    EXPECT_NE(coarse.explanation().find("verlet8"), std::string::npos);
    request.options = {.micro = "verlet8", .micro_steps_per_period = 16, .filter = "period"};
    const auto fine = plain_run(system, request);
    EXPECT_EQ(fine.outcome(), Outcome::completed);
    EXPECT_LT(std::abs(fine.final_state().position[1]), 1e-9);
}

TEST(DeclaredPeriod, fast_explicit_time_is_followed_within_windows) {
    // The vibrated pendulum written with cos(omega t) instead of a phase.
    constexpr double omega = 1e4;
    const auto system = oscillating_system(1, 2 * pi / omega, [](auto x, auto, auto t, auto f) {
        f[0] = (9.8 + 4 * omega * cos(omega * t)) / 0.2 * sin(x[0]);
    });
    const double exact = pendulum.averaged_reference().final_state().position[0];
    const auto run =
        plain_run(system, {.start = {0.5},
                           .t_end = 1,
                           .method = "hmm-async",
                           .rtol = 1e-6,
                           .options = {.macro = "verlet4", .steps = 200, .filter = "cos8", .initial = "averaged"}});
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    EXPECT_NEAR(run.final_state().position[0], exact, 300 / omega);
    EXPECT_THROW(plain_run(system, {.start = {0.5}, .t_end = 1, .method = "hmm-sync"}), Misuse);
}

TEST(Mass, a_full_mass_matrix_gives_the_averaged_motion_of_formula_3_7) {
    const papers::TwoCoordinates example{.mass = (Eigen::Matrix2d() << 2.0, 0.3, 0.3, 1.0).finished()};
    constexpr double omega = 1e5;
    MotionState<double> state(2);
    state.x()[0] = 0.7;
    state.x()[1] = -0.4;
    Verlet6<double> stepper(2);
    const auto exact_force = [&](double, std::span<const double> x, std::span<const double>, std::span<double> a) {
        const auto F = example.averaged_force(x);
        std::copy(F.begin(), F.end(), a.begin());
    };
    exact_force(0, state.x(), state.v(), state.a());
    for (int n = 0; n < 200; ++n) {
        stepper.step(exact_force, 0.01, state);
    }
    const auto run = plain_run(
        example.vibrated(omega),
        {.start = {0.7, -0.4}, .t_end = 2, .method = "hmm-async", .rtol = 1e-9, .options = {.initial = "averaged"}});
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    EXPECT_NEAR(run.final_state().position[0], state.x()[0], 20 / omega);
    EXPECT_NEAR(run.final_state().position[1], state.x()[1], 20 / omega);
}

}  // namespace
}  // namespace lento
