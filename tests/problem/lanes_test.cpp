/// Forces at many points at once: four at a time, each as it would be alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "lento/problem/forces.hpp"

namespace lento {
namespace {

/// With functions of the phase, of the coordinates and of the time, branches, and numbers far from zero.
const auto force = [](auto x, auto v, auto t, auto theta, auto f) {
    const auto shake = 1e5 * cos(theta[0]) + sin(theta[1] + 0.3);
    f[0] = shake * sin(x[0]) - 0.2 * v[1] + exp(-t);
    if (x[1] < 0.1) {
        f[0] += pow(x[1], 3) * tanh(theta[1]);
    }
    f[1] = (x[0] > 0.6 ? sin(2 * x[1]) : sqrt(abs(v[0])) + x[1]) + sin(1000 * x[0]);
};

struct Points {
    std::vector<double> t, x, v, theta;

    Points(std::size_t m, std::mt19937& random) : t(m), x(2 * m), v(2 * m), theta(2 * m) {
        std::uniform_real_distribution<double> number(-2, 2);
        for (auto* values : {&t, &x, &v, &theta}) {
            std::ranges::generate(*values, [&] { return number(random); });
        }
    }
    /// Some of others, in that order.
    Points(const Points& others, const std::vector<std::size_t>& which) {
        const std::size_t m = others.t.size();
        const auto picked = [&](const std::vector<double>& from, std::vector<double>& to) {
            for (std::size_t row = 0; row < from.size(); row += m) {
                for (const std::size_t k : which) {
                    to.push_back(from[row + k]);
                }
            }
        };
        picked(others.t, t);
        picked(others.x, x);
        picked(others.v, v);
        picked(others.theta, theta);
    }

    std::vector<double> forces(BlockForces& blocks) const {
        std::vector<double> f(x.size());
        blocks({0, t.size(), t, x, v, theta, {}}, f);
        return f;
    }
};

TEST(LanesOfForces, are_right_for_any_number_of_points) {
    const Forces forces = Forces::of(2, 2, force);
    const auto blocks = forces.blocks();
    std::mt19937 random(1);
    for (std::size_t m = 1; m < 20; ++m) {
        const Points points(m, random);
        const auto found = points.forces(*blocks);
        for (std::size_t k = 0; k < m; ++k) {
            const Points point(points, {k});
            std::array<double, 2> f{};
            forces.at(point.x.data(), point.v.data(), point.t[0], point.theta.data(), nullptr, f.data());
            EXPECT_NEAR(found[k], f[0], 1e-10) << m;  // 1e5 in it
            EXPECT_NEAR(found[m + k], f[1], 1e-14) << m;
        }
    }
}

TEST(LanesOfForces, have_the_same_bits_alone_and_in_company) {
    const Forces forces = Forces::of(2, 2, force);
    const auto blocks = forces.blocks();
    std::mt19937 random(2);
    for (std::size_t m = 2; m < 20; ++m) {
        const Points points(m, random);
        std::vector<std::size_t> order(m);
        std::iota(order.begin(), order.end(), 0);
        std::ranges::shuffle(order, random);
        const auto found = points.forces(*blocks);
        const auto shuffled = Points(points, order).forces(*blocks);
        for (std::size_t k = 0; k < m; ++k) {
            const auto alone = Points(points, {order[k]}).forces(*blocks);
            for (const std::size_t i : {0, 1}) {
                const auto bits = std::bit_cast<std::uint64_t>(found[i * m + order[k]]);
                EXPECT_EQ(std::bit_cast<std::uint64_t>(shuffled[i * m + k]), bits) << m;
                EXPECT_EQ(std::bit_cast<std::uint64_t>(alone[i]), bits) << m;
            }
        }
    }
}

TEST(LanesOfForces, take_a_quarter_of_the_calls) {
    static int calls = 0;
    const Forces forces = Forces::of(1, 2, [](auto x, auto, auto, auto theta, auto f) {
        ++calls;
        f[0] = cos(theta[0]) * sin(x[0]);
    });
    const auto blocks = forces.blocks();
    for (const std::size_t m : {1, 3, 4, 5, 7, 8, 9, 12, 13}) {
        std::vector<double> t(m), x(m), v(m), theta(2 * m), f(m);
        calls = 0;
        (*blocks)({0, m, t, x, v, theta, {}}, f);
        EXPECT_EQ(calls, (m + 3) / 4) << m;
    }
}

/// A sine of one's own, for double and series: lanes are told how.
double own_sine(double x) {
    return std::sin(x);
}
Taylor own_sine(const Taylor& x) {
    return sin(x);
}
Lanes own_sine(const Lanes& x) {
    return each_lane([](double number) { return own_sine(number); }, x);
}

TEST(LanesOfForces, functions_of_ones_own_are_taken_lane_by_lane) {
    const Forces forces = Forces::of(1, 0, [](auto x, auto, auto, auto, auto f) { f[0] = own_sine(x[0]); });
    const std::vector<double> t(5), x{0.1, 0.2, 0.3, 0.4, 0.5};
    std::vector<double> f(5);
    (*forces.blocks())({0, 5, t, x, x, {}, {}}, f);
    for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_EQ(f[k], std::sin(x[k]));
    }
}

TEST(Two, are_what_one_gives_one_after_the_other) {
    const Forces forces = Forces::of(
        1, 1, [](auto x, auto v, auto t, auto theta, auto f) { f[0] = t * cos(theta[0]) * sin(x[0]) - v[0]; });
    const auto [one, two, self] = forces.single();
    const double first = one(self, 0.3, 0.2, 1.5, 0.7, nullptr);
    const double second = one(self, 0.4, -0.1 + (0.02 + 0.01 * first), 1.5, 0.7, nullptr);
    const auto both = two(self, 0.3, 0.2, 0.4, -0.1, 0.02, 0.01, 1.5, 0.7, nullptr);
    EXPECT_EQ(both.first, first);
    EXPECT_EQ(both.second, second);
}

}  // namespace
}  // namespace lento
