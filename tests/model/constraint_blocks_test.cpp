/// Gradient and curvature of a model's constraints at many phases, against one point after another.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "lento/model/model.hpp"
#include "lento/problem/problem.hpp"
#include "model/compile.hpp"

namespace lento {
namespace {

TEST(ConstraintBlocks, have_the_numbers_of_single_points_to_rounding_and_always_the_same_bits) {
    const auto problem = Model::from_text(R"toml(
lento = 1
[parameters]
l = 0.3
[coordinates]
x = { start = 0.3 }
y = { start = 0 }
z = { start = 1 }
[constraints]
ring = "x^2 + y^2 - (l + 0.01*sin(t))^2"
surface = "z - exp(0.3*x)*cos(t)"
[vibration.theta]
frequency = 1e4
)toml")
                             .problem();
    const auto& constraints = *problem.constraints;
    const std::size_t entries = constraints.pattern().entries();
    const std::size_t rows = entries + constraints.count();
    const std::size_t n = 3;
    const std::size_t m = 11;
    const std::vector<double> times(m, 0.4);
    for (const int degree : {1, 3}) {
        std::vector<double> x, v;
        for (std::size_t i = 0; i < static_cast<std::size_t>(degree + 1) * n * m; ++i) {
            x.push_back(0.5 + 0.3 * std::sin(static_cast<double>(i)));
            v.push_back(std::cos(static_cast<double>(2 * i)));
        }
        const Block block{.degree = degree, .lanes = m, .t = times, .x = x, .v = v};
        const auto blocks = constraints.blocks();
        std::vector<double> first(static_cast<std::size_t>(degree + 1) * rows * m), found(first.size());
        (*blocks)(block, first);
        constexpr int many = 1'000'000;  // code is made of what is asked for often
        const std::size_t before = model::compilations();
        for (int k = 0; k < many && model::compilations() == before; ++k) {
            (*blocks)(block, found);
        }
        ASSERT_GT(model::compilations(), before);
        (*blocks)(block, found);
        EXPECT_EQ(found, first);
        double largest = 0;
        for (std::size_t i = 0; i < first.size(); ++i) {
            largest = std::max(largest, std::abs(first[i]));
        }
        for (std::size_t k = 0; k < m; ++k) {
            std::vector<Taylor> at(n), moves(n), numbers(rows);
            const BlockLayout layout{n, m}, numbers_at{rows, m};
            layout.gather(degree, x, k, at);
            layout.gather(degree, v, k, moves);
            const auto t = Taylor::variable(0.4, degree);
            constraints.gradient(at, t, std::span(numbers).first(entries));
            constraints.curvature(at, moves, t, std::span(numbers).subspan(entries));
            for (std::size_t row = 0; row < rows; ++row) {
                for (int j = 0; j <= degree; ++j) {
                    const double expected = j <= numbers[row].top() ? numbers[row][j] : 0.0;
                    EXPECT_NEAR(first[numbers_at.at(j, row, k)], expected, 1e-14 * largest) << row;
                }
            }
        }
    }
}

}  // namespace
}  // namespace lento
