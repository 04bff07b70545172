/// SHAKE-SHAKE, RATTLE-SHAKE and direct integration on constraints: starts, failures, multipliers, forces of every kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "lento/average/constrained_window.hpp"
#include "lento/lento.hpp"
#include "lento/march/constrained.hpp"
#include "papers/chain.hpp"
#include "papers/slope.hpp"

namespace lento {
namespace {

using papers::Chain;

/// The inverted pendulum of the papers, as a point in the plane and as an angle, under a vibration w(theta) and with friction.
struct Pendulum {
    double l = 0.2;
    double g = 9.8;
    double v_max = 4;
    double friction = 0;
    std::vector<double> frequencies;
    std::function<double(std::span<const double>)>
        vibration;  // of the pivot's acceleration, times v_max * frequencies[0]

    auto in_the_plane() const {
        const auto force = [*this](auto, auto v, auto, std::span<const double> theta, auto f) {
            f[0] = -friction * v[0];
            f[1] = -g - v_max * frequencies[0] * vibration(theta) - friction * v[1];
        };
        return constrained(vibrated_system(2, frequencies, force).with_names({"x", "y"}), 1,
                           [l = l](auto x, auto, auto c) { c[0] = x[0] * x[0] + x[1] * x[1] - l * l; })
            .with_constraint_names({"rod"});
    }
    auto as_an_angle() const {
        return vibrated_system(1, frequencies, [*this](auto x, auto v, auto, std::span<const double> theta, auto f) {
            f[0] = (g + v_max * frequencies[0] * vibration(theta)) / l * std::sin(x[0]) - friction * v[0];
        });
    }
    std::vector<double> point(double q) const { return {l * std::sin(q), l * std::cos(q)}; }

    /// The largest distance between the averaged motions of the two.
    double apart(double t_end) const {
        const auto plane = solve(in_the_plane(), {.start = point(0.5),
                                                  .t_end = t_end,
                                                  .method = "rattle-shake",
                                                  .rtol = 1e-10,
                                                  .atol = 1e-12,
                                                  .options = {.micro = "lobatto", .micro_steps_per_period = 64}});
        const auto angle = solve(as_an_angle(), {.start = {0.5},
                                                 .t_end = t_end,
                                                 .method = "hmm-async",
                                                 .rtol = 1e-10,
                                                 .atol = 1e-12,
                                                 .options = {.micro_steps_per_period = 64}});
        EXPECT_EQ(plane.outcome(), Outcome::completed) << plane.explanation();
        EXPECT_EQ(angle.outcome(), Outcome::completed) << angle.explanation();
        double largest = 0;
        for (int k = 0; k <= 20; ++k) {
            const auto expected = point(angle.slow(t_end * k / 20).position[0]);
            const auto found = plane.slow(t_end * k / 20).position;
            largest = larger(largest, std::hypot(found[0] - expected[0], found[1] - expected[1]));
        }
        return largest;
    }
};

double cosine(std::span<const double> theta) {
    return std::cos(theta[0]);
}

Chain double_pendulum() {
    return papers::double_pendulum();
}

// --- Agreement with Lagrangian coordinates ----------------------------------------------------------------------------

void expect_agreement(const Pendulum& pendulum, double t_end, double bound) {
    EXPECT_LT(pendulum.apart(t_end), bound);
}

TEST(OnConstraints, an_even_force_moves_as_in_its_angle) {
    std::vector<double> omegas{1e3, 1e4, 1e5};
    std::vector<double> apart;
    for (const double omega : omegas) {
        apart.push_back(Pendulum{.frequencies = {omega}, .vibration = cosine}.apart(0.5));
    }
    EXPECT_LT(apart[1], 1e-6);
    EXPECT_LT(papers::slope(omegas, apart), -0.85);
}

TEST(OnConstraints, a_force_of_no_parity_is_averaged_by_a_kernel) {
    const auto saw = [](std::span<const double> theta) { return std::cos(theta[0]) + 0.3 * std::sin(2 * theta[0]); };
    expect_agreement({.frequencies = {1e6}, .vibration = saw}, 0.5, 2e-5);
    const auto run =
        solve(Pendulum{.frequencies = {1e6}, .vibration = saw}.in_the_plane(),
              {.start = {0.2 * std::sin(0.5), 0.2 * std::cos(0.5)}, .t_end = 0.1, .method = "shake-shake"});
    const auto& options = run.record().options;
    EXPECT_TRUE(std::any_of(options.begin(), options.end(),
                            [](const auto& option) { return option.name == "filter" && option.value == "cos8"; }));
}

TEST(OnConstraints, friction_sees_the_slow_velocity) {
    const Pendulum rubbed{.friction = 3, .frequencies = {1e6}, .vibration = cosine};
    expect_agreement(rubbed, 0.5, 2e-5);
    // and it matters: without it the end is elsewhere.
    const auto end = [](const Pendulum& pendulum) {
        return solve(pendulum.in_the_plane(), {.start = pendulum.point(0.5), .t_end = 0.5, .method = "rattle-shake"})
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
    const auto constraints = chain.constraints();
    double micro_residual = 0;
    double macro_residual = 0;
    double velocity_residual = 0;
    Manifold judge(chain.mass(), constraints);
    const auto force = [&, omega = 1e5](auto x, auto, auto, auto theta, auto f) {
        micro_residual = larger(micro_residual, judge.position_residual(x, 0).residual);
        for (std::size_t j = 0; j < 2; ++j) {
            f[2 * j] = 0.0;
            f[2 * j + 1] = -chain.masses[j] * (chain.g + chain.v_max * omega * std::cos(theta));
        }
    };
    const auto free = vibrated_system(4, 1e5, force).with_mass(chain.mass());
    const ConstrainedSystem system(free, constraints);
    using Free = std::decay_t<decltype(free)>;
    using Constraints = std::decay_t<decltype(constraints)>;
    using Reduced = decltype(reduced(system));
    Acceleration<Free> acceleration(free);

    struct Watch {
        Manifold<Constraints>* judge;
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
            Manifold in_windows(chain.mass(), constraints);
            Manifold in_march(chain.mass(), constraints);
            const auto window = make_constrained_window<Reduced>(
                micro, acceleration, in_windows, time_scales(free),
                {FilterWeights(Filter("period"), 8), 16, Sides::forward, VelocityUse::none});
            const std::vector<double> rest(4, 0.0);
            const std::vector<double> phase{0.0};
            ConstrainedMarch march(in_march, [&](double, std::span<const double> x, auto, std::span<double> F) {
                macro_residual = larger(macro_residual, judge.position_residual(x, 0).residual);
                window->average_acceleration({.x = x, .v = rest, .phases = phase}, F);
            });
            auto point = march.point_at(0, chain.position({0.5, 0.0}), rest);
            with_constrained_stepper(macro, "macro", [&](auto choice) {
                typename decltype(choice)::template Stepper<Constraints> stepper(in_march, VelocityUse::none);
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
    Manifold judge(chain.mass(), chain.constraints());
    std::size_t samples = 0;
    for (const std::string method : {"rattle-shake", "direct"}) {
        const auto run = solve(chain.vibrated(1e4),
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
        const auto direct = solve(
            system(omega),
            {.start = start, .velocity = velocity, .t_end = 0.5, .method = "direct", .rtol = 1e-9, .atol = 1e-11});
        const auto run = solve(system(omega), {.start = start,
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

// --- Multipliers --------------------------------------------------------------------------------------------------

TEST(Multipliers, total_is_the_mean_of_the_true_one) {
    const auto chain = double_pendulum();
    const double omega = 3e4;
    const double period = 2 * std::numbers::pi / omega;
    const auto direct =
        solve(chain.vibrated(omega),
              {.start = chain.position({0.5, 0.0}), .t_end = 0.1, .method = "direct", .rtol = 1e-10, .atol = 1e-12});
    const auto run = solve(
        chain.vibrated(omega),
        {.start = chain.position({0.5, 0.0}), .t_end = 0.1, .method = "rattle-shake", .rtol = 1e-8, .atol = 1e-10});
    for (const double t : {0.02, 0.05, 0.08}) {
        for (std::size_t j = 0; j < 2; ++j) {
            // NOTE: a plain mean over one period of something O(omega) keeps a part of size one that depends on the phase; a kernel does not.
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
        return solve(chain.averaged(), {.start = chain.position({0.5, 0.0}),
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

// --- Half-explicit Dormand-Prince ---------------------------------------------------------------------------------

TEST(HalfExplicit, has_order_five) {
    const auto chain = double_pendulum();
    const auto run = [&](double rtol) {
        return solve(
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
    EXPECT_NEAR(papers::slope(steps, errors), 5, 0.7);
}

// --- Starts -------------------------------------------------------------------------------------------------------

Solution started(const std::vector<double>& start, const std::vector<double>& velocity, const std::string& method) {
    const Pendulum pendulum{.frequencies = {1e4}, .vibration = cosine};
    return solve(pendulum.in_the_plane(), {.start = start, .velocity = velocity, .t_end = 0.1, .method = method});
}

TEST(Start, off_by_a_little_is_moved_and_said) {
    for (const std::string method : {"rattle-shake", "shake-shake", "direct"}) {
        const auto run = started({0.0959, 0.1755}, {}, method);  // l sin 0.5, l cos 0.5 to four digits
        EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        ASSERT_FALSE(run.warnings().empty());
        EXPECT_NE(run.warnings().front().find("was moved by"), std::string::npos) << run.warnings().front();
        EXPECT_NE(run.warnings().front().find("rod = "), std::string::npos);
    }
}

TEST(Start, far_off_is_refused_with_the_residuals_and_the_nearest_point) {
    for (const std::string method : {"rattle-shake", "direct"}) {
        const auto run = started({0.15, 0.2}, {}, method);
        EXPECT_EQ(run.outcome(), Outcome::off_constraints);
        EXPECT_NE(run.explanation().find("rod = 0.0225"), std::string::npos) << run.explanation();
        EXPECT_NE(run.explanation().find("x = 0.12, y = 0.16"), std::string::npos) << run.explanation();
        EXPECT_EQ(run.final_state().position, (std::vector<double>{0.15, 0.2}));
    }
}

TEST(Start, velocity_across_the_constraint_is_refused_with_the_tangential_one) {
    const auto run = started({0.12, 0.16}, {1, 0}, "direct");
    EXPECT_EQ(run.outcome(), Outcome::off_constraints);
    EXPECT_NE(run.explanation().find("rod_dot = 0.24"), std::string::npos) << run.explanation();
    EXPECT_NE(run.explanation().find("x_dot = 0.64, y_dot = -0.48"), std::string::npos) << run.explanation();
}

TEST(Start, dependent_constraints_are_named) {
    const Pendulum pendulum{.frequencies = {1e4}, .vibration = cosine};
    const auto free =
        vibrated_system(4, 1e4, [](auto, auto, auto, auto, auto f) { std::fill(f.begin(), f.end(), 0.0); });
    const auto system = constrained(free, 3, [](auto x, auto, auto c) {
                            c[0] = x[0] - x[1];
                            c[1] = x[2] - 1.0;
                            c[2] = 3 * x[0] - 3 * x[1] + 2 * x[2] - 2.0;
                        }).with_constraint_names({"left", "post", "brace"});
    for (const std::string method : {"rattle-shake", "direct"}) {
        const auto run = solve(system, {.start = {0, 0, 1, 0}, .t_end = 1, .method = method});
        EXPECT_EQ(run.outcome(), Outcome::refused);
        EXPECT_NE(run.explanation().find("left, post, brace are dependent"), std::string::npos) << run.explanation();
        EXPECT_NE(run.explanation().find("-3 left' - 2 post' + 1 brace' = 0"), std::string::npos) << run.explanation();
    }
}

TEST(Start, a_gradient_that_vanishes_is_named) {
    const auto free = vibrated_system(2, 1e4, [](auto, auto, auto, auto, auto f) { f[0] = f[1] = 0.0; });
    const auto system = constrained(free, 1, [](auto x, auto, auto c) {
                            c[0] = (x[0] - x[1]) * (x[0] - x[1]);
                        }).with_constraint_names({"squared"});
    const auto run = solve(system, {.start = {1, 1}, .t_end = 1, .method = "direct"});
    EXPECT_EQ(run.outcome(), Outcome::refused);
    EXPECT_NE(run.explanation().find("the gradient of squared vanishes"), std::string::npos) << run.explanation();
}

// --- Failures -----------------------------------------------------------------------------------------------------

TEST(Failure, a_macro_step_too_large_ends_with_what_is_done_so_far) {
    // A spinning pendulum: steps of a tenth of a turn are fine, and then the rod's force flings it.
    const auto force = [](auto, auto, auto t, auto, auto f) {
        f[0] = 0.0;
        f[1] = -9.8 - exp(8 * t);
    };
    const auto system = constrained(VibratedSystem<decltype(force)>(2, {}, force), 1, [](auto x, auto, auto c) {
                            c[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
                        }).with_constraint_names({"rod"});
    for (const std::string macro : {"rattle", "shake", "lobatto"}) {
        const auto run = solve(
            system, {.start = {1, 0}, .t_end = 5, .method = "direct", .options = {.macro = macro, .macro_step = 0.05}});
        EXPECT_EQ(run.outcome(), Outcome::not_converged) << macro << " " << run.explanation();
        EXPECT_NE(run.explanation().find("the step from t = "), std::string::npos) << run.explanation();
        EXPECT_NE(run.explanation().find("residual of "), std::string::npos) << run.explanation();
        EXPECT_NE(run.explanation().find("smaller step"), std::string::npos);
        EXPECT_GT(run.record().t_end, 0.4);
        EXPECT_LT(run.record().t_end, 5);
        EXPECT_EQ(run.trajectory().to(), run.record().t_end);
        EXPECT_NEAR(std::hypot(run.final_state().position[0], run.final_state().position[1]), 1, 1e-12);
    }
}

TEST(Failure, constraints_that_become_impossible_end_the_run) {
    // Two points 2 apart at most, drawn 2 + t apart.
    const auto free = VibratedSystem(4, {}, [](auto, auto, auto, auto, auto f) { std::fill(f.begin(), f.end(), 0.0); });
    const auto system =
        constrained(free, 2, [](auto x, auto t, auto c) {
            c[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
            c[1] = (x[0] - 1.9) * (x[0] - 1.9) + x[1] * x[1] + 0.0 * x[2] - (0.95 - 0.1 * t) * (0.95 - 0.1 * t);
        }).with_constraint_names({"inner", "outer"});
    std::vector<double> start{(1 + 1.9 * 1.9 - 0.95 * 0.95) / 3.8, 0, 0, 0};
    start[1] = std::sqrt(1 - start[0] * start[0]);
    const double rate = 2 * 0.95 * 0.1 / 3.8;  // x0' from the difference of the constraints
    const std::vector<double> velocity{rate, -start[0] * rate / start[1], 0, 0};
    for (const std::string macro : {"rattle", "adaptive"}) {
        Request request{.start = start, .velocity = velocity, .t_end = 5, .method = "direct"};
        if (macro != "adaptive") {
            request.options = {.macro = macro, .macro_step = 0.01};
        }
        const auto run = solve(system, request);
        EXPECT_NE(run.outcome(), Outcome::completed);
        EXPECT_FALSE(run.explanation().empty());
        EXPECT_GT(run.record().t_end, 0.1) << run.explanation();
        EXPECT_LT(run.record().t_end, 1) << run.explanation();
    }
}

TEST(Failure, too_few_micro_steps_end_the_run_with_the_way_out) {
    // A vibration that moves the mass by its distance from the pivot within a micro-step.
    const Pendulum pendulum{.l = 1e-4, .v_max = 1, .frequencies = {1e4}, .vibration = cosine};
    const auto run = solve(pendulum.in_the_plane(), {.start = pendulum.point(0.5),
                                                     .t_end = 0.1,
                                                     .method = "shake-shake",
                                                     .options = {.steps = 50, .micro_steps_per_period = 8}});
    EXPECT_NE(run.outcome(), Outcome::completed);
    EXPECT_FALSE(run.explanation().empty());
}

TEST(Failure, methods_for_the_other_kind_of_system_are_refused) {
    const Pendulum pendulum{.frequencies = {1e4}, .vibration = cosine};
    EXPECT_THROW(solve(pendulum.in_the_plane(), {.start = pendulum.point(0.5), .t_end = 1, .method = "hmm-async"}),
                 Misuse);
    EXPECT_THROW(solve(pendulum.as_an_angle(), {.start = {0.5}, .t_end = 1, .method = "rattle-shake"}), Misuse);
    EXPECT_THROW(solve(pendulum.in_the_plane(), {.start = pendulum.point(0.5),
                                                 .t_end = 1,
                                                 .method = "rattle-shake",
                                                 .options = {.macro = "verlet", .steps = 10}}),
                 Misuse);
    EXPECT_THROW(
        solve(pendulum.as_an_angle(),
              {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.macro = "rattle", .steps = 10}}),
        Misuse);
    EXPECT_THROW(solve(double_pendulum().averaged(),
                       {.start = double_pendulum().position({0.5, 0}), .t_end = 1, .method = "shake-shake"}),
                 Misuse);
    const Pendulum rubbed{.friction = 1, .frequencies = {1e4}, .vibration = cosine};
    EXPECT_THROW(solve(rubbed.in_the_plane(), {.start = rubbed.point(0.5),
                                               .t_end = 1,
                                               .method = "rattle-shake",
                                               .options = {.macro = "rattle4", .steps = 10}}),
                 Misuse);
}

}  // namespace
}  // namespace lento
