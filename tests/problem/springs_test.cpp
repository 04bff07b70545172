#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "lento/base/misuse.hpp"
#include "papers/two_springs.hpp"
#include "problem/spring_spectrum.hpp"

namespace lento {
namespace {

using papers::TwoSprings;

Problem both(double omega) {
    return stiff_system(4, TwoSprings::force(0, 0), {omega, omega}, TwoSprings::both_elongations());
}

/// A straight chain of n unit masses, hung up at one end.
Problem straight_chain(std::size_t n, double omega) {
    const auto elongations = [n](auto q, auto, auto g) {
        for (std::size_t k = 0; k < n; ++k) {
            const auto dx = k == 0 ? q[0] : q[2 * k] - q[2 * k - 2];
            const auto dy = k == 0 ? q[1] : q[2 * k + 1] - q[2 * k - 1];
            g[k] = hypot(dx, dy) - 1;
        }
    };
    return stiff_system(
        2 * n, [](auto, auto, auto, auto f) { std::fill(f.begin(), f.end(), 0.0); }, std::vector<double>(n, omega),
        elongations);
}
std::vector<double> straight(std::size_t n) {
    std::vector<double> x(2 * n);
    for (std::size_t k = 0; k < n; ++k) {
        x[2 * k] = static_cast<double>(k + 1);
    }
    return x;
}

void forces_at(const Problem& problem, const std::vector<double>& x, const std::vector<double>& v,
               std::vector<double>& f) {
    problem.forces.at(x.data(), v.data(), 0, nullptr, problem.parameters.data(), f.data());
}

TEST(Springs, have_the_force_written_by_hand) {
    const auto system = both(100);
    const std::vector<double> x{1.1, 0.2, 1.9, -0.3};
    const std::vector<double> v(4);
    std::vector<double> f(4), by_hand(4);
    forces_at(system, x, v, f);
    TwoSprings::force(100, 100)(std::span<const double>(x), 0, 0, std::span<double>(by_hand));
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(f[i], by_hand[i], 1e-12 * 1e4);
    }
}

TEST(Springs, near_a_centre_keep_the_digits_of_their_force) {
    const double omega = 1e8;
    const auto system = both(omega);
    const auto centred = centred_force(system);
    const std::vector<double> c{0.6, 0.8, 0.6 + 0.28, 0.8 + 0.96};
    const std::vector<double> v(4);
    centred->centre(c, 0);
    std::vector<double> f(4), at_rest(4);
    centred->at(std::vector<double>(4), v, 0, {}, at_rest);
    double worst = 0;
    for (int n = 1; n <= 50; ++n) {
        const std::vector<double> d{1e-9 * n, -3e-10 * n, 2e-9 * n, 1e-10 * n};
        centred->at(d, v, 0, {}, f);
        // The same in long double, where x = c + d has three digits more.
        std::vector<long double> x(4), exact(4), centre(c.begin(), c.end()), exact_centre(4);
        for (std::size_t i = 0; i < 4; ++i) {
            x[i] = static_cast<long double>(c[i]) + d[i];
        }
        const auto force = TwoSprings::force(omega, omega);
        force(std::span<const long double>(x), 0, 0, std::span<long double>(exact));
        force(std::span<const long double>(centre), 0, 0, std::span<long double>(exact_centre));
        for (std::size_t i = 0; i < 4; ++i) {
            const auto change = static_cast<double>(exact[i] - exact_centre[i]);
            worst = std::max(worst, std::abs(f[i] - at_rest[i] - change));
        }
    }
    EXPECT_LT(worst, 2e-3);  // omega^2 1e-19; the plain force has omega^2 1e-16, about 1
}

TEST(SpringSpectrum, of_two_springs_is_that_of_the_paper) {
    const auto in_line = spring_spectrum(both(500), std::vector<double>{1, 0, 2, 0}, 0);
    EXPECT_NEAR(in_line.slowest / 500, 0.6180339887, 1e-9);
    EXPECT_NEAR(in_line.fastest / 500, 1.6180339887, 1e-9);
    EXPECT_TRUE(in_line.independent);
    const auto bent = spring_spectrum(both(500), std::vector<double>{1, 0, 1, 1}, 0);
    EXPECT_NEAR(bent.slowest / 500, 1, 1e-9);
    EXPECT_NEAR(bent.fastest / 500, std::sqrt(2.0), 1e-9);
}

TEST(SpringSpectrum, of_straight_chains_is_known) {
    for (const std::size_t n : {10, 300}) {
        const auto spectrum = spring_spectrum(straight_chain(n, 1000), straight(n), 0);
        const double unit = std::numbers::pi / (2 * (2 * static_cast<double>(n) + 1));
        const double tolerance = n < 100 ? 1e-9 : 0.02;  // many springs: estimated by iteration
        EXPECT_NEAR(spectrum.slowest / (2000 * std::sin(unit)), 1, tolerance);
        EXPECT_NEAR(spectrum.fastest / (2000 * std::sin((2 * static_cast<double>(n) - 1) * unit)), 1, tolerance);
    }
}

TEST(SpringSpectrum, counts_masses) {
    const auto heavy = both(500).with_mass(Mass::diagonal(std::vector<double>{4, 4, 4, 4}));
    EXPECT_NEAR(spring_spectrum(heavy, std::vector<double>{1, 0, 1, 1}, 0).slowest, 250, 1e-6);
}

TEST(SpringSpectrum, tells_vanishing_gradients_and_dependent_springs) {
    const auto flat = stiff_system(
        2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0; }, {100, 100},
        [](auto q, auto, auto g) {
            g[0] = q[0];
            g[1] = (q[1] - 1) * (q[1] - 1);
        });
    const auto spectrum = spring_spectrum(flat, std::vector<double>{0, 1}, 0);
    ASSERT_TRUE(spectrum.vanishing);
    EXPECT_EQ(*spectrum.vanishing, 1u);
    const auto doubled = stiff_system(
        2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0; }, {100, 100},
        [](auto q, auto, auto g) {
            g[0] = q[0];
            g[1] = 2 * q[0];
        });
    const auto same = spring_spectrum(doubled, std::vector<double>{0, 1}, 0);
    EXPECT_FALSE(same.independent);
    EXPECT_NEAR(same.slowest, 100 * std::sqrt(5.0), 1e-9);
}

TEST(Springs, refuse_frequencies_that_are_none) {
    EXPECT_THROW(both(0), Misuse);
    EXPECT_THROW(both(-3), Misuse);
    EXPECT_THROW(both(std::nan("")), Misuse);
}

TEST(Relaxed, constraints_are_springs_of_the_given_strength) {
    const auto rods =
        constrained(oscillating_system(4, 1.0, TwoSprings::force(0, 0)), 2, TwoSprings::both_elongations());
    const auto springs = relaxed(rods, 500, {500. * 500, 500. * 500});
    std::vector<double> f(4), expected(4);
    const std::vector<double> x{1.1, 0.2, 1.9, -0.3}, v(4);
    forces_at(springs, x, v, f);
    forces_at(both(500), x, v, expected);
    EXPECT_EQ(f, expected);
}

}  // namespace
}  // namespace lento
