/// Code for Taylor coefficients at many phases, against jets through the plain evaluator.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "lento/base/jet.hpp"
#include "model/compile.hpp"
#include "model/evaluate.hpp"
#include "model/parse.hpp"
#include "model/phase_code.hpp"
#include "model/phase_interpreter.hpp"
#include "model/phase_program.hpp"
#include "tests/average/allocation_count.hpp"
#include "tests/model/random_expression.hpp"

namespace lento::model {
namespace {

constexpr std::size_t dimension = 2;

/// Expressions of x, y, their velocities v, w, two phases, t and the inputs p and n.
struct World {
    Graph graph;
    std::vector<std::string> names{"x", "y", "v", "w", "theta", "phi", "t", "p", "n"};
    std::vector<Place> places{{Place::Array::position, 0}, {Place::Array::position, 1}, {Place::Array::velocity, 0},
                              {Place::Array::velocity, 1}, {Place::Array::phase, 0},    {Place::Array::phase, 1},
                              {Place::Array::time, 0},     {Place::Array::input, 2},    {Place::Array::input, 1}};
    std::vector<Node> results;

    explicit World(const std::vector<std::string>& texts) {
        const Scope scope{.lookup = [this](std::string_view name) -> std::optional<Node> {
                              const auto found = std::find(names.begin(), names.end(), name);
                              if (found == names.end()) {
                                  return {};
                              }
                              const auto k = static_cast<std::uint32_t>(found - names.begin());
                              return places[k].array == Place::Array::input ? graph.parameter(k) : graph.symbol(k);
                          },
                          .names = [this] { return names; }};
        for (const auto& text : texts) {
            results.push_back(parse_expression(graph, text, scope));
        }
    }

    PhaseProgram program(int degree) const { return {{graph, results, places}, dimension, degree}; }
    PhaseCode code(int degree, std::size_t lanes = widest_vectors()) const { return PhaseCode(program(degree), lanes); }
};

/// Arguments at m phases up to a degree, in the blocks that the code reads.
struct Arguments {
    std::size_t m;
    int degree;
    double t = 0.3;
    std::vector<double> x, v, theta;
    std::vector<double> inputs{NAN, 2.3, 0.7};

    Arguments(std::size_t count, int d, std::uint64_t seed) : m(count), degree(d) {
        std::mt19937_64 random(seed);
        const auto fill = [&](std::vector<double>& numbers, std::size_t rows, double low, double high) {
            for (std::size_t i = 0; i < rows * m; ++i) {
                numbers.push_back(std::uniform_real_distribution<double>(low, high)(random));
            }
        };
        for (int j = 0; j <= degree; ++j) {
            fill(x, dimension, j == 0 ? 0.2 : -0.5, 0.8);
            fill(v, dimension, j == 0 ? 0.2 : -0.5, 0.8);
        }
        fill(theta, 2, 0.1, 0.9);
    }

    template <class S>
    S at(const Place& place, std::size_t k) const {
        S value{};
        const auto series = [&](const std::vector<double>& numbers) {
            for (int j = 0; j <= degree; ++j) {
                value[j] = numbers[(static_cast<std::size_t>(j) * dimension + place.index) * m + k];
            }
            return value;
        };
        switch (place.array) {
            case Place::Array::position:
                return series(x);
            case Place::Array::velocity:
                return series(v);
            case Place::Array::phase:
                return S(theta[place.index * m + k]);
            case Place::Array::input:
                return S(inputs[place.index]);
            default:
                return S::variable(t);
        }
    }
};

/// By machine code or by the interpreter.
template <class Code>
std::vector<double> table_of(const Code& code, const World& world, const Arguments& given) {
    std::vector<double> table(world.program(given.degree).table.size() * given.m);
    code.tabulate({.m = given.m,
                   .x = nullptr,
                   .v = nullptr,
                   .t = nullptr,
                   .phases = given.theta.data(),
                   .inputs = given.inputs.data(),
                   .result = table.data()});
    return table;
}

template <class Code>
void fill(const Code& code, const Arguments& given, const std::vector<double>& table, std::vector<double>& result) {
    const std::vector<double> t(given.m, given.t);
    code.at_table({.m = given.m,
                   .x = given.x.data(),
                   .v = given.v.data(),
                   .t = t.data(),
                   .phases = table.data(),
                   .inputs = given.inputs.data(),
                   .result = result.data()});
}

template <class Code>
std::vector<double> by_code(const Code& code, const World& world, const Arguments& given) {
    std::vector<double> result(world.results.size() * given.m * static_cast<std::size_t>(given.degree + 1));
    fill(code, given, table_of(code, world, given), result);
    return result;
}

template <int Degree>
std::vector<double> by_jets(const World& world, const Arguments& given) {
    using S = Jet<double, Degree>;
    const std::size_t n = world.results.size();
    std::vector<double> result(n * given.m * (Degree + 1));
    const Evaluator evaluator(world.graph, world.results);
    std::vector<S> values(n);
    for (std::size_t k = 0; k < given.m; ++k) {
        evaluator.operator()<S>([&](std::size_t symbol) { return given.at<S>(world.places[symbol], k); },
                                std::span(values));
        for (std::size_t j = 0; j <= Degree; ++j) {
            for (std::size_t i = 0; i < n; ++i) {
                result[(j * n + i) * given.m + k] = values[i][static_cast<int>(j)];
            }
        }
    }
    return result;
}

/// The largest difference of a coefficient, in units of the largest coefficient up to its degree of the same result.
double difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t n, std::size_t m) {
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < m; ++k) {
            double size = std::numeric_limits<double>::min();
            for (std::size_t at = i * m + k; at < a.size(); at += n * m) {
                if (std::isnan(a[at]) && std::isnan(b[at])) {
                    continue;
                }
                size = std::max(size, std::abs(b[at]));
                const double error = std::abs(a[at] - b[at]) / size;
                worst = a[at] == b[at] ? worst : error <= worst ? worst : std::isnan(error) ? INFINITY : error;
            }
        }
    }
    return worst;
}

const std::vector<std::string> functions{
    "x + y",
    "x - v",
    "x*y*theta",
    "x^2 + v^3",
    "x/y",
    "1/(x + t)",
    "-x",
    "x^1.7",
    "x^-3",
    "(x + y)^(v + theta)",
    "2^x",
    "x^theta",
    "sin(x)",
    "cos(y)",
    "sin(x)*cos(x)",
    "tan(x)",
    "asin(x)",
    "acos(0.5*x)",
    "atan(5*x)",
    "sinh(x)",
    "cosh(3*y)",
    "tanh(2*x)",
    "exp(x - y)",
    "log(x)",
    "log10(x + y)",
    "sqrt(x)",
    "sqrt(x^2 + y^2)",
    "cbrt(x)",
    "cbrt(x - 2)",
    "abs(x - 2)",
    "sign(x - y)*v",
    "floor(10*x)*y",
    "atan2(x, y)",
    "atan2(-x, -y)",
    "min(x, y)",
    "max(x*w, y)",
    "min(x, 0.5)",
    "hypot(x, y)",
    "sqrt(max(x - 2, 0))",
    "cbrt(min(x, 0))",
    "t^2*sin(3*t + theta)",
    "(9.8 + 4e4*cos(theta))/0.2*sin(x)",
    "sin(theta) + phi",
    "theta",
    "x",
    "3",
    "p",
    "p*n",
    "p*x*sin(theta)/n",
    "x^n",
    "(p + x)^(n*p)",
    "sin(p*theta)*cos(n*x + p*t)",
    "cbrt(p*x) + p*sin(p)",
};

template <int Degree>
void expect_jets() {
    for (const auto& text : functions) {
        const World world({text, "x*sin(theta + y)"});
        const PhaseCode code = world.code(Degree);
        for (const std::size_t m : {1, 3, 4, 8, 13}) {
            const Arguments given(m, Degree, m);
            EXPECT_LT(difference(by_code(code, world, given), by_jets<Degree>(world, given), 2, m), 1e-13)
                << text << ", degree " << Degree << ", at " << m << " phases";
        }
    }
}

TEST(PhaseCode, gives_the_coefficients_of_jets_to_rounding) {
    expect_jets<0>();
    expect_jets<1>();
    expect_jets<3>();
    expect_jets<6>();
}

RC_GTEST_PROP(PhaseCode, gives_the_coefficients_of_jets_for_any_expression, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const std::vector<std::string> texts{random_expression(random, 4, true), random_expression(random, 3, true)};
    RC_LOG() << texts[0] << "\n" << texts[1] << "\n";
    const World world(texts);
    const Arguments given(5, 3, seed);
    RC_ASSERT(difference(by_code(world.code(3), world, given), by_jets<3>(world, given), 2, 5) < 1e-11);
}

/// All functions of the language, of x alone or of x and y.
std::vector<std::string> catalogue() {
    std::vector<std::string> texts;
    for (const auto& function : function_catalogue()) {
        texts.push_back(std::string(function.name) + (!is_binary(function.op) ? "(x)" : "(x, y)"));
    }
    return texts;
}

TEST(PhaseCode, vectors_and_single_numbers_agree_to_a_few_units_in_the_last_place) {
    const World world(catalogue());
    const PhaseCode single = world.code(0, 1);
    for (const std::size_t lanes : {2, 4, 8}) {
        const PhaseCode wide = world.code(0, lanes);
        for (const double size : {1.0, 30.0, 1e6}) {
            Arguments given(1000, 0, 7);
            for (auto& number : given.x) {
                number = size * (2 * number - 1);
            }
            const auto a = by_code(wide, world, given);
            const auto b = by_code(single, world, given);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const double unit = std::numeric_limits<double>::epsilon() * std::abs(b[i]);
                ASSERT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) || std::abs(a[i] - b[i]) <= 4 * unit)
                    << function_catalogue()[i / 1000].name << " of numbers up to " << size << ": " << a[i] << ", "
                    << b[i];
            }
        }
    }
}

TEST(PhaseCode, special_numbers_are_those_of_libm) {
    const World world(catalogue());
    const double huge = std::numeric_limits<double>::infinity();
    const std::vector<double> special{0.0,          -0.0,  1,      -1,     0.5, huge, -huge,
                                      std::nan(""), 1e308, -1e308, 1e-300, 750, -750};
    const std::size_t m = special.size() * special.size();
    Arguments given(m, 0, 1);
    for (std::size_t k = 0; k < m; ++k) {
        given.x[k] = special[k % special.size()];
        given.x[m + k] = special[k / special.size()];
    }
    const auto wide = by_code(world.code(0), world, given);
    const auto single = by_code(world.code(0, 1), world, given);
    for (std::size_t i = 0; i < wide.size(); ++i) {
        EXPECT_TRUE((std::isnan(wide[i]) && std::isnan(single[i])) ||
                    (std::signbit(wide[i]) == std::signbit(single[i]) &&
                     (wide[i] == single[i] || std::abs(wide[i] / single[i] - 1) < 1e-15)))
            << function_catalogue()[i / m].name << " of " << given.x[i % m] << ", " << given.x[m + i % m] << ": "
            << wide[i] << ", not " << single[i];
    }
}

TEST(PhaseCode, the_order_and_number_of_phases_do_not_matter_to_a_bit) {
    const World world(functions);
    const PhaseCode code = world.code(2);
    const Arguments given(13, 2, 3);
    const auto all = by_code(code, world, given);
    Arguments one(1, 2, 3);
    for (std::size_t k = 0; k < given.m; ++k) {
        const auto column = [&](std::vector<double>& to, const std::vector<double>& from) {
            for (std::size_t row = 0; row < to.size(); ++row) {
                to[row] = from[row * given.m + k];
            }
        };
        column(one.x, given.x);
        column(one.v, given.v);
        column(one.theta, given.theta);
        const auto alone = by_code(code, world, one);
        for (std::size_t row = 0; row < alone.size(); ++row) {
            ASSERT_EQ(alone[row], all[row * given.m + k]) << functions[row % functions.size()];
        }
    }
}

TEST(PhaseCode, a_table_of_the_phases_serves_at_every_state) {
    const World world(functions);
    const PhaseCode code = world.code(3);
    for (const std::size_t m : {3, 8, 13}) {
        const Arguments given(m, 3, m);
        const auto table = table_of(code, world, given);
        Arguments other(m, 3, m + 1);
        other.theta = given.theta;
        other.inputs = given.inputs;
        const auto expected = by_code(code, world, other);
        EXPECT_NE(expected, by_code(code, world, given));
        std::vector<double> result(expected.size());
        fill(code, other, table, result);
        EXPECT_EQ(result, expected);
    }
}

TEST(PhaseCode, what_depends_on_phases_alone_is_left_to_the_table) {
    const World world({"(9.8 + 4e4*cos(theta))/0.2*sin(x)", "sin(theta)^2*cos(phi)"});
    for (const int degree : {0, 6}) {
        EXPECT_EQ(world.program(degree).table.size(), 2u) << degree;
        const PhaseProgram phases_alone({world.graph, {world.results[1]}, world.places}, dimension, degree);
        EXPECT_TRUE(phases_alone.rest.empty()) << degree;
    }
    EXPECT_EQ(world.program(0).rest.size(), 2u);  // a sine and a product
}

TEST(PhaseCode, what_depends_on_inputs_alone_is_done_before_the_phases) {
    const World world({"(n + p*cos(theta))/(p + n)*sin(x)", "p*(n + 1)"});
    const auto program = world.program(0);
    EXPECT_EQ(program.rest.size(), 2u);  // a sine and a product
    EXPECT_EQ(program.table_inputs, 3u);
    EXPECT_EQ(program.table.size(), 1u);
}

/// Whether two evaluations agree to the bit, any NaN being one.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b, [](double left, double right) {
        return (std::isnan(left) && std::isnan(right)) ||
               std::bit_cast<std::uint64_t>(left) == std::bit_cast<std::uint64_t>(right);
    });
}

/// Many operations, which are compiled in pieces.
World long_world() {
    std::string text = "x";
    for (int i = 1; i <= 400; ++i) {
        text += "+ sin(" + std::to_string(i) + "*x)*cos(" + std::to_string(i) + "*y + theta)/" + std::to_string(i);
    }
    return World({text, "sin(17*x)*sin(y)", "theta", "cos(17*x)*cos(300*x)"});
}

TEST(PhaseInterpreter, gives_the_bits_of_machine_code_for_every_function) {
    auto texts = functions;
    std::ranges::copy(catalogue(), std::back_inserter(texts));
    for (const int degree : {0, 1, 4}) {
        const World world(texts);
        const PhaseInterpreter interpreter(world.program(degree));
        for (const std::size_t lanes : {widest_vectors(), std::min<std::size_t>(widest_vectors(), 4)}) {
            const PhaseCode code = world.code(degree, lanes);
            for (const std::size_t m : {1, 3, 4, 8, 13}) {
                const Arguments given(m, degree, m);
                EXPECT_TRUE(same_bits(by_code(interpreter, world, given), by_code(code, world, given)))
                    << "degree " << degree << ", " << m << " phases, vectors of " << lanes;
            }
        }
    }
    const World world = long_world();
    const Arguments given(9, 3, 5);
    EXPECT_TRUE(
        same_bits(by_code(PhaseInterpreter(world.program(3)), world, given), by_code(world.code(3), world, given)))
        << "in pieces";
}

RC_GTEST_PROP(PhaseInterpreter, gives_the_bits_of_machine_code_for_any_expression, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const std::vector<std::string> texts{random_expression(random, 4, true), random_expression(random, 3, true)};
    RC_LOG() << texts[0] << "\n" << texts[1] << "\n";
    const World world(texts);
    const Arguments given(1 + seed % 20, 3, seed);
    RC_ASSERT(
        same_bits(by_code(PhaseInterpreter(world.program(3)), world, given), by_code(world.code(3), world, given)));
}

TEST(PhaseInterpreter, takes_large_and_special_numbers_as_machine_code_does) {
    const World world(catalogue());
    const PhaseInterpreter interpreter(world.program(0));
    const PhaseCode code = world.code(0);
    std::mt19937_64 random(9);
    Arguments given(1000, 0, 7);
    for (auto& number : given.x) {
        // NOTE: arguments that reductions treat differently stand side by side.
        number = std::ldexp(number - 0.5, std::uniform_int_distribution(-400, 400)(random));
    }
    given.x[5] = std::numeric_limits<double>::infinity();
    given.x[6] = std::nan("");
    given.x[7] = -0.0;
    EXPECT_TRUE(same_bits(by_code(interpreter, world, given), by_code(code, world, given)));
}

TEST(PhaseCode, long_graphs_in_pieces_give_the_coefficients_of_jets) {
    const World world = long_world();
    const PhaseCode code = world.code(3);
    EXPECT_GT(world.program(3).operations(), 10'000u);
    for (const std::size_t m : {3, 4, 13}) {
        const Arguments given(m, 3, m);
        EXPECT_LT(difference(by_code(code, world, given), by_jets<3>(world, given), 4, m), 1e-12) << m;
    }
}

TEST(PhaseCode, allocates_nothing_once_a_thread_has_called_it) {
    const World world(functions);
    const PhaseCode code = world.code(3);
    for (const std::size_t m : {3, 13}) {
        const Arguments given(m, 3, m);
        const std::vector<double> t(m, given.t);
        auto result = by_code(code, world, given);
        auto table = table_of(code, world, given);
        PhaseArrays arrays{.m = m,
                           .x = given.x.data(),
                           .v = given.v.data(),
                           .t = t.data(),
                           .phases = given.theta.data(),
                           .inputs = given.inputs.data(),
                           .result = table.data()};
        const PhaseInterpreter interpreter(world.program(3));
        by_code(interpreter, world, given);
        const std::size_t before = allocations;
        code.tabulate(arrays);
        interpreter.tabulate(arrays);
        arrays.phases = table.data();
        arrays.result = result.data();
        code.at_table(arrays);
        interpreter.at_table(arrays);
        EXPECT_EQ(allocations, before) << m;
    }
}

TEST(PhaseCode, threads_may_share_it) {
    const World world(functions);
    const PhaseCode code = world.code(2);
    std::vector<int> wrong(4, 0);
    std::vector<std::thread> threads;
    for (std::size_t each = 0; each < wrong.size(); ++each) {
        threads.emplace_back([&, each] {
            const Arguments given(3 + each, 2, each);
            const auto expected = by_code(code, world, given);
            for (int again = 0; again < 200; ++again) {
                wrong[each] += by_code(code, world, given) == expected ? 0 : 1;
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(PhaseCode, not_a_number_is_never_hidden) {
    const World world({"min(x, log(-y))", "max(log(-y), x)", "abs(log(-y))", "sqrt(x - 5)", "sign(log(-y))"});
    const Arguments given(5, 2, 1);
    const auto result = by_code(world.code(2), world, given);
    for (std::size_t i = 0; i < world.results.size() * given.m; ++i) {
        EXPECT_TRUE(std::isnan(result[i])) << i / given.m;
    }
}

}  // namespace
}  // namespace lento::model
