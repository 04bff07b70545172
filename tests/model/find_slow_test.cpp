#include "model/find_slow.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "method/slow_check.hpp"
#include "model/function.hpp"
#include "model/parse.hpp"
#include "model/parts.hpp"
#include "model/problem_parts.hpp"

namespace lento::model {
namespace {

Model read(const std::string& text, const std::string& eps) {
    return read_model(Source("test.toml", "lento = 1\n[parameters]\neps = 1\n[oscillation]\nsmall = \"eps\"\n" + text),
                      {{"eps", eps}});
}

struct Found {
    Model model;
    FoundSlow slow;

    std::vector<std::string> texts() const {
        std::vector<std::string> result;
        for (const auto& variable : slow.variables) {
            result.push_back(text_of(model, variable.node));
            if (variable.alternative) {
                result.push_back(text_of(model, *variable.alternative));
            }
        }
        return result;
    }
};

Found found_in(const std::string& text) {
    Found found{read(text, "1e-4"), {}};
    found.slow = find_slow(found.model, read(text, "2.5e-5"));
    return found;
}

const std::string pair = R"toml([variables]
x = { start = 1, rate = "v/eps" }
v = { start = 0.2, rate = "-x/eps - x^3" }
a = { start = 1, rate = "2*b/eps" }
b = { start = 0.5, rate = "-2*a/eps + x" }
s = { start = 0.5, rate = "x*a" }
)toml";

TEST(FindSlow, amplitudes_and_relative_phase_of_a_resonance_1_to_2) {
    const auto found = found_in(pair);
    ASSERT_EQ(found.slow.why_not, "");
    const auto texts = found.texts();
    ASSERT_EQ(texts.size(), 5U);
    EXPECT_EQ(texts[0], "s");
    EXPECT_EQ(texts[1], "x^2 + v^2");
    EXPECT_EQ(texts[2], "a^2 + b^2");
    // (x + i v)^2 conj(a + i b)
    EXPECT_EQ(texts[3], "a*(x^2 - v^2) + b*2*x*v");
    EXPECT_EQ(texts[4], "a*2*x*v - b*(x^2 - v^2)");
}

TEST(FindSlow, what_is_driven_by_an_oscillator_is_corrected) {
    const auto found = found_in(R"toml([variables]
theta1 = { start = 0, rate = "theta2" }
theta2 = { start = -0.4, rate = "(0.1 + psi1/eps)/0.05*sin(theta1)" }
psi1 = { start = 0, rate = "psi2/eps" }
psi2 = { start = 1, rate = "-psi1/eps" }
)toml");
    ASSERT_EQ(found.slow.why_not, "");
    ASSERT_EQ(found.slow.variables.size(), 3U);
    EXPECT_EQ(found.slow.variables[1].name, "theta2_slow");
    // theta2 + 20 sin(theta1) psi2 (4.3): compared as a number.
    Model model = found.model;
    model.variables[0].start = 0.7;
    EXPECT_NEAR(values_at_start(model, {found.slow.variables[1].node})[0], -0.4 + 20 * std::sin(0.7), 1e-12);
}

TEST(FindSlow, oscillations_relative_to_a_declared_phase) {
    const auto found = found_in(R"toml([coordinates]
x = { start = 1, velocity = 0 }
[forces]
x = "-x/eps^2 + cos(theta)*x"
[vibration.theta]
frequency = "1/eps"
)toml");
    ASSERT_EQ(found.slow.why_not, "");
    ASSERT_EQ(found.slow.variables.size(), 2U);
    // z = x + i eps v turns as e^(-i theta): along x = cos theta, eps v = -sin theta both stay 1 and 0, whatever the
    // phase.
    for (const double theta : {0.0, 0.4, 2.0}) {
        std::vector<double> values(2);
        const ModelFunction both(found.model, {found.slow.variables[0].node, found.slow.variables[1].node});
        both(std::vector{std::cos(theta)}, std::vector{-1e4 * std::sin(theta)}, 0, std::vector{theta},
             input_values(found.model)->data(), values);
        EXPECT_NEAR(values[0], 1, 1e-9);
        EXPECT_NEAR(values[1], 0, 1e-9);
    }
}

TEST(FindSlow, a_vibration_by_a_phase_is_integrated) {
    const auto found = found_in(R"toml([coordinates]
q = { start = 0.5 }
[forces]
q = "(9.8 + 4*cos(2*theta)/eps)/0.2*sin(q)"
[vibration.theta]
frequency = "1/eps"
start = 0.3
)toml");
    ASSERT_EQ(found.slow.why_not, "");
    ASSERT_EQ(found.slow.variables.size(), 2U);
    // q_dot - 20/2 sin(2 theta) sin(q)
    EXPECT_NEAR(values_at_start(found.model, {found.slow.variables[1].node})[0], -10 * std::sin(0.6) * std::sin(0.5),
                1e-9);
}

TEST(FindSlow, stiff_coordinates_have_no_slow_variables_of_their_own) {
    // NOTE: at eps = 1e-6 the entries of the leading matrix are twelve orders apart.
    const std::string text =
        "[coordinates]\nx = { start = 1 }\nz = { start = 0.5, velocity = 1 }\n[forces]\nx = \"-x/eps^2 + z\"\nz = "
        "\"-x*z^2\"\n";
    auto model = read(text, "1e-6");
    const auto found = find_slow(model, read(text, "2.5e-7"));
    ASSERT_EQ(found.why_not, "");
    ASSERT_EQ(found.variables.size(), 3U);
    EXPECT_EQ(found.variables[2].name, "I_x");
}

TEST(FindSlow, found_variables_are_slow_by_measurement) {
    auto found = found_in(pair);
    found.model.slow = found.slow.variables;
    auto faster = read(pair, "2.5e-5");
    faster.slow = find_slow(faster, read(pair, "6.25e-6")).variables;
    auto problem = ModelParts(found.model).problem();
    problem.faster = [&](double factor) {
        EXPECT_EQ(factor, 4) << "the model was read for that";
        return FasterProblem{ModelParts(faster).problem()};
    };
    const Request request{.start = start_of(found.model), .t_end = 1, .method = "reversible"};
    const auto report = judged_slow_variables(problem, request);
    EXPECT_EQ(report.problem, "");
    EXPECT_EQ(report.declared, report.needed);
    for (const auto& measure : report.outputs) {
        EXPECT_LT(measure.rate, 10) << measure.name;
        EXPECT_TRUE(measure.faster_swing) << "the faster motion was looked at";
        EXPECT_TRUE(measure.slow) << measure.name;
    }
}

TEST(FindSlow, says_why_there_are_none) {
    const auto why = [](const std::string& text) { return found_in(text).slow.why_not; };
    EXPECT_NE(why("[variables]\nx = { start = 1, rate = \"v/eps\" }\nv = { start = 0, rate = \"-x/eps\" }\n"
                  "a = { start = 1, rate = \"b*pi/eps\" }\nb = { start = 0, rate = \"-a*pi/eps\" }\n")
                  .find("not commensurate"),
              std::string::npos);
    EXPECT_NE(why("[variables]\nx = { start = 1, rate = \"-x\" }\n").find("no rate grows"), std::string::npos);
    EXPECT_NE(why("[variables]\nx = { start = 1, rate = \"v/eps\" }\nv = { start = 0, rate = \"(-x - v)/eps\" }\n")
                  .find("does not oscillate"),
              std::string::npos);
    EXPECT_NE(why("[variables]\nx = { start = 1, rate = \"v/eps\" }\nv = { start = 0, rate = \"-x^3/eps\" }\n")
                  .find("linear"),
              std::string::npos);
}

TEST(Print, text_is_read_back_as_the_same_expression) {
    auto model = read("[variables]\nx = { start = 0.7, rate = \"v\" }\nv = { start = -0.3, rate = \"-x\" }\n", "1e-3");
    for (const char* text :
         {"x - (v - 2)", "x - v - 2", "-(x + v)*v", "x/(v*x)", "x/v*x", "-x^2", "(-x)^2", "2 - -x", "x*-3",
          "atan2(x, -v)", "sin(x)^2*exp(-v)", "pow(abs(x), 1.5)", "(x - v)/(x + v)/2", "1e-20*x", "max(x, v)*-x"}) {
        const Node node = read("[variables]\nx = { start = 0.7, rate = \"" + std::string(text) +
                                   "\" }\nv = { start = -0.3, rate = \"0\" }\n",
                               "1")
                              .variables[0]
                              .rate;
        const auto once = read("[variables]\nx = { start = 0.7, rate = \"" + std::string(text) +
                                   "\" }\nv = { start = -0.3, rate = \"0\" }\n",
                               "1");
        const auto printed = text_of(once, node);
        const auto again = read(
            "[variables]\nx = { start = 0.7, rate = \"" + printed + "\" }\nv = { start = -0.3, rate = \"0\" }\n", "1");
        const double expected = values_at_start(once, {node})[0];
        EXPECT_NEAR(values_at_start(again, {again.variables[0].rate})[0], expected, 1e-15 * std::abs(expected))
            << text << " -> " << printed;
    }
}

TEST(ModelSlow, derivatives_agree_with_jets) {
    const auto model = read(R"toml([coordinates]
q = { start = 0.5, velocity = 0.25 }
[forces]
q = "-q"
[vibration.theta]
frequency = "1/eps"
[slow]
a = { variable = "q^2*q_dot + t*sin(theta)", alternative = "exp(q)*q_dot^2" }
)toml",
                            "1e-2");
    const ModelSlow slow(model);
    const SlowFunction same({{"a", "b"}}, [](auto x, auto t, auto theta, auto xi) {
        xi[0] = x[0] * x[0] * x[1] + t * sin(theta[0]);
        xi[1] = exp(x[0]) * x[1] * x[1];
    });
    const std::vector<double> x{0.3, -0.7}, rate{1.5, 2.5}, theta{0.4}, theta_rate{100};
    std::vector<double> here(2), there(2), gradient(4), other(4);
    slow.rates(x, rate, 0.2, 1, theta, theta_rate, here);
    same.rates(x, rate, 0.2, 1, theta, theta_rate, there);
    slow.gradients(x, 0.2, theta, gradient);
    same.gradients(x, 0.2, theta, other);
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(here[k], there[k], 1e-13);
    }
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_NEAR(gradient[k], other[k], 1e-15);
    }
    double hessians[2][2][2][2]{};
    for (const auto& entry : slow.hessians(x, 0.2, theta)) {
        hessians[0][entry.output][entry.row][entry.column] += entry.value;
    }
    for (const auto& entry : same.hessians(x, 0.2, theta)) {
        hessians[1][entry.output][entry.row][entry.column] += entry.value;
    }
    for (int k = 0; k < 8; ++k) {
        EXPECT_NEAR((&hessians[0][0][0][0])[k], (&hessians[1][0][0][0])[k], 1e-14) << k;
    }
}

}  // namespace
}  // namespace lento::model
