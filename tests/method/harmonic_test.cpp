#include "lento/method/harmonic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "lento/lento.hpp"
#include "papers/random_vibrated.hpp"

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
template <class System>
Solution resolved(const System& system, Request request) {
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

TEST(HarmonicMethod, cost_does_not_grow_with_the_frequency) {
    const auto evaluations = [](double omega) {
        const auto run = solve(pendulum(omega), pendulum_request(1e-6));
        EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        EXPECT_EQ(run.statistics().micro_steps, 0);
        return run.statistics().force_evaluations;
    };
    const auto at_1e5 = evaluations(1e5);
    EXPECT_LT(at_1e5, 8000);
    EXPECT_LT(evaluations(1e8), 1.1 * static_cast<double>(at_1e5));
}

#ifdef LENTO_SANITIZED
constexpr double fastest = 300;
constexpr int fewest_averaged = 0;
#else
constexpr double fastest = 5e3;  // beyond, the truth takes too long
constexpr int fewest_averaged = 12;
#endif

TEST(HarmonicMethod, estimates_are_honest_for_random_systems) {
    double worst_by_estimate = 0;
    double worst_by_tolerance = 0;
    int averaged = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const papers::RandomVibrated random(seed);
        if (random.omega > fastest) {
            continue;
        }
        const auto system = random.system();
        Request request{.start = random.start, .velocity = random.velocity, .t_end = 2, .method = "harmonic"};
        const auto truth = resolved(system, request);
        for (const double tolerance : {1e-4, 1e-8}) {
            request.rtol = tolerance;
            request.atol = tolerance / 100;
            const auto run = solve(system, request);
            ASSERT_EQ(run.outcome(), Outcome::completed) << seed << ": " << run.explanation();
            if (run.record().method != "harmonic") {
                EXPECT_FALSE(run.warnings().empty()) << "it says why";
                continue;
            }
            ++averaged;
            std::vector<double> error(2 * random.dimension, 0.0);
            std::vector<double> size(2 * random.dimension, 0.0);
            for (int k = 0; k <= 64; ++k) {
                const double t = k / 32.0;
                const auto found = run.fast(t);
                const auto expected = truth.slow(t);
                for (std::size_t i = 0; i < random.dimension; ++i) {
                    error[i] = std::max(error[i], std::abs(found.position[i] - expected.position[i]));
                    size[i] = std::max(size[i], std::abs(expected.position[i]));
                    const std::size_t v = random.dimension + i;
                    error[v] = std::max(error[v], std::abs(found.velocity[i] - expected.velocity[i]));
                    size[v] = std::max(size[v], std::abs(expected.velocity[i]));
                }
            }
            for (std::size_t i = 0; i < error.size(); ++i) {
                const double by_estimate = error[i] / run.record().error_estimate[i];
                const double by_tolerance = error[i] / (request.atol + request.rtol * size[i]);
                EXPECT_LT(by_estimate, 10) << "seed " << seed << ", tolerance " << tolerance << ", component " << i;
                EXPECT_LT(by_tolerance, 30) << "seed " << seed << ", tolerance " << tolerance << ", component " << i;
                worst_by_estimate = std::max(worst_by_estimate, by_estimate);
                worst_by_tolerance = std::max(worst_by_tolerance, by_tolerance);
            }
        }
    }
    std::printf("%d averaged runs; worst error over estimate %.2g, over tolerance %.2g\n", averaged, worst_by_estimate,
                worst_by_tolerance);
    EXPECT_GE(averaged, fewest_averaged);
}

TEST(HarmonicMethod, hands_over_below_break_even) {
    const auto system = vibrated_system(
        1, 10.0, [](auto x, auto, auto, auto theta, auto f) { f[0] = -4 * sin(x[0]) + 5 * cos(theta); });
    Request request{.start = {0.5}, .t_end = 20, .method = "harmonic"};
    const auto run = solve(system, request);
    EXPECT_EQ(run.record().method, "direct");
    EXPECT_EQ(run.record().requested_method, "harmonic");
    ASSERT_FALSE(run.warnings().empty());
    EXPECT_NE(run.warnings()[0].find("resolving it is cheaper"), std::string::npos) << run.warnings()[0];
    request.method = "direct";
    EXPECT_LT(static_cast<double>(run.statistics().force_evaluations),
              1.2 * static_cast<double>(solve(system, request).statistics().force_evaluations));
}

TEST(HarmonicMethod, other_solvers_agree) {
    const auto system = pendulum(1e6);
    auto request = pendulum_request(1e-7);
    const double expected = solve(system, request).final_state().position[0];
    for (const char* macro : {"dopri5", "arkode-8", "cvode-adams"}) {
        request.options.macro = macro;
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
    const FirstOrderSystem<decltype(rate)> system(2, {{.frequency = 3000}}, rate);
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
