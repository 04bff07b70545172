/// Accelerations with constraints at many phases at once, against one point after another.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "allocation_count.hpp"
#include "average/constrained_field.hpp"
#include "papers/chain.hpp"
#include "problem/acceleration.hpp"

namespace lento {
namespace {

/// A chain with masses that are diagonal, full or varying.
Problem chain_with(std::size_t links, const std::string& masses) {
    const auto chain = papers::Chain::rope(links, 1.0, 2.0);
    const auto force = [links](auto x, auto v, auto, auto theta, auto f) {
        for (std::size_t i = 0; i < 2 * links; ++i) {
            f[i] = 3 * cos(theta) * x[i] - 0.1 * v[i] * x[(i + 1) % (2 * links)] - (i % 2 == 0 ? 0.0 : 9.8);
        }
    };
    const auto n = static_cast<Eigen::Index>(2 * links);
    const Eigen::MatrixXd full = Eigen::MatrixXd::NullaryExpr(
        n, n, [](Eigen::Index i, Eigen::Index j) { return i == j ? 1.5 : 0.3 / static_cast<double>(1 + i + j); });
    const auto varying = [links](auto x, auto, auto M) {
        for (std::size_t i = 0; i < 2 * links; ++i) {
            M(i, i) = 2.0 + sin(x[i]);
            if (i > 0) {
                M(i, i - 1) = 0.3 * cos(x[i]);
            }
        }
    };
    auto free = vibrated_system(2 * links, 1e3, force);
    free = masses == "diagonal" ? free.with_mass(Mass::diagonal(std::vector<double>(2 * links, 0.7)))
           : masses == "full"   ? free.with_mass(Mass::full(full))
                                : free.with_mass(Mass::function(2 * links, varying));
    return constrained(free, chain.constraints());
}

/// Series of x and v at m phases.
struct Block4 {
    static constexpr int degree = 3;
    std::size_t n, m;
    std::vector<double> x, v;

    Block4(std::size_t links, std::size_t phases) : n(2 * links), m(phases) {
        std::mt19937_64 random(links + phases);
        std::uniform_real_distribution<double> any(-1, 1);
        std::vector<double> angles(links);
        for (auto& angle : angles) {
            angle = any(random);
        }
        const auto start = papers::Chain::rope(links, 1.0, 2.0).position(angles);
        for (std::size_t i = 0; i < (degree + 1) * n * m; ++i) {
            x.push_back((i < n * m ? start[i / m] : 0.0) + 0.05 / static_cast<double>(links) * any(random));
            v.push_back(any(random));
        }
    }
};

TEST(ConstrainedField, has_the_accelerations_of_single_points_for_all_masses) {
    for (const auto* masses : {"diagonal", "full", "varying"}) {
        for (const std::size_t links : {1U, 2U, 5U, 30U}) {
            const auto problem = chain_with(links, masses);
            const std::size_t m = 7;
            const Block4 at(links, m);
            ConstrainedField field(problem);
            Acceleration single(problem);
            std::vector<double> a(at.n * m), theta(1), mean(links);
            field.evaluate(0, m, 0.0, at.x, at.v, a);  // whose series are longer than is asked for
            for (std::size_t k = 0; k < m; ++k) {
                const BlockLayout layout{at.n, m};
                std::vector<double> x(at.n), v(at.n), found(at.n);
                layout.gather(In(at.x), k, x);
                layout.gather(In(at.v), k, v);
                layout.gather(In(a), k, found);
                theta[0] = 2 * M_PI * static_cast<double>(k) / static_cast<double>(m);
                const auto expected = single.at(x, v, 0.0, theta);
                for (std::size_t i = 0; i < at.n; ++i) {
                    EXPECT_NEAR(found[i], expected[i], 1e-9 * (1 + largest(expected)))
                        << masses << ", " << links << " links, phase " << k << ", coordinate " << i;
                }
                for (std::size_t j = 0; j < links; ++j) {
                    mean[j] += single.multipliers()[j] / static_cast<double>(m);
                }
            }
            for (std::size_t j = 0; j < links; ++j) {
                EXPECT_NEAR(field.mean_multipliers()[j], mean[j], 1e-9 * (1 + largest(mean))) << masses;
            }
        }
    }
}

/// g' a + g''[v, v] + ... = 0 along the series, coefficient after coefficient.
TEST(ConstrainedField, series_of_accelerations_keep_the_constraints) {
    for (const auto* masses : {"diagonal", "full", "varying"}) {
        for (const std::size_t links : {1U, 3U, 30U}) {
            const auto problem = chain_with(links, masses);
            const auto& constraints = *problem.constraints;
            const auto& pattern = constraints.pattern();
            const std::size_t m = 5;
            const Block4 at(links, m);
            ConstrainedField field(problem);
            std::vector<double> a(at.x.size());
            field.evaluate(Block4::degree, m, 0.0, at.x, at.v, a);
            const BlockLayout layout{at.n, m};
            for (std::size_t k = 0; k < m; ++k) {
                std::vector<Taylor> x(at.n), v(at.n), acceleration(at.n), gradient(pattern.entries()), sum(links);
                layout.gather(Block4::degree, at.x, k, x);
                layout.gather(Block4::degree, at.v, k, v);
                layout.gather(Block4::degree, a, k, acceleration);
                const auto t = Taylor::variable(0.0, Block4::degree);
                constraints.gradient(x, t, gradient);
                constraints.curvature(x, v, t, sum);
                for (std::size_t j = 0; j < links; ++j) {
                    for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
                        sum[j] += gradient[e] * acceleration[pattern.column(e)];
                    }
                    for (int c = 0; c <= Block4::degree; ++c) {
                        EXPECT_NEAR(sum[j][c], 0, 1e-9 * (1 + largest(a))) << masses << ", " << links << " links";
                    }
                }
            }
        }
    }
}

TEST(ConstrainedField, dependent_constraints_spoil_their_own_phase_alone) {
    // Two circles about different centres: dependent where the point is on the line through both.
    const auto free = vibrated_system(3, 1e3, [](auto, auto, auto, auto theta, auto f) {
        f[0] = cos(theta);
        f[1] = -9.8;
        f[2] = 0.0;
    });
    const auto problem = constrained(free, 2, [](auto x, auto, auto g) {
        g[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
        g[1] = (x[0] - 1.0) * (x[0] - 1.0) + x[1] * x[1] - 1.0;
    });
    ConstrainedField field(problem);
    const std::size_t m = 3;
    const std::vector<double> x{0.5, 0.5, 0.5, 0.8, 0.0, 0.8, 0.0, 0.0, 0.0}, v(9, 0.1);
    std::vector<double> a(9);
    field.evaluate(0, m, 0.0, x, v, a);
    for (std::size_t k = 0; k < m; ++k) {
        EXPECT_EQ(std::isnan(a[k]), k == 1) << k;
        EXPECT_EQ(std::isnan(a[m + k]), k == 1) << k;
    }
}

TEST(ConstrainedField, is_free_of_heap_allocation) {
    const auto problem = papers::double_pendulum().vibrated(1e4);
    const std::size_t m = 8;
    const Block4 at(2, m);
    ConstrainedField field(problem);
    std::vector<double> a(at.n * m);
    const auto evaluate = [&] {
        field.evaluate(0, m, 0.0, std::span(at.x).first(at.n * m), std::span(at.v).first(at.n * m), a);
    };
    evaluate();
    const std::size_t before = allocations;
    evaluate();
    EXPECT_EQ(allocations - before, 0U);
}

}  // namespace
}  // namespace lento
