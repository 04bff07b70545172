#include "lento/problem/slow_functions.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "lento/lento.hpp"
#include "problem/partition.hpp"

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

TEST(Partition, finds_positions_and_momenta_in_any_order) {
    // p' = -sin q, q' = 3 p, and an oscillator that the first is coupled with.
    const auto parts = partition_of(
        [](std::span<const double> y, int probe, std::span<double> rate) {
            rate[0] = -std::sin(y[1]) + y[2] + probe;
            rate[1] = 3 * y[0] + 1;
            rate[2] = 1e5 * y[3] - 2 * y[0];
            rate[3] = -1e5 * y[2];
        },
        std::array{0.1, 0.2, 0.3, 0.4});
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->positions, (std::vector<std::size_t>{1, 2}));
    EXPECT_EQ(parts->momenta, (std::vector<std::size_t>{0, 3}));
    double B[4][4]{};
    for (const auto& entry : parts->coupling) {
        B[entry.position][entry.momentum] = entry.factor;
    }
    EXPECT_DOUBLE_EQ(B[1][0], 3);
    EXPECT_DOUBLE_EQ(B[2][3], 1e5);
    EXPECT_DOUBLE_EQ(B[2][0], -2);
}

TEST(Partition, refuses_what_has_none) {
    const std::array start{0.1, 0.2, 0.3};
    const auto none = [&](auto rate) {
        return !partition_of([&](std::span<const double> y, int probe, std::span<double> r) { rate(y, probe, r); },
                             start);
    };
    EXPECT_TRUE(none([](auto y, int, auto r) { r[0] = y[1], r[1] = y[2], r[2] = y[0]; })) << "an odd cycle";
    EXPECT_TRUE(none([](auto y, int, auto r) { r[0] = y[0], r[1] = y[2], r[2] = -y[1]; })) << "damping";
    EXPECT_TRUE(none([](auto y, int, auto r) { r[0] = 0, r[1] = y[2] * y[2], r[2] = std::sin(y[1]); }))
        << "nothing is linear";
    EXPECT_TRUE(none([](auto y, int, auto r) { r[0] = std::sqrt(y[0] - 5), r[1] = y[2], r[2] = y[1]; }))
        << "not finite";
}

}  // namespace
}  // namespace lento
