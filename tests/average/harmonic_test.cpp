#include "average/harmonic.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
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
    const auto m = *rc::gen::inRange<std::size_t>(3, 300);
    const auto h = *rc::gen::inRange<std::size_t>(1, (m + 1) / 2);
    const double shift = *rc::gen::inRange(0, 628) / 100.0;
    const auto harmonic = static_cast<double>(h);
    PhaseGrid grid(m);
    const auto g = on_grid(m, [&](double phi) { return 3 + std::cos(harmonic * phi + shift); });
    RC_ASSERT(std::abs(grid.mean(g) - 3) < 1e-13);
    std::vector<double> harmonics(2 * grid.highest());
    grid.analyse(g, harmonics);
    for (std::size_t c = 0; c < harmonics.size(); ++c) {
        const double own = c % 2 == 0 ? std::cos(shift) : -std::sin(shift);
        RC_ASSERT(std::abs(harmonics[c] - (c / 2 + 1 == h ? own : 0)) < 1e-12);
    }
    std::vector<double> back(m);
    grid.synthesise(3, harmonics, back);
    for (std::size_t k = 0; k < m; ++k) {
        RC_ASSERT(std::abs(back[k] - g[k]) < 1e-12);
    }
    RC_ASSERT(std::abs(PhaseGrid::value(harmonics, 0.7) - std::cos(harmonic * 0.7 + shift)) < 1e-12);
}

/// The highest harmonic of an even number of phases, whose phase they do not tell.
TEST(PhaseGrid, leaves_out_the_harmonic_of_half_its_points) {
    for (const std::size_t m : {2, 4, 8, 200}) {
        PhaseGrid grid(m);
        const auto g = on_grid(m, [&](double phi) { return 1 + std::cos(static_cast<double>(m / 2) * phi); });
        std::vector<double> harmonics(2 * grid.highest());
        grid.analyse(g, harmonics);
        for (const double harmonic : harmonics) {
            EXPECT_NEAR(harmonic, 0, 1e-14 * static_cast<double>(m)) << m;
        }
        EXPECT_NEAR(grid.mean(g), 1, 1e-14);
    }
}

/// a = R(t) cos(phi) with a cubic R: the response ends after its third derivative.
TEST(Harmonic, response_to_a_series_solves_its_equations) {
    constexpr double omega = 40;
    constexpr double h = 0.3;
    constexpr int degree = 3;
    ForceField field(vibrated_system(1, omega, [](auto, auto, auto, auto, auto f) { f[0] = 0.0; }));
    const HarmonicAverage average(field, 5);
    constexpr std::size_t stride = 5;  // of four numbers c_1, s_1, c_2, s_2
    std::vector<double> rates(stride * (degree + 1));
    const std::array r{0.7, -0.4, 1.1, 0.5};
    for (std::size_t j = 0; j <= degree; ++j) {
        rates[j * stride] = r[j];
    }
    Response response, last;
    average.respond(degree, h, rates.data(), stride, response);
    average.respond_to_last(degree, h, &rates[degree * stride], last);
    // With p = 1/omega and derivatives R_j: W = p R sin + p^2 R_1 cos - p^3 R_2 sin - p^4 R_3 cos, and
    // Delta = -p^2 R cos + 2 p^3 R_1 sin + 3 p^4 R_2 cos - 4 p^5 R_3 sin.
    const auto p = [](int power) { return std::pow(omega, -power); };
    const double r1 = r[1] / h;
    const double r2 = 2 * r[2] / (h * h);
    const double r3 = 6 * r[3] / (h * h * h);
    EXPECT_NEAR(response.velocity[0], p(2) * r1 - p(4) * r3, 1e-16);
    EXPECT_NEAR(response.velocity[1], p(1) * r[0] - p(3) * r2, 1e-16);
    EXPECT_NEAR(response.displacement[0], -p(2) * r[0] + 3 * p(4) * r2, 1e-17);
    EXPECT_NEAR(response.displacement[1], 2 * p(3) * r1 - 4 * p(5) * r3, 1e-17);
    EXPECT_NEAR(last.velocity[0], -p(4) * r3, 1e-18);
    EXPECT_NEAR(last.velocity[1], 0, 1e-18);
    EXPECT_NEAR(last.displacement[1], -4 * p(5) * r3, 1e-20);
    EXPECT_EQ(response.displacement[2], 0);
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
