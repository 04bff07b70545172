/// Systems that break what averaging relies on: each is solved rightly or ends in an outcome, never in a wrong answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lento/lento.hpp"
#include "papers/pendulum.hpp"
#include "papers/plain_run.hpp"

namespace lento {
namespace {

using papers::plain_run;

constexpr double pi = std::numbers::pi;

/// The largest difference in position between the reconstructed and the true solution.
template <class System>
double error_against_direct(const System& system, Request request, const std::string& method) {
    request.method = "direct";
    const auto options = request.options;
    request.options = {};
    request.rtol = 1e-10;
    request.atol = 1e-12;
    const auto truth = plain_run(system, request);
    request.method = method;
    request.options = options;
    request.rtol = 1e-7;
    request.atol = 1e-10;
    const auto run = plain_run(system, request);
    EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    if (run.outcome() != Outcome::completed) {
        return std::nan("");
    }
    double error = 0;
    for (int k = 0; k <= 50; ++k) {
        const double t = request.t_start + (request.t_end - request.t_start) * k / 50.0;
        const auto expected = truth.slow(t);
        const auto found = run.fast(t);
        for (std::size_t i = 0; i < found.position.size(); ++i) {
            error = std::max(error, std::abs(found.position[i] - expected.position[i]));
        }
    }
    return error;
}

TEST(Velocity, damping_beside_a_force_without_symmetry_is_right_to_1_over_omega) {
    for (const std::string method : {"hmm-async", "hmm-sync"}) {
        for (const double w : {1e3, 1e4}) {
            const auto system = vibrated_system(1, w, [w](auto x, auto v, auto, auto th, auto f) {
                f[0] = -x[0] - v[0] + 2 * w * (cos(th) * sin(x[0]) + 0.7 * sin(2 * th) * cos(x[0]));
            });
            EXPECT_LT(error_against_direct(system, {.start = {0.7}, .velocity = {0.1}, .t_end = 1}, method), 5 / w)
                << method << " " << w;
        }
    }
}

TEST(Velocity, damping_beside_two_incommensurate_phases_is_right_to_1_over_omega) {
    const double w = 1e4;
    const auto system =
        vibrated_system(1, std::vector<double>{w, std::sqrt(2.0) * w}, [w](auto x, auto v, auto, auto th, auto f) {
            f[0] = -x[0] - v[0] + 2 * w * (cos(th[0]) * sin(x[0]) + 0.7 * sin(th[1]) * cos(x[0]));
        });
    EXPECT_LT(error_against_direct(system, {.start = {0.7}, .velocity = {0.1}, .t_end = 1}, "hmm-async"), 10 / w);
}

TEST(Velocity, a_leading_force_that_depends_on_it_is_refused) {
    const double w = 1e4;
    const auto system = vibrated_system(
        1, w, [w](auto x, auto v, auto, auto th, auto f) { f[0] = -x[0] + w * cos(th) * (1 + 0.5 * v[0]); });
    for (const std::string method : {"hmm-async", "hmm-sync"}) {
        const auto run = plain_run(system, {.start = {0.7}, .t_end = 1, .method = method});
        EXPECT_EQ(run.outcome(), Outcome::refused);
        EXPECT_NE(run.explanation().find("depends on the velocity"), std::string::npos) << run.explanation();
    }
}

TEST(Parity, that_ends_with_time_is_seen_at_the_start) {
    const double w = 1e4;
    const auto system = vibrated_system(1, w, [w](auto x, auto, auto t, auto th, auto f) {
        f[0] = -x[0] + 2 * w * (cos(th) * (1 - t) + t * sin(th)) * sin(x[0]);
    });
    EXPECT_LT(error_against_direct(system, {.start = {0.7}, .t_end = 1}, "hmm-async"), 10 / w);
}

TEST(Parity, that_ends_far_from_the_start_is_seen_on_the_way) {
    const double w = 1e4;
    const auto system = vibrated_system(2, w, [w](auto x, auto, auto, auto th, auto f) {
        f[0] = 2 * w * (cos(th) + max(x[1] - 20.0, 0.0 * x[1]) * 0.1 * sin(th)) * sin(x[0]);
        f[1] = 0 * x[1];
    });
    const Request request{.start = {0.7, 0}, .velocity = {0, 50}, .t_end = 1, .method = "hmm-async"};
    const auto run = plain_run(system, request);
    EXPECT_EQ(run.outcome(), Outcome::refused);
    EXPECT_GT(run.record().t_end, 0.1) << "it is even up to t = 0.4";
    EXPECT_LT(run.record().t_end, 0.5);
    EXPECT_NE(run.explanation().find("parity=none"), std::string::npos);
    auto whole = request;
    whole.options.parity = "none";
    EXPECT_LT(error_against_direct(system, whole, "hmm-async"), 50 / w);
}

TEST(Parity, declared_for_phases_that_never_vanish_together_is_not_used) {
    const double w = 1e4;
    const auto system = vibrated_system(1, std::vector<double>{w, w},
                                        [w](auto x, auto, auto, auto th, auto f) {
                                            f[0] = w * (cos(th[0]) * sin(x[0]) + cos(th[1]) * cos(x[0]));
                                        })
                            .with_phase_start({0.0, 1.0})
                            .with_parity(Parity::even);
    EXPECT_LT(error_against_direct(system, {.start = {0.7}, .t_end = 1}, "hmm-async"), 20 / w);
}

TEST(Parity, of_commensurate_phases_is_found_along_their_common_period) {
    const double w = 1e5;
    const auto system = vibrated_system(1, std::vector<double>{w, 2 * w}, [w](auto x, auto, auto, auto th, auto f) {
        f[0] = w * (sin(th[0]) * sin(x[0]) + cos(th[1]) * cos(x[0]));
    });
    EXPECT_LT(error_against_direct(system, {.start = {0.7}, .t_end = 1, .options = {.filter = "period"}}, "hmm-async"),
              20 / w);
}

TEST(Beats, of_higher_harmonics_are_seen) {
    const double w = 1e4;
    const auto system = vibrated_system(1, std::vector<double>{w, 2 * w + 3}, [w](auto x, auto, auto, auto th, auto f) {
        f[0] = w * ((cos(th[0]) + cos(2 * th[0])) * sin(x[0]) + cos(th[1]) * cos(x[0]));
    });
    const auto run = plain_run(system, {.start = {0.7}, .t_end = 1, .method = "hmm-async"});
    EXPECT_EQ(run.outcome(), Outcome::no_scale_separation)
        << "a beat of 3 radians a second is not fast against a run of 1 second";
    // Commensurate 7:16 without symmetry: windows cover the common period.
    const auto locked = vibrated_system(1, std::vector<double>{7e3, 16e3}, [](auto x, auto, auto, auto th, auto f) {
        f[0] = 1e4 * ((cos(th[0]) + sin(2 * th[0])) * sin(x[0]) + cos(th[1]) * cos(x[0]));
    });
    EXPECT_LT(error_against_direct(locked, {.start = {0.7}, .t_end = 1}, "hmm-async"), 2e-2);
}

TEST(DeclaredPeriod, a_slow_force_that_depends_on_the_slow_velocity_is_refused) {
    // A stiff spring in the plane: the averaged force is the centripetal one, which windows from rest cannot see.
    for (const double w : {1e2, 1e3}) {
        const auto spring = oscillating_system(2, 2 * pi / w, [w](auto x, auto, auto, auto f) {
            const auto r = sqrt(x[0] * x[0] + x[1] * x[1]);
            f[0] = -w * w * (r - 1) * x[0] / r;
            f[1] = -w * w * (r - 1) * x[1] / r;
        });
        const auto run = plain_run(spring, {.start = {1, 0}, .velocity = {0, 0.5}, .t_end = 5, .method = "hmm-async"});
        EXPECT_NE(run.outcome(), Outcome::completed) << w;
        EXPECT_NE(run.explanation().find("slow velocity"), std::string::npos) << run.explanation();
    }
}

TEST(Separation, a_vibration_as_long_as_the_force_is_refused) {
    for (const double v_max : {10.0, 20.0}) {
        const papers::Pendulum strong{.v_max = v_max};
        const auto run = plain_run(strong.vibrated(100), {.start = {0.5}, .t_end = 1, .method = "hmm-async"});
        EXPECT_EQ(run.outcome(), Outcome::no_scale_separation) << v_max;
    }
    EXPECT_EQ(
        plain_run(papers::Pendulum{}.vibrated(100), {.start = {0.5}, .t_end = 1, .method = "hmm-async"}).outcome(),
        Outcome::completed);
}

TEST(PhaseNoise, at_an_equilibrium_does_not_stall_the_march) {
    const papers::Pendulum pendulum;
    for (const double omega : {1e4, 1e6}) {
        const auto system = pendulum.vibrated(omega);
        EXPECT_LT(
            error_against_direct(pendulum.vibrated(1e4), {.start = {0.0}, .velocity = {5.0}, .t_end = 0.5}, "hmm-sync"),
            2e-2);
        const auto run = plain_run(system, {.start = {0.0}, .velocity = {5.0}, .t_end = 1, .method = "hmm-sync"});
        EXPECT_EQ(run.outcome(), Outcome::completed);
        EXPECT_LT(run.statistics().macro_steps, 500);
    }
}

TEST(Leakage, that_dominates_the_average_is_refused) {
    const papers::Pendulum pendulum;
    for (const std::string method : {"hmm-async", "hmm-sync"}) {
        const auto run = plain_run(pendulum.vibrated(1e5),
                                   {.start = {0.5}, .t_end = 1, .method = method, .options = {.filter = "cubic"}});
        EXPECT_EQ(run.outcome(), Outcome::refused) << method;
        EXPECT_NE(run.explanation().find("cos8"), std::string::npos);
    }
}

TEST(MacroStep, beyond_stability_is_said_to_be_so) {
    const papers::Pendulum pendulum;
    for (const std::size_t steps : {1U, 2U, 3U, 4U}) {
        const auto run = plain_run(pendulum.vibrated(1e5),
                                   {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.steps = steps}});
        EXPECT_EQ(run.outcome(), Outcome::unstable) << steps;
    }
    EXPECT_EQ(
        plain_run(pendulum.vibrated(1e5), {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.steps = 20}})
            .outcome(),
        Outcome::completed);
}

TEST(Rounding, beyond_what_double_precision_can_is_warned_of) {
    const papers::Pendulum pendulum;
    const auto run = plain_run(pendulum.vibrated(1e14), {.start = {0.5}, .t_end = 1, .method = "hmm-async"});
    EXPECT_TRUE(std::any_of(run.warnings().begin(), run.warnings().end(),
                            [](const auto& w) { return w.find("rounding") != std::string::npos; }));
    EXPECT_TRUE(
        plain_run(pendulum.vibrated(1e8), {.start = {0.5}, .t_end = 1, .method = "hmm-async"}).warnings().empty());
}

TEST(NotStarted, a_refused_run_shows_the_start_as_it_was_given) {
    const papers::Pendulum pendulum;
    const auto run = plain_run(pendulum.vibrated(50), {.start = {0.5}, .t_end = 1, .method = "hmm-async"});
    EXPECT_NE(run.outcome(), Outcome::completed);
    EXPECT_FALSE(run.has_fast());
    EXPECT_EQ(run.final_state().position[0], 0.5);
}

TEST(NoVibration, is_not_mistaken_for_one) {
    const papers::Pendulum still{.v_max = 0};
    const auto run = plain_run(still.vibrated(1e6), {.start = {0.5}, .t_end = 0.1, .method = "hmm-async"});
    EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
}

}  // namespace
}  // namespace lento
