/// Stiff springs that the methods cannot take: each ends with an outcome and a sentence that helps.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lento/base/misuse.hpp"
#include "lento/lento.hpp"
#include "lento/method/slow_point.hpp"
#include "papers/plain_run.hpp"
#include "papers/two_springs.hpp"

namespace lento {
namespace {

using papers::plain_run;

using papers::TwoSprings;

void expect_ends(const Solution& run, Outcome outcome, const std::string& word) {
    EXPECT_EQ(run.outcome(), outcome) << run.explanation();
    EXPECT_NE(run.explanation().find(word), std::string::npos) << run.explanation();
}

Request two(const std::string& method) {
    return {.start = {1, 0, 2, 0}, .velocity = {0, -0.5, 0, 0.5}, .t_end = 10, .method = method};
}

TEST(SpringsRefused, where_the_oscillation_is_as_large_as_the_motion) {
    // stiff (12), with the sign mended
    const double omega = 1000;
    const auto oscillators = stiff_system(
        2,
        [omega](auto q, auto, auto, auto f) {
            f[0] = -omega * (q[0] - q[1]);
            f[1] = omega * (q[0] - q[1]);
        },
        {omega, omega},
        [](auto q, auto, auto g) {
            g[0] = q[0];
            g[1] = q[1];
        });
    for (const char* method : {"hmm-stiff", "ipa"}) {
        expect_ends(plain_run(oscillators, {.start = {1, 0}, .velocity = {0, 0}, .t_end = 10, .method = method}),
                    Outcome::refused, "direct");
    }
}

TEST(SpringsRefused, where_springs_are_not_fast) {
    for (const char* method : {"hmm-stiff", "ipa"}) {
        expect_ends(TwoSprings{15, 15}.solve(two(method)), Outcome::no_scale_separation, "direct");
        auto brief = two(method);
        brief.t_end = 1e-3;
        expect_ends(TwoSprings{1000, 1000}.solve(brief), Outcome::no_scale_separation, "window");
    }
}

TEST(SpringsRefused, where_the_energy_is_too_large_to_project) {
    auto request = two("ipa");
    request.start = {1.5, 0, 3.5, 0};
    expect_ends(TwoSprings{1000, 1000}.solve(request), Outcome::refused, "amplitude");
    request.start = {3, 1, -4, 2};
    const auto point = slow_point(stiff_system(4, TwoSprings::force(0, 0), {1e3, 1e3}, TwoSprings::both_elongations()),
                                  request, Extrapolation::none);
    EXPECT_EQ(point.outcome, Outcome::not_converged);
    EXPECT_NE(point.explanation.find("too far"), std::string::npos);
}

TEST(SpringsRefused, where_an_elongation_has_no_gradient) {
    const auto system = stiff_system(
        2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0; }, {1000},
        [](auto q, auto, auto g) { g[0] = (q[0] - 1) * (q[0] - 1); });
    for (const char* method : {"hmm-stiff", "ipa"}) {
        expect_ends(plain_run(system, {.start = {1, 0}, .velocity = {0, 1}, .t_end = 10, .method = method}),
                    Outcome::refused, "vanishing gradient");
    }
}

TEST(SpringsRefused, by_a_filter_that_lets_too_much_through_with_one_that_does_not) {
    auto request = two("hmm-stiff");
    request.options.project = "start";
    request.options.filter = "exponential";
    request.options.window_periods = 5;
    const TwoSprings springs{1, 2000};
    const auto run = springs.solve(request);
    expect_ends(run, Outcome::unstable, "would do");
    // What it says would do, does.
    const auto at = run.explanation().find("window_periods = ");
    ASSERT_NE(at, std::string::npos);
    request.options.window_periods = std::stod(run.explanation().substr(at + 17));
    EXPECT_EQ(springs.solve(request).outcome(), Outcome::completed);
}

TEST(SpringsRefused, on_the_way_where_a_spring_is_stretched_without_bound) {
    auto request = two("hmm-stiff");
    request.options.project = "start";
    request.options.macro = "rk4";
    request.options.macro_step = 3;  // far too long for the slow motion itself
    request.t_end = 300;
    const auto run = TwoSprings{1, 2000}.solve(request);
    EXPECT_TRUE(run.outcome() == Outcome::unstable || run.outcome() == Outcome::diverged) << run.explanation();
    EXPECT_NE(run.explanation().find("macro_step"), std::string::npos) << run.explanation();
    EXPECT_LT(run.record().t_end, 300);
}

/// An elongation whose gradient changes as the mass falls.
template <class Elongation>
Solution fallen(Elongation elongation, const Request& request) {
    return plain_run(stiff_system(
                         2,
                         [](auto, auto, auto, auto f) {
                             f[0] = 0;
                             f[1] = -9.8;
                         },
                         {2e4}, elongation),
                     request);
}

TEST(SpringsRefused, on_the_way_where_they_become_slower_or_faster) {
    for (const char* method : {"hmm-stiff", "ipa"}) {
        Request request{.start = {1, 0}, .velocity = {-1, 0}, .t_end = 2, .method = method};
        expect_ends(fallen([](auto q, auto, auto g) { g[0] = q[0] * q[1]; }, request), Outcome::no_scale_separation,
                    "slower");
        request.velocity = {0, 1};
        expect_ends(fallen([](auto q, auto, auto g) { g[0] = (q[0] * q[0] + 4 * q[1] * q[1] - 1) / 2; }, request),
                    Outcome::unstable, "micro_steps_per_period");
    }
}

TEST(SpringsRefused, where_the_force_becomes_infinite_on_the_way) {
    for (const char* method : {"hmm-stiff", "ipa"}) {
        const auto run = plain_run(stiff_system(
                                       2,
                                       [](auto q, auto, auto, auto f) {
                                           f[0] = 0;
                                           f[1] = -9.8 / ((q[1] + 0.5) * (q[1] + 0.5));
                                       },
                                       {1e5}, [](auto q, auto, auto g) { g[0] = hypot(q[0], q[1]) - 1; }),
                                   {.start = {1, 0}, .velocity = {0, 0}, .t_end = 2, .method = method});
        EXPECT_NE(run.outcome(), Outcome::completed);
        EXPECT_FALSE(run.explanation().empty());
        EXPECT_LT(run.record().t_end, 0.2);
    }
}

TEST(SpringsRefused, micro_steps_that_are_unstable) {
    auto request = two("ipa");
    request.options.micro_steps_per_period = 4;  // the springs in line go 1.618 times as fast as each
    expect_ends(TwoSprings{1000, 1000}.solve(request), Outcome::unstable, "micro_steps_per_period");
}

TEST(SpringsRefused, options_that_do_not_fit) {
    const auto refused = [](const std::string& method, auto&& set) {
        auto request = two(method);
        set(request.options);
        EXPECT_THROW((void)(TwoSprings{1000, 1000}.solve(request)), Misuse);
    };
    refused("ipa", [](Options& options) { options.project = "auto"; });
    refused("hmm-stiff", [](Options& options) { options.project = "each"; });
    refused("ipa", [](Options& options) { options.project = "times"; });
    refused("ipa", [](Options& options) { options.project_times = std::vector<double>{11}; });
    refused("ipa", [](Options& options) { options.filter = "period"; });
    refused("ipa", [](Options& options) { options.projection_tolerance = -1; });
    refused("ipa", [](Options& options) { options.macro = "verlet", options.macro_step = 0.1; });
    refused("hmm-stiff", [](Options& options) { options.projection_tolerance = 1e-9; });
}

TEST(SpringsRefused, systems_without_springs) {
    const auto free = oscillating_system(1, 1.0, [](auto, auto, auto, auto f) { f[0] = 0; });
    EXPECT_THROW((void)plain_run(free, {.start = {1}, .t_end = 1, .method = "ipa"}), Misuse);
}

}  // namespace
}  // namespace lento
