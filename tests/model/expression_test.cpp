/// Expressions: what they mean, where they are wrong, their derivatives, and machine code against the plain evaluator.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lento/base/jet.hpp"
#include "model/compile.hpp"
#include "model/evaluate.hpp"
#include "model/graph.hpp"
#include "model/parse.hpp"
#include "tests/model/random_expression.hpp"

namespace lento::model {
namespace {

/// Names x, y, v, theta and t, and their values.
struct World {
    Graph graph;
    std::vector<std::string> names{"x", "y", "v", "theta", "t"};
    std::vector<Place> places{{Place::Array::position, 0},
                              {Place::Array::position, 1},
                              {Place::Array::velocity, 0},
                              {Place::Array::phase, 0},
                              {Place::Array::time, 0}};
    std::vector<double> values{0.7, -1.3, 0.4, 2.1, 0.25};

    Node parse(std::string_view text) {
        const Scope scope{.lookup = [this](std::string_view name) -> std::optional<Node> {
                              for (std::uint32_t k = 0; k < names.size(); ++k) {
                                  if (names[k] == name) {
                                      return graph.symbol(k);
                                  }
                              }
                              return {};
                          },
                          .names = [this] { return names; }};
        return parse_expression(graph, text, scope);
    }
    template <class S = double>
    S evaluated(Node node, const std::vector<S>& symbols) const {
        S result{};
        Evaluator(graph, {node})
            .template operator()<S>([&](std::size_t k) { return symbols[k]; }, std::span(&result, 1));
        return result;
    }
    double evaluated(Node node) const { return evaluated<double>(node, values); }
    std::vector<double> compiled(const std::vector<Node>& nodes) const {
        std::vector<double> result(nodes.size());
        const CompiledFunction function({graph, nodes, places});
        const double velocity = values[2];
        const double phase = values[3];
        function(values.data(), &velocity, values[4], &phase, nullptr, result.data());
        return result;
    }
    double value(std::string_view text) { return evaluated(parse(text)); }
};

TEST(Expression, means_what_is_written) {
    World world;
    const double x = 0.7;
    const double y = -1.3;
    const std::vector<std::pair<std::string, double>> cases{
        {"1 + 2*3", 7},
        {"-x^2", -(x * x)},
        {"2^-1", 0.5},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^-12", std::ldexp(1, -12)},
        {"1 - 2 - 3", -4},
        {"8/4/2", 1},
        {"--x", x},
        {"+x", x},
        {"2*-x", -2 * x},
        {"1e3 + .5 + 5.", 1005.5},
        {"pi", 3.14159265358979323846},
        {"atan2(y, x)", std::atan2(y, x)},
        {"hypot(x, y)", std::hypot(x, y)},
        {"pow(x, 2.5)", std::pow(x, 2.5)},
        {"min(x, y) + max(x, y)", x + y},
        {"sign(y) + sign(x) + sign(0)", 0},
        {"floor(y)", -2},
        {"abs(y) + cbrt(8) + log10(1000) + sqrt(9)", 1.3 + 2 + 3 + 3},
        {"d(x^3, x)", 3 * x * x},
        {"d(d(x^3, x), x)", 6 * x},
        {"d(sin(theta)*x, theta)", std::cos(2.1) * x},
        {"x^0", 1},
        {"x^0.5", std::sqrt(x)},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_NEAR(world.value(text), expected, 1e-15 * std::abs(expected)) << text;
    }
}

TEST(Expression, errors_say_what_and_where) {
    struct Case {
        std::string text;
        std::size_t offset, length;
        std::string words;
    };
    const std::vector<Case> cases{
        {"x + zeta", 4, 4, "'zeta' is not known"},
        {"x + thet", 4, 4, "did you mean 'theta'"},
        {"sine(x)", 0, 4, "did you mean 'sin'"},
        {"(x + 1", 0, 1, "never closed"},
        {"x + 1)", 5, 1, "closes nothing"},
        {"sin(x, y)", 0, 3, "takes 1 argument, not 2"},
        {"atan2(x)", 0, 5, "takes 2 arguments, not 1"},
        {"x +", 2, 1, "ends"},
        {"x ** 2", 2, 2, "^"},
        {"x y", 2, 1, "operator"},
        {"2x", 1, 1, "operator"},
        {"sin", 0, 3, "write sin(...)"},
        {"", 0, 1, "empty"},
        {"x $ y", 2, 1, "$"},
        {"d(x, 2)", 5, 1, "second argument of d"},
        {"1e999", 0, 5, "too large"},
        {"x + * y", 4, 1, "expected a value"},
    };
    for (const auto& wrong : cases) {
        World world;
        try {
            world.parse(wrong.text);
            ADD_FAILURE() << wrong.text << " was accepted";
        } catch (const ExpressionError& error) {
            EXPECT_EQ(error.offset, wrong.offset) << wrong.text << ": " << error.what();
            EXPECT_EQ(error.length, wrong.length) << wrong.text << ": " << error.what();
            EXPECT_NE(std::string(error.what()).find(wrong.words), std::string::npos)
                << wrong.text << ": " << error.what();
        }
    }
}

TEST(Expression, nesting_is_limited_and_length_is_not) {
    World world;
    EXPECT_THROW(world.parse(std::string(10'000, '(') + "x" + std::string(10'000, ')')), ExpressionError);
    EXPECT_THROW(world.parse(std::string(100'000, '-') + "x"), ExpressionError);
    EXPECT_THROW(world.parse(std::string(2'000'000, '(')), ExpressionError);
    std::string tower = "x";
    for (int i = 0; i < 10'000; ++i) {
        tower += "^2";
    }
    EXPECT_THROW(world.parse(tower), ExpressionError);
    EXPECT_NO_THROW(world.parse(std::string(500, '(') + "x" + std::string(500, ')')));
    std::string sum = "x";
    for (int i = 0; i < 200'000; ++i) {
        sum += "+sin(y)*x";
    }
    EXPECT_NEAR(world.value(sum), 0.7 * (1 + 200'000 * std::sin(-1.3)), 1e-6);
}

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

RC_GTEST_PROP(Compiled, code_gives_the_bits_of_the_plain_evaluator, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    World world;
    std::vector<Node> nodes;
    std::string text;
    for (int k = 0; k < 4; ++k) {
        text = random_expression(random, 5, false);
        nodes.push_back(world.parse(text));
    }
    for (auto& value : world.values) {
        value = std::uniform_real_distribution<double>(-2, 2)(random);
    }
    const auto compiled = world.compiled(nodes);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        RC_ASSERT(same(compiled[k], world.evaluated(nodes[k])));
    }
}

RC_GTEST_PROP(Derivative, agrees_with_jets, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    World world;
    const std::string text = random_expression(random, 4, true);
    RC_LOG() << text << "\n";
    const Node node = world.parse(text);
    const auto gradient = world.graph.gradient(node);
    for (std::uint32_t k = 0; k < world.names.size(); ++k) {
        using Dual = Jet<double, 1>;
        std::vector<Dual> point;
        for (std::uint32_t j = 0; j < world.names.size(); ++j) {
            point.emplace_back(world.values[j]);
            point.back()[1] = j == k ? 1 : 0;
        }
        const double expected = world.evaluated<Dual>(node, point)[1];
        const double forward = world.evaluated(world.graph.derivative(node, k));
        double backward = 0;
        for (const auto& partial : gradient) {
            backward += partial.symbol == k ? world.evaluated(partial.node) : 0;
        }
        const double tolerance = 1e-9 * (1 + std::abs(expected));
        RC_ASSERT(std::abs(forward - expected) <= tolerance);
        RC_ASSERT(std::abs(backward - expected) <= tolerance);
    }
}

TEST(Derivative, of_minimum_and_maximum_follows_the_one_taken) {
    World world;
    EXPECT_EQ(world.value("d(max(x^2, y), x)"), 1.4);
    EXPECT_EQ(world.value("d(min(x^2, y), x)"), 0);
    EXPECT_EQ(world.value("d(abs(y), y)"), -1);
    EXPECT_EQ(world.value("d(hypot(x, y), x)"), 0.7 / std::hypot(0.7, -1.3));
}

TEST(Expression, not_a_number_is_never_hidden) {
    World world;
    for (const auto* text :
         {"min(x, log(y))", "min(log(y), x)", "max(x, log(y))", "max(log(y), x)", "sign(log(y))", "abs(log(y))"}) {
        const Node node = world.parse(text);
        EXPECT_TRUE(std::isnan(world.evaluated(node))) << text;
        EXPECT_TRUE(std::isnan(world.compiled({node})[0])) << text;
    }
}

TEST(Graph, shares_what_is_equal) {
    World world;
    EXPECT_EQ(world.parse("sin(x)*y + cos(x)"), world.parse("cos(x) + y*sin(x)"));
    EXPECT_EQ(world.parse("x - x"), world.graph.constant(0));
    EXPECT_EQ(world.parse("0*x + 1*y"), world.parse("y"));
    EXPECT_EQ(world.parse("x + x"), world.parse("2*x"));
    EXPECT_EQ(world.parse("2*(3*x)"), world.parse("6*x"));
    const std::size_t before = world.graph.size();
    world.parse("sin(x)*y + cos(x)");
    EXPECT_EQ(world.graph.size(), before);
}

/// The Hessian of the potential of particles in a row, every neighbouring pair with a Lennard-Jones potential and a
/// cut-off: compiles it, and says of how many operations it is.
std::size_t row_hessian(int pairs) {
    Graph graph;
    std::vector<Place> places;
    for (std::uint32_t k = 0; k <= static_cast<std::uint32_t>(pairs); ++k) {
        places.push_back({Place::Array::position, k});
    }
    const Scope scope{.lookup = [&](std::string_view name) -> std::optional<Node> {
                          return graph.symbol(static_cast<std::uint32_t>(std::stoul(std::string(name.substr(1)))));
                      },
                      .names = [] { return std::vector<std::string>(); }};
    std::string text = "0";
    for (int k = 0; k < pairs; ++k) {
        text += fmt::format(" + 4*((x{1}-x{0})^-12 - (x{1}-x{0})^-6)*exp(-0.1*(x{1}-x{0}))", k, k + 1);
    }
    const Node potential = parse_expression(graph, text, scope);
    std::vector<Node> hessian;
    for (const auto& row : graph.gradient(potential)) {
        for (const auto& entry : graph.gradient(row.node)) {
            hessian.push_back(entry.node);
        }
    }
    EXPECT_EQ(hessian.size(), static_cast<std::size_t>(3 * pairs + 1));
    const CompiledFunction compiled({graph, hessian, places});
    return Evaluator(graph, hessian).operations();
}

TEST(Graph, hessian_of_a_potential_of_fifty_terms_is_compact_and_compiles_at_once) {
    const auto one_pair = row_hessian(1);
    const auto began = std::clock();  // of the processor: neighbours on the machine are not part of it
    const auto fifty_pairs = row_hessian(50);
    const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    RecordProperty("operations of one pair", std::to_string(one_pair));
    RecordProperty("operations of fifty", std::to_string(fifty_pairs));
    RecordProperty("seconds", std::to_string(seconds));
    EXPECT_LE(fifty_pairs, 50 * one_pair + 50);  // nothing but the sums at shared particles comes on top
#ifdef NDEBUG
    EXPECT_LT(seconds, 1.0);
#endif
}

TEST(Compiled, long_functions_are_cut_and_stay_the_same) {
    Graph graph;
    std::vector<Place> places;
    std::vector<Node> nodes;
    constexpr std::uint32_t count = 3000;
    Node carried = graph.constant(0.1);
    for (std::uint32_t k = 0; k < count; ++k) {
        places.push_back({Place::Array::position, k});
        // Each result uses all that came before: values pass from piece to piece.
        carried = graph.unary(
            Op::sin, graph.binary(Op::add, graph.binary(Op::multiply, carried, graph.constant(0.9)), graph.symbol(k)));
        // ... and one from long ago, so that many values are under way at a time.
        carried = graph.binary(
            Op::add, carried, graph.binary(Op::multiply, graph.constant(0.01), nodes.empty() ? carried : nodes[k / 2]));
        nodes.push_back(carried);
    }
    nodes.push_back(graph.symbol(5));
    nodes.push_back(graph.constant(7));
    std::vector<double> x(count);
    for (std::uint32_t k = 0; k < count; ++k) {
        x[k] = std::cos(k);
    }
    const CompiledFunction function({graph, nodes, places});
    std::vector<double> compiled(nodes.size());
    std::vector<double> expected(nodes.size());
    function(x.data(), nullptr, 0, nullptr, nullptr, compiled.data());
    Evaluator(graph, nodes).operator()<double>([&](std::size_t k) { return x[k]; }, std::span(expected));
    EXPECT_EQ(compiled, expected);
}

}  // namespace
}  // namespace lento::model
