/// Changes as nodes of the graph: against increments in long double, in machine code, and what they cost.
#include "model/difference.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "lento/base/increment.hpp"
#include "lento/base/jet.hpp"
#include "model/compile.hpp"
#include "model/evaluate.hpp"
#include "model/parse.hpp"
#include "tests/model/random_expression.hpp"

namespace lento::model {
namespace {

/// Names x, y, v and theta, which move, and t, which stays; after them the symbols of their moves.
struct World {
    static constexpr std::uint32_t moving = 4;

    Graph graph;
    std::vector<std::string> names{"x", "y", "v", "theta", "t", "dx", "dy", "dv", "dtheta"};
    std::vector<std::optional<Node>> changes;
    std::vector<Place> places;
    std::vector<double> values{0.7, -1.3, 0.4, 2.1, 0.25, 0, 0, 0, 0};

    World() {
        for (std::uint32_t k = 0; k < moving; ++k) {
            changes.emplace_back(graph.symbol(moving + 1 + k));
        }
        for (std::uint32_t k = 0; k < names.size(); ++k) {
            places.push_back({Place::Array::position, k});
        }
    }
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
    Node change(Node node) { return differences(graph, std::span(&node, 1), changes).front(); }
    Node change(std::string_view text) { return change(parse(text)); }

    double& move(std::uint32_t symbol) { return values[moving + 1 + symbol]; }
    template <class S, class Symbol>
    S evaluated(Node node, Symbol symbol) const {
        S result{};
        Evaluator(graph, {node}).template operator()<S>(symbol, std::span(&result, 1));
        return result;
    }
    double evaluated(Node node) const {
        return evaluated<double>(node, [&](std::size_t k) { return values[k]; });
    }
    /// The plain value after the moves.
    double moved(Node node) {
        return evaluated<double>(node, [&](std::uint32_t k) { return k < moving ? values[k] + move(k) : values[k]; });
    }
    /// The reference.
    double exact_change(Node node) {
        using L = Increment<long double>;
        return static_cast<double>(evaluated<L>(node, [&](std::uint32_t k) {
                                       return k < moving ? L::at(values[k], move(k)) : L(values[k]);
                                   }).change());
    }
    double compiled(Node node) const {
        double result = 0;
        CompiledFunction({graph, {node}, places})(values.data(), nullptr, 0, nullptr, nullptr, &result);
        return result;
    }
    std::size_t operations(Node node) const {
        const auto parts = graph.parts(std::span(&node, 1));
        return static_cast<std::size_t>(
            std::count_if(parts.begin(), parts.end(), [&](Node part) { return !is_leaf(graph[part].op); }));
    }
};

/// A function of x where it is monotonic and moderate; y and t stay.
struct Case {
    std::string text;
    double low, high;
};

std::vector<Case> all_functions() {
    return {
        {"sin(x)", -1.5, 1.5},    {"cos(x)", 0.05, 3.1},    {"tan(x)", -1.2, 1.2},
        {"asin(x)", -0.99, 0.99}, {"acos(x)", -0.99, 0.99}, {"atan(x)", -30, 30},
        {"sinh(x)", -3, 3},       {"cosh(x)", 0, 3},        {"tanh(x)", -15, 15},
        {"exp(x)", -3, 3},        {"log(x)", 0.1, 9},       {"log10(x)", 0.1, 9},
        {"sqrt(x)", 0, 4},        {"cbrt(x)", -4, 4},       {"abs(x)", -4, 0},
        {"sign(x)", -1, 1},       {"floor(x)", -4, 4},      {"min(x, 1)", -4, 4},
        {"max(x, 1)", -4, 4},     {"max(t, x)", -4, 4},     {"atan2(x, 2)", -9, 9},
        {"atan2(t, x)", -9, 9},   {"hypot(x, t)", 0, 9},    {"hypot(x, y)", 0.1, 9},
        {"pow(x, 2.5)", 0.1, 3},  {"pow(x, t)", 0.1, 3},    {"pow(x, -0.3)", 0.1, 3},
        {"pow(2, x)", -3, 3},     {"x^x", 0.6, 3},          {"x^65", -1.5, -0.1},
        {"x^-12", 0.7, 1.4},      {"x^-66", 0.5, 1.5},      {"x^3", 0, 3},
        {"x*t", -4, 4},           {"t/x", 0.1, 4},          {"x/(x + 1)", 0, 4},
        {"-(2*x - 1)", -4, 4},
    };
}

/// Random moves of x within [low, high], from 1e-18 of x to x.
template <class Visit>
void sweep(World& world, const Case& over, Visit visit) {
    std::mt19937_64 random(11);
    for (int decade = -18; decade <= 0; ++decade) {
        for (int i = 0; i < 24; ++i) {
            const double x = std::uniform_real_distribution<double>(over.low, over.high)(random);
            const double d = x * std::uniform_real_distribution<double>(-1, 1)(random) * std::pow(10.0, decade);
            if (over.low < x + d && x + d < over.high) {
                world.values[0] = x;
                world.move(0) = d;
                visit();
            }
        }
    }
}

TEST(Difference, of_every_function_is_right_to_1e_minus_14_of_itself) {
    for (const auto& entry : function_catalogue()) {
        const auto covers = [&](const Case& each) { return each.text.find(std::string(entry.name) + "(") == 0; };
        const auto cases = all_functions();
        EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), covers)) << entry.name << " has no case";
    }
    for (const auto& each : all_functions()) {
        World world;
        const Node node = world.parse(each.text);
        const Node change = world.change(node);
        double worst = 0;
        sweep(world, each, [&] {
            const double exact = world.exact_change(node);
            const double computed = world.evaluated(change);
            const double error = std::abs(computed - exact);
            worst = std::max(worst, error == 0 ? 0 : error / std::abs(exact));
            // ... and it leads where plain evaluation leads, up to the digits that this loses.
            const double scale = std::abs(world.evaluated(node)) + std::abs(world.moved(node));
            EXPECT_NEAR(world.evaluated(node) + computed, world.moved(node), 1e-13 * scale) << each.text;
        });
        RecordProperty(each.text, std::to_string(worst / 1e-16) + "e-16");
        EXPECT_LT(worst, 1e-14) << each.text;
    }
}

// NOTE: errors are measured by the change and the moves: the former may be small because of cancellation that the
// expression itself asks for. Where an expression takes the sine of a million, its value has lost digits and its change
// loses them too; few do.
TEST(Difference, of_random_expressions_agrees_with_increments) {
    std::mt19937_64 random(5);
    std::vector<double> errors;
    double worst_plain = 0;
    for (int k = 0; k < 3000; ++k) {
        World world;
        const Node node = world.parse(random_expression(random, 4, true));
        const double size = std::pow(10.0, -8 - k % 8);
        for (std::uint32_t symbol = 0; symbol < World::moving; ++symbol) {
            world.values[symbol] = std::uniform_real_distribution<double>(-2, 2)(random);
            world.move(symbol) = size * std::uniform_real_distribution<double>(-1, 1)(random);
        }
        const double exact = world.exact_change(node);
        const double scale = std::abs(exact) + size;
        errors.push_back(std::abs(world.evaluated(world.change(node)) - exact) / scale);
        worst_plain = std::max(worst_plain, std::abs(world.moved(node) - world.evaluated(node) - exact) / scale);
    }
    std::sort(errors.begin(), errors.end());
    const double of_most = errors[errors.size() * 99 / 100];
    RecordProperty("99 of 100", std::to_string(of_most / 1e-16) + "e-16");
    RecordProperty("worst", std::to_string(errors.back() / 1e-16) + "e-16");
    RecordProperty("worst plain", std::to_string(worst_plain));
    EXPECT_LT(of_most, 1e-14);
    EXPECT_LT(errors.back(), 1e-9);
    EXPECT_GT(worst_plain, 1e-2);
}

RC_GTEST_PROP(Difference, compiled_code_gives_the_bits_of_the_plain_evaluator, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    World world;
    const std::string text = random_expression(random, 4, false);
    RC_LOG() << text << "\n";
    const Node change = world.change(text);
    for (auto& value : world.values) {
        value = std::uniform_real_distribution<double>(-2, 2)(random);
    }
    const double compiled = world.compiled(change);
    const double evaluated = world.evaluated(change);
    RC_ASSERT(compiled == evaluated || (std::isnan(compiled) && std::isnan(evaluated)));
}

TEST(Difference, spring_of_frequency_1e8_is_quiet_in_machine_code) {
    World world;
    const Node elongation = world.parse("hypot(x, y) - 1");
    const Node change = world.change(elongation);
    world.values[0] = 0.6;
    world.values[1] = 0.8;
    double noise = 0;
    double noise_of_change = 0;
    for (int i = 1; i <= 20; ++i) {
        world.move(0) = 1e-8 * i / 20;
        world.move(1) = 0.7e-8 * i / 20;
        const double exact = world.exact_change(elongation);
        const double plain = world.moved(elongation) - world.evaluated(elongation);
        noise = std::max(noise, std::abs(plain / exact - 1));
        noise_of_change = std::max(noise_of_change, std::abs(world.compiled(change) / exact - 1));
    }
    RecordProperty("plain", std::to_string(noise / 1e-8) + "e-8");
    RecordProperty("change", std::to_string(noise_of_change / 1e-16) + "e-16");
    EXPECT_LT(noise_of_change, 1e-14);
    EXPECT_GT(noise, 1e-9);
}

TEST(Difference, of_what_stays_is_zero_and_of_what_is_linear_is_short) {
    World world;
    const Node zero = world.graph.constant(0);
    for (const auto* text : {"2", "t", "sin(t)^2.5", "hypot(t, 3)", "x - x"}) {
        EXPECT_EQ(world.change(text), zero) << text;
    }
    const std::vector<std::pair<std::string, std::string>> cases{
        {"x", "dx"},
        {"3*x + 2", "3*dx"},
        {"x - y", "dx - dy"},
        {"-x", "-dx"},
        {"t*x", "t*dx"},
        {"x/4", "dx/4"},
        {"x/t", "dx/t"},
        {"x*x", "dx*(x + (x + dx))"},
        {"x*y", "x*dy + dx*(y + dy)"},
        {"sin(t)*x + cos(t)*y", "sin(t)*dx + cos(t)*dy"},
        {"max(x, t)", "max((x - max(x, t)) + dx, t - max(x, t))"},
        {"atan(x)", "atan2(dx, 1 + x*(x + dx))"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(world.change(text), world.parse(expected)) << text;
    }
    world.changes[1] = {};
    EXPECT_EQ(world.change("x*y"), world.parse("y*dx"));
    world.changes[1] = zero;
    EXPECT_EQ(world.change("x*y"), world.parse("y*dx"));
    world.changes[1] = world.parse("2*dx");  // a move may be any expression
    EXPECT_EQ(world.change("x + y"), world.parse("dx + 2*dx"));
}

TEST(Difference, zero_that_stays_zero_has_no_change) {
    World world;
    const auto change = [&](std::string_view text, double x, double d) {
        world.values[0] = x;
        world.values[1] = 0;
        world.move(0) = d;
        return world.evaluated(world.change(text));
    };
    for (const auto* text :
         {"sqrt(x)", "cbrt(x)", "hypot(x, y)", "sqrt(x^2 + y^2)", "abs(x)", "x^1.5", "atan2(x, y)"}) {
        EXPECT_EQ(change(text, 0, 0), 0) << text;
    }
    EXPECT_EQ(change("asin(x)", 1, 0), 0);
    EXPECT_EQ(change("max(x, 0)^1.5", -2, 1), 0);  // the gap of a contact, open
    EXPECT_EQ(change("max(x, 0)^1.5", -2, 6), 8);
    EXPECT_EQ(change("max(x, 0)^1.5", 4, -6), -8);
    EXPECT_EQ(change("x^0.25", 0, 16), 2);
    EXPECT_EQ(change("sqrt(x)", 0, 4), 2);
    EXPECT_TRUE(std::isnan(change("x^1.5", -1, 0.5)));  // as the power itself
}

TEST(Difference, follows_from_one_branch_to_another) {
    World world;
    for (const auto& [x, d] : {std::pair(-0.5, 0.75), {0.5, -0.75}, {-0.5, -0.25}, {0.0, -0.3}, {2.0, -4.0}}) {
        world.values[0] = x;
        world.move(0) = d;
        for (const auto* text : {"abs(x)", "sign(x)", "floor(x)", "min(x, 0.1)", "max(-x, t)", "atan2(x, -1)",
                                 "atan2(-1, x)", "atan2(x, x - 3)"}) {
            const Node node = world.parse(text);
            EXPECT_NEAR(world.evaluated(world.change(node)), world.moved(node) - world.evaluated(node), 2e-15) << text;
        }
    }
}

/// Node of `op` applied to the symbol x.
Node of_x(World& world, Op op) {
    return world.graph.unary(op, world.parse("x"));
}

TEST(Difference, has_two_operations_that_the_language_does_not_know) {
    World world;
    EXPECT_THROW(world.parse("expm1(x)"), ExpressionError);
    EXPECT_THROW(world.parse("log1p(x)"), ExpressionError);
    for (const Op op : {Op::expm1, Op::log1p}) {
        using Dual = Jet<double, 1>;
        const Node node = of_x(world, op);
        const auto symbol = [&](std::size_t k) { return k == 0 ? Dual::variable(world.values[0]) : Dual(0); };
        EXPECT_NEAR(world.evaluated(world.graph.derivative(node, 0)), world.evaluated<Dual>(node, symbol)[1], 1e-15);
        const Node change = world.change(node);
        sweep(world, {"", -0.5, 3}, [&] {
            const double exact = world.exact_change(node);
            EXPECT_NEAR(world.evaluated(change), exact, 1e-14 * std::abs(exact));
        });
        EXPECT_EQ(world.compiled(change), world.evaluated(change));
    }
}

/// The operations of the elongations of a chain of links in the plane, and of them with their differences.
struct Cost {
    std::size_t of_expressions = 0, of_differences = 0;
};
Cost chain_cost(std::uint32_t links, Node (*length)(Graph&, Node, Node)) {
    Graph graph;
    const std::uint32_t coordinates = 2 * links + 2;
    const auto difference = [&](std::uint32_t k) {
        return graph.binary(Op::subtract, graph.symbol(k + 2), graph.symbol(k));
    };
    std::vector<Node> elongations;
    std::vector<std::optional<Node>> changes;
    for (std::uint32_t k = 0; k < coordinates; ++k) {
        changes.emplace_back(graph.symbol(coordinates + k));
    }
    for (std::uint32_t k = 0; k < links; ++k) {
        const Node distance = length(graph, difference(2 * k), difference(2 * k + 1));
        elongations.push_back(graph.binary(Op::subtract, distance, graph.constant(1)));
    }
    const auto operations = [&](const std::vector<Node>& nodes) {
        const auto parts = graph.parts(nodes);
        return static_cast<std::size_t>(
            std::count_if(parts.begin(), parts.end(), [&](Node part) { return !is_leaf(graph[part].op); }));
    };
    return {operations(elongations), operations(differences(graph, elongations, changes))};
}

TEST(Difference, of_a_chain_costs_17_operations_a_link) {
    const auto hypot = [](Graph& graph, Node x, Node y) { return graph.binary(Op::hypot, x, y); };
    const auto root = [](Graph& graph, Node x, Node y) {
        const Node squares = graph.binary(Op::add, graph.binary(Op::multiply, x, x), graph.binary(Op::multiply, y, y));
        return graph.unary(Op::sqrt, squares);
    };
    const Cost by_hypot = chain_cost(1000, hypot);
    EXPECT_EQ(by_hypot.of_expressions, 4000);
    EXPECT_LE(by_hypot.of_differences, 17'000);
    const Cost by_root = chain_cost(1000, root);
    EXPECT_EQ(by_root.of_expressions, 7000);
    EXPECT_LE(by_root.of_differences, 20'000);
    RecordProperty("hypot", std::to_string(by_hypot.of_differences));
    RecordProperty("root", std::to_string(by_root.of_differences));
}

TEST(Difference, of_a_tower_of_a_hundred_thousand_operations_costs_8_times_as_much) {
    World world;
    constexpr int storeys = 100'000;
    Node tower = world.parse("x");
    for (int k = 0; k < storeys; ++k) {
        tower =
            k % 2 == 0 ? world.graph.unary(Op::sin, tower) : world.graph.binary(Op::multiply, tower, world.parse("y"));
    }
    EXPECT_LE(world.operations(world.change(tower)), 8 * storeys);
}

}  // namespace
}  // namespace lento::model
