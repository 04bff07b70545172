/// What runs say of their own error: by two marches, or beside a method that knows.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lento/lento.hpp"
#include "papers/reversible_systems.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;

/// x'' = -x/|x|^3 from the pericentre of an orbit of eccentricity e and half axis 1.
Problem kepler() {
    return plain_system(2, [](auto x, auto, auto, auto f) {
        const auto square = x[0] * x[0] + x[1] * x[1];
        const auto cube = square * sqrt(square);
        f[0] = -x[0] / cube;
        f[1] = -x[1] / cube;
    });
}

std::vector<double> kepler_position(double e, double t) {
    double anomaly = t;
    for (int k = 0; k < 50; ++k) {
        anomaly -= (anomaly - e * std::sin(anomaly) - t) / (1 - e * std::cos(anomaly));
    }
    return {std::cos(anomaly) - e, std::sqrt(1 - e * e) * std::sin(anomaly)};
}

double largest_over_run(const Solution& run, double t_end, auto&& error) {
    double worst = 0;
    for (int k = 1; k <= 200; ++k) {
        const double e = error(t_end * k / 200);
        worst = std::isnan(e) || e > worst ? e : worst;
    }
    EXPECT_TRUE(run.outcome() == Outcome::completed || run.outcome() == Outcome::tolerance_missed);
    return worst;
}

TEST(DirectEstimate, direct_is_within_its_tolerance_after_a_hundred_orbits) {
    const double e = 0.6;
    const double t_end = 200 * pi + 1;
    for (const double rtol : {1e-4, 1e-7, 1e-10}) {
        const auto run = solve(kepler(), {.start = {1 - e, 0},
                                          .velocity = {0, std::sqrt((1 + e) / (1 - e))},
                                          .t_end = t_end,
                                          .method = "direct",
                                          .rtol = rtol,
                                          .atol = rtol / 1000});
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        const double error = largest_over_run(
            run, t_end, [&](double t) { return std::abs(run.slow(t).position[0] - kepler_position(e, t)[0]); });
        EXPECT_LE(error, rtol * (1 + e)) << rtol;
        EXPECT_LE(error, 3 * run.record().error_estimate[0]) << rtol;
        EXPECT_GT(run.statistics().estimate_evaluations, 0);
    }
}

TEST(DirectEstimate, a_plain_run_estimates_nothing) {
    const auto run =
        solve(kepler(),
              {.start = {1, 0}, .velocity = {0, 1}, .t_end = 20, .method = "direct", .options = {.estimate = "none"}});
    EXPECT_EQ(run.outcome(), Outcome::completed);
    EXPECT_TRUE(run.record().error_estimate.empty());
    EXPECT_LE(run.statistics().estimate_evaluations, 1100);  // a look at times where the force may be sudden
}

TEST(DirectEstimate, chaos_misses_the_tolerance_and_tells_how_fast_motions_part) {
    const auto lorenz = first_order_system(3, [](auto y, auto, auto rate) {
        rate[0] = 10 * (y[1] - y[0]);
        rate[1] = y[0] * (28 - y[2]) - y[1];
        rate[2] = y[0] * y[1] - 8.0 / 3 * y[2];
    });
    const auto run = solve(lorenz, {.start = {1, 1, 1}, .t_end = 60, .method = "direct", .rtol = 1e-9});
    EXPECT_EQ(run.outcome(), Outcome::tolerance_missed);
    EXPECT_GT(*std::ranges::max_element(run.record().error_estimate), 1);
    // Its largest Lyapunov exponent is 0.906. Motions that have been as far apart as they get for long tell nothing of
    // it.
    for (const double t_end : {60.0, 300.0}) {
        const auto far = solve(lorenz, {.start = {1, 1, 1}, .t_end = t_end, .method = "direct", .rtol = 1e-9});
        const auto at = far.explanation().find("part by a factor of e every ");
        ASSERT_NE(at, std::string::npos) << far.explanation();
        EXPECT_NEAR(std::stod(far.explanation().substr(at + 28)), 1 / 0.906, 0.25) << t_end;
    }
    const auto shorter = solve(lorenz, {.start = {1, 1, 1}, .t_end = 10, .method = "direct", .rtol = 1e-9});
    EXPECT_EQ(shorter.outcome(), Outcome::completed) << shorter.explanation();
}

TEST(DirectEstimate, a_burst_much_shorter_than_the_steps_is_met) {
    // x'' = -0.01 x + 50 exp(-((t - 61.7)/0.05)^2): what it pushes is known up to the slow oscillation.
    const double at = 61.7, width = 0.05, push = 50;
    const auto kicked = plain_system(1, [=](auto x, auto, auto t, auto f) {
        f[0] = -0.01 * x[0] + push * exp(-((t - at) / width) * ((t - at) / width));
    });
    const auto run = solve(kicked, {.start = {1}, .velocity = {0}, .t_end = 100, .method = "direct"});
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    const double omega = 0.1;
    // The response of an oscillator to a Gaussian, after it.
    const double kick = push * width * std::sqrt(pi) * std::exp(-omega * omega * width * width / 4);
    const double exact = std::cos(omega * 100) + kick / omega * std::sin(omega * (100 - at));
    EXPECT_NEAR(run.slow(100).position[0], exact, 1e-6 * 50);
}

TEST(DirectEstimate, what_is_narrow_in_space_is_not_jumped_over) {
    // Through (x/d) exp(-(x/d)^2) at speed 1: the delay is int V + 3/2 V^2 + ..., V = d/2 exp(-(x/d)^2) the potential.
    constexpr double d = 0.005;
    const auto problem = plain_system(1, [](auto x, auto, auto, auto f) {
        const auto s = x[0] / d;
        f[0] = s * exp(-s * s);
    });
    const double delay = d * d / 2 * std::sqrt(pi) + 3.0 / 8 * d * d * d * std::sqrt(pi / 2);
    for (const double start : {-5.1, -4.7, -4.31}) {
        const auto run = solve(problem, {.start = {start}, .velocity = {1}, .t_end = 10, .method = "direct"});
        EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        EXPECT_NEAR(run.final_state().position[0], start + 10 - delay, 1e-8) << start;
    }
}

TEST(DirectEstimate, a_pulse_within_a_turn_of_a_phase_is_not_jumped_over) {
    // x'' = exp(-k (1 - cos theta)): each turn gives 2 pi exp(-k) I_0(k)/omega to the velocity, by the asymptotic
    // series.
    constexpr double k = 2e4, omega = 2 * pi * 3;
    const auto problem = vibrated_system(1, omega, [](auto, auto, auto, auto theta, auto f) {
                             f[0] = exp(-k * (1 - cos(theta)));
                         }).with_phase_start({2.0});
    const auto run = solve(problem, {.start = {0}, .velocity = {0}, .t_end = 10, .method = "direct", .rtol = 1e-4});
    EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    const double a_turn = 2 * pi / omega / std::sqrt(2 * pi * k) * (1 + 1 / (8 * k));
    EXPECT_NEAR(run.final_state().velocity[0], 30 * a_turn, 1e-4 * 30 * a_turn);
}

TEST(DirectEstimate, evaluations_and_steps_are_of_the_same_march_where_a_finer_one_was_tried_in_vain) {
    // Rates that jump at each turn of the phase: shorter steps do not make the error small enough.
    const auto system = first_order_system(2, {{.frequency = 1000}}, [](auto y, auto, auto theta, auto rate) {
        rate[0] = sqrt(sin(theta[0]) * sin(theta[0])) * y[1];
        rate[1] = -y[0] * (1 + cos(theta[0]) / sqrt(cos(theta[0]) * cos(theta[0])));
    });
    const auto run = solve(system, {.start = {1, 0.2}, .t_end = 2, .method = "direct", .rtol = 1e-11, .atol = 1e-13});
    EXPECT_EQ(run.outcome(), Outcome::tolerance_missed) << run.explanation();
    EXPECT_GE(run.statistics().force_evaluations, run.statistics().macro_steps);
}

TEST(HarmonicEstimate, a_motion_that_grows_a_hundred_thousand_times_is_within_its_tolerance) {
    const auto problem =
        vibrated_system(1, 840, [](auto x, auto, auto, auto theta, auto f) { f[0] = (7 + 230 * cos(theta)) * x[0]; });
    Request request{.start = {1e-3}, .velocity = {0}, .t_end = 4.9, .method = "direct", .rtol = 1e-10, .atol = 1e-13};
    const double truth = solve(problem, request).final_state().position[0];
    EXPECT_GT(truth, 100);
    request.method = "harmonic";
    for (const double rtol : {1e-3, 1e-4, 1e-6}) {
        request.rtol = rtol;
        request.atol = rtol / 1000;
        const auto run = solve(problem, request);
        EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        EXPECT_NEAR(run.fast(4.9).position[0], truth, rtol * truth) << rtol;
        EXPECT_NEAR(run.fast(4.9).position[0], truth, run.record().error_estimate[0]) << rtol;
    }
}

TEST(HarmonicEstimate, a_burst_that_lasts_a_vibration_is_resolved) {
    const auto problem = vibrated_system(1, 280, [](auto x, auto, auto t, auto theta, auto f) {
        const auto late = (t - 4.03) / 0.0094;
        f[0] = -x[0] + 140 * cos(theta) * sin(x[0]) + 12 * exp(-late * late) * cos(theta);
    });
    const Request request{.start = {0.4}, .velocity = {0}, .t_end = 6, .rtol = 1e-3, .atol = 1e-6};
    const auto run = solve(problem, request);
    EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    ASSERT_EQ(run.record().tried.size(), 1u);
    EXPECT_NE(run.record().tried[0].why.find("less than a vibration"), std::string::npos) << run.record().tried[0].why;
    auto named = request;
    named.method = "harmonic";
    EXPECT_EQ(solve(problem, named).outcome(), Outcome::no_scale_separation);
}

TEST(Estimate, late_starts_know_that_their_phases_are_rounded) {
    const double omega = 1e6, t_start = 1e8;
    const auto driven =
        vibrated_system(1, omega, [=](auto, auto, auto, auto theta, auto f) { f[0] = omega * cos(theta); });
    for (const char* method : {"direct", "harmonic"}) {
        const auto run = solve(driven, {.start = {0.5},
                                        .velocity = {0},
                                        .t_start = t_start,
                                        .t_end = t_start + 1e-2,
                                        .method = method,
                                        .rtol = 1e-9});
        // A rounding of t is 1.5e-8 there, 0.015 of a radian of the phase.
        ASSERT_EQ(run.record().error_estimate.size(), 2) << method << run.explanation();
        EXPECT_GT(run.record().error_estimate[1], 1e-2) << method;
        EXPECT_LT(run.record().error_estimate[1], 1e-1) << method;
        EXPECT_EQ(run.outcome(), Outcome::tolerance_missed) << method;
    }
}

/// A unit mass on a spring of length 1, under gravity.
Problem elastic_pendulum(double omega) {
    return stiff_system(
        2,
        [](auto, auto, auto, auto f) {
            f[0] = 0;
            f[1] = -1;
        },
        {omega}, [](auto q, auto, auto g) { g[0] = hypot(q[0], q[1]) - 1; });
}

TEST(SecondOpinion, slow_manifolds_are_estimated_beside_one_that_knows_its_error) {
    for (const char* method : {"ipa", "hmm-stiff"}) {
        // Along the spring the start has a velocity of 0.02 that is not slow.
        const Request request{
            .start = {0.6, -0.8}, .velocity = {0.8 + 0.012, 0.6 - 0.016}, .t_end = 3, .method = method, .rtol = 1e-3};
        const auto run = solve(elastic_pendulum(1e3), request);
        ASSERT_EQ(run.record().error_estimate.size(), 4) << method << run.explanation();
        auto tight = request;
        tight.method = "direct";
        tight.rtol = 1e-9;
        tight.atol = 1e-11;
        const auto truth = solve(elastic_pendulum(1e3), tight);
        const double error = largest_over_run(
            run, 3, [&](double t) { return std::abs(run.slow(t).position[0] - truth.slow(t).position[0]); });
        ASSERT_EQ(run.record().left_out.size(), 4) << method;
        EXPECT_LE(error, run.record().error_estimate[0] + run.record().left_out[0]) << method;
        EXPECT_NEAR(run.record().left_out[2], 0.02, 4e-3) << method;
        EXPECT_NEAR(run.record().left_out[0], 0.02 / 1e3, 4e-6) << method;
        EXPECT_GT(run.statistics().estimate_evaluations, 0) << method;
    }
}

TEST(SecondOpinion, slow_variables_are_estimated_and_the_fast_phase_is_not) {
    const auto run = solve(papers::slow_pendulum(1e-3),
                           {.start = {0, -0.4, 0.6, 0.8}, .t_end = 2, .method = "reversible", .rtol = 1e-3});
    ASSERT_EQ(run.record().slow_error_estimate.size(), papers::slow_pendulum(1e-3).slow->outputs())
        << run.explanation();
    EXPECT_TRUE(run.record().error_estimate.empty());
    const double worst = *std::ranges::max_element(run.record().slow_error_estimate);
    EXPECT_GT(worst, 1e-6);
    EXPECT_LT(worst, 0.1);
}

TEST(SecondOpinion, windows_are_estimated_beside_harmonic_averages) {
    const double omega = 1e5;
    const auto pendulum = vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
        f[0] = (9.8 + 4 * omega * cos(theta)) / 0.2 * sin(x[0]);
    });
    const Request request{.start = {0.5}, .t_end = 1, .method = "hmm-async"};
    const auto run = solve(pendulum, request);
    EXPECT_EQ(run.outcome(), Outcome::tolerance_missed);  // it neglects 20/omega
    ASSERT_EQ(run.record().error_estimate.size(), 2);
    auto other = request;
    other.method = "harmonic";
    other.rtol = 1e-9;
    const auto truth = solve(pendulum, other);
    const double error = largest_over_run(
        run, 1, [&](double t) { return std::abs(run.fast(t).position[0] - truth.fast(t).position[0]); });
    EXPECT_GT(error, 2e-5);
    EXPECT_LE(error, 1.5 * run.record().error_estimate[0]);
    EXPECT_LE(run.record().error_estimate[0], 3 * error);
    auto loose = request;
    loose.rtol = 1e-2;
    EXPECT_EQ(solve(pendulum, loose).outcome(), Outcome::completed);
}

TEST(SecondOpinion, where_nothing_tells_the_error_the_tolerance_counts_as_missed) {
    // Phases without a common period: averages over one do not apply, and resolving 1e9 vibrations is too dear.
    const double omega = 1e9;
    const auto pendulum = vibrated_system(1, std::vector{omega, omega * std::numbers::sqrt2},
                                          [=](auto x, auto, auto, auto theta, auto f) {
                                              f[0] = -sin(x[0]) * (1 + omega * (cos(theta[0]) + cos(theta[1])));
                                          });
    Request request{.start = {0.5}, .t_end = 1, .method = "hmm-async", .rtol = 1e-3};
    const auto run = solve(pendulum, request);
    EXPECT_EQ(run.outcome(), Outcome::tolerance_missed);
    EXPECT_TRUE(run.record().error_estimate.empty());
    EXPECT_NE(run.explanation().find("nothing tells how wrong this is"), std::string::npos) << run.explanation();
    request.options.estimate = "none";
    EXPECT_EQ(solve(pendulum, request).outcome(), Outcome::completed);
}

}  // namespace
}  // namespace lento
