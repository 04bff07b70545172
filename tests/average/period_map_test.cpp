#include "average/period_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "average/micro_flow.hpp"
#include "papers/pendulum.hpp"
#include "papers/slope.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;

Problem oscillator(double eps) {
    return first_order_system(2, [eps](auto y, auto, auto rate) {
        rate[0] = y[1];
        rate[1] = -y[0] - eps * y[0] * y[0] * y[0];
    });
}

TEST(PeriodMap, of_a_harmonic_oscillator_is_the_identity) {
    const auto flow = micro_flow(oscillator(0), "dopri8", 0);
    FixedPeriod map(*flow, 2 * pi, 64);
    std::vector<double> D(3);
    map.change(std::vector<double>{0.6, 0.8, 5.0}, D);
    EXPECT_NEAR(D[0], 0, 2e-15);
    EXPECT_NEAR(D[1], 0, 2e-15);
    EXPECT_EQ(D[2], 2 * pi);
}

TEST(PeriodMap, keeps_the_digits_of_a_change_far_below_those_of_the_state) {
    // At omega = 1e10 a period changes the velocity by less than an ulp of what it swings by in it.
    for (const double omega : {1e6, 1e10}) {
        const papers::Pendulum pendulum;
        const auto flow = micro_flow(pendulum.vibrated(omega), "dopri8", 0);
        const double T = 2 * pi / omega;
        FixedPeriod map(*flow, T, 32);
        std::vector<double> D(3);
        map.change(std::vector<double>{0.5, 2.0, 0.0}, D);
        EXPECT_NEAR(D[0] / T, 2.0, 300 / omega + 1e-13) << omega;
        // The averaged force (2.5); what rounding leaves of a swing of 20 sin(0.5) over 32 steps.
        EXPECT_NEAR(D[1] / T, pendulum.averaged_force(0.5), 3000 / omega + 1e-14 / T) << omega;
    }
}

TEST(PeriodMap, goes_back_where_it_came_from) {
    // Damped, so that a revolution does not end where it began: the inverse has to use the section of the point it
    // looks for.
    const auto damped = first_order_system(2, [](auto y, auto, auto rate) {
        rate[0] = y[1];
        rate[1] = -y[0] - 0.05 * y[0] * y[0] * y[0] - 0.02 * y[1];
    });
    const auto flow = micro_flow(damped, "dopri8", 0);
    FixedPeriod known(*flow, 2 * pi, 128);
    FirstReturn found(*flow, 6.2, 128, {1, 1});
    for (PeriodMap* map : {static_cast<PeriodMap*>(&known), static_cast<PeriodMap*>(&found)}) {
        std::vector<double> there(9), back(9);
        std::vector<double> z{0.6, 0.8, 3.0};
        map->iterate(z, 1, 3, there);
        for (std::size_t i = 0; i < 3; ++i) {
            z[i] += there[6 + i];
        }
        map->iterate(z, -1, 3, back);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_NEAR(back[6 + i], -there[6 + i], 1e-11) << i;
            EXPECT_NEAR(back[i], there[3 + i] - there[6 + i], 1e-11) << i;
        }
    }
}

TEST(PeriodMap, has_the_order_of_its_stepper) {
    const auto motion = oscillator(0.1);
    for (const auto& [name, order] :
         {std::pair{"midpoint", 2}, std::pair{"heun3", 3}, std::pair{"rk4", 4}, std::pair{"dopri5", 5}}) {
        const auto flow = micro_flow(motion, name, 0);
        const auto fine = micro_flow(motion, "dopri8", 0);
        const std::vector<double> z{0.6, 0.8, 0};
        std::vector<double> exact(3), D(3), lengths, errors;
        FixedPeriod(*fine, 2 * pi, 128).change(z, exact);
        for (const std::size_t n : {32, 64, 128}) {
            FixedPeriod(*flow, 2 * pi, n).change(z, D);
            lengths.push_back(1.0 / static_cast<double>(n));
            errors.push_back(std::hypot(D[0] - exact[0], D[1] - exact[1]));
        }
        EXPECT_NEAR(papers::slope(lengths, errors), order, 0.35) << name;
    }
}

TEST(FirstReturn, finds_the_period_of_an_anharmonic_oscillator) {
    // q'' = -q - eps q^3 from rest at 1: T = 4 K(k) / sqrt(1 + eps), k^2 = eps / (2 (1 + eps)).
    const double eps = 0.3;
    const auto flow = micro_flow(oscillator(eps), "dopri8", 0);
    FirstReturn map(*flow, 2 * pi, 64, {1, 1});
    std::vector<double> D(3);
    map.change(std::vector<double>{1, 0, 0}, D);
    EXPECT_NEAR(D[2], 4 * std::comp_ellint_1(std::sqrt(eps / (2 * (1 + eps)))) / std::sqrt(1 + eps), 1e-12);
    EXPECT_NEAR(D[0], 0, 1e-13);
    EXPECT_NEAR(D[1], 0, 1e-13);
}

TEST(FirstReturn, says_that_a_motion_does_not_return) {
    const auto escaping = first_order_system(2, [](auto y, auto, auto rate) {
        rate[0] = y[1];
        rate[1] = -1 / (y[0] * y[0]);
    });
    const auto flow = micro_flow(escaping, "rk4", 0);
    FirstReturn map(*flow, 2, 32, {1, 1});
    std::vector<double> D(3);
    map.change(std::vector<double>{1, 3, 0}, D);
    EXPECT_TRUE(std::isnan(D[0]));
    ASSERT_TRUE(map.failure());
    EXPECT_NE(map.failure()->find("does not return"), std::string::npos);
}

TEST(PeriodMap, phases_start_as_they_stand_at_the_start_of_the_run) {
    // y' = cos(theta), theta = 3 t: from t_start = 0.2 on; windows at any other time see the same phases.
    const auto system =
        first_order_system(1, {{.frequency = 3.0}}, [](auto, auto, auto theta, auto rate) { rate[0] = cos(theta[0]); });
    const auto flow = micro_flow(system, "dopri8", 0.2);
    for (const double t : {0.2, 17.3}) {
        std::vector<double> increment(1);
        const double T = 2 * pi / 3;
        flow->follow({.t = t, .h = T / 40, .turns = 1.0 / 40, .steps = 10}, std::vector<double>{0}, increment);
        EXPECT_NEAR(increment[0], (std::sin(0.6 + pi / 2) - std::sin(0.6)) / 3, 1e-13);
    }
}

}  // namespace
}  // namespace lento
