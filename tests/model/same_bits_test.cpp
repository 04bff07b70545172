/// Same input, same binary, same bits: the second time too, whichever of interpreter and machine code serves, and from
/// any thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "lento/lento.hpp"
#include "lento/model/model.hpp"
#include "model/compile.hpp"
#include "model/evaluate.hpp"
#include "model/function.hpp"
#include "tests/source_dir.hpp"

namespace lento {
namespace {

const char* const pendulum = R"toml(
lento = 1
[coordinates]
q = { start = 0.5 }
[forces]
q = "(9.8 + 4e3*cos(theta))/0.2*sin(q) - 0.1*q_dot*exp(-t)"
[vibration.theta]
frequency = 1e3
[run]
t_end = 0.2
)toml";

/// Everything that a run says of its end, to the bit.
std::vector<std::uint64_t> bits_of(const Solution& solution) {
    const auto& end = solution.final_state();
    std::vector<double> numbers = end.position;
    for (const auto* more : {&end.velocity, &solution.record().error_estimate}) {
        numbers.insert(numbers.end(), more->begin(), more->end());
    }
    numbers.push_back(static_cast<double>(solution.statistics().force_evaluations));
    numbers.push_back(static_cast<double>(solution.statistics().estimate_evaluations));
    std::vector<std::uint64_t> bits;
    std::ranges::transform(numbers, std::back_inserter(bits), [](double x) { return std::bit_cast<std::uint64_t>(x); });
    return bits;
}

Solution solved(const Model& model, const std::string& method) {
    Request request = model.request();
    request.method = method;
    return model.solve(request);
}

class SameBits : public testing::TestWithParam<const char*> {};

TEST_P(SameBits, of_a_solve_repeated_until_machine_code_serves) {
    const auto first = bits_of(solved(Model::from_text(pendulum), GetParam()));
    const Model model = Model::from_text(pendulum);
    const std::size_t before = model::compilations();
    int runs_with_code = 0;
    constexpr int many = 5'000, some = 3;
    for (int run = 0; run < many && runs_with_code < some; ++run) {
        ASSERT_EQ(bits_of(solved(model, GetParam())), first) << "run " << run;
        runs_with_code += model::compilations() > before ? 1 : 0;
    }
    EXPECT_EQ(runs_with_code, some) << "no code was made";
}

TEST_P(SameBits, of_solves_of_one_model_in_many_threads_while_its_code_is_made) {
    const auto expected = bits_of(solved(Model::from_text(pendulum), GetParam()));
    const Model model = Model::from_text(pendulum);
    std::vector<int> wrong(4, 0);
    const std::size_t before = model::compilations();
    {
        std::vector<std::jthread> threads;
        for (auto& count : wrong) {
            threads.emplace_back([&] {
                int runs_with_code = 0;
                constexpr int many = 5'000, some = 3;
                for (int run = 0; run < many && runs_with_code < some; ++run) {
                    count += bits_of(solved(model, GetParam())) == expected ? 0 : 1;
                    runs_with_code += model::compilations() > before ? 1 : 0;
                }
            });
        }
    }
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

INSTANTIATE_TEST_SUITE_P(Methods, SameBits, testing::Values("harmonic", "hmm-async", "multirevolution", "direct"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(ModelFunction, changes_no_bit_when_machine_code_takes_over) {
    const auto parsed = model::read_model(model::Source::file(source_dir / "models" / "double-pendulum.toml"));
    const model::ModelFunction forces(parsed, parsed.forces);
    const auto inputs = model::input_values(parsed);
    const std::vector<double> x(parsed.dimension(), 0.3), v(parsed.dimension(), 0.7), theta{0.4};
    std::vector<double> first(parsed.dimension()), again(parsed.dimension());
    forces(x, v, 0.2, theta, inputs->data(), first);
    const std::size_t before = model::compilations();
    constexpr int many = 10'000'000;
    for (int call = 0; model::compilations() == before && call < many; ++call) {
        forces(x, v, 0.2, theta, inputs->data(), again);
        ASSERT_EQ(again, first) << call;
    }
    ASSERT_EQ(model::compilations(), before + 1);
    forces(x, v, 0.2, theta, inputs->data(), again);
    EXPECT_EQ(again, first);
}

TEST(Evaluator, gathers_equal_operations_and_gives_what_one_after_the_other_gives) {
    model::Graph graph;
    std::mt19937_64 random(4);
    std::vector<model::Node> nodes;
    constexpr std::uint32_t symbols = 5;
    for (std::uint32_t k = 0; k < symbols; ++k) {
        nodes.push_back(graph.symbol(k));
    }
    nodes.push_back(graph.constant(0.3));
    const auto any = [&] { return nodes[std::uniform_int_distribution<std::size_t>(0, nodes.size() - 1)(random)]; };
    using model::Op;
    constexpr Op operations[]{Op::add, Op::subtract, Op::multiply, Op::min, Op::sin, Op::tanh, Op::negate};
    for (int k = 0; k < 2000; ++k) {
        const Op op = operations[std::uniform_int_distribution<std::size_t>(0, std::size(operations) - 1)(random)];
        nodes.push_back(model::is_binary(op) ? graph.binary(op, any(), any()) : graph.unary(op, any()));
    }
    const auto symbol = [](std::size_t k) { return 0.1 + static_cast<double>(k); };
    const auto all = model::values_of_all(graph, [&](std::uint32_t k, const auto&) { return symbol(k); });
    std::vector<double> result(nodes.size());
    model::Evaluator(graph, nodes).operator()<double>(symbol, std::span(result));
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(result[k]), std::bit_cast<std::uint64_t>(all[model::index(nodes[k])]));
    }
}

}  // namespace
}  // namespace lento
