/// Models: what is read, what is derived, what is refused and where.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "lento/lento.hpp"
#include "model/derive.hpp"
#include "model/function.hpp"
#include "model/parsed_model.hpp"
#include "model/parts.hpp"
#include "tests/source_dir.hpp"

namespace lento::model {
namespace {

const std::string pendulum = R"toml(lento = 1
title = "Pendulum"

[parameters]
l = 0.2
g = "9.8"
v_max = 4
omega = "10^4"

[definitions]
pull = "lift/l"
lift = "g + v_max*omega*cos(theta)"

[coordinates]
q = { start = "1/2", velocity = 0 }

[forces]
q = "pull * sin(q)"

[vibration.theta]
frequency = "omega"
start = "pi/3"

[observe]
tip = "l*cos(q)"

[run]
t_end = "pi/10"
samples = 11
)toml";

std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

Model read(const std::string& text, const std::vector<Assignment>& assignments = {}) {
    return read_model({"model.toml", text}, assignments);
}

/// Values of nodes of a model at a state.
std::vector<double> values(const Model& model, const std::vector<Node>& nodes, std::vector<double> x,
                           std::vector<double> v, double t = 0, std::vector<double> theta = {}) {
    std::vector<double> result(nodes.size());
    ModelFunction(model, nodes)(x, v, t, theta, input_values(model)->data(), result);
    return result;
}

TEST(Model, is_read_as_written) {
    const auto model = read(pendulum);
    EXPECT_EQ(model.title, "Pendulum");
    EXPECT_EQ(model.parameters.size(), 4U);
    EXPECT_EQ(model.parameters[3].value, 1e4);
    EXPECT_EQ(model.coordinates[0].start, 0.5);
    EXPECT_EQ(model.phases[0].name, "theta");
    EXPECT_EQ(model.phases[0].frequency, 1e4);
    EXPECT_NEAR(model.phases[0].start, M_PI / 3, 1e-15);
    EXPECT_NEAR(*model.run.t_end, M_PI / 10, 1e-15);
    EXPECT_EQ(model.run.samples, 11U);
    EXPECT_NEAR(values(model, model.forces, {0.5}, {0}, 0, {1.0})[0], (9.8 + 4e4 * std::cos(1.0)) / 0.2 * std::sin(0.5),
                1e-9);
}

TEST(Model, overrides_are_expressions_of_earlier_parameters) {
    const auto model = read(pendulum, {{"omega", "2*pi*50"}, {"v_max", "g/2"}});
    EXPECT_NEAR(model.phases[0].frequency, 2 * M_PI * 50, 1e-12);
    EXPECT_EQ(model.parameters[2].value, 4.9);
    EXPECT_EQ(number_in(model, "1/omega + l", "--option x"), 1 / (2 * M_PI * 50) + 0.2);
    EXPECT_THROW(read(pendulum, {{"omeg", "1"}}), Misuse);
    EXPECT_THROW(read(pendulum, {{"l", "omega"}}), Misuse);
    EXPECT_THROW(read(pendulum, {{"l", "1/0"}}), Misuse);
    EXPECT_THROW(number_in(model, "q", "--t-end"), Misuse);
}

TEST(Model, keeps_the_order_of_the_file) {
    const auto model = read(
        "lento = 1\n[coordinates]\nzeta = { start = 1 }\nb = { start = 2 }\n[coordinates.alpha]\nstart = 3\n"
        "[observe]\nz = \"b\"\na = \"zeta\"\n[parameters]\nk = 2\n[run]\nt_end = \"k\"\n");
    EXPECT_EQ(model.coordinates[0].name, "zeta");
    EXPECT_EQ(model.coordinates[1].name, "b");
    EXPECT_EQ(model.coordinates[2].name, "alpha");
    EXPECT_EQ(model.observed[0].name, "z");
    EXPECT_EQ(model.observed[1].name, "a");
    EXPECT_EQ(*model.run.t_end, 2);
}

/// An elastic pendulum: gravity by a potential, the spring by its elongation.
const std::string elastic = R"toml(lento = 1
potential = "m*g*y"
[parameters]
m = 2
g = 9.81
omega = 30
[coordinates]
x = { start = 1, velocity = 0 }
y = { start = 0.2, velocity = 1 }
[mass]
x = "m"
y = "m"
[forces]
x = "-0.1*x_dot"
[springs.rod]
elongation = "hypot(x, y) - 1 - 0.1*t"
frequency = "omega"
[springs.wall]
elongation = "x"
stiffness = 3
[springs.quartic]
potential = "y^4"
frequency = 5
soft = true
)toml";

TEST(Model, derives_forces_from_potential_and_springs) {
    const auto model = read(elastic);
    const double x = 0.8;
    const double y = 0.5;
    const double t = 0.3;
    const double r = std::hypot(x, y);
    const double tension = 900 * (r - 1 - 0.1 * t);
    const auto force = values(model, model.forces, {x, y}, {0.7, -0.2}, t);
    EXPECT_NEAR(force[0], -0.07 - tension * x / r - 3 * x, 1e-11);
    EXPECT_NEAR(force[1], -2 * 9.81 - tension * y / r - 4 * y * y * y, 1e-11);
    EXPECT_TRUE(model.springs[2].soft);
    EXPECT_EQ(model.mass.entry(1, 1), 2);
    auto copy = model;
    const auto rates = first_order_form(copy);
    EXPECT_NEAR(values(copy, rates, {x, y}, {0.7, -0.2}, t)[3], force[1] / 2, 1e-12);
}

/// g = x^2 + y^2 - (1 + t)^2: everything by hand.
TEST(Model, derives_constraint_jacobian_and_second_differential) {
    auto model = read(
        "lento = 1\n[coordinates]\nx = { start = 1 }\ny = { start = 0 }\nz = { start = 0 }\n[constraints]\n"
        "rod = \"x^2*y - (1 + t)^2*y\"\nplane = \"z - x\"\n");
    const auto terms = constraint_terms(model);
    const double x = 0.6;
    const double y = 0.9;
    const double t = 0.4;
    const double vx = 0.3;
    const double vy = -0.7;
    const auto at = [&](const std::vector<Node>& nodes) { return values(model, nodes, {x, y, 0.1}, {vx, vy, 0.2}, t); };
    const double length = 1 + t;
    EXPECT_NEAR(at(terms.values)[0], x * x * y - length * length * y, 1e-15);
    ASSERT_EQ(terms.jacobian.size(), 4U);
    EXPECT_EQ(terms.jacobian[1].column, 1U);
    EXPECT_NEAR(at({terms.jacobian[0].node})[0], 2 * x * y, 1e-15);
    EXPECT_NEAR(at({terms.jacobian[1].node})[0], x * x - length * length, 1e-15);
    EXPECT_EQ(terms.jacobian[2].row, 1U);
    EXPECT_NEAR(at(terms.velocity_residuals)[0], 2 * x * y * vx + (x * x - length * length) * vy - 2 * length * y,
                1e-14);
    EXPECT_NEAR(at(terms.curvature)[0], 2 * y * vx * vx + 2 * 2 * x * vx * vy - 2 * 2 * length * vy - 2 * y, 1e-14);
    EXPECT_NEAR(at(terms.curvature)[1], 0, 1e-15);
}

TEST(Model, compiles_one_function_a_need) {
    auto model = read(elastic);
    std::vector<Node> force_and_elongations = model.forces;
    force_and_elongations.push_back(*model.springs[0].elongation);
    const auto found = values(model, force_and_elongations, {3.0, 4.0}, {0, 0}, 1.0);
    EXPECT_EQ(found[2], 5 - 1.1);
    EXPECT_EQ(found[0], values(model, model.forces, {3.0, 4.0}, {0, 0}, 1.0)[0]);
}

TEST(Model, derives_gradients_and_hessians_of_slow_variables) {
    auto model = read(
        "lento = 1\n[variables]\na = { start = 1, rate = \"b\" }\nb = { start = 0, rate = \"-a + 0.1*a^2*b\" "
        "}\n[slow]\n"
        "I = \"(a^2 + b^2)/2\"\nphi = { variable = \"a*b^2\", alternative = \"a - b\" }\n");
    const auto terms = slow_terms(model);
    const auto at = [&](Node node) { return values(model, {node}, {0.5, 2.0}, {})[0]; };
    ASSERT_EQ(terms.gradient.size(), 6U);  // the alternative of phi has two
    EXPECT_EQ(at(terms.gradient[0].node), 0.5);
    EXPECT_EQ(at(terms.gradient[3].node), 2 * 0.5 * 2.0);
    ASSERT_EQ(std::ranges::count(terms.hessian, 0U, &SecondDerivative::value), 2);  // the diagonal
    ASSERT_EQ(std::ranges::count(terms.hessian, 1U, &SecondDerivative::value), 3);
    EXPECT_EQ(terms.hessian[2].value, 1U);
    EXPECT_EQ(terms.hessian[2].column, 1U);
    EXPECT_EQ(at(terms.hessian[2].node), 4.0);
    EXPECT_TRUE(model.slow[1].alternative.has_value());
    std::vector<Partial> pattern;
    for (const auto& variable : model.variables) {
        std::ranges::copy(model.graph.gradient(variable.rate), std::back_inserter(pattern));
    }
    ASSERT_EQ(pattern.size(), 3U);  // da'/db, db'/da, db'/db
    EXPECT_EQ(at(pattern[2].node), 0.1 * 0.25);
}

TEST(Model, is_a_problem_like_one_written_in_cpp) {
    const auto model = read(pendulum);
    const Request request{
        .start = {0.5}, .t_end = 0.3, .method = "hmm-async", .rtol = 1e-8, .options = {.estimate = "none"}};
    const auto written = solve(
        vibrated_system(
            1, 1e4, [](auto q, auto, auto, auto theta, auto f) { f[0] = (9.8 + 4e4 * cos(theta)) / 0.2 * sin(q[0]); })
            .with_phase_start({M_PI / 3}),
        request);
    const auto read_in = solve(ModelParts(model).problem(), request);
    EXPECT_EQ(read_in.outcome(), Outcome::completed);
    EXPECT_NEAR(read_in.final_state().position[0], written.final_state().position[0], 1e-10);
    EXPECT_EQ(read_in.statistics().force_evaluations, written.statistics().force_evaluations);
    EXPECT_NEAR(read_in.fast(0.2).velocity[0], written.fast(0.2).velocity[0], 1e-8);
}

TEST(Model, first_order_systems_are_solved_directly) {
    const auto model =
        read("lento = 1\n[variables]\na = { start = 1, rate = \"b\" }\nb = { start = 0, rate = \"-a\" }\n");
    const auto problem = ModelParts(model).problem();
    EXPECT_FALSE(problem.second_order);
    const auto solution = solve(problem, {.start = start_of(model), .t_end = 3, .rtol = 1e-10, .atol = 1e-12});
    EXPECT_NEAR(solution.final_state().position[0], std::cos(3), 1e-9);
    EXPECT_NEAR(solution.slow(1.7).position[1], -std::sin(1.7), 1e-8);
    EXPECT_TRUE(solution.slow(1.7).velocity.empty());
    EXPECT_THROW(solve(problem, {.start = {1, 0}, .t_end = 1, .method = "hmm-async"}), Misuse);
}

TEST(Model, every_scalar_type_passes_through) {
    const auto model = read(elastic);
    const ModelFunction force(model, model.forces);
    const auto inputs = input_values(model);
    using Dual = Jet<double, 1>;
    std::vector<Dual> x{Dual(0.8), Dual(0.5)};
    x[0][1] = 1;
    const std::vector<Dual> v{Dual(0.0), Dual(0.0)};
    std::vector<Dual> f(2);
    force.operator()<Dual>(x, v, Dual(0.3), {}, inputs->data(), f);
    const auto at = [&](double position, double t = 0.3) {
        return values(model, model.forces, {position, 0.5}, {0, 0}, t)[0];
    };
    EXPECT_NEAR(f[0][0], at(0.8), 1e-12);
    EXPECT_NEAR(f[0][1], (at(0.8 + 1e-6) - at(0.8 - 1e-6)) / 2e-6, 1e-5 * std::abs(f[0][1]));
    std::vector<long double> long_x{0.8L, 0.5L};
    std::vector<long double> long_v{0, 0};
    std::vector<long double> long_f(2);
    force.operator()<long double>(long_x, long_v, 0.3L, {}, inputs->data(), long_f);
    EXPECT_NEAR(static_cast<double>(long_f[0]), at(0.8), 1e-12);
    // Problems take series in time, in which x and t move.
    const auto problem = ModelParts(model).problem();
    ASSERT_TRUE(problem.takes_series());
    const std::vector<double> time{0.3}, moving{0.8, 0.5, 1, 0}, resting(4);
    std::vector<double> series(4);
    (*problem.forces.blocks())({1, 1, time, moving, resting, {}, problem.parameters}, series);
    EXPECT_NEAR(series[0], at(0.8), 1e-12);
    EXPECT_NEAR(series[2], (at(0.8 + 1e-6, 0.3 + 1e-6) - at(0.8 - 1e-6, 0.3 - 1e-6)) / 2e-6,
                1e-5 * std::abs(series[2]));
}

TEST(Model, compiled_code_may_be_called_from_many_threads) {
    const auto model = read(elastic);
    const ModelFunction force(model, model.forces);
    force.compile();
    const auto inputs = input_values(model);
    const auto expected = values(model, model.forces, {0.8, 0.5}, {0, 0}, 0.3);
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (std::size_t k = 0; k < wrong.size(); ++k) {
        threads.emplace_back([&, k] {
            const std::vector<double> x{0.8, 0.5};
            const std::vector<double> v{0, 0};
            std::vector<double> f(2);
            for (int i = 0; i < 10'000; ++i) {
                force(x, v, 0.3, {}, inputs->data(), f);
                wrong[k] += f == expected ? 0 : 1;
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

struct Refused {
    std::string text, place, words;
};

TEST(Model, wrong_models_are_refused_with_their_place) {
    const std::vector<Refused> cases{
        {with(pendulum, "sin(q)", "sin(qq)"), "model.toml:18:17", "'qq' is not known (did you mean 'q'?)"},
        {with(pendulum, "sin(q)", "sine(q)"), "model.toml:18:13", "did you mean 'sin'"},
        {with(pendulum, "sin(q)", "sin(q"), "model.toml:18:13", "never closed"},
        {with(pendulum, "sin(q)", "sin(q, 1)"), "model.toml:18:13", "takes 1 argument, not 2"},
        {with(pendulum, "[forces]", "[force]"), "model.toml:17:2", "did you mean 'forces'"},
        {with(pendulum, "lento = 1\n", "lento = 99\n"), "model.toml:1:9", "99"},
        {with(pendulum, "lento = 1\n", ""), "model.toml:1:1", "lento = 1"},
        {with(pendulum, "lift = \"g", "lift = \"pull + g"), "model.toml:11:1", "circle: pull -> lift -> pull"},
        {with(pendulum, "pull = \"lift/l\"", "pull = \"pull/l\""), "model.toml:11:1", "circle: pull -> pull"},
        {with(pendulum, "l = 0.2", "l = \"g\""), "model.toml:5:6", "'g' is not defined yet"},
        {with(pendulum, "l = 0.2", "q = 0.2"), "model.toml:15:1", "'q' is a parameter already, in line 5"},
        {with(pendulum, "l = 0.2", "t = 0.2"), "model.toml:5:1", "'t' has a meaning of its own (the time)"},
        {with(pendulum, "l = 0.2", "pi = 0.2"), "model.toml:5:1", "'pi'"},
        {with(pendulum, "l = 0.2", "sin = 0.2"), "model.toml:5:1", "a function"},
        {with(pendulum, "l = 0.2", "q_dot = 0.2"), "model.toml:15:1", "'q_dot' is a parameter already"},
        {with(pendulum, "l = 0.2", "l = true"), "model.toml:5:5", "not true or false"},
        {with(pendulum, "l = 0.2", "l = [1]"), "model.toml:5:5", "not a list"},
        {with(pendulum, "l = 0.2", "l = 1979-05-27"), "model.toml:5:5", "not a date"},
        {with(pendulum, "l = 0.2", "l = nan"), "model.toml:5:5", "finite"},
        {with(pendulum, "l = 0.2", "l = 0.2\nl = 3"), "model.toml:6", "l"},
        {with(pendulum, "l = 0.2", "\"a b\" = 2"), "model.toml:5:1", "not a name"},
        {with(pendulum, "start = \"1/2\", ", ""), "model.toml:15:1", "has no start"},
        {with(pendulum, "start = \"1/2\"", "strat = \"1/2\""), "model.toml:15:7", "did you mean 'start'"},
        {with(pendulum, "start = \"1/2\"", "start = \"q_dot\""), "model.toml:15:16",
         "must be a number; this depends on the velocity q_dot"},
        {with(pendulum, "q = { start", "q = 3 # { start"), "model.toml:15:5", "must be a table"},
        {with(pendulum, "frequency = \"omega\"", "frequency = \"-omega\""), "model.toml:21:13", "above 0"},
        {with(pendulum, "frequency = \"omega\"", ""), "model.toml:20:12", "no frequency"},
        {with(pendulum, "[observe]", "[observe]\nq = 3"), "model.toml:25:1", "another output"},
        {with(pendulum, "[observe]", "potential = \"q^2\"\n[observe]"), "model.toml:24:1",
         "[vibration.theta] above it"},
        {with(pendulum, "[parameters]", "[parameters]\npotential = \"q^2\""), "model.toml:5:1",
         "section [parameters] above it"},
        {with(pendulum, "samples = 11", "samples = 1.5"), "model.toml:29:11", "whole number"},
        {with(pendulum, "samples = 11", "sampels = 11"), "model.toml:29:1", "did you mean 'samples'"},
        {with(pendulum, "[run]", "[constraints]\nrod = \"cos(theta)\"\n[run]"), "model.toml:28:12",
         "uses the phase theta"},
        {with(pendulum, "[run]", "[mass]\nq = 0\n[run]"), "model.toml:28:5", "above 0"},
        {with(pendulum, "[run]", "[mass]\nmatrix = [[1, 2], [2, 1]]\n[run]"), "model.toml:28:10", "2 rows"},
        {with(pendulum, "[run]", "[mass]\nq = \"1 + q_dot^2\"\n[run]"), "model.toml:28:10", "uses the velocity q_dot"},
        {with(pendulum, "[run]", "[mass]\nq = \"2 + cos(theta)\"\n[run]"), "model.toml:28:14", "uses the phase theta"},
        {with(pendulum, "[run]", "[mass]\nq = \"2 + pull\"\n[run]"), "model.toml:28:5", "phase theta"},
        {with(pendulum, "[run]", "[mass]\nq = \"2 + qq\"\n[run]"), "model.toml:28:10", "'qq' is not known"},
        {with(elastic, "x = \"m\"\ny = \"m\"", "matrix = [[2, \"x\"], [\"y\", 3]]"), "model.toml:11:22",
         "a mass matrix is symmetric"},
        {with(elastic, "x = \"m\"\ny = \"m\"", "matrix = [[2, \"x\"]]"), "model.toml:11:10", "1 rows"},
        {with(pendulum, "[run]", "[springs.s]\nelongation = \"q\"\n[run]"), "model.toml:27:10",
         "frequency or a stiffness"},
        {with(pendulum, "[run]", "[variables]\ny = { start = 1, rate = \"y\" }\n[run]"), "model.toml:27:2",
         "instead of [coordinates]"},
        {with(pendulum, "title = ", "potential = \"q_dot^2\"\ntitle = "), "model.toml:2:14", "uses the velocity q_dot"},
        {with(pendulum, "title = \"Pendulum\"", "title = 3"), "model.toml:2:9", "text in quotes"},
        {"lento = 1\n[run]\nt_end = 1\n", "model.toml: ", "[coordinates]"},
        {"lento = 1\n[coordinates]\n", "model.toml:2:2", "empty"},
        {with(pendulum, "[observe]", "[observe]\nsin = 3"), "model.toml:25:1", "a function"},
        {with(pendulum, "[run]", "[mass]\nmatrix = 3\n[run]"), "model.toml:28:10", "list of rows"},
        {with(pendulum, "[run]", "[springs.s]\nelongation = \"q\"\nfrequency = 3\npotential = \"q^2\"\n[run]"),
         "model.toml:27:10", "top of the file"},
        {with(pendulum, "sin(q)", "sin(\xce\xb1)"), "model.toml:18:17", "'\xce\xb1'"},
        {"lento = 1\n" +
             [] {
                 std::string key;
                 for (int i = 0; i < 100'000; ++i) {
                     key += "\"\\\"=\".";
                 }
                 return key + "b = 1\n";
             }(),
         "model.toml:2:", "parts"},
        {with(pendulum, "sin(q)",
              [] {
                  std::string deep = "exp(sin(q)*cos(q))";
                  for (int i = 0; i < 200; ++i) {
                      deep = "d(" + deep + ", q)";
                  }
                  return deep;
              }()),
         "model.toml:18:", "derivatives in this expression"},
        {"", "model.toml: ", "empty"},
        {std::string("lento = 1\0", 10), "model.toml: ", "not a text file"},
        {"\x01\x02\x03", "model.toml:1:1", ""},
        {"\xff\xfe\x41", "model.toml:1:1", ""},
        {"lento = 1\n[coordinates\n", "model.toml:2:13", ""},
        {"lento = 1\n" +
             [] {
                 std::string key = "a";
                 for (int i = 0; i < 100'000; ++i) {
                     key += ".a";
                 }
                 return key;
             }() +
             " = 1\n",
         "model.toml:2:", "parts"},
        {"lento = 1\nx = " + std::string(100'000, '['), "model.toml:2:", ""},
    };
    for (const auto& wrong : cases) {
        try {
            read(wrong.text);
            ADD_FAILURE() << "accepted, wanted: " << wrong.place << " " << wrong.words;
        } catch (const ModelError& error) {
            const std::string message = error.what();
            EXPECT_EQ(message.substr(0, wrong.place.size()), wrong.place) << message;
            EXPECT_NE(message.find(wrong.words), std::string::npos) << message;
        }
    }
}

TEST(Model, the_caret_stands_under_what_is_wrong) {
    const auto message_of = [](const std::string& text) {
        try {
            read(text);
        } catch (const ModelError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(message_of(with(pendulum, "sin(q)", "sin(qq)")).find("\n  q = \"pull * sin(qq)\"\n                  ^^"),
              std::string::npos)
        << message_of(with(pendulum, "sin(q)", "sin(qq)"));
    // Letters of two bytes count once; escapes and lines of long strings are followed.
    EXPECT_EQ(message_of("lento = 1\n[coordinates]\nq = { start = \"1 + \\u0020 zz\" }\n").substr(0, 15),
              "model.toml:3:27");
    EXPECT_EQ(message_of("lento = 1\n[coordinates]\nq = { start = 1 }\n[forces]\nq = \"\"\"\n  1 +\n  zz\"\"\"\n")
                  .substr(0, 14),
              "model.toml:7:3");
    EXPECT_EQ(message_of("lento = 1 # \xc3\xa4\n[observe]\n\"\xc3\xa4\" = \"1 +\"\n[coordinates]\nq = { start = 1 }\n")
                  .substr(0, 13),
              "model.toml:3:");
    // A line of a million characters is not shown whole.
    EXPECT_LT(
        message_of("lento = 1\n[coordinates]\nq = { start = \"" + std::string(1'000'000, '1') + "+z\" }\n").size(),
        500U);
}

TEST(Model, dots_in_comments_and_long_strings_are_no_keys) {
    std::string sum = "0.1*q";
    for (int i = 0; i < 60; ++i) {
        sum += " + 0.1*q";
    }
    const auto model = read("lento = 1\n# " + std::string(100, '.') +
                            "\n[coordinates]\nq = { start = 1 }\n[forces]\nq = \"\"\"\n" + sum + "\"\"\"\n");
    EXPECT_NEAR(values(model, model.forces, {1.0}, {0.0})[0], 6.1, 1e-12);
}

TEST(Model, definitions_that_are_numbers_stand_where_numbers_do) {
    const auto model = read(
        "lento = 1\n[parameters]\na = 2\n[definitions]\ne5 = \"1.e5*a\"\nb = \"q*a\"\n[coordinates]\nq = { start = "
        "\"e5\" }\n");
    EXPECT_EQ(model.coordinates[0].start, 2e5);
    EXPECT_EQ(number_in(model, "e5/a", "--t-end"), 1e5);
    EXPECT_THROW(number_in(model, "b", "--t-end"), Misuse);
}

TEST(Model, products_of_constants_do_not_overflow_where_the_expression_does_not) {
    const auto model = read("lento = 1\n[coordinates]\nq = { start = 1 }\n[forces]\nq = \"1e200*(1e200*q)\"\n");
    EXPECT_EQ(values(model, model.forces, {1e-150}, {0.0})[0], 1e200 * (1e200 * 1e-150));
}

TEST(Model, definitions_may_come_in_any_order_and_in_any_number) {
    std::string text = "lento = 1\n[coordinates]\nq = { start = \"c0\" }\n[definitions]\n";
    constexpr int count = 50'000;
    for (int k = 0; k < count; ++k) {
        text += fmt::format("c{} = \"c{} + 1\"\n", k, k + 1);
    }
    text += fmt::format("c{} = 0\n", count);
    EXPECT_EQ(read(text).coordinates[0].start, count);
}

/// Half a hundred thousand coordinates with a force each: 100,000 lines.
TEST(Model, a_hundred_thousand_lines_load_in_seconds) {
#ifdef NDEBUG
    constexpr int count = 50'000;
#else
    constexpr int count = 2'000;
#endif
    std::string coordinates = "lento = 1\n[parameters]\nk = 3.5\n[coordinates]\n";
    std::string forces = "[forces]\n";
    for (int i = 0; i < count; ++i) {
        coordinates += fmt::format("q{0} = {{ start = \"sin({0})\" }}\n", i);
        forces += fmt::format("q{0} = \"k*sin(q{1} - q{0}) - 0.3*(q{0} - q{2})^3 - {3}*q{0}\"\n", i, (i + 1) % count,
                              (i + count - 1) % count, 0.1 + i * 1e-3);
    }
    const auto began = std::chrono::steady_clock::now();
    const auto model = read(coordinates + forces);
    const auto problem = ModelParts(model).problem();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    RecordProperty("seconds", std::to_string(seconds));
    EXPECT_LT(seconds, 30);
    const auto x = start_of(model);
    std::vector<double> f(x.size());
    problem.forces.at(x.data(), x.data(), 0.0, nullptr, problem.parameters.data(), f.data());
    const auto expected = [&](int i) {
        const auto at = [&](int k) { return std::sin((k + count) % count); };
        return 3.5 * std::sin(at(i + 1) - at(i)) - 0.3 * std::pow(at(i) - at(i - 1), 3) - (0.1 + i * 1e-3) * at(i);
    };
    for (const int i : {0, 1, count / 2, count - 1}) {
        EXPECT_NEAR(f[static_cast<std::size_t>(i)], expected(i), 1e-11) << i;
    }
}

TEST(Model, every_example_compiles_in_a_tenth_of_a_second) {
    int count = 0;
    for (const auto& file : std::filesystem::directory_iterator(source_dir / "models")) {
        if (file.path().extension() != ".toml") {
            continue;
        }
        const std::clock_t began = std::clock();  // of this process: others may be busy
        const auto model = read_model(Source::file(file.path()));
        const ModelFunction force(model, model.forces);
        force.compile();
        [[maybe_unused]] const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
#ifdef NDEBUG
        EXPECT_LT(seconds, 0.1) << file.path();
#endif
        ++count;
    }
    EXPECT_GE(count, 11);
}

/// What the fuzzers start from and what they once found: accepted or refused, nothing else.
TEST(Model, the_corpus_of_the_fuzzers_is_read_or_refused) {
    int count = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(source_dir / "tests" / "fuzz" / "corpus")) {
        if (!file.is_regular_file()) {
            continue;
        }
        std::stringstream text;
        text << std::ifstream(file.path(), std::ios::binary).rdbuf();
        try {
            read(text.str());
        } catch (const Misuse& misuse) {
            EXPECT_STRNE(misuse.what(), "");
        }
        ++count;
    }
    EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace lento::model
