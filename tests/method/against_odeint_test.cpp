/// The direct method against Boost.odeint, which nobody here wrote.
#include <gtest/gtest.h>

#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>

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

}  // namespace
}  // namespace lento
