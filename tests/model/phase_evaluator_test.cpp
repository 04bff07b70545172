/// Forces of text models behind a field at many phases: compiled for all of them at once after some time, and the same
/// to the bit as before.
#include "model/phase_evaluator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "average/phase_field.hpp"
#include "model/parsed_model.hpp"
#include "model/parts.hpp"

namespace lento::model {
namespace {

/// Everything a force may depend on, two phases, and masses that are coupled.
const char* const coupled = R"toml(
lento = 1
[coordinates]
x = { start = 0.5 }
y = { start = 0.2, velocity = 1 }
[mass]
matrix = [[2, 0.3], [0.3, 1]]
[forces]
x = "sin(x - y)*cos(theta) + t*x_dot - exp(-y)"
y = "sqrt(1 + x^2)*sin(2*phi + 1) - 0.1*y_dot^3 + tanh(x)*cos(theta)"
[vibration.theta]
frequency = 100
[vibration.phi]
frequency = 300
start = 0.4
)toml";

const char* const variables = R"toml(
lento = 1
[variables]
p = { start = 0.5, rate = "q*cos(theta) + t" }
q = { start = 0.2, rate = "-p + p*q^2*sin(theta)" }
[vibration.theta]
frequency = 100
)toml";

/// The same evaluation again and again, until there is code and beyond: whether a bit ever changes.
void expect_same(PhaseField& field, int degree) {
    constexpr std::size_t m = 12;
    const std::size_t length = static_cast<std::size_t>(degree + 1) * field.dimension() * m;
    std::vector<double> x(length), v(length), first(length), again(length);
    for (std::size_t k = 0; k < length; ++k) {
        x[k] = 0.4 + 0.3 * std::sin(1.0 + static_cast<double>(k));
        v[k] = 0.2 * std::cos(static_cast<double>(k));
    }
    field.evaluate(degree, m, 0.7, x, field.second_order() ? v : std::vector<double>(), first);
    const std::size_t before = compilations();
    constexpr int many = 1'000'000;
    for (int call = 0, since = 0; since < 3 && call < many; ++call) {
        field.evaluate(degree, m, 0.7, x, field.second_order() ? v : std::vector<double>(), again);
        ASSERT_EQ(again, first) << "call " << call;
        since += compilations() > before ? 1 : 0;
    }
    EXPECT_GT(compilations(), before) << "no code was made of it";
}

TEST(PhaseEvaluator, does_not_change_a_bit_when_there_is_code) {
    ForceField coordinates(ModelParts(read_model({"coupled", coupled})).problem());
    for (const int degree : {0, 3}) {
        expect_same(coordinates, degree);
    }
    ForceField first_order(ModelParts(read_model({"variables", variables})).problem());
    expect_same(first_order, 2);
}

TEST(PhaseEvaluator, callers_of_the_same_forces_share_code) {
    const auto problem = ModelParts(read_model({"coupled", coupled})).problem();
    constexpr std::size_t lanes = 16;
    constexpr int degree = 2;
    std::vector<double> x((degree + 1) * problem.dimension() * lanes), theta(problem.phases.size() * lanes);
    for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] = 0.4 + 0.3 * std::sin(1.0 + static_cast<double>(k));
    }
    for (std::size_t k = 0; k < theta.size(); ++k) {
        theta[k] = static_cast<double>(k);
    }
    const std::vector<double> t(lanes, 0.7);
    const Block block{degree, lanes, t, x, x, theta, problem.parameters};
    const std::size_t before = compilations();
    std::vector<double> f(x.size()), other(x.size());
    const auto one = problem.forces.blocks();
    (*one)(block, f);
    constexpr int many = 1'000'000;
    for (int call = 0; compilations() == before && call < many; ++call) {
        (*one)(block, f);
    }
    EXPECT_EQ(compilations(), before + 1);
    (*problem.forces.blocks())(block, other);
    EXPECT_EQ(compilations(), before + 1) << "the code was there";
    EXPECT_EQ(f, other);
}

TEST(PhaseEvaluator, each_lane_has_a_time_of_its_own) {
    const auto problem = ModelParts(read_model({"coupled", coupled})).problem();
    const std::vector<double> x{0.5, 0.5, 0.1, 0.1}, theta(4), times{0.3, 0.9};
    std::vector<double> both(4), one(2);
    (*problem.forces.blocks())({0, 2, times, x, x, theta, problem.parameters}, both);
    for (const std::size_t k : {0, 1}) {
        const std::vector<double> own{0.5, 0.1};
        (*problem.forces.blocks())({0, 1, {&times[k], 1}, own, own, In(theta).first(2), problem.parameters}, one);
        EXPECT_EQ(both[k], one[0]);
        EXPECT_EQ(both[2 + k], one[1]);
    }
    EXPECT_NE(both[0], both[1]);
}

}  // namespace
}  // namespace lento::model
