#include "lento/problem/slow_functions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "lento/lento.hpp"

namespace lento {
namespace {

auto example() {
    const auto nothing = first_order_system(2, [](auto, auto, auto) {});
    return slow_system(nothing, {{"a", "b"}, {"c"}},
                       [](auto x, auto t, auto theta, auto xi) {
                           xi[0] = x[0] * x[0] * x[1] + t * t;
                           xi[1] = sin(x[0]) * x[1];
                           xi[2] = exp(x[1]) * cos(theta[0]);
                       })
        .slow;
}

TEST(SlowVariables, derivatives_are_those_of_the_closed_forms) {
    const auto slow = example();
    const std::array x{0.7, -0.3};
    const std::array theta{0.4};
    std::array<double, 3> rates{};
    slow->rates(x, std::array{2.0, 5.0}, 1.5, 1, theta, std::array{10.0}, rates);
    EXPECT_NEAR(rates[0], 2 * 0.7 * -0.3 * 2 + 0.49 * 5 + 3, 1e-14);
    EXPECT_NEAR(rates[1], std::cos(0.7) * -0.3 * 2 + std::sin(0.7) * 5, 1e-14);
    EXPECT_NEAR(rates[2], std::exp(-0.3) * (5 * std::cos(0.4) - 10 * std::sin(0.4)), 1e-13);

    std::array<double, 6> gradients{};
    slow->gradients(x, 1.5, theta, gradients);
    const std::array expected{2 * 0.7 * -0.3, 0.49, std::cos(0.7) * -0.3,
                              std::sin(0.7),  0.0,  std::exp(-0.3) * std::cos(0.4)};
    for (std::size_t k = 0; k < expected.size(); ++k) {
        EXPECT_NEAR(gradients[k], expected[k], 1e-15) << k;
    }

    double hessians[3][2][2]{};
    for (const auto& entry : slow->hessians(x, 1.5, theta)) {
        hessians[entry.output][entry.row][entry.column] += entry.value;
    }
    EXPECT_NEAR(hessians[0][0][0], 2 * -0.3, 1e-15);
    EXPECT_NEAR(hessians[0][0][1], 1.4, 1e-15);
    EXPECT_NEAR(hessians[0][1][0], 1.4, 1e-15);
    EXPECT_NEAR(hessians[1][0][0], 0.3 * std::sin(0.7), 1e-15);
    EXPECT_NEAR(hessians[1][0][1], std::cos(0.7), 1e-15);
    EXPECT_NEAR(hessians[2][1][1], std::exp(-0.3) * std::cos(0.4), 1e-15);
    EXPECT_EQ(hessians[2][0][0], 0);
}

}  // namespace
}  // namespace lento
