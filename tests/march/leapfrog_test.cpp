#include "march/leapfrog.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Dense>

#include "papers/reversible_systems.hpp"
#include "papers/slope.hpp"

namespace lento {
namespace {

using Eigen::VectorXd;
using papers::vector_of;

/// A problem with its windows.
struct Field {
    std::unique_ptr<SlowAverage> average;
    SlowField field;

    Field(const Problem& problem, const std::vector<double>& x, const char* micro, double h, double width)
        : average(slow_average(problem, micro, 0, x)), field(papers::paper_windows(*average, h, width)) {}
};

Field pendulum(const std::vector<double>& x) {
    const double eps = 1e-5;
    return {papers::slow_pendulum(eps), x, "verlet", eps / 25, 6.2 * eps};
}
Field spiral(const std::vector<double>& x, double eps = 1e-5) {
    return {papers::expanding_spiral(eps), x, "rk4", eps / 25, 60 * eps};
}

/// Forward, and back with exchanged ends: how far from the start it comes home, relatively.
double return_error(Field made, const std::vector<double>& x, double H, std::int64_t steps, Reconstruct kind) {
    const double T = H * static_cast<double>(steps);
    const auto there =
        LeapfrogMarch(made.field, {.interval = {0, T}, .steps = steps, .kind = kind}).from(vector_of(x), {}, {});
    EXPECT_EQ(there.march.outcome, Outcome::completed);
    EXPECT_EQ(there.bridges, 0);
    const auto back = LeapfrogMarch(made.field, {.interval = {T, 0}, .steps = steps, .kind = kind})
                          .from(there.end.last, there.end.before, {}, {});
    return (back.end.last - vector_of(x)).norm() / vector_of(x).norm();
}

TEST(Leapfrog, symmetric_reconstruction_returns_to_its_start_after_1000_steps) {
    const std::vector<double> generic{0, -0.4, 0.6, 0.8};
    EXPECT_LT(return_error(pendulum(generic), generic, 0.02, 1000, Reconstruct::symmetric), 1e-9);
    EXPECT_LT(return_error(spiral({1, 0}), {1, 0}, 1e-3, 1000, Reconstruct::symmetric), 1e-9);
    EXPECT_LT(return_error(spiral({0.6, 0.8}), {0.6, 0.8}, 1e-3, 1000, Reconstruct::symmetric), 1e-9);
}

TEST(Leapfrog, nearest_reconstruction_returns_from_special_phases_alone) {
    const std::vector<double> generic{0, -0.4, 0.6, 0.8};
    const std::vector<double> special{0, -0.4, 0, 1};
    EXPECT_LT(return_error(pendulum(special), special, 0.02, 1000, Reconstruct::nearest), 1e-9);
    EXPECT_GT(return_error(pendulum(generic), generic, 0.02, 1000, Reconstruct::nearest), 0.01);
}

/// The error of xi = x^2 + 4 y^2 after T = 1 along an elliptic spiral. The second point is turned by an angle of O(H)
/// against the first: the fast phase of x is free, and only then does the second derivative of xi matter.
double spiral_error(Reconstruct kind, double H) {
    const double eps = 1e-7;
    const auto on_spiral = [](double t, double angle) {
        return vector_of({std::exp(t) * std::cos(angle), std::exp(t) * std::sin(angle) / 2});
    };
    Field made(papers::elliptic_spiral(eps), {1, 0}, "rk4", eps / 25, 60 * eps);
    const auto steps = static_cast<std::int64_t>(std::round(1 / H));
    const auto march = LeapfrogMarch(made.field, {.interval = {0, 1}, .steps = steps, .kind = kind})
                           .from(on_spiral(0, 0.7), on_spiral(H, 0.7 + 2 * H), {}, {});
    const auto& x = march.end.last;
    return std::abs(x[0] * x[0] + 4 * x[1] * x[1] - std::exp(2.0));
}

TEST(Leapfrog, the_field_alone_is_of_first_order_where_the_fast_phase_turns) {
    // NOTE: the nearest point forgets the turn at once, and with it the difference between (3.9) and (3.11).
    struct Expected {
        Reconstruct kind;
        double order;
    };
    for (const auto& [kind, order] : {Expected{Reconstruct::field, 1},
                                      {Reconstruct::tangent, 2},
                                      {Reconstruct::nearest, 2},
                                      {Reconstruct::symmetric, 2}}) {
        std::vector<double> H, error;
        for (const double step : {1 / 40.0, 1 / 80.0, 1 / 160.0}) {
            H.push_back(step);
            error.push_back(spiral_error(kind, step));
        }
        EXPECT_NEAR(papers::slope(H, error), order, 0.15) << static_cast<int>(kind);
    }
}

TEST(Reconstruction, of_the_field_is_twice_a_step_along_it) {
    // (2.7) as printed.
    Field made = spiral({1.1, 0.2});
    const auto middle = made.field.at(0, std::vector{1.1, 0.2});
    const VectorXd x0 = vector_of({1, 0.1});
    const auto found = reconstructed(Reconstruct::field, middle, {}, x0, 2 * 0.1 * middle.rates);
    EXPECT_TRUE(found.converged);
    EXPECT_LT((found.x - (x0 + 2 * 0.1 * SlowField::field(middle))).norm(), 1e-14);
}

TEST(Reconstruction, of_the_tangent_is_the_point_of_its_line_nearest_to_the_middle) {
    // (3.9) for xi = |x|^2: x_2 is on the ray of x_1, at the distance that v . (x_2 - x_0) says.
    SlowField::Point middle{.x = vector_of({1.1, 0.2}), .rates = VectorXd(), .gradients = Eigen::MatrixXd(1, 2)};
    middle.gradients << 2.2, 0.4;
    const VectorXd x0 = vector_of({1, 0.1});
    const auto found = reconstructed(Reconstruct::tangent, middle, {}, x0, VectorXd::Constant(1, 0.4));
    EXPECT_TRUE(found.converged);
    EXPECT_NEAR((middle.gradients * (found.x - x0))[0], 0.4, 1e-14);
    EXPECT_NEAR(found.x[0] * 0.2 - found.x[1] * 1.1, 0, 1e-14);
}

/// Random quadratic functions: the equations hold exactly, and exchanging the ends changes nothing.
RC_GTEST_PROP(Reconstruction, symmetric_steps_are_undone_by_exchanging_the_ends, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const auto number = [&] { return normal(random); };
    const Eigen::Index d = 5;
    const Eigen::Index r = 3;
    SlowField::Point middle{.x = VectorXd::NullaryExpr(d, number),
                            .rates = VectorXd(),
                            .gradients = Eigen::MatrixXd::NullaryExpr(r, d, number)};
    RC_PRE(Eigen::JacobiSVD<Eigen::MatrixXd>(middle.gradients).singularValues().minCoeff() > 0.3);
    std::vector<HessianEntry> entries;
    for (std::size_t k = 0; k < static_cast<std::size_t>(r); ++k) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(d); ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                const double value = number();
                entries.push_back({k, i, j, value});
                if (i != j) {
                    entries.push_back({k, j, i, value});
                }
            }
        }
    }
    const Curvatures curvatures(entries);
    const VectorXd x0 = middle.x + 0.02 * VectorXd::NullaryExpr(d, number);
    const VectorXd change = 0.02 * VectorXd::NullaryExpr(r, number);
    const auto there = reconstructed(Reconstruct::symmetric, middle, curvatures, x0, change);
    RC_ASSERT(there.converged);
    const auto back = reconstructed(Reconstruct::symmetric, middle, curvatures, there.x, -change);
    RC_ASSERT(back.converged);
    RC_ASSERT((back.x - x0).norm() < 1e-13 * (1 + x0.norm()));
    // (3.11) as printed.
    for (const auto kind : {Reconstruct::symmetric, Reconstruct::nearest}) {
        const VectorXd x2 = reconstructed(kind, middle, curvatures, x0, change).x;
        Eigen::MatrixXd A1 = Eigen::MatrixXd::Zero(r, d), A2 = A1, A0 = A1;
        curvatures.add_products(middle.x, A1);
        curvatures.add_products(x2, A2);
        curvatures.add_products(x0, A0);
        const VectorXd printed = (middle.gradients - A1) * (x2 - x0) + A2 * x2 / 2 - A0 * x0 / 2;
        RC_ASSERT((printed - change).norm() < 1e-13 * (1 + x0.squaredNorm()));
    }
}

TEST(Reconstruction, nearest_is_nearest) {
    // xi = |x|^2 in the plane: of all points with the right change the one next to x_1 lies on its ray.
    SlowField::Point middle{.x = vector_of({1.1, 0.2}), .rates = VectorXd(), .gradients = Eigen::MatrixXd(1, 2)};
    middle.gradients << 2.2, 0.4;
    const Curvatures curvatures({{0, 0, 0, 2}, {0, 1, 1, 2}});
    const VectorXd x0 = vector_of({1, 0.1});
    const auto found = reconstructed(Reconstruct::nearest, middle, curvatures, x0, VectorXd::Constant(1, 0.4));
    EXPECT_TRUE(found.converged);
    EXPECT_NEAR(found.x.squaredNorm() - x0.squaredNorm(), 0.4, 1e-14);
    EXPECT_NEAR(found.x[0] * 0.2 - found.x[1] * 1.1, 0, 1e-14);
}

TEST(Leapfrog, what_cannot_be_reconstructed_is_bridged_and_counted) {
    // xi shrinks by more than there is of it: |x_2|^2 = |x_0|^2 - 4 H k < 0 has no solution.
    const double eps = 1e-3;
    const auto falling = slow_system(first_order_system(2,
                                                        [eps](auto z, auto, auto rate) {
                                                            const auto r2 = z[0] * z[0] + z[1] * z[1] + 1e-3;
                                                            rate[0] = -z[1] / eps - z[0] / r2;
                                                            rate[1] = z[0] / eps - z[1] / r2;
                                                        }),
                                     {{"r2"}}, [](auto z, auto xi) { xi[0] = z[0] * z[0] + z[1] * z[1]; });
    Field made(falling, {1, 0}, "rk4", eps / 25, 60 * eps);
    const auto march = LeapfrogMarch(made.field, {.interval = {0, 0.8}, .steps = 4}).from(vector_of({1, 0}), {}, {});
    EXPECT_GE(march.bridges, 1);
    EXPECT_EQ(march.march.outcome, Outcome::completed);
    // Too long a bridge is refused.
    const auto refused = LeapfrogMarch(made.field, {.interval = {0, 0.8}, .steps = 4, .longest_bridge = 10})
                             .from(vector_of({1, 0}), {}, {});
    EXPECT_EQ(refused.march.outcome, Outcome::not_converged);
    EXPECT_NE(refused.march.explanation.find("10 micro-steps"), std::string::npos) << refused.march.explanation;
}

/// u' = 1 - u beside an oscillator: the even-odd mode of a leapfrog grows as e^t.
Problem damped(double eps) {
    return slow_system(first_order_system(3,
                                          [eps](auto y, auto, auto rate) {
                                              rate[0] = y[1] / eps;
                                              rate[1] = -y[0] / eps;
                                              rate[2] = 1 - y[2];
                                          }),
                       {{"I"}, {"u"}}, [](auto y, auto xi) {
                           xi[0] = y[0] * y[0] + y[1] * y[1];
                           xi[1] = y[2];
                       });
}

TEST(Leapfrog, even_and_odd_steps_that_part_are_noticed) {
    const double eps = 1e-4;
    Field made(damped(eps), {1, 0, 0}, "rk4", eps / 25, 60 * eps);
    const auto march =
        LeapfrogMarch(made.field, {.interval = {0, 20}, .steps = 200}).from(vector_of({1, 0, 0}), {}, {});
    ASSERT_TRUE(march.parted);
    EXPECT_GT(*march.parted, 1);
    EXPECT_LT(*march.parted, 15);
    const auto smooth =
        LeapfrogMarch(made.field, {.interval = {0, 1}, .steps = 100}).from(vector_of({1, 0, 0}), {}, {});
    EXPECT_FALSE(smooth.parted);
}

TEST(Leapfrog, smoothing_holds_a_growing_even_odd_mode_down) {
    const double eps = 1e-4;
    Field made(damped(eps), {1, 0, 0}, "rk4", eps / 25, 60 * eps);
    LeapfrogPlan plan{.interval = {0, 40}, .steps = 800};
    EXPECT_NE(LeapfrogMarch(made.field, plan).from(vector_of({1, 0, 0}), {}, {}).parted, std::nullopt);
    plan.smooth_every = 50;
    const auto smoothed = LeapfrogMarch(made.field, plan).from(vector_of({1, 0, 0}), {}, {});
    EXPECT_FALSE(smoothed.parted);
    EXPECT_NEAR(smoothed.end.last[2], 1, 1e-3);
    // What grows too much between two smoothings does not stay small: g = 0.2 a step.
    const auto long_steps = LeapfrogMarch(made.field, {.interval = {0, 40}, .steps = 200, .smooth_every = 50})
                                .from(vector_of({1, 0, 0}), {}, {});
    EXPECT_TRUE(long_steps.parted);
}

/// Smooth polynomials up to the seventh degree have none of the mode; a constant one is found exactly.
RC_GTEST_PROP(EvenOdd, the_mode_is_told_from_polynomials, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::array<double, 8> coefficients{};
    for (auto& c : coefficients) {
        c = normal(random);
    }
    const double mode = normal(random);
    std::vector<VectorXd> points;
    for (int n = -4; n <= 4; ++n) {
        double value = (n % 2 == 0 ? 1 : -1) * mode;
        for (std::size_t k = 0; k < coefficients.size(); ++k) {
            value += coefficients[k] * std::pow(n / 4.0, static_cast<double>(k));
        }
        points.push_back(VectorXd::Constant(1, value));
    }
    RC_ASSERT(std::abs(even_odd_mode(points)[0] - mode) < 1e-12);
}

TEST(Leapfrog, smoothed_runs_return_to_third_order) {
    // The rest is the mode of the first step.
    const std::vector<double> generic{0, -0.4, 0.6, 0.8};
    std::vector<double> H, error;
    for (const std::int64_t steps : {320, 640, 1280}) {
        Field made = pendulum(generic);
        LeapfrogPlan plan{.interval = {0, 20}, .steps = steps, .smooth_every = 50};
        const auto there = LeapfrogMarch(made.field, plan).from(vector_of(generic), {}, {});
        std::swap(plan.interval.from, plan.interval.to);
        const auto back = LeapfrogMarch(made.field, plan).from(there.end.last, there.end.before, {}, {});
        H.push_back(20.0 / static_cast<double>(steps));
        error.push_back((back.end.last - vector_of(generic)).norm());
    }
    EXPECT_GT(papers::slope(H, error), 2.8);
    EXPECT_LT(error.back(), 1e-6);
}

TEST(Leapfrog, smoothing_keeps_the_energy_of_a_chaotic_chain_at_single_points) {
    const papers::Chain chain;
    const auto start = chain.start();
    const auto problem = chain.with_slow_variables();
    const auto worst = [&](std::int64_t smooth_every, std::int64_t segments) {
        Field made(problem, start, "verlet", chain.eps / 50, 60 * chain.eps);
        double error = 0;
        const StepTaker taker{.point = [&](double, const VectorXd& x) {
            error = std::max(error, std::abs(chain.energy(x) / chain.energy(start) - 1));
        }};
        LeapfrogPlan plan{.interval = {0, 100}, .steps = 1000, .smooth_every = smooth_every, .segments = segments};
        const auto march = LeapfrogMarch(made.field, plan).from(vector_of(start), taker, {});
        EXPECT_EQ(march.segment_steps, segments);
        EXPECT_EQ(march.bridges, 0);
        EXPECT_EQ(march.parted.has_value(), smooth_every == 0 && segments == 0);
        return error;
    };
    EXPECT_GT(worst(0, 0), 0.04);
    EXPECT_LT(worst(50, 0), 0.015);
    EXPECT_LT(worst(0, 10), 0.02);
}

TEST(Leapfrog, segments_follow_the_true_motion_in_the_middles_of_equal_parts) {
    const double eps = 1e-4;
    Field made = spiral({1, 0}, eps);
    LeapfrogPlan plan{.interval = {0, 1}, .steps = 40, .segments = 2, .segment_steps = 3};
    std::vector<std::int64_t> followed;
    std::int64_t n = 0, known = 0;
    const StepTaker taker{.middle = [&](const SlowField::Point&, std::int64_t so_far) {
        ++n;
        if (so_far > known) {
            followed.push_back(n - 1);
        }
        known = so_far;
    }};
    const auto march = LeapfrogMarch(made.field, plan).from(vector_of({1, 0}), taker, {});
    EXPECT_EQ(march.segment_steps, 6);
    EXPECT_EQ(march.bridges, 0);
    EXPECT_EQ(followed, (std::vector<std::int64_t>{9, 10, 11, 29, 30, 31}));
    EXPECT_NEAR(march.end.last.squaredNorm(), std::exp(2.0), 0.02);
}

}  // namespace
}  // namespace lento
