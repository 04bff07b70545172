/// Bad input and bad systems: each a sentence, none a crash.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "lento/lento.hpp"
#include "lento/run/run.hpp"
#include "papers/pendulum.hpp"
#include "papers/plain_run.hpp"

namespace lento {
namespace {

using papers::plain_run;

const papers::Pendulum pendulum;

std::string refusal(const std::function<void()>& task) {
    try {
        task();
    } catch (const Misuse& misuse) {
        return misuse.what();
    }
    return "(accepted)";
}

std::string refusal_of(const Request& request) {
    return refusal([&] { plain_run(pendulum.vibrated(1e4), request); });
}

void expect_mentions(const std::string& message, std::vector<std::string> words) {
    for (const auto& word : words) {
        EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' in: " << message;
    }
}

Request with(Options options) {
    return {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = std::move(options)};
}

TEST(Input, every_refusal_says_what_was_given_and_what_to_do) {
    expect_mentions(refusal_of(with({.macro_step = 0.0})), {"macro_step is 0"});
    expect_mentions(refusal_of(with({.macro_step = -1.0})), {"macro_step is -1"});
    expect_mentions(refusal_of(with({.macro_step = std::nan("")})), {"macro_step is nan"});
    expect_mentions(refusal_of(with({.filter = "cos8", .window_periods = 0.5})),
                    {"0.5 periods", "at least one period"});
    expect_mentions(refusal_of(with({.filter = "cos8", .window = 1e-6})), {"periods wide", "at least one period"});
    expect_mentions(refusal_of(with({.filter = "period", .window_periods = 3.0})), {"exactly one period"});
    expect_mentions(refusal_of(with({.micro_steps_per_period = 15, .filter = "period"})), {"even number"});
    expect_mentions(refusal_of(with({.micro_steps_per_period = 2})), {"at least 4"});
    expect_mentions(refusal_of(with({.micro_step = 1e-6, .micro_steps_per_period = 16})), {"both"});
    expect_mentions(refusal_of(with({.macro_step = 0.1, .steps = 10})), {"both"});
    expect_mentions(refusal_of(with({.macro = "rk4"})), {"rk4", "macro_step or steps"});
    expect_mentions(refusal_of(with({.macro = "ode45", .steps = 10})), {"ode45", "its own steps"});
    expect_mentions(refusal_of(with({.macro = "verlat", .steps = 10})), {"verlat", "did you mean 'verlet'"});
    expect_mentions(refusal_of(with({.micro = "nothing"})), {"micro = 'nothing'", "verlet"});
    expect_mentions(refusal_of(with({.filter = "gauss"})), {"gauss", "exponential"});
    expect_mentions(refusal_of(with({.initial = "perhaps"})), {"perhaps", "true-state", "averaged"});
    expect_mentions(refusal_of(with({.mean_force = "foo"})), {"foo", "refuse", "accept"});
    expect_mentions(refusal_of(with({.parity = "odd"})), {"odd", "detect", "none"});
    expect_mentions(refusal_of({.start = {0.5}, .t_end = 1, .method = "hmm-asink"}),
                    {"hmm-asink", "did you mean 'hmm-async'"});
    expect_mentions(refusal_of({.start = {0.5}, .t_end = 0, .method = "hmm-async"}), {"t_end is 0"});
    expect_mentions(refusal_of({.start = {0.5, 1}, .t_end = 1, .method = "hmm-async"}),
                    {"1 coordinate;", "2 starting positions"});
    expect_mentions(refusal_of({.start = {std::nan("")}, .t_end = 1, .method = "hmm-async"}), {"not a finite number"});
    expect_mentions(refusal_of({.start = {0.5}, .t_end = 1, .method = "hmm-async", .rtol = 0}), {"rtol is 0"});
    expect_mentions(refusal_of({.start = {0.5}, .t_end = 1, .method = "direct", .options = {.filter = "cos8"}}),
                    {"'filter' does not apply", "direct"});
}

TEST(Input, option_texts_are_read_strictly) {
    Options options;
    set_option(options, "macro_step", "0.0125");
    set_option(options, "micro_steps_per_period", "80");
    set_option(options, "filter", "period");
    EXPECT_EQ(options.macro_step, 0.0125);
    EXPECT_EQ(options.micro_steps_per_period, 80U);
    EXPECT_EQ(options.filter, "period");
    expect_mentions(refusal([&] { set_option(options, "macro_stepp", "1"); }),
                    {"macro_stepp", "did you mean 'macro_step'"});
    expect_mentions(refusal([&] { set_option(options, "macro_step", "soon"); }), {"soon", "not a number"});
    expect_mentions(refusal([&] { set_option(options, "steps", "1.5"); }), {"1.5", "whole number"});
    expect_mentions(refusal([&] { set_option(options, "steps", "0"); }), {"whole number"});
}

TEST(Systems, a_force_that_is_not_a_number_ends_as_diverged) {
    const auto broken = vibrated_system(1, 1e4, [](auto x, auto, auto, auto theta, auto f) {
                            f[0] = 1e4 * cos(theta) * sqrt(-1 - x[0] * x[0]);
                        }).with_names({"q"});
    for (const std::string method : {"hmm-async", "hmm-sync", "direct"}) {
        const auto run = plain_run(broken, {.start = {0.5}, .t_end = 1, .method = method});
        EXPECT_EQ(run.outcome(), Outcome::diverged) << method;
        expect_mentions(run.explanation(), {"q", "start"});
    }
    // Finite at the start, not later.
    const auto later = vibrated_system(1, 1e4, [](auto x, auto, auto, auto theta, auto f) {
                           f[0] = 1e4 * cos(theta) * sin(x[0]) + 10 + 0 * sqrt(1 - x[0]);
                       }).with_names({"q"});
    for (const std::string method : {"hmm-async", "hmm-sync", "direct"}) {
        const auto run = plain_run(later, {.start = {0.5}, .t_end = 1, .method = method});
        EXPECT_EQ(run.outcome(), Outcome::diverged) << method;
        EXPECT_GT(run.record().t_end, 0.05) << method;
        EXPECT_TRUE(std::isfinite(run.final_state().position[0]));
    }
}

TEST(Systems, a_leading_force_that_does_not_average_to_zero_is_refused_by_name) {
    const auto biased = vibrated_system(2, 1e4, [](auto x, auto, auto, auto theta, auto f) {
                            f[0] = 1e4 * cos(theta) * sin(x[0]);
                            f[1] = 1e4 * (0.5 + cos(theta)) * sin(x[1]);
                        }).with_names({"left", "right"});
    for (const std::string method : {"hmm-async", "hmm-sync"}) {
        const auto run = plain_run(biased, {.start = {0.5, 0.5}, .t_end = 1, .method = method});
        EXPECT_EQ(run.outcome(), Outcome::refused);
        expect_mentions(run.explanation(), {"right", "2397", "average to zero", "mean_force=accept"});
    }
    const auto accepted = plain_run(
        biased, {.start = {0.5, 0.5}, .t_end = 0.01, .method = "hmm-async", .options = {.mean_force = "accept"}});
    EXPECT_EQ(accepted.outcome(), Outcome::completed);
}

TEST(Systems, coordinates_that_the_vibration_does_not_move_are_not_judged) {
    const auto mixed = vibrated_system(2, 1e4, [](auto x, auto, auto, auto theta, auto f) {
        f[0] = 1e4 * cos(theta) * sin(x[0]);
        f[1] = -x[1];
    });
    const auto run = plain_run(mixed, {.start = {0.5, 1.0}, .t_end = 1, .method = "hmm-async", .rtol = 1e-8});
    EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    EXPECT_NEAR(run.final_state().position[1], std::cos(1.0), 1e-6);
}

TEST(Systems, a_vibration_that_is_not_fast_against_the_run_is_said_to_be_so) {
    const auto run =
        plain_run(pendulum.vibrated(100),
                  {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.filter = "exponential"}});
    EXPECT_EQ(run.outcome(), Outcome::no_scale_separation);
    expect_mentions(run.explanation(), {"direct"});
}

TEST(Systems, leakage_and_cost_are_warned_of_with_numbers) {
    const auto leaky = plain_run(pendulum.vibrated(1e8),
                                 {.start = {0.5},
                                  .t_end = 1,
                                  .method = "hmm-async",
                                  .options = {.steps = 20, .micro_steps_per_period = 20, .filter = "exponential"}});
    ASSERT_EQ(leaky.warnings().size(), 1U);
    expect_mentions(leaky.warnings()[0], {"4.43e-11", "cos8"});
    const auto dear = plain_run(pendulum.vibrated(1e3),
                                {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.filter = "cos8"}});
    ASSERT_FALSE(dear.warnings().empty());
    expect_mentions(dear.warnings().back(), {"direct"});
}

TEST(Requests, a_stop_ends_the_run_with_what_there_is) {
    std::stop_source source;
    Request request{.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.steps = 100}};
    request.stop = source.get_token();
    request.progress = [&](double t) {
        if (t > 0.5) {
            source.request_stop();
        }
    };
    const auto run = plain_run(pendulum.vibrated(1e5), request);
    EXPECT_EQ(run.outcome(), Outcome::interrupted);
    EXPECT_NEAR(run.record().t_end, 0.51, 1e-9);
    EXPECT_NO_THROW(run.slow(0.3));
    EXPECT_THROW(run.slow(0.9), Misuse);
}

TEST(Input, problems_put_together_by_hand_are_refused_where_something_is_missing) {
    const auto refusal_by = [](const Problem& problem) {
        return refusal([&] { solve(problem, {.start = {1}, .t_end = 1}); });
    };
    Problem nothing;
    nothing.names = {"x"};
    expect_mentions(refusal_by(nothing), {"no forces", "vibrated_system"});
    auto backwards = pendulum.vibrated(1e4);
    backwards.phases[0].frequency = -5;
    expect_mentions(refusal_by(backwards), {"frequency", "-5"});
    expect_mentions(refusal([] { forces_of(nullptr, nullptr); }), {"forces_of", "no function"});
}

TEST(Input, every_method_takes_estimate) {
    const Method mine{.name = "mine",
                      .problems = "",
                      .paper = "",
                      .slow_is = SlowMeaning::averaged,
                      .summary = "",
                      .options = {},
                      .judge =
                          [](const Problem&, const Request&) {
                              return Verdict{true, "it is for all"};
                          },
                      .solve = [](lento::Run& run) { return run.not_started(); }};
    const auto run = solve(pendulum.vibrated(1e4), {.start = {0.5}, .t_end = 1, .options = {.estimate = "none"}}, mine);
    EXPECT_TRUE(run.record().error_estimate.empty());
}

TEST(Requests, keeping_nothing_streams_the_samples_and_says_so) {
    int samples = 0;
    const auto run = plain_run(pendulum.vibrated(1e5), {.start = {0.5},
                                                        .t_end = 1,
                                                        .method = "hmm-async",
                                                        .samples = 51,
                                                        .sink = [&](double, std::span<const double>) { ++samples; },
                                                        .keep = Recorder::Keep::nothing});
    EXPECT_EQ(samples, 51);
    expect_mentions(refusal([&] { run.slow(0.5); }), {"kept"});
    EXPECT_EQ(run.final_state().t, 1.0);
}

TEST(Requests, the_same_input_gives_the_same_bits) {
    const Request request{.start = {0.5}, .t_end = 1, .method = "hmm-async"};
    EXPECT_EQ(plain_run(pendulum.vibrated(1e5), request).final_state().position,
              plain_run(pendulum.vibrated(1e5), request).final_state().position);
}

TEST(Requests, auto_takes_direct_where_nothing_is_fast) {
    const auto slow = plain_system(1, [](auto x, auto, auto, auto f) { f[0] = -x[0]; });
    const auto run = plain_run(slow, {.start = {1.0}, .t_end = 1, .rtol = 1e-9});
    EXPECT_EQ(run.record().method, "direct");
    EXPECT_EQ(run.record().requested_method, "auto");
    EXPECT_NEAR(run.final_state().position[0], std::cos(1.0), 1e-8);
}

}  // namespace
}  // namespace lento
