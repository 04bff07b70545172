/// Windows on variables, y' = r(y, t, theta): the pendulum in (q, p*) of appendix A of the paper vibrated, and others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lento/lento.hpp"
#include "papers/pendulum.hpp"
#include "papers/plain_run.hpp"
#include "papers/slope.hpp"

namespace lento {
namespace {

using papers::plain_run;

const papers::Pendulum pendulum;
const std::vector<double> start{0.5, 0.0};  // at rest: sin(theta) = 0, so that p* is the velocity

/// The largest distance of the slow q from (2.5), at a hundred times.
double distance_from_averaged(const Solution& run, const Solution& averaged) {
    double distance = run.outcome() == Outcome::completed ? 0.0 : HUGE_VAL;
    for (int k = 0; k <= 100; ++k) {
        distance = std::max(distance, std::abs(run.slow(k / 100.0).position[0] - averaged.slow(k / 100.0).position[0]));
    }
    return distance;
}

TEST(HmmOnVariables, the_slow_motion_is_within_1_over_omega_of_the_averaged_equation) {
    // The paper's section 2.2 has 20/omega between true and averaged motion, from the same start.
    const auto averaged = pendulum.averaged_reference();
    const std::vector<double> omegas{2500, 5e3, 1e4, 2e4, 4e4};
    for (const auto* method : {"hmm-sync", "hmm-async"}) {
        std::vector<double> distances;
        for (const double omega : omegas) {
            const auto run = plain_run(pendulum.in_momentum(omega),
                                       {.start = start, .t_end = 1, .method = method, .rtol = 1e-8, .atol = 1e-8});
            distances.push_back(distance_from_averaged(run, averaged));
        }
        EXPECT_NEAR(distances[2], 20 / 1e4, 2 / 1e4) << method;
        EXPECT_NEAR(papers::slope(omegas, distances), -1, 0.05) << method;
    }
}

TEST(HmmOnVariables, from_averaged_data_the_averaged_equation_is_met_to_second_order) {
    const auto averaged = pendulum.averaged_reference();
    const std::vector<double> omegas{5e3, 1e4, 2e4};
    for (const auto* method : {"hmm-sync", "hmm-async"}) {
        std::vector<double> distances;
        for (const double omega : omegas) {
            const auto run = plain_run(pendulum.in_momentum(omega), {.start = start,
                                                                     .t_end = 1,
                                                                     .method = method,
                                                                     .rtol = 1e-9,
                                                                     .atol = 1e-9,
                                                                     .options = {.initial = "averaged"}});
            distances.push_back(distance_from_averaged(run, averaged));
        }
        EXPECT_LT(distances[1], 2e-4) << method;
        EXPECT_NEAR(papers::slope(omegas, distances), -2, 0.2) << method;
    }
}

/// The error of the true q at t = 1, against (2.2) in coordinates with every vibration resolved.
double error_of_true_motion(double omega, const char* method, const char* filter) {
    const auto run = plain_run(
        pendulum.in_momentum(omega),
        {.start = start, .t_end = 1, .method = method, .rtol = 1e-10, .atol = 1e-10, .options = {.filter = filter}});
    const auto exact = plain_run(pendulum.vibrated(omega),
                                 {.start = {0.5}, .t_end = 1, .method = "direct", .rtol = 1e-11, .atol = 1e-12});
    return run.outcome() == Outcome::completed ? std::abs(run.fast(1).position[0] - exact.final_state().position[0])
                                               : HUGE_VAL;
}

TEST(HmmOnVariables, the_true_motion_is_right_to_the_bias_of_the_filter) {
    const std::vector<double> omegas{2500, 5e3, 1e4};
    const auto order = [&](const char* method, const char* filter) {
        std::vector<double> errors;
        for (const double omega : omegas) {
            errors.push_back(error_of_true_motion(omega, method, filter));
        }
        return papers::slope(omegas, errors);
    };
    EXPECT_NEAR(order("hmm-sync", "cos8"), -2, 0.1);
    EXPECT_NEAR(order("hmm-async", "cos8"), -2, 0.1);
    EXPECT_NEAR(order("hmm-async", "period"), -2, 0.1);
    EXPECT_LT(error_of_true_motion(1e4, "hmm-async", "flat8"), 1e-7) << "where that is the fourth power";
    EXPECT_LT(error_of_true_motion(1e4, "hmm-sync", "flat8"), 3e-6);
}

TEST(HmmOnVariables, macro_orders_are_those_of_the_steppers) {
    const auto end = [&](const char* method, const char* macro, std::size_t steps) {
        return plain_run(pendulum.in_momentum(1e6), {.start = start,
                                                     .t_end = 0.5,
                                                     .method = method,
                                                     .options = {.macro = macro,
                                                                 .steps = steps,
                                                                 .micro = "rk4",
                                                                 .micro_steps_per_period = 16,
                                                                 .filter = "cos4",
                                                                 .initial = "averaged"}})
            .final_state()
            .position[0];
    };
    for (const auto* method : {"hmm-sync", "hmm-async"}) {
        const double exact = end(method, "dopri5", 400);
        const auto order = [&](const char* macro) {
            std::vector<double> steps, errors;
            for (const std::size_t count : {40U, 80U, 160U}) {
                steps.push_back(0.5 / static_cast<double>(count));
                errors.push_back(std::abs(end(method, macro, count) - exact));
            }
            return papers::slope(steps, errors);
        };
        EXPECT_NEAR(order("midpoint"), 2, 0.2) << method;
        EXPECT_NEAR(order("heun3"), 3, 0.3) << method;
        EXPECT_NEAR(order("rk4"), 4, 0.4) << method;
    }
}

TEST(HmmOnVariables, wider_windows_err_as_the_moments_of_their_filter_say) {
    const auto order = [&](const char* filter) {
        const auto end = [&](double periods, const char* name) {
            return plain_run(pendulum.in_momentum(1e4), {.start = start,
                                                         .t_end = 0.5,
                                                         .method = "hmm-async",
                                                         .options = {.steps = 50,
                                                                     .micro_steps_per_period = 16,
                                                                     .filter = name,
                                                                     .window_periods = periods}})
                .final_state()
                .position[0];
        };
        const double exact = end(8, "flat8");
        const std::vector<double> periods{24, 32, 48};
        std::vector<double> errors;
        for (const double width : periods) {
            errors.push_back(std::abs(end(width, filter) - exact));
        }
        return papers::slope(periods, errors);
    };
    EXPECT_NEAR(order("cos8"), 2, 0.1);
    EXPECT_NEAR(order("exponential"), 2, 0.2);
    EXPECT_NEAR(order("flat8"), 4, 0.3);
}

TEST(HmmOnVariables, the_work_does_not_depend_on_the_frequency) {
    for (const auto* method : {"hmm-sync", "hmm-async"}) {
        std::vector<std::int64_t> evaluations;
        for (const double omega : {1e4, 1e6, 1e8}) {
            const auto run = plain_run(
                pendulum.in_momentum(omega),
                {.start = start, .t_end = 1, .method = method, .options = {.steps = 40, .micro_steps_per_period = 16}});
            ASSERT_EQ(run.outcome(), Outcome::completed);
            evaluations.push_back(run.statistics().force_evaluations);
        }
        EXPECT_EQ(evaluations[0], evaluations[1]) << method;
        EXPECT_EQ(evaluations[1], evaluations[2]) << method;
    }
}

TEST(HmmOnVariables, the_second_opinion_confirms_what_the_estimate_promises) {
    const auto system = pendulum.in_momentum(1e6, 0.7);
    const std::vector<double> moving{0.5, -pendulum.v_max / pendulum.l * std::sin(0.7) * std::sin(0.5)};  // q' = 0
    const auto exact = solve(pendulum.vibrated(1e6, 0.7),
                             {.start = {0.5}, .t_end = 1, .method = "harmonic", .rtol = 1e-10, .atol = 1e-12});
    for (const auto* method : {"hmm-sync", "hmm-async"}) {
        const auto run = solve(system, {.start = moving, .t_end = 1, .method = method, .rtol = 1e-6, .atol = 1e-6});
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        const auto& estimate = run.record().error_estimate;
        ASSERT_EQ(estimate.size(), 2U);
        const double error = std::abs(run.fast(1).position[0] - exact.fast(1).position[0]);
        EXPECT_LE(error, estimate[0]) << method;
        EXPECT_LE(estimate[0], 2e-6) << method;
    }
}

TEST(HmmOnVariables, positions_and_momenta_are_as_right_as_coordinates) {
    // NOTE: in given steps. Chosen ones follow the noise of windows, and with it the errors.
    const std::vector<double> omegas{1e4, 4e4, 1.6e5};
    for (const auto* method : {"hmm-sync", "hmm-async"}) {
        std::vector<double> errors;
        for (const double omega : omegas) {
            const auto system = first_order_system(2, {{.frequency = omega}}, [=](auto y, auto, auto theta, auto rate) {
                rate[0] = y[1];
                rate[1] = (pendulum.g + pendulum.v_max * omega * cos(theta[0])) / pendulum.l * sin(y[0]);
            });
            const auto run = plain_run(
                system, {.start = start, .t_end = 1, .method = method, .options = {.macro = "rk4", .steps = 400}});
            const auto exact = solve(pendulum.vibrated(omega),
                                     {.start = {0.5}, .t_end = 1, .method = "harmonic", .rtol = 1e-9, .atol = 1e-9});
            ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
            errors.push_back(std::hypot(run.fast(1).position[0] - exact.fast(1).position[0],
                                        (run.fast(1).position[1] - exact.fast(1).velocity[0]) / 20));
        }
        EXPECT_LT(errors[0], 1e-2) << method;
        EXPECT_LT(papers::slope(omegas, errors), -0.75) << method;
    }
}

/// Even about no phase, with slow time of its own.
Problem uneven(std::vector<Phase> phases) {
    const std::size_t last = phases.size() - 1;
    return first_order_system(2, std::move(phases), [last](auto y, auto t, auto theta, auto rate) {
        rate[0] = y[1] * (1 + cos(theta[0]) + 0.3 * sin(2 * theta[last])) + 0.2 * t;
        rate[1] = -sin(y[0]) * (1 + 2 * sin(theta[0]) + 0.5 * cos(2 * theta[last])) - 0.1 * y[1];
    });
}

TEST(HmmOnVariables, need_no_symmetry_and_take_several_phases) {
    const std::vector<std::vector<Phase>> cases{
        {{.frequency = 1e3, .start = 0.4}}, {{.frequency = 1e3, .start = 0.4}, {.frequency = 1e3 * std::sqrt(2.0)}}};
    for (const auto& phases : cases) {
        const auto system = uneven(phases);
        const auto exact =
            plain_run(system, {.start = {1, 0.3}, .t_end = 2, .method = "direct", .rtol = 1e-10, .atol = 1e-10});
        for (const auto* method : {"hmm-sync", "hmm-async"}) {
            const auto run =
                plain_run(system, {.start = {1, 0.3}, .t_end = 2, .method = method, .rtol = 1e-8, .atol = 1e-8});
            ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
            for (const std::size_t i : {0U, 1U}) {
                EXPECT_NEAR(run.fast(2).position[i], exact.final_state().position[i], 5e-5) << method << phases.size();
            }
        }
    }
}

TEST(HmmOnVariables, the_one_period_filter_is_for_rates_that_are_even_about_some_phase) {
    const auto run = plain_run(pendulum.in_momentum(1e4), {.start = start, .t_end = 1, .method = "hmm-async"});
    EXPECT_TRUE(std::ranges::any_of(run.record().options, [](const auto& used) {
        return used.name == "filter" && used.value == "period";
    })) << "sin(theta) is even about pi/2";
    const Request request{.start = {1, 0.3}, .t_end = 2, .method = "hmm-async", .options = {.filter = "period"}};
    EXPECT_THROW(solve(uneven({{.frequency = 1e3}}), request), Misuse);
}

TEST(HmmOnVariables, what_is_not_slow_is_refused) {
    const auto outcome_of = [](const Problem& problem, std::vector<double> y, const char* method) {
        const auto run = plain_run(problem, {.start = std::move(y), .t_end = 1, .method = method});
        return std::pair(run.outcome(), run.explanation());
    };
    const double omega = 1e4;
    const auto rotation = first_order_system(2, {{.frequency = omega}}, [=](auto y, auto, auto theta, auto rate) {
        rate[0] = omega * y[1] + cos(theta[0]);
        rate[1] = -omega * y[0];
    });
    const auto parametric = first_order_system(1, {{.frequency = omega}}, [=](auto y, auto, auto theta, auto rate) {
        rate[0] = omega * cos(theta[0]) * y[0] - y[0];
    });
    for (const auto* method : {"hmm-sync", "hmm-async"}) {
        const auto [fast, why_fast] = outcome_of(rotation, {1, 0}, method);
        EXPECT_EQ(fast, Outcome::no_scale_separation);
        EXPECT_NE(why_fast.find("the variables are as fast as the phase; use the method direct"), std::string::npos)
            << why_fast;
        const auto [strong, why_strong] = outcome_of(parametric, {1}, method);
        EXPECT_EQ(strong, Outcome::no_scale_separation);
        EXPECT_NE(why_strong.find("the momentum of the Lagrangian"), std::string::npos) << why_strong;
    }
}

TEST(HmmOnVariables, without_a_phase_there_is_nothing_to_average) {
    const auto cycle = first_order_system(2, [](auto y, auto, auto rate) {
                           rate[0] = 1e3 * y[1];
                           rate[1] = -1e3 * y[0];
                       }).with_period(2 * std::numbers::pi / 1e3);
    for (const auto* method : {"hmm-sync", "hmm-async"}) {
        EXPECT_FALSE(method_named(method).judge(cycle, {.start = {1, 0}, .t_end = 1}).applies) << method;
    }
}

TEST(HmmOnVariables, auto_still_takes_what_knows_its_own_error) {
    const auto one = pendulum.in_momentum(1e4);
    EXPECT_EQ(automatic_choice(one, {.start = start, .t_end = 1}).method, &method::harmonic);
    const auto two = uneven({{.frequency = 1e3}, {.frequency = 1e3 * std::sqrt(2.0)}});
    EXPECT_EQ(automatic_choice(two, {.start = {1, 0.3}, .t_end = 2}).method, &method::direct);
}

}  // namespace
}  // namespace lento
