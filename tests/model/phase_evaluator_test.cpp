/// Forces of text models behind a field at many phases: compiled for all of them at once after some time, and the same
/// as before.
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

/// The same evaluation again and again: whether it ever changes by more than rounding, and how often bits changed.
void expect_same(PhaseField& field, int degree, int calls) {
    constexpr std::size_t m = 12;
    const std::size_t length = static_cast<std::size_t>(degree + 1) * field.dimension() * m;
    std::vector<double> x(length), v(length), first(length), again(length);
    for (std::size_t k = 0; k < length; ++k) {
        x[k] = 0.4 + 0.3 * std::sin(1.0 + static_cast<double>(k));
        v[k] = 0.2 * std::cos(static_cast<double>(k));
    }
    field.evaluate(degree, m, 0.7, x, field.second_order() ? v : std::vector<double>(), first);
    int changed = 0;
    for (int call = 0; call < calls; ++call) {
        field.evaluate(degree, m, 0.7, x, field.second_order() ? v : std::vector<double>(), again);
        for (std::size_t k = 0; k < length; ++k) {
            ASSERT_NEAR(again[k], first[k], 1e-13 * (1 + std::abs(first[k]))) << "call " << call << ", place " << k;
        }
        changed += again != first ? 1 : 0;
    }
    EXPECT_GT(changed, 0) << "vector code rounds otherwise somewhere, or was not made";
}

TEST(PhaseEvaluator, gives_what_one_phase_after_the_other_gives) {
    const auto model = read_model({"coupled", coupled});
    ForceField field(ModelParts(model).problem());
    for (const int degree : {1, 3}) {
        expect_same(field, degree, 600);
    }
    expect_same(field, 0, 30'000);
}

TEST(PhaseEvaluator, also_for_variables) {
    const auto model = read_model({"variables", variables});
    ForceField field(ModelParts(model).problem());
    expect_same(field, 2, 600);
}

TEST(PhaseEvaluator, copies_share_what_was_compiled_and_each_counts_for_itself) {
    const auto model = read_model({"coupled", coupled});
    const PhaseEvaluator at_phases(model, model.forces);
    auto one = at_phases;
    EXPECT_FALSE(one.ready(2, 16));
    while (!one.ready(2, 16)) {
    }
    const std::size_t before = compilations();
    auto other = at_phases;
    EXPECT_FALSE(other.ready(2, 16)) << "what one run has evaluated must not change the bits of another";
    EXPECT_TRUE(other.ready(2, 3'000));
    EXPECT_EQ(compilations(), before) << "the code was there";
    EXPECT_FALSE(other.ready(3, 16)) << "each degree by itself";
}

TEST(PhaseEvaluator, callers_of_the_same_forces_share_code_and_each_counts_for_itself) {
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
    /// So many calls of a new caller; the forces of the last.
    const auto after = [&](int calls) {
        const auto forces = problem.forces.blocks();
        std::vector<double> f(x.size());
        for (int call = 0; call < calls; ++call) {
            (*forces)(block, f);
        }
        return f;
    };
    const auto interpreted = after(1);
    const auto by_code = after(200);
    const std::size_t before = compilations();
    EXPECT_NE(by_code, interpreted) << "vector code rounds otherwise somewhere, or was not made";
    EXPECT_EQ(after(1), interpreted) << "what one run has evaluated must not change the bits of another";
    EXPECT_EQ(after(200), by_code);
    EXPECT_EQ(compilations(), before) << "the code was there";
}

}  // namespace
}  // namespace lento::model
