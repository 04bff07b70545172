/// SHAKE-SHAKE, RATTLE-SHAKE and direct integration on constraints: agreement, residuals, multipliers, forces of every
/// kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "average/window.hpp"
#include "lento/lento.hpp"
#include "march/constrained.hpp"
#include "papers/chain.hpp"
#include "papers/plain_run.hpp"
#include "papers/slope.hpp"
#include "step/catalogue.hpp"
#include "tests/method/plane_pendulum.hpp"

namespace lento {
namespace {

using papers::plain_run;

using papers::Chain;

Chain double_pendulum() {
    return papers::double_pendulum();
}

// --- Agreement with Lagrangian coordinates
// ----------------------------------------------------------------------------

void expect_agreement(const PlanePendulum& pendulum, double t_end, double bound) {
    EXPECT_LT(pendulum.apart(t_end), bound);
}

TEST(OnConstraints, an_even_force_moves_as_in_its_angle) {
    std::vector<double> omegas{1e3, 1e4, 1e5};
    std::vector<double> apart;
    for (const double omega : omegas) {
        apart.push_back(PlanePendulum{.frequencies = {omega}, .vibration = cosine}.apart(0.5));
    }
    EXPECT_LT(apart[1], 1e-6);
    EXPECT_LT(papers::slope(omegas, apart), -0.85);
}

TEST(OnConstraints, a_force_of_no_parity_is_averaged_by_a_kernel) {
    const auto saw = [](std::span<const double> theta) { return std::cos(theta[0]) + 0.3 * std::sin(2 * theta[0]); };
    expect_agreement({.frequencies = {1e6}, .vibration = saw}, 0.5, 2e-5);
    const auto run =
        plain_run(PlanePendulum{.frequencies = {1e6}, .vibration = saw}.in_the_plane(),
                  {.start = {0.2 * std::sin(0.5), 0.2 * std::cos(0.5)}, .t_end = 0.1, .method = "shake-shake"});
    const auto& options = run.record().options;
    EXPECT_TRUE(std::any_of(options.begin(), options.end(),
                            [](const auto& option) { return option.name == "filter" && option.value == "cos8"; }));
}

TEST(OnConstraints, friction_sees_the_slow_velocity) {
    const PlanePendulum rubbed{.friction = 3, .frequencies = {1e6}, .vibration = cosine};
    expect_agreement(rubbed, 0.5, 2e-5);
    // and it matters: without it the end is elsewhere.
    const auto end = [](const PlanePendulum& pendulum) {
        return plain_run(pendulum.in_the_plane(),
                         {.start = pendulum.point(0.5), .t_end = 0.5, .method = "rattle-shake"})
            .final_state()
            .position[0];
    };
    EXPECT_GT(std::abs(end(rubbed) - end({.frequencies = {1e6}, .vibration = cosine})), 0.01);
}

TEST(OnConstraints, two_phases_commensurate_or_not) {
    const auto both = [](std::span<const double> theta) { return 0.7 * std::cos(theta[0]) + 0.5 * std::cos(theta[1]); };
    expect_agreement({.frequencies = {1e6, 1.5e6}, .vibration = both}, 0.3, 2e-5);
    expect_agreement({.frequencies = {1e6, std::numbers::phi * 1e6}, .vibration = both}, 0.3, 2e-5);
}

// --- Constraints in every step ------------------------------------------------------------------------------------

/// The largest relative residuals of the positions at which the force is evaluated: those of every micro-step.
TEST(OnConstraints, every_micro_and_macro_step_is_on_them_to_1e_12) {
    const auto chain = double_pendulum();
    const auto still = chain.vibrated(1e5);
    double micro_residual = 0;
    double macro_residual = 0;
    double velocity_residual = 0;
    Manifold judge(still);
    const auto force = [&, omega = 1e5](In x, In, double, double theta, Out f) {
        micro_residual = larger(micro_residual, judge.position_residual(x, 0).residual);
        for (std::size_t j = 0; j < 2; ++j) {
            f[2 * j] = 0.0;
            f[2 * j + 1] = -chain.masses[j] * (chain.g + chain.v_max * omega * std::cos(theta));
        }
    };
    const auto system = constrained(vibrated_system(4, 1e5, force).with_mass(chain.mass()), chain.constraints());
    Acceleration acceleration(system.free());

    struct Watch {
        Manifold* judge;
        double* residual;
        bool wants(double) const { return true; }
        void take(const DenseStep& dense) {
            std::vector<double> y(dense.dimension());
            dense.value(dense.to(), y);
            const std::span<const double> state(y);
            *residual = larger(*residual, judge->velocity_residual(state.first(4), state.subspan(4, 4), 0).residual);
        }
    };

    for (const std::string micro : {"shake", "rattle", "rattle4", "rattle6", "lobatto"}) {
        for (const std::string macro : {"shake", "rattle", "rattle4", "rattle6", "rattle8", "lobatto"}) {
            Manifold in_windows(system);
            Manifold in_march(system);
            const auto window =
                make_constrained_window(micro, acceleration, in_windows, time_scales(system),
                                        {FilterWeights(Filter("period"), 8), 16, Sides::forward, VelocityUse::none});
            const std::vector<double> rest(4, 0.0);
            const std::vector<double> phase{0.0};
            ConstrainedMarch march(in_march, [&](double, std::span<const double> x, auto, std::span<double> F) {
                macro_residual = larger(macro_residual, judge.position_residual(x, 0).residual);
                window->average_acceleration({.x = x, .v = rest, .phases = phase}, F);
            });
            auto point = march.point_at(0, chain.position({0.5, 0.0}), rest);
            with_constrained_stepper(macro, "macro", [&](auto choice) {
                typename decltype(choice)::Stepper stepper(in_march, VelocityUse::none);
                const auto result =
                    march.fixed(stepper, {0, 0.5}, 1.0 / 160, point, Watch{&judge, &velocity_residual}, {});
                EXPECT_EQ(result.outcome, Outcome::completed) << micro << " " << macro << ": " << result.explanation;
            });
        }
    }
    EXPECT_GT(micro_residual, 0);
    EXPECT_LT(micro_residual, 1e-12);
    EXPECT_LT(macro_residual, 1e-12);
    EXPECT_LT(velocity_residual, 1e-12);
}

TEST(OnConstraints, solutions_between_steps_are_on_them_too) {
    const auto chain = double_pendulum();
    Manifold judge(chain.vibrated(1e6));
    std::size_t samples = 0;
    for (const std::string method : {"rattle-shake", "direct"}) {
        const auto run =
            plain_run(chain.vibrated(1e4),
                      {.start = chain.position({0.5, 0.0}),
                       .t_end = 0.1,
                       .method = method,
                       .sink = [&](double t, std::span<const double> y) {
                           ++samples;
                           ASSERT_EQ(y.size(), 12u);
                           EXPECT_LT(judge.position_residual(y.first(4), t).residual, 1e-13);
                           EXPECT_LT(judge.velocity_residual(y.first(4), y.subspan(4, 4), t).residual, 1e-13);
                       }});
        for (int k = 0; k <= 97; ++k) {
            const auto slow = run.slow(0.1 * k / 97);
            const auto fast = run.fast(0.1 * k / 97);
            EXPECT_LT(judge.position_residual(slow.position, 0).residual, 1e-13);
            EXPECT_LT(judge.position_residual(fast.position, 0).residual, 1e-13);
            EXPECT_LT(judge.velocity_residual(fast.position, fast.velocity, 0).residual, 1e-13);
        }
    }
    EXPECT_EQ(samples, 402u);
}

// --- Moving constraints -------------------------------------------------------------------------------------------

TEST(OnConstraints, a_rod_that_changes_its_length_is_followed) {
    // l(t) = 0.2 + 0.05 sin(3 t): true motion by direct integration, averaged motion within O(1/omega).
    const auto system = [](double omega) {
        const auto force = [omega](auto, auto, auto, auto theta, auto f) {
            f[0] = 0.0;
            f[1] = -9.8 - 4 * omega * cos(theta);
        };
        return constrained(vibrated_system(2, omega, force), 1, [](auto x, auto t, auto c) {
            const auto l = 0.2 + 0.05 * sin(3 * t);
            c[0] = x[0] * x[0] + x[1] * x[1] - l * l;
        });
    };
    // At t = 0 the rod grows with velocity 0.15.
    const std::vector<double> start{0.2 * std::sin(0.5), 0.2 * std::cos(0.5)};
    const std::vector<double> velocity{0.15 * std::sin(0.5), 0.15 * std::cos(0.5)};
    const std::vector<double> omegas{3e3, 1e4, 3e4};
    std::vector<double> distances;
    for (const double omega : omegas) {
        const auto direct = plain_run(
            system(omega),
            {.start = start, .velocity = velocity, .t_end = 0.5, .method = "direct", .rtol = 1e-9, .atol = 1e-11});
        const auto run = plain_run(system(omega), {.start = start,
                                                   .velocity = velocity,
                                                   .t_end = 0.5,
                                                   .method = "rattle-shake",
                                                   .rtol = 1e-8,
                                                   .atol = 1e-10});
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        double largest = 0;
        for (int k = 0; k <= 20; ++k) {
            const auto a = direct.slow(k / 40.0).position;
            const auto b = run.slow(k / 40.0).position;
            largest = larger(largest, std::hypot(a[0] - b[0], a[1] - b[1]));
        }
        distances.push_back(largest);
    }
    EXPECT_LT(distances.back(), 1e-3);
    EXPECT_NEAR(papers::slope(omegas, distances), -1, 0.2);
}

TEST(OnConstraints, windows_of_a_moving_rod_find_the_same_with_every_stepper) {
    for (const double friction : {0.0, 30.0}) {
        const auto force = [friction](auto, auto v, auto, auto theta, auto f) {
            f[0] = -3.0 * (friction > 0) * v[0];
            f[1] = -9.8 - 4e5 * cos(theta) - friction * v[1];
        };
        const auto system = constrained(vibrated_system(2, 1e5, force), 1, [](auto x, auto t, auto c) {
            const auto l = 0.2 + 0.5 * sin(3 * t);
            c[0] = x[0] * x[0] + x[1] * x[1] - l * l;
        });
        std::vector<Snapshot> ends;
        for (const std::string micro : {"shake", "rattle", "lobatto"}) {
            const auto run =
                plain_run(system, {.start = {0.2 * std::sin(0.5), 0.2 * std::cos(0.5)},
                                   .velocity = {1.5 * std::sin(0.5), 1.5 * std::cos(0.5)},
                                   .t_end = 0.1,
                                   .method = "rattle-shake",
                                   .options = {.steps = 100, .micro = micro, .micro_steps_per_period = 256}});
            ASSERT_EQ(run.outcome(), Outcome::completed) << micro << run.explanation();
            ends.push_back(run.final_state());
        }
        for (const auto& end : ends) {
            EXPECT_NEAR(end.position[0], ends[0].position[0], 1e-4);
            EXPECT_NEAR(end.multipliers[0], ends[0].multipliers[0], 0.02 * std::abs(ends[0].multipliers[0]));
            EXPECT_NEAR(end.total_multipliers[0], ends[0].total_multipliers[0],
                        0.02 * std::abs(ends[0].total_multipliers[0]));
        }
    }
}

// --- Multipliers --------------------------------------------------------------------------------------------------

TEST(Multipliers, total_is_the_mean_of_the_true_one) {
    const auto chain = double_pendulum();
    const double omega = 3e4;
    const double period = 2 * std::numbers::pi / omega;
    const auto direct = plain_run(
        chain.vibrated(omega),
        {.start = chain.position({0.5, 0.0}), .t_end = 0.1, .method = "direct", .rtol = 1e-10, .atol = 1e-12});
    const auto run = plain_run(
        chain.vibrated(omega),
        {.start = chain.position({0.5, 0.0}), .t_end = 0.1, .method = "rattle-shake", .rtol = 1e-8, .atol = 1e-10});
    for (const double t : {0.02, 0.05, 0.08}) {
        for (std::size_t j = 0; j < 2; ++j) {
            // NOTE: a plain mean over one period of something O(omega) keeps a part of size one that depends on the
            // phase; a kernel does not.
            const FilterWeights weights(Filter("cos8"), 12 * 16);
            double mean = weights[0] * direct.slow(t).multipliers[j];
            for (std::size_t k = 1; k <= weights.each_side(); ++k) {
                const double away = period * static_cast<double>(k) / 32;
                mean += weights[k] * (direct.slow(t + away).multipliers[j] + direct.slow(t - away).multipliers[j]);
            }
            const auto slow = run.slow(t);
            EXPECT_NEAR(slow.total_multipliers[j], mean, 0.02);
            EXPECT_GT(std::abs(slow.multipliers[j] - mean), 0.1);  // the macro-multiplier alone is another quantity
        }
    }
    // and at one moment the reconstructed multiplier is the true one, O(omega) large.
    const auto fast = run.fast(0.05).multipliers[0];
    EXPECT_NEAR(fast / direct.slow(0.05).multipliers[0], 1, 0.01);
}

TEST(Multipliers, between_steps_are_interpolated_to_the_order_of_the_steps) {
    const auto chain = double_pendulum();
    const auto run = [&](Options options) {
        return plain_run(chain.averaged(), {.start = chain.position({0.5, 0.0}),
                                            .t_end = 0.1,
                                            .method = "direct",
                                            .rtol = 1e-11,
                                            .atol = 1e-13,
                                            .options = std::move(options)});
    };
    const auto exact = run({});
    const auto error = [&](const Solution& solution) {
        double largest = 0;
        for (int k = 0; k <= 50; ++k) {
            const double t = 0.1 * (k + 0.37) / 51;
            for (std::size_t j = 0; j < 2; ++j) {
                largest = larger(largest, std::abs(solution.slow(t).multipliers[j] - exact.slow(t).multipliers[j]));
            }
        }
        return largest;
    };
    std::vector<double> steps;
    std::vector<double> errors;
    for (const std::size_t count : {40, 80, 160}) {
        steps.push_back(0.1 / static_cast<double>(count));
        errors.push_back(error(run({.macro = "lobatto", .steps = count})));
    }
    EXPECT_GT(papers::slope(steps, errors), 1.8);  // linear in the first step, parabolas after it
    EXPECT_LT(errors.back(), 1e-4);
}

// --- DOP853 on constraints ---------------------------------------------------------------------------------------

TEST(Dop853, on_constraints_gains_with_its_tolerance_as_an_order_of_eight_or_more) {
    const auto chain = double_pendulum();
    const auto run = [&](double rtol) {
        return plain_run(
            chain.averaged(),
            {.start = chain.position({0.5, 0.0}), .t_end = 0.2, .method = "direct", .rtol = rtol, .atol = 1e-3 * rtol});
    };
    const auto exact = run(1e-13).final_state().position;
    std::vector<double> steps;
    std::vector<double> errors;
    for (const double rtol : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
        const auto found = run(rtol);
        steps.push_back(1.0 / static_cast<double>(found.statistics().macro_steps));
        double largest = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            largest = larger(largest, std::abs(found.final_state().position[i] - exact[i]));
        }
        errors.push_back(largest);
    }
    EXPECT_GT(papers::slope(steps, errors), 7.5);
}

}  // namespace
}  // namespace lento
