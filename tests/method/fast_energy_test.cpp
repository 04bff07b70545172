/// What the energy of fast oscillations of stiff springs does to the slow motion: orders in the frequency for each
/// method, energy, what is refused, and the settling of bounded-derivative where normal forces vanish.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lento/base/misuse.hpp"
#include "lento/lento.hpp"
#include "problem/spring_modes.hpp"

namespace lento {
namespace {

const std::vector<std::string> all_methods{"bounded-derivative", "ipa", "hmm-stiff"};

Solution plain(const Problem& system, Request request, const std::string& method) {
    request.method = method;
    request.options.estimate = "none";
    return solve(system, request);
}

bool warns(const Solution& run, const std::string& part) {
    return std::ranges::any_of(run.record().warnings,
                               [&](const auto& warning) { return warning.find(part) != std::string::npos; });
}

/// A force -stiffness x on x, and a spring (1 + share x^2) y.
Problem one_spring(double omega, double stiffness, double share) {
    return stiff_system(
        2,
        [=](auto q, auto, auto, auto f) {
            f[0] = -stiffness * q[0];
            f[1] = 0;
        },
        {omega}, [=](auto q, auto, auto g) { g[0] = (1 + share * q[0] * q[0]) * q[1]; });
}

/// Two springs that act on each other, of frequencies that depend on x and stay far from resonances of two or three.
Problem two_springs(double omega) {
    return stiff_system(
        3,
        [](auto q, auto, auto, auto f) {
            f[0] = -0.2 * q[0] - 0.1 * q[1];
            f[1] = -0.1 * q[0];
            f[2] = 0;
        },
        {omega, 3 * omega},
        [](auto q, auto, auto g) {
            g[0] = (1 + 0.15 * q[0] * q[0]) * q[1];
            g[1] = (1 + 0.2 * sin(q[0])) * q[2] + 0.3 * q[1];
        });
}

/// Rods whose own length does not change, but whose stiffness does, in gravity: the level sets are curved.
Problem rod(double omega) {
    return stiff_system(
        2,
        [](auto, auto, auto, auto f) {
            f[0] = -0.1;
            f[1] = -0.4;
        },
        {omega}, [](auto q, auto, auto g) { g[0] = (1 + 0.3 * q[0]) * (hypot(q[0], q[1]) - 1); });
}

struct Case {
    Problem system;
    Request request;
    std::size_t slow;  ///< the coordinates compared; others oscillate with the springs
};
Case with_one(double omega) {
    return {one_spring(omega, 0.2, 0.3),
            {.start = {1.5, 0.5 / omega}, .velocity = {0.4, 0.6}, .t_end = 4, .rtol = 1e-8, .atol = 1e-11},
            1};
}
Case with_two(double omega) {
    return {two_springs(omega),
            {.start = {1.5, 0.4 / omega, 0.1 / omega},
             .velocity = {0.2, 0.6, 0.5},
             .t_end = 4,
             .rtol = 1e-8,
             .atol = 1e-11},
            1};
}

std::vector<double> true_end(const Case& of) {
    auto resolved = of.request;
    resolved.rtol = 1e-10;
    resolved.atol = 1e-13;
    return plain(of.system, resolved, "direct").slow(of.request.t_end).position;
}

double error_of(const Case& of, const std::string& method) {
    const auto truth = true_end(of);
    const auto run = plain(of.system, of.request, method);
    EXPECT_EQ(run.outcome(), Outcome::completed) << method << ": " << run.record().explanation;
    double error = 0;
    for (std::size_t i = 0; i < of.slow; ++i) {
        error = std::max(error, std::abs(run.slow(of.request.t_end).position[i] - truth[i]));
    }
    return error;
}

TEST(FastEnergy, the_case_checked_by_hand) {
    // Force -x on x, spring (1 + x^2) y, y = 0, y' = 1: the true x(5) at these frequencies, and that of the slow
    // equation x'' = -x - x/1.25.
    const double true_end[]{0.4555157, 0.4555157};
    const double slow_end = 0.5 * std::cos(5 * std::sqrt(1.8));
    for (int n = 0; n < 2; ++n) {
        const double omega = n == 0 ? 1e3 : 1e4;
        const Request request{.start = {0.5, 0}, .velocity = {0, 1}, .t_end = 5, .rtol = 1e-8, .atol = 1e-11};
        for (const auto& method : all_methods) {
            const auto run = plain(one_spring(omega, 1, 1), request, method);
            ASSERT_EQ(run.outcome(), Outcome::completed) << run.record().explanation;
            EXPECT_NEAR(run.slow(5).position[0], true_end[n], 1e-6) << method << omega;
            EXPECT_NEAR(run.slow(5).position[0], slow_end, 1e-6) << method << omega;
        }
    }
}

TEST(FastEnergy, none_leaves_it_out) {
    Request request{.start = {0.5, 0}, .velocity = {0, 1}, .t_end = 5, .rtol = 1e-8, .atol = 1e-11};
    request.options.fast_energy = "none";
    for (const auto& method : all_methods) {
        const auto run = plain(one_spring(1e4, 1, 1), request, method);
        EXPECT_NEAR(run.slow(5).position[0], 0.5 * std::cos(5), 1e-5) << method;
    }
    request.options.fast_energy = "some";
    EXPECT_THROW(plain(one_spring(1e4, 1, 1), request, "ipa"), Misuse);
}

TEST(FastEnergy, errors_fall_at_least_as_one_over_the_frequency) {
    for (const auto& of : {with_one, with_two}) {
        for (const auto& method : all_methods) {
            const double first = error_of(of(1e2), method);
            const double middle = error_of(of(1e3), method);
            const double last = error_of(of(1e4), method);
            // What depends on the phase at the end makes single errors smaller or larger than their order.
            EXPECT_LT(last, first / 50) << method << ": " << first << ", " << middle << ", " << last;
            EXPECT_LT(middle, 4e-2 / 1e3) << method;
            EXPECT_LT(last, 4e-2 / 1e4) << method;
        }
    }
}

TEST(FastEnergy, one_action_is_exact_to_second_order_in_bounded_derivative) {
    const double first = error_of(with_one(1e2), "bounded-derivative");
    const double last = error_of(with_one(3.2e3), "bounded-derivative");
    EXPECT_LT(last, first / 500) << first << ", " << last;
    const auto curved = [](double omega) {
        return Case{rod(omega),
                    {.start = {0.8 * (1 + 0.4 / omega), -0.6 * (1 + 0.4 / omega)},
                     .velocity = {0.8, 0.3},
                     .t_end = 2,
                     .rtol = 1e-9,
                     .atol = 1e-12},
                    0};
    };
    // Of a curved manifold the angle is slow.
    const auto angle_error = [&](double omega) {
        const auto of = curved(omega);
        const auto truth = plain(of.system, of.request, "direct").slow(2).position;
        const auto run = plain(of.system, of.request, "bounded-derivative");
        EXPECT_EQ(run.outcome(), Outcome::completed) << run.record().explanation;
        const auto end = run.slow(2).position;
        return std::abs(std::atan2(end[1], end[0]) - std::atan2(truth[1], truth[0]));
    };
    EXPECT_LT(angle_error(200), 1e-3);
    EXPECT_LT(angle_error(6400), 1e-6);
}

TEST(FastEnergy, the_energy_of_the_slow_motion_and_its_potential_stays) {
    const double omega = 1e5;
    const auto of =
        Case{one_spring(omega, 0.2, 0.3),
             {.start = {1.5, 0.5 / omega}, .velocity = {0.4, 0.6}, .t_end = 10, .rtol = 1e-8, .atol = 1e-11},
             1};
    const auto frequency = [](double x) { return 1 + 0.3 * x * x; };
    for (const auto& method : all_methods) {
        const auto run = plain(of.system, of.request, method);
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.record().explanation;
        const auto slow_energy = [&](double at) {
            const auto state = run.slow(at);
            return std::pow(state.velocity[0], 2) / 2 + 0.1 * std::pow(state.position[0], 2);
        };
        // The action is what the true energy leaves for it.
        const double x = run.slow(0).position[0];
        const double fast = 0.5 * (0.4 * 0.4 + 0.6 * 0.6 + std::pow(frequency(1.5) * 0.5, 2)) + 0.1 * 1.5 * 1.5;
        const double action = (fast - slow_energy(0)) / frequency(x);
        double largest = 0;
        for (int k = 0; k <= 50; ++k) {
            const double at = k / 5.0;
            const double energy = slow_energy(at) + action * frequency(run.slow(at).position[0]);
            largest = std::max(largest, std::abs(energy - fast));
        }
        EXPECT_LT(largest, 1e-8) << method;
    }
}

TEST(FastEnergy, modes_change_as_differences_say) {
    const auto system = two_springs(100);
    SpringModes here(system), there(system);
    const std::vector<double> x{0.7, 0.002, -0.001}, v{0.3, -0.2, 0.5};
    const double h = 1e-5;
    ASSERT_TRUE(here.at(0, x));
    std::vector<double> ahead = x, behind = x;
    for (std::size_t i = 0; i < 3; ++i) {
        ahead[i] += h * v[i];
        behind[i] -= h * v[i];
    }
    for (std::size_t j = 0; j < 2; ++j) {
        ASSERT_TRUE(there.at(0, ahead));
        const double high = std::log(there.frequency(j));
        std::vector<double> shape(there.shape(j).begin(), there.shape(j).end());
        ASSERT_TRUE(there.at(0, behind));
        const double low = std::log(there.frequency(j));
        double along = 0, turning = 0, product = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            along += here.bend(j, j)[i] * v[i];
            product += shape[i] * there.shape(j)[i];
        }
        for (std::size_t i = 0; i < 3; ++i) {
            turning += here.shape(1 - j)[i] * (shape[i] - (product < 0 ? -1 : 1) * there.shape(j)[i]) / (2 * h);
        }
        EXPECT_NEAR(along, (high - low) / (2 * h), 1e-7);
        EXPECT_NEAR(std::abs(here.turning(1 - j, j, v)), std::abs(turning), 1e-6);
    }
}

/// omega (1 + x^2) and 2 omega, which cross at x = 1: steps along the slow motion do not stop there.
Problem crossing_springs(double coupling) {
    return stiff_system(
        3, [](auto, auto, auto, auto f) { f[0] = f[1] = f[2] = 0; }, {1000, 2000},
        [=](auto q, auto, auto g) {
            g[0] = (1 + q[0] * q[0]) * q[1];
            g[1] = q[2] + coupling * q[1];
        });
}

TEST(FastEnergy, refuses_a_crossing_of_frequencies_and_auto_goes_on) {
    // Springs that do not act on each other come as near as they like without exchanging energy; which energy is whose
    // is then not known behind the crossing.
    for (const double coupling : {0.0, 0.05}) {
        Request request{.start = {0.5, 0, 0}, .velocity = {1.5, 0.5, 0.3}, .t_end = 1};
        for (const auto& method : all_methods) {
            request.method = method;
            request.options.micro_steps_per_period.reset();
            if (method != "bounded-derivative") {
                request.options.micro_steps_per_period = 30;
            }
            const auto run = solve(crossing_springs(coupling), request);
            EXPECT_EQ(run.outcome(), Outcome::refused) << method << coupling << run.record().explanation;
            EXPECT_NE(run.record().explanation.find("cross"), std::string::npos) << run.record().explanation;
        }
        request.method = "auto";
        request.options = {};
        EXPECT_EQ(solve(crossing_springs(coupling), request).outcome(), Outcome::completed);
    }
}

TEST(FastEnergy, a_crossing_that_steps_only_come_near_ends_the_run_before_long) {
    // Springs of frequencies 1 + x and 1.3, and a force that lets steps be as short as they like.
    const auto system = stiff_system(
        3,
        [](auto q, auto, auto, auto f) {
            f[0] = -q[0];
            f[1] = f[2] = 0;
        },
        {1000, 1300},
        [](auto q, auto, auto g) {
            g[0] = (1 + q[0]) * q[1];
            g[1] = q[2];
        });
    Request request{.start = {0, 0, 0}, .velocity = {1, 0.5, 0.4}, .t_end = 2, .method = "ipa"};
    const auto run = solve(system, request);
    EXPECT_EQ(run.outcome(), Outcome::refused) << run.record().explanation;
    EXPECT_LT(run.statistics().force_evaluations, 1'000'000);
}

TEST(FastEnergy, what_a_bend_does_beyond_the_first_order_is_in_the_estimate) {
    // A track with a bend, free but for the track; at the end it is straight, and x no longer oscillates.
    for (const double omega : {300.0, 1000.0, 3000.0}) {
        const auto system = stiff_system(
            2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0; }, {omega},
            [](auto q, auto, auto g) { g[0] = q[1] - 0.4 * exp(-q[0] * q[0] / 1.3); });
        Request request{.start = {-1.2, 0.4 * std::exp(-1.44 / 1.3)}, .velocity = {1.2, 1.1}, .t_end = 15};
        const auto slow = solve(system, {.start = request.start,
                                         .velocity = request.velocity,
                                         .t_end = 15,
                                         .method = "bounded-derivative",
                                         .rtol = 1e-8,
                                         .atol = 1e-8});
        request.method = "direct";
        request.rtol = 1e-11;
        const auto exact = solve(system, request);
        const double error = std::abs(slow.slow(15).position[0] - exact.slow(15).position[0]);
        EXPECT_GT(error, 1e-9) << omega;
        EXPECT_LT(error, slow.record().error_estimate[0]) << omega;
    }
}

TEST(FastEnergy, refuses_frequencies_of_which_one_is_the_sum_of_the_others) {
    // 2 omega and omega, coupled by elongations that are not linear.
    const auto system = stiff_system(
        3,
        [](auto q, auto, auto, auto f) {
            f[0] = -q[0];
            f[1] = f[2] = 0;
        },
        {1000, 2000},
        [](auto q, auto, auto g) {
            g[0] = q[1];
            g[1] = q[2] + 2 * q[1] * q[1] + 0.1 * q[0] * q[2];
        });
    Request request{.start = {0.5, 0, 0}, .velocity = {0, 0.6, 0.9}, .t_end = 5, .method = "bounded-derivative"};
    const auto run = solve(system, request);
    EXPECT_EQ(run.outcome(), Outcome::refused) << run.record().explanation;
    EXPECT_NE(run.record().explanation.find("resonance"), std::string::npos) << run.record().explanation;
}

TEST(FastEnergy, friction_takes_actions_away_and_the_run_says_so) {
    const auto damped = stiff_system(
        2,
        [](auto q, auto v, auto, auto f) {
            f[0] = -q[0];
            f[1] = -0.5 * v[1];
        },
        {1e4}, [](auto q, auto, auto g) { g[0] = (1 + q[0] * q[0]) * q[1]; });
    Request request{.start = {0.5, 0}, .velocity = {0, 1}, .t_end = 5};
    for (const auto& method : all_methods) {
        const auto run = plain(damped, request, method);
        EXPECT_EQ(run.outcome(), Outcome::completed) << method << run.record().explanation;
        EXPECT_TRUE(warns(run, "their actions are not known to stay")) << method;
        EXPECT_NEAR(run.slow(5).position[0], 0.5 * std::cos(5), 1e-3) << method;
    }
    request.method = "bounded-derivative";
    EXPECT_EQ(solve(damped, request).outcome(), Outcome::tolerance_missed);
    request.options.fast_energy = "adiabatic";
    for (const auto& method : all_methods) {
        EXPECT_EQ(plain(damped, request, method).outcome(), Outcome::refused) << method;
    }
}

TEST(FastEnergy, what_is_left_is_within_the_estimate) {
    for (const auto& of : {with_one, with_two}) {
        for (const double omega : {300., 1500., 7000.}) {
            auto asked = of(omega);
            asked.request.rtol = 1e-3;
            asked.request.atol = 1e-6;
            asked.request.method = "bounded-derivative";
            const auto run = solve(asked.system, asked.request);
            ASSERT_FALSE(run.record().error_estimate.empty()) << run.record().explanation;
            const double error = run.slow(4).position[0] - true_end(asked)[0];
            EXPECT_LT(std::abs(error), run.record().error_estimate[0]) << omega;
        }
    }
    auto asked = with_one(1e4);
    asked.request.rtol = asked.request.atol = 1e-6;
    asked.request.method = "bounded-derivative";
    EXPECT_EQ(solve(asked.system, asked.request).outcome(), Outcome::completed);
}

TEST(FastEnergy, bounded_derivative_settles_where_normal_forces_vanish) {
    // Zero everywhere.
    Request request{.start = {0.5, 0}, .velocity = {0, 1e-3}, .t_end = 5, .method = "bounded-derivative"};
    const auto flat = solve(one_spring(1e3, 1, 1), request);
    EXPECT_EQ(flat.outcome(), Outcome::completed) << flat.record().explanation;
    EXPECT_NEAR(flat.slow(5).position[0], 0.5 * std::cos(5), 1e-6);
    request.velocity = {0, 0};
    EXPECT_EQ(solve(one_spring(1e3, 1, 1), request).outcome(), Outcome::completed);
    // Zero at the start, and passing through it: a mass on a spring about the origin, against gravity.
    const double g = 1;
    const auto pendulum = stiff_system(
        2,
        [g](auto, auto, auto, auto f) {
            f[0] = 0;
            f[1] = -g;
        },
        {1e4}, [](auto q, auto, auto e) { e[0] = hypot(q[0], q[1]) - 1; });
    // At the top with v^2 = g the rod neither pulls nor pushes; a little off it starts with either sign.
    for (const double speed : {1.0, 1.0 + 1e-9, 1.0 - 1e-9, 0.9, 1.1}) {
        for (const double kick : {0.0, 1e-3}) {
            const auto run = solve(
                pendulum,
                {.start = {0, 1}, .velocity = {speed, kick}, .t_end = 2, .method = "bounded-derivative", .rtol = 1e-6});
            EXPECT_TRUE(run.outcome() == Outcome::completed || run.outcome() == Outcome::tolerance_missed)
                << speed << ": " << run.record().explanation;
        }
    }
    // Tending to zero along the motion: what presses on the spring dies out.
    const auto fading = stiff_system(
        2,
        [](auto q, auto, auto t, auto f) {
            f[0] = -q[0];
            f[1] = exp(-8 * t);
        },
        {1e4}, [](auto q, auto, auto e) { e[0] = (1 + q[0] * q[0]) * q[1]; });
    const auto faded =
        solve(fading, {.start = {0.5, 0}, .velocity = {0, 1e-4}, .t_end = 20, .method = "bounded-derivative"});
    EXPECT_EQ(faded.outcome(), Outcome::completed) << faded.record().explanation;
    EXPECT_NEAR(faded.slow(20).position[0], 0.5 * std::cos(20), 1e-5);
}

}  // namespace
}  // namespace lento
