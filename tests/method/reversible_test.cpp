
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lento/lento.hpp"
#include "papers/plain_run.hpp"
#include "papers/reversible_systems.hpp"
#include "papers/slope.hpp"

namespace lento {
namespace {

using papers::plain_run;

constexpr double pi = std::numbers::pi;

Request pendulum_request() {
    return {.start = {0, -0.4, 0.6, 0.8}, .t_end = 2, .method = "reversible"};
}

/// The averaged equation, from the slow velocity of that start.
double averaged_angle(double t) {
    const auto system = first_order_system(2, [](auto y, auto, auto rate) {
        constexpr double c = 1 / (2 * pi * 0.05);
        rate[0] = y[1];
        rate[1] = 2 * sin(y[0]) - c * c / 2 * sin(y[0]) * cos(y[0]);
    });
    return plain_run(system, {.start = {0, -0.4}, .t_end = t, .method = "direct", .rtol = 1e-11, .atol = 1e-13})
        .final_state()
        .position[0];
}

TEST(Reversible, evaluations_do_not_depend_on_eps) {
    std::vector<std::int64_t> evaluations;
    for (const double eps : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
        auto request = pendulum_request();
        request.options = {.steps = 40, .micro_steps_per_period = 25, .window_periods = 12};
        const auto run = plain_run(papers::slow_pendulum(eps), request);
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        evaluations.push_back(run.statistics().force_evaluations);
        EXPECT_NEAR(run.final_state().position[0], averaged_angle(2), 2e-3 + 3 * eps) << eps;
    }
    for (const auto count : evaluations) {
        EXPECT_EQ(count, evaluations.front());
    }
}

TEST(Reversible, by_tolerance_it_meets_the_averaged_equation_up_to_eps) {
    for (const double eps : {1e-4, 1e-6}) {
        const auto run = plain_run(papers::slow_pendulum(eps), pendulum_request());
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        EXPECT_NEAR(run.final_state().position[0], averaged_angle(2), 3 * eps + 2e-6);
        EXPECT_EQ(run.record().slow_is, "slow variables");
        EXPECT_FALSE(run.has_fast());
    }
}

TEST(Reversible, macro_steps_keep_their_orders) {
    // Every solver's limit is the same field; its own error is what a finer run of the best one leaves.
    const double eps = 1e-7;
    const auto end = [&](const char* macro, std::size_t steps) {
        auto request = pendulum_request();
        request.options = {
            .macro = macro, .steps = steps, .micro = "dopri8", .micro_steps_per_period = 16, .window_periods = 8};
        return plain_run(papers::slow_pendulum(eps), request).final_state().position[0];
    };
    const double exact = end("rk4", 640);
    struct Expected {
        const char* macro;
        double order;
        std::size_t coarsest = 20;
    };
    for (const auto& [macro, order, coarsest] : {Expected{"euler", 1},
                                                 {"midpoint", 2},
                                                 {"heun3", 3},
                                                 {"rk4", 4},
                                                 {"leapfrog", 2},
                                                 {"leapfrog-tangent", 2},
                                                 {"leapfrog-field", 2, 80}}) {
        std::vector<double> H, error;
        for (const std::size_t steps : {coarsest, 2 * coarsest, 4 * coarsest}) {
            H.push_back(2.0 / static_cast<double>(steps));
            error.push_back(std::abs(end(macro, steps) - exact));
        }
        EXPECT_NEAR(papers::slope(H, error), order, 0.3) << macro;
    }
}

TEST(Reversible, a_limit_cycle_is_followed_ahead) {
    // A fast van der Pol oscillator turns x^2 on: z' = x^2 - z.
    const double eps = 1e-4;
    const auto system = first_order_system(3, [eps](auto y, auto, auto rate) {
        rate[0] = y[1] / eps;
        rate[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / eps;
        rate[2] = y[0] * y[0] - y[2];
    });
    const auto slow = slow_system(system.with_period(6.663 * eps), {{"z"}}, [](auto y, auto xi) { xi[0] = y[2]; });
    const Request request{.start = {2, 0, 0}, .t_end = 1, .method = "reversible"};
    const auto run = plain_run(slow, request);
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    const auto direct = plain_run(system, {.start = {2, 0, 0}, .t_end = 1, .method = "direct", .rtol = 1e-9});
    EXPECT_NEAR(run.final_state().position[2], direct.final_state().position[2], 5 * eps);

    auto leapfrog = request;
    leapfrog.options.steps = 20;
    const auto refused = plain_run(slow, leapfrog);
    EXPECT_EQ(refused.outcome(), Outcome::refused);
    EXPECT_NE(refused.explanation().find("limit cycle"), std::string::npos) << refused.explanation();
}

TEST(Reversible, coordinates_with_a_declared_phase_are_followed_at_the_phase_of_the_start) {
    // The pendulum on a vibrating pivot, l = 0.2, v_max = 4: q and the velocity without its vibration are slow.
    for (const double omega : {1e4, 1e5}) {
        const auto pendulum = vibrated_system(1, omega, [omega](auto x, auto, auto, auto theta, auto f) {
            f[0] = (9.8 + 4 * omega * cos(theta)) / 0.2 * sin(x[0]);
        });
        const auto slow = slow_system(pendulum, {{"angle"}, {"velocity"}}, [](auto x, auto, auto theta, auto xi) {
            xi[0] = x[0];
            xi[1] = x[1] - 4 / 0.2 * sin(theta[0]) * sin(x[0]);
        });
        const double T = std::floor(omega / (2 * pi)) * 2 * pi / omega;
        const auto run = plain_run(slow, {.start = {0.5}, .t_end = T, .method = "reversible"});
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        const auto true_one =
            plain_run(pendulum, {.start = {0.5}, .t_end = T, .method = "multirevolution", .rtol = 1e-8});
        EXPECT_NEAR(run.final_state().position[0], true_one.final_state().position[0], 60 / omega) << omega;
    }
}

TEST(Reversible, slow_variables_of_the_time_are_followed_as_such) {
    // xi = I - t^2/2 with I' = t: it stays 1.
    const double eps = 1e-4;
    const auto system =
        slow_system(first_order_system(2,
                                       [eps](auto z, auto t, auto rate) {
                                           const auto r2 = z[0] * z[0] + z[1] * z[1];
                                           rate[0] = -z[1] / eps + t * z[0] / (2 * r2);
                                           rate[1] = z[0] / eps + t * z[1] / (2 * r2);
                                       })
                        .with_period(2 * pi * eps),
                    {{"rest"}}, [](auto z, auto t, auto, auto xi) { xi[0] = z[0] * z[0] + z[1] * z[1] - t * t / 2; });
    for (const char* macro : {"leapfrog", "rk4"}) {
        Request request{.start = {1, 0}, .t_end = 2, .method = "reversible"};
        request.options.macro = macro;
        request.options.steps = 40;
        const auto x = plain_run(system, request).final_state().position;
        EXPECT_NEAR(x[0] * x[0] + x[1] * x[1], 3, 2e-3) << macro;
    }
}

/// Slow variables of the pendulum (4.2), by a number of outputs each.
template <class Function>
Solution run_with(std::vector<SlowName> names, Function xi) {
    return plain_run(slow_system(papers::slow_pendulum(1e-5), std::move(names), xi), pendulum_request());
}

void expect_refused(const Solution& run, const std::vector<std::string>& mentions) {
    EXPECT_EQ(run.outcome(), Outcome::refused);
    for (const auto& words : mentions) {
        EXPECT_NE(run.explanation().find(words), std::string::npos) << words << " not in: " << run.explanation();
    }
}

TEST(Reversible, refuses_what_is_not_slow_with_its_rate) {
    // theta2 looks slow at the start, where sin(theta1) vanishes.
    expect_refused(run_with({{"angle"}, {"amplitude"}, {"theta2"}},
                            [](auto x, auto xi) {
                                xi[0] = x[0];
                                xi[1] = x[2] * x[2] + x[3] * x[3];
                                xi[2] = x[1];
                            }),
                   {"theta2 is not slow", "rate reaches", "of its size"});
}

TEST(Reversible, refuses_what_is_not_independent) {
    expect_refused(run_with({{"angle"}, {"amplitude"}, {"both"}},
                            [](auto x, auto xi) {
                                xi[0] = x[0];
                                xi[1] = x[2] * x[2] + x[3] * x[3];
                                xi[2] = xi[0] * xi[1] + sin(xi[0]);
                            }),
                   {"both depends on", "angle"});
    expect_refused(run_with({{"angle"}, {"constant"}},
                            [](auto x, auto xi) {
                                xi[0] = x[0];
                                xi[1] = 0 * x[1] + 2;
                            }),
                   {"constant does not change"});
}

TEST(Reversible, refuses_too_few) {
    expect_refused(run_with({{"angle"}, {"amplitude"}},
                            [](auto x, auto xi) {
                                xi[0] = x[0];
                                xi[1] = x[2] * x[2] + x[3] * x[3];
                            }),
                   {"2 slow variables are too few", "needs 3"});
}

/// Two oscillators that grow and pass energy to each other, x2 and v2 in other units.
auto pair_in_units(double eps, double x_unit, double v_unit) {
    return slow_system(first_order_system(4,
                                          [=](auto y, auto, auto rate) {
                                              const auto x = y[2] / x_unit;
                                              const auto v = y[3] / v_unit;
                                              rate[0] = y[1] / eps;
                                              rate[1] = -y[0] / eps + (1 - y[0] * y[0]) * y[1] + v / 2;
                                              rate[2] = v / eps * x_unit;
                                              rate[3] = (-x / eps + y[1] / 2 - x * x * v) * v_unit;
                                          })
                           .with_period(2 * pi * eps),
                       {{"I1"}, {"I2"}, {"phi", "psi"}}, [=](auto y, auto xi) {
                           const auto x = y[2] / x_unit;
                           const auto v = y[3] / v_unit;
                           xi[0] = y[0] * y[0] + y[1] * y[1];
                           xi[1] = x * x + v * v;
                           xi[2] = y[0] * x + y[1] * v;
                           xi[3] = y[0] * v - y[1] * x;
                       });
}

TEST(Reversible, units_of_the_unknowns_do_not_matter) {
    const auto end = [](double x_unit, double v_unit, const Options& options) {
        Request request{.start = {1, 0, 0.3 * x_unit, 0.4 * v_unit}, .t_end = 2, .method = "reversible"};
        request.options = options;
        const auto run = plain_run(pair_in_units(1e-5, x_unit, v_unit), request);
        EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        EXPECT_EQ(run.statistics().bridges, 0);
        const auto& y = run.final_state().position;
        return std::pow(y[2] / x_unit, 2) + std::pow(y[3] / v_unit, 2);
    };
    for (const Options& options : {Options{}, Options{.steps = 50}}) {
        EXPECT_NEAR(end(1, 1, options), end(1e6, 1e-3, options), 1e-4);
    }
}

TEST(Reversible, windows_stay_narrow_where_scales_are_not_well_apart) {
    // Wider windows see the slow motion itself; they must not be taken for better ones.
    const double eps = 3e-3;
    const auto system = pair_in_units(eps, 1, 1);
    const std::vector<double> start{1, 0, 0.3, 0.4};
    const auto run = plain_run(system, {.start = start, .t_end = 3, .method = "reversible"});
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    const auto direct = plain_run(system, {.start = start, .t_end = 3, .method = "direct", .rtol = 1e-10});
    const auto amplitude = [](const Solution& s) {
        return std::pow(s.final_state().position[2], 2) + std::pow(s.final_state().position[3], 2);
    };
    EXPECT_NEAR(amplitude(run), amplitude(direct), 5 * eps);
    const auto short_run = plain_run(system, {.start = start, .t_end = 0.2, .method = "reversible"});
    EXPECT_EQ(short_run.outcome(), Outcome::no_scale_separation);
}

TEST(Reversible, refuses_a_start_at_which_gradients_vanish) {
    Request request{.start = {1, 0, 0, 0}, .t_end = 1, .method = "reversible"};
    const auto run = plain_run(pair_in_units(1e-4, 1, 1), request);
    expect_refused(run, {"at the start", "I2", "a little aside"});
}

TEST(Reversible, refuses_what_has_no_value) {
    expect_refused(run_with({{"angle"}, {"root"}},
                            [](auto x, auto xi) {
                                xi[0] = x[0];
                                xi[1] = sqrt(x[1]);
                            }),
                   {"root", "not a finite number"});
}

TEST(Reversible, options_that_do_not_fit_are_misuse) {
    const auto system = papers::slow_pendulum(1e-5);
    const auto with = [&](const Options& options) {
        auto request = pendulum_request();
        request.options = options;
        return plain_run(system, request);
    };
    EXPECT_THROW(with({.macro = "leapfrog"}), Misuse) << "needs a step";
    EXPECT_THROW(with({.steps = 10, .reconstruction = "closest"}), Misuse);
    EXPECT_THROW(with({.macro = "leapfrog-field", .steps = 10, .reconstruction = "nearest"}), Misuse);
    EXPECT_THROW(with({.macro = "leapfrog-tangent", .steps = 10, .reconstruction = "symmetric"}), Misuse);
    EXPECT_THROW(with({.steps = 10, .smoothing = "often"}), Misuse);
    EXPECT_THROW(with({.macro = "rk4", .steps = 10, .smoothing = "none"}), Misuse);
    EXPECT_THROW(with({.steps = 10, .segments = 2}), Misuse) << "needs smoothing = segments";
    EXPECT_THROW(with({.steps = 10, .smoothing = "segments", .segments = 5, .segment_steps = 2}), Misuse);
    EXPECT_THROW(with({.steps = 10, .smoothing = "segments", .segments = 0}), Misuse);
    EXPECT_THROW(with({.steps = 10,
                       .smoothing = "segments",
                       .segments = 1'000'000'000'000'000,
                       .segment_steps = 1'000'000'000'000'000}),
                 Misuse);
    EXPECT_THROW(with({.steps = 10, .filter = "period"}), Misuse);
    EXPECT_THROW(with({.macro = "rk4", .steps = 10, .reconstruction = "nearest"}), Misuse);
    EXPECT_THROW(with({.window = 1e-5, .window_periods = 3}), Misuse);
    EXPECT_THROW(with({.window = 1e-7}), Misuse) << "less than a period";
    EXPECT_THROW(with({.micro = "verlet6"}), Misuse);
    auto without_slow_variables = papers::slow_pendulum(1e-5);
    without_slow_variables.slow.reset();
    EXPECT_THROW(plain_run(without_slow_variables, pendulum_request()), Misuse);
    const std::vector<double> start{1, 0};
    Request spiral{.start = start, .t_end = 1, .method = "reversible"};
    spiral.options.micro = "verlet";
    EXPECT_THROW(plain_run(papers::expanding_spiral(1e-5), spiral), Misuse) << "not mechanical";
}

TEST(Reversible, steps_too_long_for_the_curvature_of_a_variable_do_not_pass_for_a_result) {
    // Euler's steps double |z|, and |z|^2 becomes 4 where its rate says 3.
    Request request{.start = {1, 0}, .t_end = 2, .method = "reversible"};
    request.options = {.macro = "euler", .steps = 2};
    const auto lost = plain_run(papers::expanding_spiral(1e-5), request);
    EXPECT_EQ(lost.outcome(), Outcome::not_converged);
    EXPECT_NE(lost.explanation().find("the slow variable r2 came to"), std::string::npos) << lost.explanation();
    request.options.steps = 40;
    EXPECT_EQ(plain_run(papers::expanding_spiral(1e-5), request).outcome(), Outcome::completed);
}

TEST(Reversible, long_runs_of_a_chaotic_chain_keep_even_and_odd_steps_together) {
    const papers::Chain chain;
    const auto with = [&](Options options) {
        Request request{.start = chain.start(), .t_end = 100, .method = "reversible"};
        options.macro_step = 0.1;
        options.micro = "verlet";
        options.micro_step = chain.eps / 50;
        options.filter = "gentle";
        options.window = 60 * chain.eps;
        request.options = std::move(options);
        return plain_run(chain.with_slow_variables(), request);
    };
    const auto parted = [](const Solution& run) {
        const auto& warnings = run.record().warnings;
        return std::ranges::any_of(warnings, [](const auto& text) { return text.find("drifted apart") != text.npos; });
    };
    EXPECT_FALSE(parted(with({})));
    EXPECT_TRUE(parted(with({.smoothing = "none"})));
    const auto steadied = with({.smoothing = "segments"});
    EXPECT_FALSE(parted(steadied));
    EXPECT_EQ(steadied.outcome(), Outcome::completed) << steadied.explanation();
    EXPECT_EQ(steadied.statistics().bridges, 0);
}

TEST(Reversible, a_run_that_is_mostly_bridges_does_not_pass_for_a_result) {
    // |z|^2 shrinks by more than there is of it in a step: no state has it.
    const double eps = 1e-4;
    const auto falling = slow_system(first_order_system(2,
                                                        [eps](auto z, auto, auto rate) {
                                                            const auto r2 = z[0] * z[0] + z[1] * z[1] + 1e-3;
                                                            rate[0] = -z[1] / eps - z[0] / r2;
                                                            rate[1] = z[0] / eps - z[1] / r2;
                                                        })
                                         .with_period(2 * pi * eps),
                                     {{"r2"}}, [](auto z, auto xi) { xi[0] = z[0] * z[0] + z[1] * z[1]; });
    Request request{.start = {1, 0}, .t_end = 0.8, .method = "reversible"};
    request.options = {.steps = 4};
    const auto run = plain_run(falling, request);
    EXPECT_GE(run.statistics().bridges, 1);
    EXPECT_EQ(run.outcome(), Outcome::not_converged);
    EXPECT_NE(run.explanation().find("did not converge at"), std::string::npos) << run.explanation();
}

TEST(Reversible, the_period_is_found_where_none_is_declared) {
    const double eps = 1e-4;
    const auto spiral = slow_system(first_order_system(2,
                                                       [eps](auto z, auto, auto rate) {
                                                           rate[0] = -z[1] / eps + z[0];
                                                           rate[1] = z[0] / eps + z[1];
                                                       }),
                                    {{"r2"}}, [](auto z, auto xi) { xi[0] = z[0] * z[0] + z[1] * z[1]; });
    const auto run = plain_run(spiral, {.start = {1, 0}, .t_end = 1, .method = "reversible"});
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    const auto& x = run.final_state().position;
    EXPECT_NEAR(x[0] * x[0] + x[1] * x[1], std::exp(2.0), 1e-4);
}

}  // namespace
}  // namespace lento
