#include "lento/average/projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "lento/average/filter.hpp"
#include "papers/slope.hpp"
#include "papers/two_springs.hpp"

namespace lento {
namespace {

using papers::TwoSprings;

/// A projection with the paper's window.
struct Projector {
    std::unique_ptr<StiffMotion> motion;
    std::unique_ptr<StiffWindow> window;
    Projection projection;

    template <class Springs>
    Projector(const StiffSystem<Springs>& system, double omega, double eps, const char* filter = "cubic",
              std::size_t each_side = 18)
        : motion(std::make_unique<SpringsMotion<Springs>>(system)),
          window(motion->window("verlet",
                                {.fastest = 2 * std::numbers::pi / omega,
                                 .slowest = 2 * std::numbers::pi / omega,
                                 .common_period = {},
                                 .ratios = {}},
                                {FilterWeights(Filter(filter), each_side), 6, Sides::both, VelocityUse::possible})),
          projection(*window, *motion, {eps, eps}, {1e-3 / omega, 1e-3}) {}
};

auto oscillator(double omega) {
    return stiff_system(
        1, [](auto, auto, auto, auto f) { f[0] = 0; }, {omega}, [](auto q, auto, auto g) { g[0] = q[0]; });
}
auto both(double omega) {
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
            EXPECT_NEAR(point.position[0] / 1e-3, projector.window->weights().leakage(steps), 1e-10) << filter << omega;
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
