#include "average/slow_field.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "allocation_count.hpp"
#include "papers/reversible_systems.hpp"
#include "papers/slope.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;

TEST(SlowRate, of_the_spiral_is_known_up_to_the_square_of_the_window) {
    // xi' = 2 xi = 2 e^(2t): its mean over K is 2 (1 + 2 eta^2/4 m_2), m_2 the second moment of the kernel.
    const double eps = 1e-3;
    const auto average = slow_average(papers::expanding_spiral(eps), "dopri8", 0, std::array{1.0, 0.0});
    const double moment = Filter("gentle").moment(2);
    for (const double periods : {8.0, 16.0}) {
        const double eta = periods * 2 * pi * eps;
        auto field = papers::paper_windows(*average, 2 * pi * eps / 32, eta);
        const auto point = field.at(0, std::array{1.0, 0.0});
        EXPECT_NEAR(point.rates[0], 2 + eta * eta * moment, 1e-3 * eta * eta);
        EXPECT_NEAR(SlowField::field(point)[0], 1 + eta * eta * moment / 2, 1e-3 * eta * eta) << "radially";
        EXPECT_EQ(SlowField::field(point)[1], 0);
    }
}

TEST(SlowRate, of_the_pendulum_is_that_of_the_averaged_equation) {
    constexpr double c = 1 / (2 * pi * 0.05);
    for (const char* micro : {"verlet", "rk4", "dopri8"}) {
        const std::vector<double> x{0.3, -0.4, 0.6, 0.8};
        const double eps = 1e-6;
        const auto average = slow_average(papers::slow_pendulum(eps), micro, 0, x);
        auto field = papers::paper_windows(*average, eps / 100, 20 * eps);
        const auto rates = field.at(0, x).rates;
        const double slow_velocity = x[1] + x[3] * c * std::sin(x[0]);
        EXPECT_NEAR(rates[0], slow_velocity, 2e-3);
        EXPECT_NEAR(rates[1], 0, 1e-8);
        EXPECT_NEAR(rates[2], 2 * std::sin(0.3) - c * c / 2 * std::sin(0.3) * std::cos(0.3), 5e-3) << micro;
    }
}

TEST(SlowRate, windows_allocate_nothing_a_micro_step) {
    const std::vector<double> x{0.3, -0.4, 0.6, 0.8};
    const auto average = slow_average(papers::slow_pendulum(1e-5), "verlet", 0, x);
    std::vector<double> rates(3);
    const auto count = [&](std::size_t each_side) {
        const FilterWeights weights(Filter("gentle"), each_side);
        const SlowWindow window{.h = 4e-7, .weights = &weights};
        average->mean_rates(window, x, rates);
        const auto before = allocations;
        average->mean_rates(window, x, rates);
        return allocations - before;
    };
    EXPECT_EQ(count(10), count(1000));
}

TEST(SlowRate, ahead_of_a_limit_cycle_is_extrapolated_back) {
    // A fast Stuart-Landau oscillator and z' = z x^2, whose mean on the cycle is z/2.
    const double eps = 1e-4;
    const auto system = slow_system(first_order_system(3,
                                                       [eps](auto y, auto, auto rate) {
                                                           const auto r = 1 - y[0] * y[0] - y[1] * y[1];
                                                           rate[0] = (y[0] * r - y[1]) / eps;
                                                           rate[1] = (y[1] * r + y[0]) / eps;
                                                           rate[2] = y[2] * y[0] * y[0];
                                                       }),
                                    {{"z"}}, [](auto y, auto xi) { xi[0] = y[2]; });
    const std::vector<double> x{0.3, 0.1, 1};
    const auto average = slow_average(system, "dopri8", 0, x);
    const double period = 2 * pi * eps;
    SlowField field(*average, {.h = period / 16, .settling = 16 * 5}, FilterWeights(Filter("cos8"), 16 * 4));
    // NOTE: off the cycle z grows differently for a period or so: of the order of eps.
    EXPECT_NEAR(field.at(0, x).rates[0], 0.5, 2 * eps);
}

TEST(Charts, the_less_dependent_gradient_is_taken) {
    const std::vector<SlowName> names{{"I1"}, {"I2"}, {"phi", "psi"}};
    const auto rows_at = [](double x1, double v1, double x2, double v2) {
        Eigen::MatrixXd rows(4, 4);
        rows << 2 * x1, 2 * v1, 0, 0, 0, 0, 2 * x2, 2 * v2, x2, v2, x1, v1, v2, -x2, -v1, x1;
        return rows;
    };
    EXPECT_EQ(best_charts(names, rows_at(1, 0, 2, 0)), (std::vector<std::size_t>{0, 1, 3})) << "in phase: psi";
    EXPECT_EQ(best_charts(names, rows_at(1, 0, 0, -2)), (std::vector<std::size_t>{0, 1, 2})) << "in quadrature: phi";
}

TEST(Shortest, solves_with_the_shortest_vector) {
    Eigen::MatrixXd rows(2, 3);
    rows << 1, 1, 0, 0, 0, 1e-9;
    const auto x = shortest(rows, Eigen::Vector2d(2, 3e-9));
    EXPECT_NEAR((x - Eigen::Vector3d(1, 1, 3)).norm(), 0, 1e-12);
    EXPECT_TRUE(shortest(rows, Eigen::Vector2d(std::nan(""), 0)).hasNaN());
}

}  // namespace
}  // namespace lento
