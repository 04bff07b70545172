/// Springs of text models: the same as those written in C++.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lento/lento.hpp"
#include "lento/method/slow_point.hpp"
#include "model/parts.hpp"
#include "papers/two_springs.hpp"

namespace lento::model {
namespace {

using papers::TwoSprings;

Problem read(const std::string& text, const std::vector<Assignment>& assignments = {}) {
    return ModelParts(read_model(Source("model.toml", "lento = 1\n" + text), assignments)).problem();
}

const std::string two_springs = R"(
[parameters]
omega = 1e6
[coordinates]
x1 = { start = 1 }
y1 = { start = 0, velocity = -0.5 }
x2 = { start = 2 }
y2 = { start = 0, velocity = 0.5 }
[springs.first]
elongation = "hypot(x1, y1) - 1"
frequency = "omega"
[springs.second]
elongation = "hypot(x1 - x2, y1 - y2) - 1"
frequency = "omega"
)";

Request request(const std::string& method) {
    return {.start = {1, 0, 2, 0},
            .velocity = {0, -0.5, 0, 0.5},
            .t_end = 3,
            .method = method,
            .options = {.estimate = "none"}};
}

TEST(ModelSprings, run_like_those_written_in_cpp) {
    const auto one = solve(read(two_springs), request("ipa"));
    const auto two = TwoSprings{1e6, 1e6}.solve(request("ipa"));
    ASSERT_EQ(one.outcome(), Outcome::completed) << one.explanation();
    EXPECT_LT(papers::distance(one.final_state().position, two.final_state().position), 1e-8);
    // An averaged force feels what springs that act on each other have gathered, down to rounding: one spring alone.
    const std::string spring =
        "[coordinates]\nx = { start = 1 }\ny = { start = 0 }\n[springs.rod]\nelongation = \"hypot(x, y) - "
        "1\"\nfrequency = 1e4\n";
    const auto in_cpp = stiff_system(
        2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0; }, {1e4},
        [](auto q, auto, auto g) { g[0] = hypot(q[0], q[1]) - 1; });
    const Request circle{.start = {1, 0}, .velocity = {0, 1}, .t_end = 3, .method = "hmm-stiff"};
    EXPECT_LT(papers::distance(solve(read(spring), circle).final_state().position,
                               solve(in_cpp, circle).final_state().position),
              1e-7);
}

TEST(ModelSprings, keep_the_digits_of_their_elongations) {
    for (const double omega : {1e6, 1e8, 1e10}) {
        const auto problem = read(two_springs, {{"omega", std::to_string(omega)}});
        const auto point = slow_point(problem, request("ipa"), Extrapolation::none);
        EXPECT_NEAR(point.multipliers.at(0), 1.5, 1e-5) << omega;
        EXPECT_NEAR(point.multipliers.at(1), 1.25, 1e-5) << omega;
    }
}

TEST(ModelSprings, given_by_stiffness_have_the_frequency_of_their_mass) {
    const auto problem = read(R"(
[coordinates]
x = { start = 1 }
y = { start = 0 }
[mass]
x = 4
y = 4
[springs.rod]
elongation = "2*hypot(x, y) - 2"
stiffness = 100
[springs.soft]
elongation = "y"
stiffness = 1
soft = true
)");
    ASSERT_EQ(problem.springs->entries.size(), 1u);
    EXPECT_NEAR(problem.springs->entries[0].frequency, std::sqrt(100 * 4 / 4.0), 1e-12);
    EXPECT_EQ(problem.springs->entries[0].strength, 100);
    const auto stiffer = stiffened(problem, 3);
    EXPECT_NEAR(stiffer.springs->entries[0].frequency, 30, 1e-12);
    std::vector<double> f(2), g(2);
    const std::vector<double> x{1.1, 0.2}, v(2);
    problem.forces.at(x.data(), v.data(), 0, nullptr, problem.parameters.data(), f.data());
    stiffer.forces.at(x.data(), v.data(), 0, nullptr, stiffer.parameters.data(), g.data());
    EXPECT_NEAR(g[0] / f[0], 9, 1e-12);
    EXPECT_NEAR((g[1] + 0.2) / (f[1] + 0.2), 9, 1e-12);  // the soft one is as it was
}

TEST(ModelSprings, with_a_potential_of_their_own_move_like_those_with_its_elongation) {
    const std::string head =
        "[coordinates]\nx = { start = 1 }\ny = { start = 0 }\n[forces]\ny = \"-9.8\"\n[springs.rod]\n";
    const auto elongation = read(head + "elongation = \"hypot(x, y) - 1\"\nfrequency = 1e5\n");
    const auto potential = read(head + "potential = \"1e10/2*(hypot(x, y) - 1)^2\"\nfrequency = 1e5\n");
    Request fall{.start = {1, 0}, .velocity = {0, 0}, .t_end = 1, .method = "ipa"};
    fall.options.estimate = "none";
    fall.options.guess = "none";  // a potential has no elongation to guess with
    const auto one = solve(elongation, fall);
    const auto two = solve(potential, fall);
    ASSERT_EQ(two.outcome(), Outcome::completed) << two.explanation();
    EXPECT_LT(papers::distance(one.final_state().position, two.final_state().position), 1e-7);
    const Request swing{.start = {0.6, -0.8}, .velocity = {0.8, 0.6}, .t_end = 1, .method = "ipa"};
    EXPECT_NEAR(slow_point(potential, swing, Extrapolation::none).multipliers.at(0), 9.8 * 0.8 + 1, 1e-4);
}

TEST(ModelSprings, constraints_are_relaxed_to_springs) {
    const auto rods = read(
        "[coordinates]\nx = { start = 1 }\ny = { start = 0 }\n[forces]\ny = "
        "\"-9.8\"\n[constraints]\nrod = \"x^2 + y^2 - 1\"\n");
    Request fall{.start = {1, 0}, .velocity = {0, 0}, .t_end = 1, .method = "direct", .rtol = 1e-10, .atol = 1e-12};
    const auto exact = solve(rods, fall);
    fall.method = "ipa";
    fall.rtol = 1e-6;
    const auto relaxed_run = solve(rods, fall);
    ASSERT_EQ(relaxed_run.outcome(), Outcome::completed) << relaxed_run.explanation();
    EXPECT_LT(papers::distance(relaxed_run.final_state().position, exact.final_state().position), 1e-5);
    EXPECT_NEAR(relaxed_run.final_state().multipliers.at(0), exact.final_state().multipliers.at(0), 1e-4);
}

TEST(ModelSprings, few_among_many_coordinates_compile) {
    // LLVM makes long runs of zeros a call of memset.
    std::string text = "[coordinates]\n";
    for (int i = 0; i < 200; ++i) {
        text += fmt::format("q{} = {{ start = 1, velocity = 0.1 }}\n", i);
    }
    text += "[springs.only]\nelongation = \"q0 - cos(t)\"\nfrequency = 1e4\n";
    Request still{.start = std::vector<double>(200, 1.0),
                  .velocity = std::vector<double>(200, 0.1),
                  .t_end = 1,
                  .method = "ipa",
                  .options = {.estimate = "none"}};
    const auto run = solve(read(text), still);
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    EXPECT_NEAR(run.final_state().position[0], std::cos(1.0), 1e-5);
    EXPECT_NEAR(run.final_state().position[199], 1.1, 1e-9);
}

}  // namespace
}  // namespace lento::model
