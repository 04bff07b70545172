#include "average/harmonic.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "lento/base/misuse.hpp"
#include "lento/lento.hpp"
#include "papers/slope.hpp"
#include "papers/uneven_pendulum.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<double> on_grid(std::size_t m, auto function) {
    std::vector<double> values;
    for (std::size_t k = 0; k < m; ++k) {
        values.push_back(function(2 * pi * static_cast<double>(k) / static_cast<double>(m)));
    }
    return values;
}

RC_GTEST_PROP(PhaseGrid, is_exact_for_harmonics_below_half_its_points, ()) {
    const auto m = *rc::gen::inRange<std::size_t>(3, 40);
    const auto h = *rc::gen::inRange<std::size_t>(1, (m + 1) / 2);
    const double shift = *rc::gen::inRange(0, 628) / 100.0;
    const auto harmonic = static_cast<double>(h);
    const PhaseGrid grid(m);
    const auto g = on_grid(m, [&](double phi) { return 3 + std::cos(harmonic * phi + shift); });
    RC_ASSERT(std::abs(grid.mean(g) - 3) < 1e-14);
    std::vector<double> inverse(m);
    grid.inverse(2, g, 0, {}, inverse);
    const auto expected = on_grid(m, [&](double phi) { return 2 * std::sin(harmonic * phi + shift) / harmonic; });
    for (std::size_t k = 0; k < m; ++k) {
        RC_ASSERT(std::abs(inverse[k] - expected[k]) < 1e-12);
    }
    RC_ASSERT(std::abs(grid.value(g, 0.7) - 3 - std::cos(harmonic * 0.7 + shift)) < 1e-12);
}

/// The closed form of the weights against the sum that it is of, and on the points, and next to them.
TEST(PhaseGrid, weights_are_the_sum_of_cosines) {
    for (const std::size_t points : {2, 3, 4, 5, 8, 9, 12, 33, 128, 501}) {
        const PhaseGrid grid(points);
        const auto m = static_cast<double>(points);
        double worst = 0;
        const auto compare = [&](std::size_t k, double phi) {
            const double d = phi - 2 * pi * static_cast<double>(k) / m;
            double kernel = 1;
            for (std::size_t h = 1; h <= (points - 1) / 2; ++h) {
                kernel += 2 * std::cos(static_cast<double>(h) * d);
            }
            kernel += points % 2 == 0 ? std::cos(m / 2 * d) : 0;
            worst = std::max(worst, std::abs(grid.weight(k, phi) - kernel / m));
        };
        for (const std::size_t k : {std::size_t{0}, std::size_t{1}, points / 2, points - 1}) {
            for (const double phi : {0.0, 0.3, 2.2, pi, 4.5, 2 * pi, 7.0, -1.0, 40.0}) {
                compare(k, phi);
            }
            for (std::size_t j = 0; j < points; ++j) {
                const double at = 2 * pi * static_cast<double>(j) / m;
                EXPECT_NEAR(grid.weight(k, at), j == k ? 1 : 0, 1e-15 * m) << points;
                for (const double beside : {1e-17, 1e-15, 1e-12, 1e-8, 1e-4}) {
                    compare(k, at + beside);
                    compare(k, at - beside);
                }
            }
        }
        EXPECT_LT(worst, 1e-14 * m) << points;
    }
}

TEST(PhaseGrid, means_of_large_forces_keep_their_digits) {
    const auto g = on_grid(16, [](double phi) { return 1 + 1e9 * std::cos(phi); });
    EXPECT_NEAR(PhaseGrid(16).mean(g), 1, 1e-7);  // rounding of the values themselves
    EXPECT_THROW(PhaseGrid(1), Misuse);
}

TEST(Harmonic, n_sweeps_are_of_order_n) {
    const std::vector<double> X{0.5};
    const std::vector<double> V{-1.3};
    const std::vector<double> omegas{2000, 4000, 8000};
    for (int sweeps = 1; sweeps <= 4; ++sweeps) {
        std::vector<double> errors;
        for (const double omega : omegas) {
            ForceField field(papers::uneven_pendulum(omega));
            HarmonicAverage average(field, 32);
            average.sweep(8, 0, X, V);
            const double limit = average.force()[0];
            average.sweep(sweeps, 0, X, V);
            errors.push_back(std::abs(average.force()[0] - limit));
        }
        EXPECT_NEAR(papers::slope(omegas, errors), -sweeps, 0.3) << sweeps;
    }
}

TEST(Harmonic, response_solves_its_equations) {
    // x'' = omega cos(phi): W = sin(phi), Delta = -cos(phi)/omega, whatever the sweeps.
    const double omega = 50;
    ForceField field(
        vibrated_system(1, omega, [=](auto, auto, auto, auto theta, auto f) { f[0] = omega * cos(theta) + 2; }));
    HarmonicAverage average(field, 8);
    average.sweep(3, 0, std::vector<double>{1}, std::vector<double>{0});
    EXPECT_NEAR(average.force()[0], 2, 1e-13);
    std::vector<double> displacement(1);
    std::vector<double> velocity(1);
    average.at_phase(average.response(), 0.4, displacement, velocity);
    EXPECT_NEAR(velocity[0], std::sin(0.4), 1e-14);
    EXPECT_NEAR(displacement[0], -std::cos(0.4) / omega, 1e-15);
    EXPECT_EQ(field.evaluations(), 8 * (1 + 2 + 3 + 1));
}

TEST(Harmonic, first_order_systems_gain_an_order) {
    // y' = cos(phi) y^2 + slow, y of size one: F is right to omega^-(N+1).
    const auto rate = [](auto y, auto, auto theta, auto r) {
        r[0] = cos(theta[0]) * y[0] * y[0] + sin(theta[0] + 1) * y[1];
        r[1] = -y[0] + cos(theta[0]) * y[1] * y[1];
    };
    const std::vector<double> omegas{100, 200, 400};
    for (int sweeps = 1; sweeps <= 3; ++sweeps) {
        std::vector<double> errors;
        for (const double omega : omegas) {
            ForceField field(first_order_system(2, {{.frequency = omega}}, rate));
            HarmonicAverage average(field, 32);
            const std::vector<double> Y{0.8, 0.4};
            average.sweep(8, 0, Y, {});
            const double limit = average.force()[0];
            average.sweep(sweeps, 0, Y, {});
            errors.push_back(std::abs(average.force()[0] - limit));
        }
        EXPECT_NEAR(papers::slope(omegas, errors), -(sweeps + 1), 0.4) << sweeps;
    }
}

TEST(Harmonic, commensurate_phases_share_a_grid) {
    // Frequencies 2 and 3: the mean of cos(2 phi + 1) cos(3 phi) cos(phi) is cos(1)/4.
    const auto system = vibrated_system(1, {200.0, 300.0}, [](auto, auto, auto, auto theta, auto f) {
        f[0] = cos(theta[0] + 1) * cos(theta[1]) * cos(theta[1] - theta[0]);
    });
    ForceField field(system);
    EXPECT_NEAR(field.frequency(), 100, 1e-10);
    HarmonicAverage average(field, 16);
    average.sweep(1, 0, std::vector<double>{0}, std::vector<double>{0});
    EXPECT_NEAR(average.force()[0], std::cos(1) / 4, 1e-14);
}

}  // namespace
}  // namespace lento
