/// Variables that are positions and momenta.
#include "problem/partition.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "lento/problem/systems.hpp"
#include "problem/mechanical_form.hpp"

namespace lento {
namespace {

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

/// q_1' = 3 p_1, q_2' = -0.5 p_2, with the variables in the order p_1, q_2, q_1, p_2.
Problem shuffled() {
    return first_order_system(4, [](auto y, auto, auto r) {
        using std::sin;
        r[0] = -sin(y[2]) + y[1];
        r[1] = -0.5 * y[3];
        r[2] = 3.0 * y[0];
        r[3] = y[2] * y[1];
    });
}

TEST(MechanicalForm, takes_variables_one_by_one_and_gives_them_back) {
    const std::vector<double> start{0.1, 0.2, 0.3, 0.4};
    const auto form = MechanicalForm::of(shuffled(), 0, start);
    ASSERT_TRUE(form);
    auto y = start;
    form->enter(y);
    EXPECT_EQ(y, (std::vector<double>{0.2, 0.3, -0.2, 0.1 * 3}));
    form->leave(y);
    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_DOUBLE_EQ(y[i], start[i]);
    }
    std::vector<double> sizes{1, 2, 3, 6};
    form->leave_sizes(sizes);
    EXPECT_EQ(sizes, (std::vector<double>{2, 1, 2, 6})) << "no size is negative, whatever the factor";
}

TEST(MechanicalForm, a_motion_may_err_by_as_much_as_its_variables) {
    const auto form = MechanicalForm::of(shuffled(), 0, std::array{0.1, 0.2, 0.3, 0.4});
    ASSERT_TRUE(form);
    const Tolerance given{1e-3, 1e-6, {10, 20, 30, 40}};
    const auto tolerance = form->entered(given);
    EXPECT_EQ(tolerance.scales, (std::vector<double>{20, 30, 0.5 * 40, 3 * 10}));
    EXPECT_DOUBLE_EQ(tolerance.of(2, 0.5 * 7), 0.5 * given.of(3, 7));
    EXPECT_EQ(form->entered({1e-3, 1e-6}).scales, (std::vector<double>{1, 1, 0.5, 3})) << "no scale is 1";
}

TEST(MechanicalForm, is_none_where_a_velocity_is_no_multiple_of_one_momentum) {
    const std::array start{0.1, 0.2, 0.3, 0.4};
    const auto none = [&](auto rate) { return !MechanicalForm::of(first_order_system(4, rate), 0, start); };
    EXPECT_TRUE(none([](auto y, auto, auto r) { r[0] = y[2] + y[3], r[1] = y[3], r[2] = -y[0], r[3] = -y[1]; }));
    EXPECT_TRUE(none([](auto y, auto, auto r) { r[0] = y[2] + 1.0, r[1] = y[3], r[2] = -y[0], r[3] = -y[1]; }))
        << "it drifts";
    EXPECT_TRUE(none([](auto y, auto, auto r) { r[0] = y[2], r[1] = y[3], r[2] = -y[0] - y[2], r[3] = -y[1]; }))
        << "friction";
    EXPECT_TRUE(none([](auto y, auto t, auto r) { r[0] = y[2] * t, r[1] = y[3], r[2] = -y[0] * y[0], r[3] = -y[1]; }))
        << "a mass that changes";
    EXPECT_FALSE(none([](auto y, auto, auto r) { r[0] = y[2], r[1] = y[3], r[2] = -y[0], r[3] = -y[1]; }));
}

}  // namespace
}  // namespace lento
