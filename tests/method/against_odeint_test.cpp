/// The direct method against Boost.odeint, which nobody here wrote.
#include <gtest/gtest.h>

#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "papers/pendulum.hpp"

namespace lento {
namespace {

TEST(Direct, agrees_with_boost_odeint_on_the_vibrated_pendulum) {
    using State = std::array<double, 2>;
    const papers::Pendulum pendulum;
    for (const double omega : {200.0, 1e3}) {
        State y{0.5, 0.0};
        const auto rate = [&](const State& s, State& dy, double t) {
            dy[0] = s[1];
            dy[1] = (pendulum.g + pendulum.v_max * omega * std::cos(omega * t)) / pendulum.l * std::sin(s[0]);
        };
        boost::numeric::odeint::bulirsch_stoer<State> stepper(1e-13, 1e-13);
        boost::numeric::odeint::integrate_adaptive(stepper, rate, y, 0.0, 1.0, 1e-4);
        for (const std::string macro : {"dopri5", "ode45"}) {
            const auto run = solve(pendulum.vibrated(omega), {.start = {0.5},
                                                              .t_end = 1,
                                                              .method = "direct",
                                                              .rtol = 1e-11,
                                                              .atol = 1e-13,
                                                              .options = {.macro = macro}});
            EXPECT_NEAR(run.final_state().position[0], y[0], 1e-8) << omega << " " << macro;
            EXPECT_NEAR(run.final_state().velocity[0], y[1], 1e-6) << omega << " " << macro;
        }
        const auto fixed = solve(pendulum.vibrated(omega),
                                 {.start = {0.5},
                                  .t_end = 1,
                                  .method = "direct",
                                  .options = {.macro = "verlet8", .steps = static_cast<std::size_t>(8 * omega)}});
        EXPECT_NEAR(fixed.final_state().position[0], y[0], 1e-8) << omega;
    }
}

/// Adams methods with a loose tolerance add energy to an undamped vibration until it is 1e20 times what it was.
TEST(Direct, says_that_a_motion_has_grown_beyond_belief) {
    const double omega = 1e4;
    const auto spring = oscillating_system(1, 2 * std::numbers::pi / omega,
                                           [=](auto x, auto, auto, auto f) { f[0] = -omega * omega * x[0]; });
    Request request{.start = {1}, .t_end = 10, .method = "direct", .rtol = 1e-3, .options = {.macro = "cvode-adams"}};
    request.options.estimate = "none";
    const auto grown = solve(spring, request);
    EXPECT_GT(std::abs(grown.final_state().position[0]), 1e6);
    ASSERT_EQ(grown.warnings().size(), 1U);
    EXPECT_NE(grown.warnings()[0].find("the motion grew"), std::string::npos) << grown.warnings()[0];
    request.options.macro = "dopri5";
    const auto kept = solve(spring, request);
    EXPECT_LT(std::abs(kept.final_state().position[0]), 2);
    EXPECT_TRUE(kept.warnings().empty());
}

/// The pendulum at omega = 1e5, to 1e-6 in the angle: what Bulirsch-Stoer takes, at the loosest tolerance that is good
/// enough, against strides.
TEST(Multirevolution, takes_a_fortieth_of_the_evaluations_of_bulirsch_stoer) {
    using State = std::array<double, 2>;
    const papers::Pendulum pendulum;
    const double omega = 1e5;
    const double t_end = std::floor(omega / (2 * std::numbers::pi)) * 2 * std::numbers::pi / omega;
    long evaluations = 0;
    const auto rate = [&](const State& s, State& dy, double t) {
        dy[0] = s[1];
        dy[1] = (pendulum.g + pendulum.v_max * omega * std::cos(omega * t)) / pendulum.l * std::sin(s[0]);
        ++evaluations;
    };
    const auto angle = [&](double tolerance) {
        State y{0.5, 0.0};
        boost::numeric::odeint::bulirsch_stoer<State> stepper(tolerance, tolerance);
        evaluations = 0;
        boost::numeric::odeint::integrate_adaptive(stepper, rate, y, 0.0, t_end, 1e-6);
        return y[0];
    };
    const double truth = angle(1e-12);
    for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
        if (std::abs(angle(tolerance) - truth) < 1e-6) {
            break;
        }
    }
    const auto run = solve(
        pendulum.vibrated(omega),
        {.start = {0.5}, .t_end = t_end, .method = "multirevolution", .rtol = 1e-7, .options = {.estimate = "none"}});
    EXPECT_NEAR(run.final_state().position[0], truth, 1e-6);
    std::printf("Bulirsch-Stoer %ld evaluations, multirevolution %ld\n", evaluations,
                static_cast<long>(run.statistics().force_evaluations));
    EXPECT_LT(40 * run.statistics().force_evaluations, evaluations);
}

}  // namespace
}  // namespace lento
