/// Runs on constraints that cannot start or cannot go on: each ends in an outcome, a sentence, and what was found so
/// far.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lento/lento.hpp"
#include "papers/chain.hpp"
#include "papers/plain_run.hpp"
#include "tests/method/plane_pendulum.hpp"

namespace lento {
namespace {

using papers::plain_run;

// --- Starts -------------------------------------------------------------------------------------------------------

Solution started(const std::vector<double>& start, const std::vector<double>& velocity, const std::string& method) {
    const PlanePendulum pendulum{.frequencies = {1e4}, .vibration = cosine};
    return plain_run(pendulum.in_the_plane(), {.start = start, .velocity = velocity, .t_end = 0.1, .method = method});
}

TEST(Start, off_by_a_little_is_moved_and_said) {
    for (const std::string method : {"rattle-shake", "shake-shake", "direct"}) {
        const auto run = started({0.0959, 0.1755}, {}, method);  // l sin 0.5, l cos 0.5 to four digits
        EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        ASSERT_FALSE(run.warnings().empty());
        EXPECT_NE(run.warnings().front().find("was moved by"), std::string::npos) << run.warnings().front();
        EXPECT_NE(run.warnings().front().find("rod = "), std::string::npos);
    }
}

TEST(Start, far_off_is_refused_with_the_residuals_and_the_nearest_point) {
    for (const std::string method : {"rattle-shake", "direct"}) {
        const auto run = started({0.15, 0.2}, {}, method);
        EXPECT_EQ(run.outcome(), Outcome::off_constraints);
        EXPECT_NE(run.explanation().find("rod = 0.0225"), std::string::npos) << run.explanation();
        EXPECT_NE(run.explanation().find("x = 0.12, y = 0.16"), std::string::npos) << run.explanation();
        EXPECT_EQ(run.final_state().position, (std::vector<double>{0.15, 0.2}));
    }
}

TEST(Start, velocity_across_the_constraint_is_refused_with_the_tangential_one) {
    const auto run = started({0.12, 0.16}, {1, 0}, "direct");
    EXPECT_EQ(run.outcome(), Outcome::off_constraints);
    EXPECT_NE(run.explanation().find("rod_dot = 0.24"), std::string::npos) << run.explanation();
    EXPECT_NE(run.explanation().find("x_dot = 0.64, y_dot = -0.48"), std::string::npos) << run.explanation();
}

TEST(Start, dependent_constraints_are_named) {
    const auto free =
        vibrated_system(4, 1e4, [](auto, auto, auto, auto, auto f) { std::fill(f.begin(), f.end(), 0.0); });
    const auto system = constrained(free, 3, [](auto x, auto, auto c) {
                            c[0] = x[0] - x[1];
                            c[1] = x[2] - 1.0;
                            c[2] = 3 * x[0] - 3 * x[1] + 2 * x[2] - 2.0;
                        }).with_constraint_names({"left", "post", "brace"});
    for (const std::string method : {"rattle-shake", "direct"}) {
        const auto run = plain_run(system, {.start = {0, 0, 1, 0}, .t_end = 1, .method = method});
        EXPECT_EQ(run.outcome(), Outcome::refused);
        EXPECT_NE(run.explanation().find("left, post, brace are dependent"), std::string::npos) << run.explanation();
        EXPECT_NE(run.explanation().find("-3 left' - 2 post' + 1 brace' = 0"), std::string::npos) << run.explanation();
    }
}

TEST(Start, a_gradient_that_vanishes_is_named) {
    const auto free = vibrated_system(2, 1e4, [](auto, auto, auto, auto, auto f) { f[0] = f[1] = 0.0; });
    const auto system = constrained(free, 1, [](auto x, auto, auto c) {
                            c[0] = (x[0] - x[1]) * (x[0] - x[1]);
                        }).with_constraint_names({"squared"});
    const auto run = plain_run(system, {.start = {1, 1}, .t_end = 1, .method = "direct"});
    EXPECT_EQ(run.outcome(), Outcome::refused);
    EXPECT_NE(run.explanation().find("the gradient of squared vanishes"), std::string::npos) << run.explanation();
}

TEST(Start, a_gradient_that_vanishes_up_to_rounding_is_named) {
    const auto chain = papers::Chain::rope(13, 1.3, 1.0);
    const auto plain = chain.constraints();
    const auto squared = [plain](auto x, auto t, auto c) {
        for (std::size_t j = 0; j < 13; ++j) {
            auto dx = x[2 * j] - (j > 0 ? x[2 * j - 2] : 0.0 * x[0]);
            auto dy = x[2 * j + 1] - (j > 0 ? x[2 * j - 1] : 0.0 * x[0]);
            c[j] = dx * dx + dy * dy - 0.01 + 0.0 * t;
        }
        c[4] = c[4] * c[4];
    };
    const auto free = plain_system(26, [](auto, auto, auto, auto f) { std::fill(f.begin(), f.end(), 0.0); });
    const auto run = plain_run(constrained(free, 13, squared),
                               {.start = chain.position(std::vector<double>(13, 0.3)), .t_end = 1, .method = "direct"});
    EXPECT_EQ(run.outcome(), Outcome::refused);
    EXPECT_NE(run.explanation().find("the gradient of g5 vanishes"), std::string::npos) << run.explanation();
}

TEST(Start, the_violated_constraint_of_many_is_named_first) {
    const auto chain = papers::Chain::rope(12, 1.2, 1.0);
    auto start = chain.position(std::vector<double>(12, 0.3));
    start[21] += 0.05;
    const auto run = plain_run(chain.averaged(), {.start = start, .t_end = 1, .method = "direct"});
    EXPECT_EQ(run.outcome(), Outcome::off_constraints);
    EXPECT_NE(run.explanation().find("constraints: rod11 = "), std::string::npos) << run.explanation();
}

TEST(Start, at_rest_on_a_constraint_that_moves_is_refused) {
    const auto free = plain_system(2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0.0; });
    const auto system = constrained(free, 1, [](auto x, auto t, auto c) { c[0] = x[0] - 1.0 - 5.0 * t; });
    const auto run = plain_run(system, {.start = {1, 0}, .t_end = 1, .method = "direct"});
    EXPECT_EQ(run.outcome(), Outcome::off_constraints) << run.explanation();
    EXPECT_NE(run.explanation().find("x1_dot = 5"), std::string::npos) << run.explanation();
    const auto moving = plain_run(system, {.start = {1, 0}, .velocity = {5, 0}, .t_end = 1, .method = "direct"});
    EXPECT_EQ(moving.outcome(), Outcome::completed);
    EXPECT_NEAR(moving.final_state().position[0], 6, 1e-12);
}

TEST(Start, a_velocity_of_rounding_is_rest) {
    const auto run = started({0.12, 0.16}, {6e-17, 0}, "direct");
    EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
}

/// Upright nothing vibrates along the constraints, and what the reduced force has left is rounding.
TEST(Start, upright_is_a_place_to_start_from) {
    const auto chain = papers::Chain::rope(3, 0.3, 3.0);
    const std::vector<double> rest(6, 0.0);
    std::vector<double> pushed(6, 0.0);
    pushed[4] = 0.2;
    for (const auto& velocity : {rest, pushed}) {
        const auto run = plain_run(
            chain.vibrated(1e5),
            {.start = chain.position({0, 0, 0}), .velocity = velocity, .t_end = 0.2, .method = "rattle-shake"});
        EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        EXPECT_GT(chain.tip(run.final_state().position), 0.95);
    }
}

// --- Failures -----------------------------------------------------------------------------------------------------

TEST(Failure, a_macro_step_too_large_ends_with_what_is_done_so_far) {
    // A spinning pendulum: steps of a tenth of a turn are fine, and then the rod's force flings it.
    const auto force = [](auto, auto, auto t, auto f) {
        f[0] = 0.0;
        f[1] = -9.8 - exp(8 * t);
    };
    const auto system = constrained(plain_system(2, force), 1, [](auto x, auto, auto c) {
                            c[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
                        }).with_constraint_names({"rod"});
    for (const std::string macro : {"rattle", "shake", "lobatto"}) {
        const auto run = plain_run(
            system, {.start = {1, 0}, .t_end = 5, .method = "direct", .options = {.macro = macro, .macro_step = 0.05}});
        EXPECT_EQ(run.outcome(), Outcome::not_converged) << macro << " " << run.explanation();
        EXPECT_NE(run.explanation().find("the step from t = "), std::string::npos) << run.explanation();
        EXPECT_NE(run.explanation().find("residual of "), std::string::npos) << run.explanation();
        EXPECT_NE(run.explanation().find("smaller step"), std::string::npos);
        EXPECT_GT(run.record().t_end, 0.4);
        EXPECT_LT(run.record().t_end, 5);
        EXPECT_EQ(run.trajectory().to(), run.record().t_end);
        EXPECT_NEAR(std::hypot(run.final_state().position[0], run.final_state().position[1]), 1, 1e-12);
    }
}

TEST(Failure, constraints_that_become_impossible_end_the_run) {
    // Two points 2 apart at most, drawn 2 + t apart.
    const auto free = plain_system(4, [](auto, auto, auto, auto f) { std::fill(f.begin(), f.end(), 0.0); });
    const auto system =
        constrained(free, 2, [](auto x, auto t, auto c) {
            c[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
            c[1] = (x[0] - 1.9) * (x[0] - 1.9) + x[1] * x[1] + 0.0 * x[2] - (0.95 - 0.1 * t) * (0.95 - 0.1 * t);
        }).with_constraint_names({"inner", "outer"});
    std::vector<double> start{(1 + 1.9 * 1.9 - 0.95 * 0.95) / 3.8, 0, 0, 0};
    start[1] = std::sqrt(1 - start[0] * start[0]);
    const double rate = 2 * 0.95 * 0.1 / 3.8;  // x0' from the difference of the constraints
    const std::vector<double> velocity{rate, -start[0] * rate / start[1], 0, 0};
    for (const std::string macro : {"rattle", "adaptive"}) {
        Request request{.start = start, .velocity = velocity, .t_end = 5, .method = "direct"};
        if (macro != "adaptive") {
            request.options = {.macro = macro, .macro_step = 0.01};
        }
        const auto run = plain_run(system, request);
        EXPECT_EQ(run.outcome(), Outcome::not_converged) << run.explanation();
        EXPECT_NE(run.explanation().find("constraints"), std::string::npos) << run.explanation();
        EXPECT_GT(run.record().t_end, 0.1) << run.explanation();
        EXPECT_LT(run.record().t_end, 1) << run.explanation();
        const auto& x = run.final_state().position;
        EXPECT_NEAR(std::hypot(x[0], x[1]), 1, 1e-12);
    }
}

TEST(Failure, methods_for_the_other_kind_of_system_are_refused) {
    const PlanePendulum pendulum{.frequencies = {1e4}, .vibration = cosine};
    EXPECT_THROW(plain_run(pendulum.in_the_plane(), {.start = pendulum.point(0.5), .t_end = 1, .method = "hmm-async"}),
                 Misuse);
    EXPECT_THROW(plain_run(pendulum.as_an_angle(), {.start = {0.5}, .t_end = 1, .method = "rattle-shake"}), Misuse);
    EXPECT_THROW(plain_run(pendulum.in_the_plane(), {.start = pendulum.point(0.5),
                                                     .t_end = 1,
                                                     .method = "rattle-shake",
                                                     .options = {.macro = "verlet", .steps = 10}}),
                 Misuse);
    EXPECT_THROW(
        plain_run(pendulum.as_an_angle(),
                  {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.macro = "rattle", .steps = 10}}),
        Misuse);
    EXPECT_THROW(
        plain_run(papers::double_pendulum().averaged(),
                  {.start = papers::double_pendulum().position({0.5, 0}), .t_end = 1, .method = "shake-shake"}),
        Misuse);
    const PlanePendulum rubbed{.friction = 1, .frequencies = {1e4}, .vibration = cosine};
    EXPECT_THROW(plain_run(rubbed.in_the_plane(), {.start = rubbed.point(0.5),
                                                   .t_end = 1,
                                                   .method = "rattle-shake",
                                                   .options = {.macro = "rattle4", .steps = 10}}),
                 Misuse);
}

}  // namespace
}  // namespace lento
