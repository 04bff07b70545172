/// Constraints, their derivatives, the matrix of their normals, and the ways onto the manifold.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>

#include <Eigen/Dense>

#include "lento/lento.hpp"
#include "papers/chain.hpp"
#include "problem/acceleration.hpp"
#include "problem/manifold.hpp"
#include "problem/normal_lanes.hpp"
#include "problem/normal_matrix.hpp"

namespace lento {
namespace {

/// A moving sphere and a surface that couples what the sphere does not: derivatives with every term.
auto moving_constraints() {
    return [](auto x, auto t, auto g) {
        g[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - (1.0 + 0.1 * sin(t)) * (1.0 + 0.1 * sin(t));
        g[1] = x[3] - exp(0.3 * x[2]) * cos(t);
    };
}

TEST(Constraints, pattern_holds_what_a_constraint_depends_on_and_no_more) {
    const ConstraintFunctions constraints(5, 2, moving_constraints());
    const auto first = constraints.pattern().row(0);
    const auto second = constraints.pattern().row(1);
    EXPECT_EQ(std::vector<std::size_t>(first.begin(), first.end()), (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(std::vector<std::size_t>(second.begin(), second.end()), (std::vector<std::size_t>{2, 3}));
}

TEST(Constraints, derivatives_are_those_of_differences) {
    const ConstraintFunctions constraints(4, 2, moving_constraints());
    const std::vector<double> x{0.6, -0.3, 0.5, 1.2};
    const std::vector<double> v{0.2, 0.7, -0.4, 0.9};
    const double t = 0.8;
    const auto along = [&](double s) {
        std::vector<double> moved = x;
        for (std::size_t i = 0; i < 4; ++i) {
            moved[i] += s * v[i];
        }
        std::vector<double> g(2);
        constraints.values(moved, t + s, g);
        return g;
    };
    std::vector<double> rates(2);
    std::vector<double> curvature(2);
    constraints.rates(x, v, t, Clock::running, rates);
    constraints.curvature(x, v, t, Clock::running, curvature);
    const double s = 1e-4;
    for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(rates[j], (along(s)[j] - along(-s)[j]) / (2 * s), 1e-7);
        EXPECT_NEAR(curvature[j], (along(s)[j] - 2 * along(0)[j] + along(-s)[j]) / (s * s), 1e-6);
    }
    std::vector<double> entries(constraints.pattern().entries());
    constraints.gradient(x, t, entries);
    EXPECT_DOUBLE_EQ(entries[0], 2 * x[0]);
    EXPECT_DOUBLE_EQ(entries[2], 2 * x[2]);
    EXPECT_NEAR(entries[3], -0.3 * std::exp(0.3 * x[2]) * std::cos(t), 1e-15);
    EXPECT_DOUBLE_EQ(entries[4], 1.0);
}

TEST(Constraints, chain_of_many_links_needs_few_colours) {
    const auto constraints = papers::Chain::rope(1000, 1.0, 1.0).constraints();
    const auto colours = colours_of_columns(constraints->pattern(), 2000);
    EXPECT_LE(*std::max_element(colours.begin(), colours.end()), 6u);
    for (std::size_t j = 0; j < constraints->count(); ++j) {
        const auto row = constraints->pattern().row(j);
        for (std::size_t a = 0; a < row.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                EXPECT_NE(colours[row[a]], colours[row[b]]);
            }
        }
    }
}

/// Sparse and dense give the same, for chains on both sides of the border between them.
TEST(NormalMatrix, solves_like_a_dense_matrix) {
    rc::check([](std::uint32_t seed) {
        const std::size_t n = 1 + seed % 60;
        const auto chain = papers::Chain::rope(n, 1.0, 1.0);
        const auto constraints = chain.constraints();
        const auto d = static_cast<Eigen::Index>(2 * n);
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> any(-1, 1);
        std::vector<double> masses;
        for (std::size_t i = 0; i < 2 * n; ++i) {
            masses.push_back(1.5 + any(random));
        }
        const Mass mass = Mass::diagonal(masses);
        std::vector<double> angles;
        for (std::size_t i = 0; i < n; ++i) {
            angles.push_back(3 * any(random));
        }
        const auto x = chain.position(angles);
        std::vector<double> here(constraints->pattern().entries());
        constraints->gradient(x, 0, here);
        auto there = here;
        for (auto& entry : there) {
            entry *= 1 + 0.05 * any(random);
        }
        const auto full = [&](const std::vector<double>& entries) {
            Eigen::MatrixXd G = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), d);
            for (std::size_t j = 0; j < n; ++j) {
                for (std::size_t e = constraints->pattern().start(j); e < constraints->pattern().start(j + 1); ++e) {
                    G(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(constraints->pattern().column(e))) =
                        entries[e];
                }
            }
            return G;
        };
        Eigen::MatrixXd matrix_of_mass(d, d);
        for (Eigen::Index i = 0; i < d; ++i) {
            for (Eigen::Index j = 0; j < d; ++j) {
                matrix_of_mass(i, j) = mass.entry(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
            }
        }
        const Eigen::MatrixXd inverse = matrix_of_mass.inverse();
        NormalMatrix matrix(constraints->pattern(), mass);
        RC_ASSERT(matrix.is_dense() == (n <= 24));
        const Eigen::VectorXd right = Eigen::VectorXd::LinSpaced(static_cast<Eigen::Index>(n), 0.3, 1.7);
        const auto close = [&](const Eigen::MatrixXd& dense) {
            std::vector<double> r(right.data(), right.data() + n);
            matrix.solve(r);
            const Eigen::VectorXd found = Eigen::Map<Eigen::VectorXd>(r.data(), static_cast<Eigen::Index>(n));
            RC_ASSERT((dense * found - right).norm() < 1e-8 * right.norm());
        };
        RC_ASSERT(matrix.factorise(here));
        close(full(here) * inverse * full(here).transpose());
        RC_ASSERT(matrix.factorise(there, here));
        close(full(there) * inverse * full(here).transpose());
    });
}

/// Lanes without pivoting find the constraints dependent where the dense matrix with pivots does: gradients that are
/// sums of others but for a part whose square is the pivot.
TEST(NormalLanes, solve_and_refuse_like_the_matrix_of_one_point) {
    rc::check([](std::uint32_t seed) {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> any(-1, 1);
        const std::size_t n = 1 + seed % 8;
        const std::size_t d = n + 2;
        const std::size_t lanes = 1 + seed % 5;
        std::vector<std::size_t> all(d);
        std::iota(all.begin(), all.end(), std::size_t{0});
        const SparsePattern pattern(std::vector(n, all));
        std::vector<double> block(n * d * lanes);
        std::vector<double> apart(lanes);
        std::vector<std::vector<double>> single(lanes, std::vector<double>(n * d));
        for (std::size_t k = 0; k < lanes; ++k) {
            for (auto& entry : single[k]) {
                entry = any(random);
            }
            // NOTE: not near the border between the two, where both may be right: a pivot of 1e-13.
            apart[k] = std::array{1.0, 1e-3, 1e-4, 1e-9, 0.0}[(seed + k) % 5];
            for (std::size_t i = 0; i < d && n > 1; ++i) {
                const double other = n > 2 ? single[k][d + i] : 0.0;
                auto& entry = single[k][(n - 1) * d + i];
                entry = apart[k] * entry + (apart[k] < 1 ? single[k][i] + 0.5 * other : 0.0);
            }
            for (std::size_t e = 0; e < n * d; ++e) {
                block[e * lanes + k] = single[k][e];
            }
        }
        NormalLanes together(pattern, pattern);
        together.factorise(lanes, block.data(), block.data());
        std::vector<double> right(n * lanes);
        for (auto& number : right) {
            number = any(random);
        }
        auto found = right;
        together.solve(found.data());
        NormalMatrix alone(pattern, Mass(d));
        for (std::size_t k = 0; k < lanes; ++k) {
            std::vector<double> expected(n);
            for (std::size_t j = 0; j < n; ++j) {
                expected[j] = right[j * lanes + k];
            }
            const bool independent = alone.factorise(single[k]);
            RC_ASSERT(independent == (n == 1 || apart[k] >= 1e-4));
            alone.solve(expected);
            for (std::size_t j = 0; j < n; ++j) {
                const double value = found[j * lanes + k];
                RC_ASSERT(std::isnan(value) == !independent);
                RC_ASSERT(!independent || apart[k] < 1 ||
                          std::abs(value - expected[j]) < 1e-6 * (1 + largest(expected)));
            }
        }
    });
}

TEST(NormalMatrix, full_mass_matrix_is_used) {
    const Eigen::Matrix3d M = (Eigen::Matrix3d() << 2, 0.3, 0, 0.3, 1, 0.1, 0, 0.1, 3).finished();
    const SparsePattern pattern({{0, 1, 2}});
    NormalMatrix matrix(pattern, Mass::full(M));
    const Eigen::Vector3d G(1, -2, 0.5);
    ASSERT_TRUE(matrix.factorise(std::span(G.data(), 3)));
    std::vector<double> r{1.0};
    matrix.solve(r);
    EXPECT_NEAR(r[0], 1 / (G.transpose() * M.inverse() * G).value(), 1e-14);
}

TEST(Relations, name_the_dependent_rows_and_their_weights) {
    // Row 2 is twice row 0 minus row 1; row 3 is independent; row 4 vanishes.
    const SparsePattern pattern({{0, 1}, {1, 2}, {0, 1, 2}, {3}, {2, 3}});
    const std::vector<double> gradient{1, 2, 1, 3, 2, 3, -3, 1, 0, 0};
    const auto found = relations(pattern, Mass(4), gradient);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0], (Relation{{4, 1.0}}));
    ASSERT_EQ(found[1].size(), 3u);
    const double unit = found[1].back().second;
    EXPECT_EQ(found[1][0].first, 0u);
    EXPECT_NEAR(found[1][0].second / unit, -2, 1e-9);
    EXPECT_NEAR(found[1][1].second / unit, 1, 1e-9);
    EXPECT_EQ(found[1][2].first, 2u);
}

TEST(Relations, independent_rows_have_none) {
    const auto chain = papers::Chain::rope(200, 1.0, 1.0);
    const auto constraints = chain.constraints();
    std::vector<double> gradient(constraints->pattern().entries());
    constraints->gradient(chain.position(std::vector<double>(200, 0.1)), 0, gradient);
    EXPECT_TRUE(relations(constraints->pattern(), chain.mass(), gradient).empty());
}

TEST(Manifold, every_way_ends_on_it_to_rounding) {
    rc::check([](std::uint32_t seed) {
        const std::size_t n = 2 + seed % 40;
        const auto chain = papers::Chain::rope(n, 1.0, 1.0);
        Manifold manifold(chain.mass(), chain.constraints());
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> any(-1, 1);
        std::vector<double> angles;
        for (std::size_t i = 0; i < n; ++i) {
            angles.push_back(any(random));
        }
        auto x = chain.position(angles);
        std::vector<double> v(2 * n);
        std::vector<double> a(2 * n);
        for (std::size_t i = 0; i < 2 * n; ++i) {
            x[i] += 0.02 / static_cast<double>(n) * any(random);
            v[i] = any(random);
            a[i] = 1e6 * any(random);
        }
        std::vector<double> gradient(manifold.entries());
        std::vector<double> mu(n);
        manifold.gradient(x, 0, gradient);
        RC_ASSERT(manifold.factorise(gradient));
        RC_ASSERT(manifold.to_position(gradient, 0, x, mu).converged);
        RC_ASSERT(manifold.position_residual(x, 0).residual < 1e-14);
        manifold.gradient(x, 0, gradient);
        RC_ASSERT(manifold.factorise(gradient));
        RC_ASSERT(manifold.to_velocity(gradient, x, 0, v, mu).converged);
        RC_ASSERT(manifold.velocity_residual(x, v, 0).residual < 1e-13);
        std::vector<double> lambda(n);
        manifold.constrain_acceleration(gradient, x, v, 0, a, lambda);
        std::vector<double> curvature(n);
        manifold.constraints().curvature(x, v, 0, Clock::running, curvature);
        for (std::size_t j = 0; j < n; ++j) {
            double sum = curvature[j];
            double size = 0;
            for (std::size_t e = manifold.constraints().pattern().start(j);
                 e < manifold.constraints().pattern().start(j + 1); ++e) {
                sum += gradient[e] * a[manifold.constraints().pattern().column(e)];
                size += std::abs(gradient[e]) * 1e6;
            }
            RC_ASSERT(std::abs(sum) < 1e-13 * size);
        }
    });
}

TEST(Manifold, points_too_far_away_are_said_to_be) {
    const auto circle = [](auto x, auto, auto g) { g[0] = x[0] * x[0] + x[1] * x[1] - 1.0; };
    Manifold manifold(Mass(2), std::make_shared<ConstraintFunctions<decltype(circle)>>(2, 1, circle));
    const std::vector<double> directions{2.0, 0.0};  // along x only: from y = 3 the circle is never met
    ASSERT_TRUE(manifold.factorise(directions));
    std::vector<double> x{0.1, 3.0};
    std::vector<double> mu(1);
    const auto found = manifold.to_position(directions, 0, x, mu);
    EXPECT_FALSE(found.converged);
}

TEST(Acceleration, eliminates_constraints_so_that_a_rod_is_the_pendulum_in_its_angle) {
    // x = l sin q, y = -l cos q, mass 3: q'' = -g/l sin q, and the tension is m (g cos q + l q'^2) = 2 l lambda.
    const double l = 0.7;
    const double g = 9.8;
    const auto free = vibrated_system(2, 1.0, [=](auto, auto, auto, auto, auto f) {
                          f[0] = 0.0;
                          f[1] = -3 * g;
                      }).with_mass(Mass::diagonal(std::vector<double>{3, 3}));
    const auto system = constrained(free, 1, [=](auto x, auto, auto c) { c[0] = x[0] * x[0] + x[1] * x[1] - l * l; });
    const double q = 0.4;
    const double rate = 1.3;
    const std::vector<double> x{l * std::sin(q), -l * std::cos(q)};
    const std::vector<double> v{l * std::cos(q) * rate, l * std::sin(q) * rate};
    const std::vector<double> theta{0.0};
    Acceleration acceleration(system);
    const auto a = acceleration.at(x, v, 0.0, theta);
    const double second = -g / l * std::sin(q);
    EXPECT_NEAR(a[0], l * (std::cos(q) * second - std::sin(q) * rate * rate), 1e-13);
    EXPECT_NEAR(a[1], l * (std::sin(q) * second + std::cos(q) * rate * rate), 1e-13);

    EXPECT_NEAR(2 * l * acceleration.multipliers()[0], 3 * (g * std::cos(q) + l * rate * rate), 1e-12);

    EXPECT_EQ(Acceleration(system.free()).at(x, v, 0.0, theta), (std::vector<double>{0, -g})) << "active forces alone";
}

}  // namespace
}  // namespace lento
