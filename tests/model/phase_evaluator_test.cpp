/// Forces of text models behind a field at many phases: compiled for all of them at once after some time, and the same as before.
#include "lento/model/phase_evaluator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "lento/average/phase_field.hpp"
#include "lento/model/model.hpp"
#include "lento/model/system.hpp"

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
    CoordinatesField field(second_order_system(model));
    for (const int degree : {1, 3}) {
        expect_same(field, degree, 600);
    }
    expect_same(field, 0, 30'000);
}

TEST(PhaseEvaluator, also_for_variables) {
    const auto model = read_model({"variables", variables});
    VariablesField field(first_order_system(model));
    expect_same(field, 2, 600);
}

TEST(PhaseEvaluator, copies_share_what_was_compiled) {
    const auto model = read_model({"coupled", coupled});
    const auto system = second_order_system(model);
    auto one = system.force_function().at_phases();
    EXPECT_FALSE(one.ready(2, 16));
    while (!one.ready(2, 16)) {
    }
    auto other = system.force_function().at_phases();
    EXPECT_TRUE(other.ready(2, 16));
    EXPECT_FALSE(other.ready(3, 16)) << "each degree by itself";
}

}  // namespace
}  // namespace lento::model
