#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "lento/lento.hpp"
#include "papers/chain.hpp"
#include "tests/method/random_sweep.hpp"

namespace lento {
namespace {

auto pendulum(double omega) {
    return vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
        f[0] = (9.8 + 4 * omega * cos(theta)) / 0.2 * sin(x[0]);
    });
}

Request pendulum_request(double rtol) {
    return {.start = {0.5}, .t_end = 1, .method = "harmonic", .rtol = rtol, .atol = rtol / 100};
}

/// The true motion at tight tolerances, by a solver of SUNDIALS.
Solution resolved(const Problem& system, Request request) {
    request.method = "direct";
    request.rtol = 1e-12;
    request.atol = 1e-14;
    request.options = {.macro = "arkode-8"};
    return solve(system, request);
}

TEST(HarmonicMethod, meets_its_tolerance_and_knows_its_error) {
    const auto system = pendulum(1e4);
    const auto truth = resolved(system, pendulum_request(1e-6));
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        const auto run = solve(system, pendulum_request(rtol));
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        ASSERT_EQ(run.record().method, "harmonic");
        ASSERT_EQ(run.record().error_estimate.size(), 2);
        for (const double t : {0.2, 0.5, 0.77, 1.0}) {
            const auto error = std::abs(run.fast(t).position[0] - truth.slow(t).position[0]);
            EXPECT_LT(error, rtol);
            EXPECT_LT(error, run.record().error_estimate[0] + 1e-9) << rtol;
            EXPECT_LT(std::abs(run.fast(t).velocity[0] - truth.slow(t).velocity[0]), 20 * rtol);
        }
        EXPECT_LE(run.record().error_estimate[0], rtol);
    }
}

/// To 1e-6 in the angle and 1e-5 in its velocity, after whole periods.
TEST(HarmonicMethod, evaluations_do_not_grow_with_the_frequency) {
    const auto evaluations = [](double omega) {
        auto request = pendulum_request(1e-6);
        request.t_end = std::floor(omega / (2 * std::numbers::pi)) * 2 * std::numbers::pi / omega;
        const auto run = solve(pendulum(omega), request);
        EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        EXPECT_EQ(run.statistics().micro_steps, 0);
        request.rtol = request.atol = std::max(1e-10, 3e-16 * omega);
        const auto finer = solve(pendulum(omega), request);
        const auto here = run.reconstruct(run.final_state());
        const auto there = finer.reconstruct(finer.final_state());
        EXPECT_LT(std::abs(here.position[0] - there.position[0]), 1e-6);
        EXPECT_LT(std::abs(here.velocity[0] - there.velocity[0]), 1e-5);
        return run.statistics().all_evaluations();
    };
    const auto at_1e5 = evaluations(1e5);
    const auto at_1e8 = evaluations(1e8);
    EXPECT_LE(at_1e5, 2300);
    EXPECT_LE(at_1e8, 2300);
    std::printf("%ld and %ld evaluations\n", static_cast<long>(at_1e5), static_cast<long>(at_1e8));
}

/// Two marches of the same few steps would differ by nothing, however wrong both are.
TEST(HarmonicMethod, marches_of_few_steps_are_not_alike) {
    const auto run = RandomSweep(9069, 4000).run(1e-8);
    EXPECT_TRUE(run.averaged) << run.why;
    EXPECT_LE(run.by_estimate, 2);
}

#ifdef LENTO_SANITIZED
constexpr double fastest = 300;
constexpr int fewest_averaged = 0;
#else
constexpr double fastest = 1e6;
constexpr int fewest_averaged = 60;
#endif

TEST(HarmonicMethod, estimates_are_honest_for_random_systems) {
    constexpr double most_periods = 500;
    double worst_by_estimate = 0;
    double worst_by_tolerance = 0;
    int averaged = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        if (papers::RandomVibrated(seed).omega > fastest) {
            continue;
        }
        const RandomSweep sweep(seed, most_periods);
        for (const double rtol : {1e-4, 1e-8}) {
            const auto run = sweep.run(rtol);
            if (!run.averaged) {
                EXPECT_FALSE(run.why.empty()) << "seed " << seed << " does not say why";
                continue;
            }
            ++averaged;
            EXPECT_LT(run.by_estimate, 10) << "seed " << seed << ", rtol " << rtol;
            EXPECT_LT(run.by_tolerance, 30) << "seed " << seed << ", rtol " << rtol;
            worst_by_estimate = std::max(worst_by_estimate, run.by_estimate);
            worst_by_tolerance = std::max(worst_by_tolerance, run.by_tolerance);
        }
    }
    std::printf("%d averaged runs; worst error over estimate %.2g, over tolerance %.2g\n", averaged, worst_by_estimate,
                worst_by_tolerance);
    EXPECT_GE(averaged, fewest_averaged);
}

TEST(HarmonicMethod, runs_where_it_is_asked_for_and_leaves_what_auto_gives_it_below_break_even) {
    const auto system = vibrated_system(
        1, 10.0, [](auto x, auto, auto, auto theta, auto f) { f[0] = -4 * sin(x[0]) + 5 * cos(theta); });
    Request request{.start = {0.5}, .t_end = 20};
    const auto run = solve(system, request);
    EXPECT_EQ(run.record().method, "direct");
    request.method = "direct";
    EXPECT_LT(run.statistics().all_evaluations(), 1.2 * solve(system, request).statistics().all_evaluations());
    request.method = "harmonic";
    EXPECT_EQ(solve(system, request).record().method, "harmonic");
}

TEST(HarmonicMethod, other_solvers_agree) {
    const auto system = pendulum(1e6);
    auto request = pendulum_request(1e-7);
    const double expected = solve(system, request).final_state().position[0];
    for (const char* macro : {"dopri5", "ode113", "arkode-8", "cvode-adams"}) {
        request.options.macro = macro;
        request.options.estimate = "none";
        const auto run = solve(system, request);
        ASSERT_EQ(run.outcome(), Outcome::completed) << macro << run.explanation();
        EXPECT_NEAR(run.final_state().position[0], expected, 1e-5) << macro;
        EXPECT_TRUE(run.record().error_estimate.empty());
    }
}

TEST(HarmonicMethod, first_order_systems) {
    // y' = omega-periodic, y of size one; the true solution by SUNDIALS.
    const auto rate = [](auto y, auto, auto theta, auto r) {
        r[0] = y[1] + cos(theta[0]) * y[0] * y[0];
        r[1] = -y[0] + sin(theta[0] + 1) * y[1];
    };
    const auto system = first_order_system(2, {{.frequency = 3000}}, rate);
    Request request{.start = {0.8, 0.1}, .t_end = 5, .method = "harmonic", .rtol = 1e-7, .atol = 1e-9};
    const auto run = solve(system, request);
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    ASSERT_EQ(run.record().method, "harmonic");
    const auto truth = resolved(system, request);
    EXPECT_NEAR(run.fast(5).position[0], truth.slow(5).position[0], 1e-7);
    EXPECT_NEAR(run.fast(2.3).position[1], truth.slow(2.3).position[1], 1e-7);
}

TEST(HarmonicMethod, samples_are_those_of_the_last_march) {
    for (const std::size_t samples : {2U, 11U, 201U}) {
        auto request = pendulum_request(1e-6);
        request.samples = samples;
        std::vector<double> times;
        std::vector<double> positions;
        request.sink = [&](double t, std::span<const double> y) {
            times.push_back(t);
            positions.push_back(y[0]);
        };
        const auto run = solve(pendulum(1e5), request);
        ASSERT_EQ(times.size(), samples);
        EXPECT_EQ(times.front(), 0);
        EXPECT_EQ(times.back(), 1);
        EXPECT_NEAR(positions[samples / 2], run.slow(times[samples / 2]).position[0], 1e-12);
        EXPECT_NEAR(positions.back(), run.final_state().position[0], 1e-12);
        const auto kept = positions;
        times.clear();
        positions.clear();
        request.keep = Recorder::Keep::nothing;
        solve(pendulum(1e5), request);
        EXPECT_EQ(positions, kept) << "without a trajectory";
    }
}

/// The true angles of the double pendulum at omega = 1e4, t = 1 (HARMONIC).
TEST(HarmonicMethod, constraints) {
    const auto chain = papers::double_pendulum();
    const auto run = solve(chain.vibrated(1e4),
                           {.start = chain.position({0.5, 0.0}), .t_end = 1, .method = "harmonic", .rtol = 1e-5});
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    ASSERT_EQ(run.record().method, "harmonic");
    const auto state = run.fast(1);
    EXPECT_NEAR(chain.angle(state.position, 0), 0.1027330487, 1e-5);
    EXPECT_NEAR(chain.angle(state.position, 1), 0.7924811721, 1e-5);
    std::vector<double> g(2);
    chain.constraints()->values(state.position, 1, g);
    EXPECT_NEAR(g[0], 0, 1e-15) << "true states are on the constraints";
    EXPECT_NEAR(g[1], 0, 1e-15);
    chain.constraints()->values(run.slow(1).position, 1, g);
    EXPECT_GT(std::abs(g[0]), 1e-12) << "and the slow ones a little beside them";
    EXPECT_LT(std::abs(g[0]), 1e-7);
    ASSERT_EQ(run.slow(0.5).multipliers.size(), 2);
    EXPECT_EQ(run.final_state().multipliers, run.slow(1).multipliers);
}

/// The multipliers are those that direct integration finds, at the same time, and their mean is slow.
TEST(HarmonicMethod, multipliers_are_the_true_ones) {
    const auto chain = papers::double_pendulum();
    const auto system = chain.vibrated(1e4);
    Request request{.start = chain.position({0.5, 0.0}), .t_end = 0.2, .method = "harmonic", .rtol = 1e-6};
    const auto run = solve(system, request);
    ASSERT_EQ(run.record().method, "harmonic");
    request.method = "direct";
    request.options = {};
    request.rtol = 1e-11;
    const auto truth = solve(system, request);
    for (const double t : {0.03, 0.101, 0.2}) {
        const auto expected = truth.slow(t).multipliers;
        const auto found = run.fast(t).multipliers;
        EXPECT_NEAR(found[0], expected[0], 0.02);
        EXPECT_NEAR(found[1], expected[1], 0.02);
        EXPECT_LT(std::abs(run.slow(t).multipliers[0]), 5) << "where the true ones reach hundreds";
    }
}

/// A stiffness near the square of the frequency, and a velocity coefficient of its size: sweeps do not converge, and it
/// says so.
TEST(HarmonicMethod, refuses_where_sweeps_do_not_converge) {
    const double omega = 1e4;
    const auto resonant = vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
        f[0] = -0.9 * omega * omega * x[0] + omega * cos(theta);
    });
    const auto gyrating = vibrated_system(2, omega, [=](auto x, auto v, auto, auto theta, auto f) {
        f[0] = 0.9 * omega * v[1] - x[0] + cos(theta);
        f[1] = -0.9 * omega * v[0] - x[1];
    });
    const auto first = solve(resonant, {.start = {0.1}, .t_end = 1000, .method = "harmonic"});
    EXPECT_EQ(first.outcome(), Outcome::no_scale_separation) << first.explanation();
    EXPECT_NE(first.explanation().find("resonance"), std::string::npos) << first.explanation();
    const auto second = solve(gyrating, {.start = {0.1, 0.2}, .velocity = {0, 0}, .t_end = 1000, .method = "harmonic"});
    EXPECT_EQ(second.outcome(), Outcome::no_scale_separation) << second.explanation();
    // Where nobody asked for it, a short run is resolved instead.
    EXPECT_EQ(solve(resonant, {.start = {0.1}, .t_end = 0.1}).record().method, "direct");
}

TEST(HarmonicMethod, is_what_auto_stands_for) {
    auto request = pendulum_request(1e-6);
    request.method = "auto";
    const auto run = solve(pendulum(1e5), request);
    EXPECT_EQ(run.record().method, "harmonic");
    EXPECT_EQ(run.record().requested_method, "auto");
    const auto chain = papers::double_pendulum();
    const auto constrained = solve(chain.vibrated(1e6), {.start = chain.position({0.5, 0.0}), .t_end = 0.1});
    EXPECT_EQ(constrained.record().method, "harmonic");
    const auto slow = vibrated_system(
        1, 10.0, [](auto x, auto, auto, auto theta, auto f) { f[0] = -4 * sin(x[0]) + 5 * cos(theta); });
    const auto below = solve(slow, {.start = {0.5}, .t_end = 20});
    EXPECT_EQ(below.record().method, "direct");
    EXPECT_EQ(below.record().requested_method, "auto");
    EXPECT_LT(below.statistics().all_evaluations(),
              1.2 * solve(slow, {.start = {0.5}, .t_end = 20, .method = "direct"}).statistics().all_evaluations());
}

/// Where sweeps do not converge, `auto` takes what does.
TEST(HarmonicMethod, auto_goes_on_with_another_method) {
    const double omega = 2000;
    const auto rate = [=](auto y, auto, auto theta, auto r) {
        r[0] = omega * y[1] + cos(theta[0]) - y[0];
        r[1] = -omega * y[0] - y[1];
        r[2] = -y[2] + y[0] * y[0];
    };
    const auto system = first_order_system(3, {{.frequency = omega}}, rate);
    const auto run = solve(system, {.start = {0.1, 0.0, 1.0}, .t_end = 3e4});
    EXPECT_EQ(run.record().method, "multirevolution") << run.explanation();
    EXPECT_EQ(run.record().requested_method, "auto");
    ASSERT_FALSE(run.record().tried.empty());
    EXPECT_EQ(run.record().tried[0].method, "harmonic");
}

/// cos(21 theta) looks like cos(theta) on 5 phases and on 11.
TEST(HarmonicMethod, high_harmonics_are_not_taken_for_low_ones) {
    const double omega = 1e4;
    for (const int harmonic : {21, 34, 55}) {
        const auto system = vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
            f[0] = -sin(x[0]) + omega * cos(harmonic * theta) * x[0] * x[0] / 3;
        });
        Request request{.start = {1}, .velocity = {1}, .t_end = 0.25, .method = "harmonic"};
        const auto run = solve(system, request);
        ASSERT_EQ(run.record().method, "harmonic") << run.explanation();
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        EXPECT_NEAR(run.fast(0.25).position[0], resolved(system, request).slow(0.25).position[0], 1e-6) << harmonic;
    }
}

/// The third harmonic of the velocity appears in the third sweep, and 5 phases do not hold it.
TEST(HarmonicMethod, harmonics_of_late_sweeps_count) {
    const double omega = 300;
    const auto system = vibrated_system(1, omega, [=](auto x, auto v, auto, auto theta, auto f) {
        f[0] = x[0] - x[0] * x[0] * x[0] - 0.1 * v[0] + omega * x[0] * cos(theta);
    });
    Request request{.start = {1}, .t_end = 10, .method = "harmonic", .rtol = 1e-8, .atol = 1e-10};
    const auto run = solve(system, request);
    ASSERT_EQ(run.record().method, "harmonic") << run.explanation();
    const auto truth = resolved(system, request);
    EXPECT_LT(std::abs(run.fast(10).velocity[0] - truth.slow(10).velocity[0]), 10 * run.record().error_estimate[1]);
}

TEST(HarmonicMethod, what_cannot_start_says_so) {
    const auto rate = [](auto y, auto, auto theta, auto r) { r[0] = sqrt(-y[0]) + sin(theta[0]); };
    const auto system = first_order_system(1, {{.frequency = 3000}}, rate);
    const auto run = solve(system, {.start = {0.3}, .t_end = 5, .method = "harmonic"});
    EXPECT_EQ(run.outcome(), Outcome::diverged);
    EXPECT_EQ(run.final_state().position, std::vector<double>{0.3});
    // The response leaves what the force is defined for, from a start that does not.
    const auto edge = [](auto y, auto, auto theta, auto r) { r[0] = sqrt(y[0]) - 3000 * sin(theta[0]); };
    const auto near =
        solve(first_order_system(1, {{.frequency = 3000}}, edge), {.start = {0.3}, .t_end = 5, .method = "harmonic"});
    EXPECT_EQ(near.outcome(), Outcome::diverged);
    EXPECT_NE(near.explanation().find("near it"), std::string::npos) << near.explanation();
    // From an averaged start there is no direct run.
    const auto few = vibrated_system(
        1, 60.0, [](auto x, auto, auto, auto theta, auto f) { f[0] = (9.8 + 240 * cos(theta)) / 0.2 * sin(x[0]); });
    const auto averaged =
        solve(few, {.start = {0.5}, .t_end = 1, .method = "harmonic", .options = {.initial = "averaged"}});
    EXPECT_EQ(averaged.outcome(), Outcome::no_scale_separation) << averaged.explanation();
}

/// One phase that turns a hundred times as often as the other takes thousands of phases.
auto close_phases(double ratio, auto seen) {
    return vibrated_system(1, {5.0, 5.0 * ratio}, [=](auto x, auto, auto, auto theta, auto f) {
        seen();
        f[0] = -sin(x[0]) + (50 * cos(theta[0]) + 500 * cos(theta[1])) * cos(x[0]);
    });
}

TEST(HarmonicMethod, a_stop_during_the_plan_interrupts) {
    std::int64_t calls = 0;
    std::stop_source source;
    const auto system = close_phases(100.1, [&] {
        if (++calls == 1000) {
            source.request_stop();
        }
    });
    const auto run = solve(system, {.start = {-0.145}, .t_end = 1, .method = "harmonic", .stop = source.get_token()});
    EXPECT_EQ(run.outcome(), Outcome::interrupted) << run.explanation();
    EXPECT_EQ(run.final_state().position, std::vector<double>{-0.145});
    EXPECT_LT(run.statistics().all_evaluations(), 20000)
        << "two thousand phases are planned with hundreds of thousands";
}

TEST(HarmonicMethod, so_many_phases_are_counted) {
    // Resolving the eighty vibrations takes fewer evaluations than looking at all phases once.
    const auto system = close_phases(100.1, [] {});
    EXPECT_EQ(solve(system, {.start = {-0.145}, .t_end = 1}).record().method, "direct");
    EXPECT_THROW(solve(close_phases(3000, [] {}), {.start = {-0.145}, .t_end = 1, .method = "harmonic"}), Misuse);
}

/// The force is finite, the response that sweeps make of it is not.
TEST(HarmonicMethod, sweeps_that_diverge_are_not_called_an_infinite_force) {
    const double omega = 1.5e5;
    const auto system = vibrated_system(1, {omega, omega / 100}, [=](auto x, auto, auto, auto theta, auto f) {
        f[0] = 12 * sin(x[0]) + omega * omega * (sin(theta[0]) * x[0] + sin(theta[1]) * sin(x[0]));
    });
    const auto run = solve(system, {.start = {-0.0248}, .velocity = {0.91}, .t_end = 1, .method = "harmonic"});
    EXPECT_EQ(run.outcome(), Outcome::no_scale_separation) << run.explanation();
    EXPECT_NE(run.explanation().find("each sweep"), std::string::npos) << run.explanation();
}

TEST(HarmonicMethod, what_cannot_be_asked_is_misuse) {
    auto request = pendulum_request(1e-6);
    request.options.phases = 1;
    EXPECT_THROW(solve(pendulum(1e5), request), Misuse);
    request.options = {.sweeps = 40};
    EXPECT_THROW(solve(pendulum(1e5), request), Misuse);
    request.options = {.filter = "cos8"};
    EXPECT_THROW(solve(pendulum(1e5), request), Misuse);
    request.options = {};
    const auto incommensurate = vibrated_system(1, {1000.0, 1414.2135}, [](auto x, auto, auto, auto theta, auto f) {
        f[0] = -x[0] + cos(theta[0]) + cos(theta[1]);
    });
    EXPECT_THROW(solve(incommensurate, request), Misuse);
    const auto without_phase = oscillating_system(1, 1e-4, [](auto x, auto, auto, auto f) { f[0] = -1e9 * x[0]; });
    EXPECT_THROW(solve(without_phase, request), Misuse) << "a period alone does not tell the phase";
}

}  // namespace
}  // namespace lento
