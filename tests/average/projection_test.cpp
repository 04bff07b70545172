#include "average/projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "average/filter.hpp"
#include "average/slow_manifold.hpp"
#include "papers/slope.hpp"
#include "papers/two_springs.hpp"

namespace lento {
namespace {

using papers::TwoSprings;

/// A projection with the paper's window.
struct Projector {
    Problem problem;
    StiffWindow window;
    Projection projection;

    Projector(const Problem& springs, double omega, double eps, const char* filter = "cubic",
              std::size_t each_side = 18)
        : problem(springs),
          window(problem, "verlet",
                 {.fastest = 2 * std::numbers::pi / omega,
                  .slowest = 2 * std::numbers::pi / omega,
                  .common_period = {},
                  .ratios = {}},
                 {FilterWeights(Filter(filter), each_side), 6, Sides::both, VelocityUse::possible}),
          projection(window, problem, {eps, eps}, {1e-3 / omega, 1e-3}) {}
    Projector(const Projector&) = delete;
    Projector& operator=(const Projector&) = delete;
};

Problem oscillator(double omega) {
    return stiff_system(
        1, [](auto, auto, auto, auto f) { f[0] = 0; }, {omega}, [](auto q, auto, auto g) { g[0] = q[0]; });
}
Problem both(double omega) {
    return stiff_system(4, TwoSprings::force(0, 0), {omega, omega}, TwoSprings::both_elongations());
}

TEST(Projection, contracts_an_oscillation_by_the_leakage_of_its_window) {
    for (const char* filter : {"cubic", "exponential", "flat4"}) {
        for (const double omega : {1e2, 1e5}) {
            const auto system = oscillator(omega);
            Projector projector(system, omega, 1e-12, filter);
            const auto point = projector.projection.once(0, std::vector<double>{1e-3}, std::vector<double>{0});
            // Verlet turns by 2 asin(pi/6) a step.
            const double steps = 2 * std::numbers::pi / (2 * std::asin(std::numbers::pi / 6));
            EXPECT_NEAR(point.position[0] / 1e-3, projector.window.weights().leakage(steps), 1e-10) << filter << omega;
            EXPECT_NEAR(point.velocity[0], 0, 1e-9 * omega);
        }
    }
}

TEST(Projection, keeps_the_digits_of_elongations_far_below_the_rounding_of_positions) {
    for (const double omega : {1e6, 1e8, 1e10}) {
        const auto system = both(omega);
        Projector projector(system, omega, 1e-3 / (omega * omega));
        const auto point =
            projector.projection(0, std::vector<double>{1, 0, 2, 0}, std::vector<double>{0, -0.5, 0, 0.5});
        // g = lambda/omega^2 with lambda = 1.5 and 1.25: at 1e10 four orders below the last digit of a position
        EXPECT_NEAR(point.measures[0] * omega * omega, 1.5, 1e-6) << omega;
        EXPECT_NEAR(point.measures[1] * omega * omega, 1.25, 1e-6) << omega;
    }
}

TEST(Projection, of_a_projected_point_changes_it_by_the_glide_alone) {
    std::vector<double> omegas{200, 400, 800}, glides;
    for (const double omega : omegas) {
        const auto system = both(omega);
        Projector projector(system, omega, 1e-2 / (omega * omega));
        const auto once =
            projector.projection(0, std::vector<double>{1, 0.1, 2, 0}, std::vector<double>{0, -0.5, 0, 0.5});
        const auto twice = projector.projection(0, once.position, once.velocity);
        EXPECT_EQ(twice.iterations, 1);
        glides.push_back(papers::distance(once.velocity, twice.velocity));
    }
    EXPECT_NEAR(-papers::slope(omegas, glides), 4, 0.4);
}

TEST(Projection, ends_as_stalled_where_only_the_glide_is_left) {
    const auto system = both(100);
    Projector projector(system, 100, 1e-9);  // never reached (slow-manifold, section 5.2)
    const auto point = projector.projection(0, std::vector<double>{1, 0, 2, 0}, std::vector<double>{0, -0.5, 0, 0.5});
    EXPECT_EQ(point.ending, ProjectedPoint::Ending::stalled);
    EXPECT_LT(point.iterations, 8);
    EXPECT_GT(point.residual, 1);
}

TEST(Projection, fails_where_the_springs_are_far_from_rest) {
    const auto system = both(1000);
    Projector projector(system, 1000, 1e-9);
    const auto point =
        projector.projection(0, std::vector<double>{1.5, 0, 3.5, 0}, std::vector<double>{0, -0.5, 0, 0.5});
    EXPECT_EQ(point.ending, ProjectedPoint::Ending::failed);
}

TEST(Projection, a_state_that_is_not_finite_fails_and_does_not_hang) {
    const auto system = both(1000);
    Projector projector(system, 1000, 1e-9);
    const auto point = projector.projection(0, std::vector<double>{NAN, 0, 2, 0}, std::vector<double>{0, -0.5, 0, 0.5});
    EXPECT_EQ(point.ending, ProjectedPoint::Ending::failed);
    EXPECT_LE(point.iterations, 2);
}

TEST(SlowGuess, is_where_springs_are_as_long_as_learnt_and_nearest_in_the_metric_of_the_masses) {
    const auto system = both(1000).with_mass(Mass::diagonal(std::vector<double>{1, 1, 3, 3}));
    Projector projector(system, 1000, 1e-9);
    SlowGuess guess(projector.problem);
    std::vector<double> x{1.1, 0.2, 2.0, 0.1}, v{0.3, -0.5, 0.1, 0.5};
    const auto before = x;
    EXPECT_FALSE(guess(0, x, v));  // nothing learnt
    EXPECT_EQ(x, before);
    const auto learnt =
        projector.projection(0, std::vector<double>{1, 0.1, 2, 0}, std::vector<double>{0, -0.5, 0, 0.5});
    guess.learn(0, learnt);
    ASSERT_TRUE(guess(0, x, v));
    std::vector<double> g(2), dg(2), expected(2);
    const auto& measures = *projector.problem.springs->measures;
    measures.values(x, 0, g);
    measures.rates(x, v, 0, Clock::running, dg);
    measures.rates(learnt.position, learnt.velocity, 0, Clock::running, expected);
    for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(g[j], learnt.measures[j], 1e-13);
        EXPECT_NEAR(dg[j], expected[j], 1e-13);
    }
    // M (x - before) is a combination of gradients, up to their turning on the way: along the slow manifold it has no
    // component. A motion of both masses along it is the turning of the whole about the origin.
    const std::vector<double> turning{-x[1], x[0], -x[3], x[2]}, mass{1, 1, 3, 3};
    double along = 0, size = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        along += turning[i] * mass[i] * (x[i] - before[i]);
        size = std::max(size, std::abs(x[i] - before[i]));
    }
    EXPECT_GT(size, 0.01);
    EXPECT_LT(std::abs(along), 0.2 * size);
}

TEST(SlowGuess, leaves_to_the_projection_what_does_not_grow_with_the_stiffness) {
    for (const double omega : {1e3, 1e5, 1e7}) {
        const auto system = both(omega);
        Projector projector(system, omega, 1e-3 / (omega * omega));
        SlowGuess guess(projector.problem);
        std::vector<double> x{1, 0, 2, 0}, v{0, -0.5, 0, 0.5};
        guess.learn(0, projector.projection(0, x, v));
        for (std::size_t i = 0; i < 4; ++i) {
            x[i] += 0.05 * v[i];
        }
        EXPECT_GE(projector.projection(0, x, v).iterations, omega < 1e4 ? 4 : 5) << omega;
        ASSERT_TRUE(guess(0, x, v));
        EXPECT_LE(projector.projection(0, x, v).iterations, 4) << omega;
    }
}

TEST(SlowGuess, gives_up_where_springs_depend_on_each_other) {
    const auto doubled = stiff_system(
        2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0; }, {1e3, 1e3},
        [](auto q, auto, auto g) {
            g[0] = hypot(q[0], q[1]) - 1;
            g[1] = hypot(q[0], q[1]) - 1;
        });
    Projector projector(doubled, 1e3, 1e-9);
    SlowGuess guess(projector.problem);
    guess.learn(0, projector.projection(0, std::vector<double>{1, 0}, std::vector<double>{0, 1}));
    std::vector<double> x{1, 0.1}, v{0, 1};
    EXPECT_FALSE(guess(0, x, v));
    EXPECT_EQ(x[1], 0.1);
}

TEST(FlatFilter, has_three_vanishing_moments_and_half_the_bias_of_the_cubic) {
    for (const char* name : {"flat4", "flat6", "flat8"}) {
        EXPECT_EQ(Filter(name).vanishing_moments(), 3) << name;
    }
    EXPECT_LT(std::abs(Filter("flat4").bias()), 0.5 * std::abs(Filter("cubic").bias()));
    double flat = 0;
    double cubic = 0;
    for (double periods = 6; periods < 9; periods += 0.05) {
        flat = std::max(flat, std::abs(Filter("flat4").leakage(periods)));
        cubic = std::max(cubic, std::abs(Filter("cubic").leakage(periods)));
    }
    EXPECT_LT(flat, 5e-4);
    EXPECT_GT(cubic, 3e-2);
}

}  // namespace
}  // namespace lento
