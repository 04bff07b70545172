/// Parameters are inputs of compiled code: other values compile nothing, and give the bits that reading the file with
/// `--set` gives.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/derive.hpp"
#include "model/function.hpp"
#include "model/inputs.hpp"
#include "model/parse.hpp"
#include "model/parsed_model.hpp"
#include "model/parts.hpp"
#include "model/problem_parts.hpp"
#include "tests/model/random_expression.hpp"
#include "tests/source_dir.hpp"

namespace lento::model {
namespace {

const std::string pendulum = R"toml(lento = 1
[parameters]
l = 0.2
g = 9.8
v_max = "g/2"
omega = "1e4*l"
[definitions]
half = "l/2"
[coordinates]
q = { start = "half", velocity = "v_max" }
[mass]
q = "l*g"
[forces]
q = "(g + v_max*omega*cos(theta))/l * sin(q)"
[vibration.theta]
frequency = "omega"
start = "g*pi"
[oscillation]
period = "2*pi/omega"
[run]
t_end = "1/l"
samples = "100*l + 1"
rtol = "l/1e6"
[run.options]
project_times = ["l", 0.5, "g"]
)toml";

Model read(const std::string& text, const std::vector<Assignment>& assignments = {}) {
    return read_model({"model.toml", text}, assignments);
}

std::vector<Assignment> as_assignments(const std::vector<Parameter>& values) {
    std::vector<Assignment> assignments;
    for (const auto& [name, value] : values) {
        assignments.push_back({name, fmt::format("{}", value)});
    }
    return assignments;
}

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
    std::vector<std::uint64_t> result;
    for (const double value : values) {
        result.push_back(std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value));
    }
    return result;
}

/// Every number of a model that may depend on parameters.
std::vector<double> numbers_of(const Model& model) {
    std::vector<double> all{
        model.run.t_start, model.run.t_end.value_or(-1), static_cast<double>(model.run.samples), model.run.rtol,
        model.run.atol,    model.period.value_or(-1)};
    for (const auto* list : {&model.parameters, &model.constants}) {
        for (const auto& [name, value] : *list) {
            all.push_back(value);
        }
    }
    for (const auto& coordinate : model.coordinates) {
        all.insert(all.end(), {coordinate.start, coordinate.velocity});
    }
    for (const auto& variable : model.variables) {
        all.push_back(variable.start);
    }
    for (const auto& phase : model.phases) {
        all.insert(all.end(), {phase.frequency, phase.start});
    }
    for (const auto& spring : model.springs) {
        all.insert(all.end(), {spring.frequency.value_or(-1), spring.stiffness.value_or(-1)});
    }
    all.push_back(model.kepler ? model.kepler->mu : -1);
    for (const auto& option : model.run.options) {
        if (const auto* list = std::get_if<std::vector<double>>(&option.value)) {
            all.insert(all.end(), list->begin(), list->end());
        }
    }
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
        for (std::size_t j = 0; j < model.coordinates.size(); ++j) {
            all.push_back(model.mass.inverse_entry(i, j));
        }
    }
    return all;
}

/// The functions of a model and what is derived for it, all in one list.
std::vector<Node> everything(Model& model) {
    std::vector<Node> nodes;
    const auto add = [&](const std::vector<Node>& more) { nodes.insert(nodes.end(), more.begin(), more.end()); };
    for (const Node* node : expressions_of(model)) {
        nodes.push_back(*node);
    }
    for (const Node node : model.is_first_order() ? mapped(model.variables, &Variable::rate) : model.forces) {
        add(mapped(model.graph.gradient(node), &Partial::node));
    }
    const auto constraints = constraint_terms(model);
    add(constraints.velocity_residuals);
    add(constraints.curvature);
    const auto slow = slow_terms(model);
    for (const auto& entry : slow.gradient) {
        nodes.push_back(entry.node);
    }
    return nodes;
}

struct State {
    std::vector<double> x, v, theta;
    double t = 0.3;

    State(const Model& model, std::mt19937_64& random) {
        const auto near = [&](double value) {
            return value + std::uniform_real_distribution<double>(-0.2, 0.2)(random);
        };
        for (const double start : start_of(model)) {
            x.push_back(near(start));
        }
        for (const double start : velocity_of(model)) {
            v.push_back(near(start));
        }
        for (std::size_t j = 0; j < model.phases.size(); ++j) {
            theta.push_back(near(1));
        }
    }
};

/// Moves some parameters that are not structural by up to a quarter; zeros to something small.
std::vector<Parameter> random_values(const Model& model, std::mt19937_64& random) {
    std::vector<Parameter> values;
    for (const auto& [name, value] : model.parameters) {
        const bool structural =
            std::find(model.structural.begin(), model.structural.end(), name) != model.structural.end();
        if (!structural && random() % 2 == 0) {
            const double factor = std::uniform_real_distribution<double>(0.75, 1.25)(random);
            values.push_back({name, value == 0 ? 1e-3 * factor : value * factor});
        }
    }
    return values;
}

std::string message_of(const std::function<Model()>& make) {
    try {
        make();
    } catch (const Misuse& misuse) {
        return misuse.what();
    }
    return "";
}

TEST(Parameters, of_every_example_change_without_compiling_and_to_the_bit_as_by_set) {
    std::mt19937_64 random(3);
    int changes = 0;
    for (const auto& file : std::filesystem::directory_iterator(source_dir / "models")) {
        if (file.path().extension() != ".toml") {
            continue;
        }
        SCOPED_TRACE(file.path().filename());
        const auto source = Source::file(file.path());
        Model model = read_model(source);
        const auto nodes = everything(model);
        const ModelFunction function(model, nodes);
        function.compile();
        const ModelFunction interpreted(model, nodes);
        for (int again = 0; again < 3; ++again) {
            const auto values = random_values(model, random);
            const std::size_t before = compilations();
            const auto refusal = message_of([&] { return with_parameters(model, values); });
            EXPECT_EQ(refusal, message_of([&] { return read_model(source, as_assignments(values)); }));
            if (!refusal.empty()) {
                continue;
            }
            const Model changed = with_parameters(model, values);
            const auto inputs = input_values(changed);
            const State at(changed, random);
            std::vector<double> compiled(nodes.size()), on_demand(nodes.size()), expected(nodes.size());
            function(at.x, at.v, at.t, at.theta, inputs->data(), compiled);
            interpreted(at.x, at.v, at.t, at.theta, inputs->data(), on_demand);
            EXPECT_EQ(compilations(), before);

            Model anew = read_model(source, as_assignments(values));
            EXPECT_EQ(bits(numbers_of(changed)), bits(numbers_of(anew)));
            const ModelFunction fresh(anew, everything(anew));
            fresh(at.x, at.v, at.t, at.theta, input_values(anew)->data(), expected);
            EXPECT_EQ(bits(compiled), bits(expected));
            EXPECT_EQ(bits(on_demand), bits(expected));
            ++changes;
        }
    }
    EXPECT_GT(changes, 60);
}

/// The force of a problem with one coordinate and one phase.
double force_at(const Problem& problem, double x, double v, double theta) {
    double f = 0;
    problem.forces.at(&x, &v, 0.0, &theta, problem.parameters.data(), &f);
    return f;
}

TEST(Parameters, of_problems_change_without_compiling) {
    const Model model = read(pendulum);
    const ModelParts parts(model);
    const std::size_t before = compilations();
    const std::vector<Parameter> values{{"g", 5.0}, {"l", 0.3}};
    const Problem first = parts.problem();
    const Problem moved = parts.problem(with_parameters(model, values));
    const double f = force_at(moved, 0.4, 0.1, 0.7);
    ASSERT_TRUE(moved.forces.has_one());
    EXPECT_EQ(f, moved.forces.one(0.4, 0.1, 0.0, 0.7, moved.parameters.data())) << "numbers or arrays";
    EXPECT_EQ(compilations(), before);
    const Problem anew = ModelParts(read(pendulum, as_assignments(values))).problem();
    EXPECT_EQ(f, force_at(anew, 0.4, 0.1, 0.7));
    EXPECT_NEAR(f, (5 + 2.5 * 3e3 * std::cos(0.7)) / 0.3 * std::sin(0.4), 1e-9);
    EXPECT_NE(f, force_at(first, 0.4, 0.1, 0.7)) << "the first one keeps its values";

    const std::vector<double> block{0.4, 0.5, 0.1, 0.2}, t{0.0, 0.0}, thetas{0.7, 0.9};
    const auto at_two_phases = [&](BlockForces& forces, const std::vector<double>& inputs) {
        std::vector<double> result(4);
        forces({1, 2, t, block, block, thetas, inputs}, result);
        return result;
    };
    const auto phases = moved.forces.blocks();
    const auto phases_anew = anew.forces.blocks();
    const auto interpreted = at_two_phases(*phases, moved.parameters);
    EXPECT_EQ(interpreted, at_two_phases(*phases_anew, anew.parameters));
    constexpr int many = 10'000'000;
    const std::size_t before_vector_code = compilations();
    for (int call = 0; compilations() == before_vector_code && call < many; ++call) {
        at_two_phases(*phases, moved.parameters);
    }
    ASSERT_GT(compilations(), before_vector_code) << "by now there is code for all phases at once";
    EXPECT_EQ(at_two_phases(*phases, moved.parameters), interpreted);
    const auto one = at_two_phases(*phases, moved.parameters);
    EXPECT_EQ(one, at_two_phases(*phases_anew, anew.parameters));
    // The table of what depends on phases was made for other inputs.
    const Problem other = parts.problem(with_parameters(model, std::vector<Parameter>{{"g", 7.0}}));
    EXPECT_NE(at_two_phases(*phases, other.parameters), one);
    EXPECT_EQ(at_two_phases(*phases, moved.parameters), one);
}

TEST(Parameters, that_follow_from_others_change_with_them) {
    const Model model = read(pendulum);
    const Model heavier = with_parameters(model, std::vector<Parameter>{{"g", 20.0}});
    EXPECT_EQ(heavier.parameters[2].value, 10.0);
    EXPECT_EQ(heavier.coordinates[0].velocity, 10.0);
    const Model longer = with_parameters(heavier, std::vector<Parameter>{{"l", 0.4}});
    EXPECT_EQ(longer.parameters[1].value, 20.0) << "what was given before stays";
    EXPECT_EQ(longer.phases[0].frequency, 1e4 * 0.4);
    EXPECT_EQ(longer.constants[0].value, 0.2);
    EXPECT_EQ(longer.run.samples, 41u);
    EXPECT_EQ(*longer.run.t_end, 2.5);
    EXPECT_EQ(std::get<std::vector<double>>(longer.run.options[0].value), (std::vector<double>{0.4, 0.5, 20.0}));
    EXPECT_EQ(longer.mass.entry(0, 0), 8.0);
    EXPECT_EQ(number_in(longer, "half*l", "--t-end"), 0.2 * 0.4);
    // An override may be an expression: it stays one.
    const Model tied = read(pendulum, {{"omega", "1000*g"}});
    EXPECT_EQ(with_parameters(tied, std::vector<Parameter>{{"g", 2.0}}).phases[0].frequency, 2000.0);
    // ... and the model that was changed is as it was.
    EXPECT_EQ(bits(numbers_of(model)), bits(numbers_of(read(pendulum))));
}

TEST(Parameters, are_refused_in_the_words_of_reading) {
    const std::string matrix = R"toml(lento = 1
[parameters]
a = 2
b = "log(a)"
[coordinates]
x = { start = "sqrt(a)" }
y = { start = 0 }
[mass]
matrix = [["a", 1], [1, 1]]
[springs.s]
elongation = "x - a"
frequency = "a - 0.5"
[run]
samples = "100*a"
)toml";
    const Model model = read(matrix);
    for (const double a : {0.9, -1.0, 0.0, 1.234, 1e9}) {
        const std::vector<Parameter> values{{"a", a}};
        const auto expected = message_of([&] { return read(matrix, as_assignments(values)); });
        EXPECT_NE(expected, "") << a;
        EXPECT_EQ(message_of([&] { return with_parameters(model, values); }), expected) << a;
    }
    const std::vector<Parameter> unknown{{"aa", 1.0}};
    EXPECT_EQ(message_of([&] { return with_parameters(model, unknown); }),
              message_of([&] { return read(matrix, as_assignments(unknown)); }));
    EXPECT_THROW(with_parameters(model, std::vector<Parameter>{{"a", NAN}}), Misuse);
}

TEST(Parameters, in_exponents_are_structural_and_no_others) {
    const std::string text = R"toml(lento = 1
[parameters]
m = 2
n = "m + 1"
k = 5
j = 2
[coordinates]
x = { start = 0 }
[forces]
x = "-k*x^n + k^j*x + (k + j)^(x*j)"
)toml";
    const Model model = read(text);
    EXPECT_EQ(model.structural, (std::vector<std::string>{"m", "n"}));
    const auto refusal = message_of([&] { return with_parameters(model, std::vector<Parameter>{{"m", 3.0}}); });
    EXPECT_NE(refusal.find("the parameter n stands in an exponent"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("--set n=4"), std::string::npos) << refusal;
    // The same value is no change, nor is one that does not reach the exponent.
    EXPECT_EQ(message_of([&] { return with_parameters(model, std::vector<Parameter>{{"m", 2.0}, {"k", 7.0}}); }), "");
    EXPECT_EQ(message_of([&] { return with_parameters(model, std::vector<Parameter>{{"m", 9.0}, {"n", 3.0}}); }), "");
    EXPECT_EQ(read(pendulum).structural, std::vector<std::string>());
    // This is why: n (n - 1) x^(n - 2), the second derivative, is 0 times infinity at zero unless it is known that n is
    // 1.
    Model linear = read(text, {{"n", "1"}});
    const auto symbol_of_x = linear.graph.gradient(linear.forces[0])[0].symbol;
    const Node second = linear.graph.derivative(linear.graph.gradient(linear.forces[0])[0].node, symbol_of_x);
    EXPECT_TRUE(std::isfinite(values_at_start(linear, {second})[0]));
}

/// Names x, theta and t, and parameters y and v.
struct World {
    Graph graph;
    std::vector<std::string> names{"x", "theta", "t", "y", "v"};
    std::vector<Place> places{{Place::Array::position, 0},
                              {Place::Array::phase, 0},
                              {Place::Array::time, 0},
                              {Place::Array::input, 0},
                              {Place::Array::input, 1}};

    Node parse(std::string_view text) {
        const Scope scope{.lookup = [this](std::string_view name) -> std::optional<Node> {
                              for (std::uint32_t k = 0; k < names.size(); ++k) {
                                  if (names[k] == name) {
                                      return k < 3 ? graph.symbol(k) : graph.parameter(k);
                                  }
                              }
                              return {};
                          },
                          .names = [this] { return names; }};
        return parse_expression(graph, text, scope);
    }
};

RC_GTEST_PROP(Inputs, of_hoisted_code_give_the_bits_of_the_plain_evaluator, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const std::vector<std::string> texts{random_expression(random, 4, false), random_expression(random, 3, false)};
    RC_LOG() << texts[0] << "\n" << texts[1] << "\n";
    World world;
    std::vector<Node> nodes{world.parse(texts[0]), world.parse(texts[1])};
    nodes.push_back(world.graph.derivative(nodes[0], 0));
    Inputs inputs(2);
    const auto function = hoisted(world.graph, nodes, world.places, inputs);
    for (const Node part : function.graph.parts(function.results)) {
        RC_ASSERT(!function.graph.is_fixed(part) || is_leaf(function.graph[part].op));
    }
    const auto number = [&] { return std::uniform_real_distribution<double>(-2, 2)(random); };
    const std::vector<double> symbols{number(), number(), number(), number(), number()};
    const auto values = inputs.values(std::span(symbols).last(2));

    std::vector<double> plain(nodes.size()), compiled(nodes.size()), evaluated(nodes.size());
    Evaluator(world.graph, nodes).operator()<double>([&](std::size_t k) { return symbols[k]; }, std::span(plain));
    CompiledFunction{function}(&symbols[0], nullptr, symbols[2], &symbols[1], values.data(), compiled.data());
    const auto value = [&](std::size_t k) {
        return value_at<double>(function.places[k], std::span(symbols).first(1), {}, symbols[2],
                                std::span(symbols).subspan(1, 1), values.data());
    };
    Evaluator(function.graph, function.results).operator()<double>(value, std::span(evaluated));
    RC_ASSERT(bits(compiled) == bits(plain));
    RC_ASSERT(bits(evaluated) == bits(plain));
}

TEST(Inputs, are_shared_by_functions_that_need_the_same) {
    World world;
    Inputs inputs(2);
    const auto count = [&] { return inputs.values(std::vector<double>{3.0, 4.0}).size(); };
    const std::vector<Node> one{world.parse("(v + y/2)*x + sin(v)*t")};
    const std::vector<Node> other{world.parse("cos((v + y/2)*theta)"), world.parse("sin(v)"), world.parse("y")};
    hoisted(world.graph, one, world.places, inputs);
    EXPECT_EQ(count(), 4u);  // two parameters, a sum, a sine
    const auto function = hoisted(world.graph, other, world.places, inputs);
    EXPECT_EQ(count(), 4u);
    EXPECT_EQ(function.graph.parts(function.results).size(), 6u);  // three inputs, theta, a product, a cosine
    // A graph that has grown apart from the first one shares them too.
    World grown = world;
    grown.parse("exp(x) + tanh(theta)");
    hoisted(grown.graph, std::vector<Node>{grown.parse("x*sin(v)*exp(y)")}, world.places, inputs);
    EXPECT_EQ(count(), 5u);
    const auto values = inputs.values(std::vector<double>{3.0, 4.0});
    EXPECT_EQ(values[0], 3.0);
    EXPECT_EQ(values[1], 4.0);
    EXPECT_EQ(values[4], std::sin(4.0) * std::exp(3.0));
}

TEST(Graph, gathers_parameters_as_it_gathers_numbers) {
    World world;
    EXPECT_EQ(world.parse("2*(y*x)"), world.parse("(2*y)*x"));
    EXPECT_EQ(world.parse("v*(y*x)"), world.parse("(v*y)*x"));
    EXPECT_EQ(world.parse("v*(-x)"), world.parse("(-v)*x"));
    EXPECT_NE(world.parse("3*(y*y)"), world.parse("(3*y)*y")) << "what is fixed keeps its order";
    const auto gradient = world.graph.gradient(world.parse("y*x^2 + v*theta*y"));
    ASSERT_EQ(gradient.size(), 2u) << "none by parameters";
    EXPECT_EQ(gradient[0].node, world.parse("(2*y)*x"));
    EXPECT_EQ(world.graph.derivative(world.parse("y*x"), 3), world.parse("x")) << "unless one is asked for";
}

TEST(Graph, copies_grow_apart) {
    World world;
    const Node node = world.parse("x + y");
    Graph copy = world.graph;
    const std::size_t size = copy.size();
    EXPECT_EQ(&copy[node], &world.graph[node]) << "nothing was copied yet";
    copy.unary(Op::sin, node);
    EXPECT_EQ(copy.size(), size + 1);
    EXPECT_EQ(world.graph.size(), size);
    EXPECT_EQ(world.parse("x + y"), node);
}

TEST(Compiled, has_the_entries_that_others_call_without_a_wrapper) {
    static_assert(std::is_same_v<CompiledFunction::Scalar,
                                 double (*)(const void*, double, double, double, double, const double*)>);
    static_assert(std::is_same_v<CompiledFunction::Entry, void (*)(const void*, const double*, const double*, double,
                                                                   const double*, const double*, double*)>);
    World world;
    const Node node = world.parse("y*x + theta^2 - v/t");
    const CompiledFunction function({world.graph, {node}, world.places});
    const double x = 0.3, theta = 0.7;
    const std::vector<double> inputs{2.0, 5.0};
    double result = 0;
    function.entry()(function.self(), &x, nullptr, 0.1, &theta, inputs.data(), &result);
    EXPECT_EQ(result, 2.0 * 0.3 + 0.7 * 0.7 - 5.0 / 0.1);
    EXPECT_EQ(function.scalar()(nullptr, x, 0.0, 0.1, theta, inputs.data()), result);
    // Long functions are called in the same way, even after they have moved.
    std::vector<Node> nodes{node};
    for (int k = 0; k < 5000; ++k) {
        nodes.push_back(world.graph.unary(Op::sin, world.graph.binary(Op::add, nodes.back(), node)));
    }
    CompiledFunction before({world.graph, nodes, world.places});
    const CompiledFunction longer = std::move(before);
    std::vector<double> results(nodes.size());
    longer.entry()(longer.self(), &x, nullptr, 0.1, &theta, inputs.data(), results.data());
    EXPECT_EQ(results[0], result);
    EXPECT_EQ(results[2], std::sin(std::sin(2 * result) + result));
}

/// Threads with values of their own, one function: compiled while they call it.
TEST(Parameters, differ_from_thread_to_thread_under_one_function) {
    const Model model = read(pendulum);
    const ModelFunction on_demand(model, model.forces);
    const ModelForces force(model, model.forces);
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> threads;
    for (std::size_t each = 0; each < wrong.size(); ++each) {
        threads.emplace_back([&, each] {
            const std::vector<Parameter> values{{"g", 5.0 + static_cast<double>(each)}};
            const std::vector<double> x{0.4}, v{0.1}, theta{0.7};
            std::vector<double> f(1), expected(1);
            const auto first = input_values(with_parameters(model, values));
            on_demand(x, v, 0.0, theta, first->data(), expected);
            for (int again = 0; again < 3000; ++again) {
                if (again == 1000) {
                    on_demand.compile();
                }
                const auto inputs = input_values(with_parameters(model, values));
                on_demand(x, v, 0.0, theta, inputs->data(), f);
                wrong[each] += f == expected ? 0 : 1;
                force.forces.at(x.data(), v.data(), 0.0, theta.data(), inputs->data(), f.data());
                wrong[each] += f == expected ? 0 : 1;
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(Parameters, of_small_models_change_in_microseconds) {
    for (const auto& [name, limit] : {std::pair("inverted-pendulum", 50.0), std::pair("butane", 100.0)}) {
        const Model model = read_model(Source::file(source_dir / "models" / fmt::format("{}.toml", name)));
        const ModelFunction force(model, model.forces);
        constexpr int times = 2000;
        double sum = 0;
        const std::clock_t began = std::clock();  // of this process: others may be busy
        for (int k = 0; k < times; ++k) {
            const std::vector<Parameter> values{{"omega", 1e5 + k}};
            sum += input_values(with_parameters(model, values))->back();
        }
        const double microseconds = 1e6 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC / times;
        RecordProperty(name, fmt::format("{:.2f} microseconds", microseconds));
        EXPECT_TRUE(std::isfinite(sum));
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
        EXPECT_LT(microseconds, limit) << name;
#else
        static_cast<void>(limit);
#endif
    }
}

}  // namespace
}  // namespace lento::model
