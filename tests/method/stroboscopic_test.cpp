#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lento/base/misuse.hpp"
#include "lento/lento.hpp"
#include "papers/chain.hpp"
#include "papers/pendulum.hpp"
#include "papers/plain_run.hpp"
#include "papers/slope.hpp"
#include "papers/stroboscopic_runs.hpp"

namespace lento {
namespace {

using papers::conventional;
using papers::kepler_start;
using papers::perturbed_kepler;
using papers::plain_run;
using papers::van_der_pol;

constexpr double pi = std::numbers::pi;

double apart(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// --- A pendulum on a vibrating pivot ---------------------------------------------------------------------------------

/// Nothing of it declared to be solved exactly.
Problem whole(Problem split) {
    split.exact.reset();
    return split;
}

Solution strides(double omega, double rtol = 1e-7) {
    const double t_end = std::floor(omega / (2 * pi)) * 2 * pi / omega;
    return plain_run(papers::Pendulum{}.vibrated(omega),
                     {.start = {0.5}, .t_end = t_end, .method = "multirevolution", .rtol = rtol});
}

TEST(Multirevolution, takes_a_fortieth_of_the_evaluations_of_a_direct_method) {
    const double omega = 1e5;
    const auto run = strides(omega);
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    const auto periods = static_cast<std::int64_t>(std::floor(omega / (2 * pi)));
    const auto truth =
        conventional(papers::Pendulum{}.vibrated(omega), "dopri8", 2 * pi / omega, 24, periods, 1, {0.5, 0});
    EXPECT_NEAR(run.final_state().position[0], truth[0][0], 1e-6);
    EXPECT_LT(run.statistics().force_evaluations, 1'200'000 / 40);

    const auto faster = strides(1e8);
    EXPECT_LT(static_cast<double>(faster.statistics().force_evaluations),
              1.3 * static_cast<double>(run.statistics().force_evaluations));
    // The averaged motion is within 26/omega of the true one.
    const auto averaged = papers::Pendulum{}.averaged_reference(faster.final_state().t);
    EXPECT_NEAR(faster.final_state().position[0], averaged.final_state().position[0], 1e-6);
}

TEST(Stroboscopic, methods_meet_the_true_motion_once_a_period_and_give_it_anywhere) {
    const double omega = 2000;
    const auto flow = micro_flow(papers::Pendulum{}.vibrated(omega, 0.7), "dopri8", 0);
    for (const auto* method : {"sam", "multirevolution"}) {
        const auto run = plain_run(papers::Pendulum{}.vibrated(omega, 0.7),
                                   {.start = {0.5}, .velocity = {1.5}, .t_end = 1, .method = method, .rtol = 1e-8});
        ASSERT_EQ(run.outcome(), Outcome::completed) << method << run.explanation();
        for (const double turns : {100.0, 250.0, 250.25, 250.5, 250.7, 318.3}) {
            const double t = 2 * pi / omega * turns;
            std::vector<double> change(2);
            flow->follow({.t = 0, .h = t / 10000, .turns = turns / 10000, .steps = 10000},
                         std::vector<double>{0.5, 1.5}, change);
            const auto fast = run.fast(t);
            EXPECT_NEAR(fast.position[0], 0.5 + change[0], 3e-7) << method << turns;
            EXPECT_NEAR(fast.velocity[0], 1.5 + change[1], 1e-5) << method << turns;
            if (turns == std::floor(turns)) {
                EXPECT_NEAR(run.slow(t).position[0], 0.5 + change[0], 3e-7) << method << turns;
            }
        }
    }
}

TEST(Sam, runs_with_every_solver) {
    const auto pendulum = papers::Pendulum{}.vibrated(1e5);
    const double expected = strides(1e5, 1e-9).final_state().position[0];
    for (const auto* macro : {"dopri5", "ode45", "ode113", "cvode-adams", "arkode-4", "arkode-8"}) {
        const auto run = plain_run(pendulum, {.start = {0.5},
                                              .t_end = std::floor(1e5 / (2 * pi)) * 2 * pi / 1e5,
                                              .method = "sam",
                                              .rtol = 1e-7,
                                              .options = {.macro = macro}});
        ASSERT_EQ(run.outcome(), Outcome::completed) << macro << run.explanation();
        EXPECT_NEAR(run.final_state().position[0], expected, 3e-5) << macro;
    }
    for (const auto* macro : {"midpoint", "heun3", "rk4", "dopri5"}) {
        const auto run = plain_run(pendulum, {.start = {0.5},
                                              .t_end = std::floor(1e5 / (2 * pi)) * 2 * pi / 1e5,
                                              .method = "sam",
                                              .options = {.macro = macro, .steps = 400}});
        EXPECT_NEAR(run.final_state().position[0], expected, 2e-3) << macro;
    }
}

/// (27): the part of the error that comes from differences, eps^order, with everything else made small.
TEST(Sam, differences_have_their_order_in_eps) {
    for (const int order : {2, 4, 6}) {
        std::vector<double> lengths, errors;
        for (const double omega : {100.0, 150.0, 225.0}) {
            const double t_end = 2 * pi / omega * std::floor(omega / (2 * pi) / 2);
            Request request{
                .start = {0.5}, .velocity = {0.3}, .t_end = t_end, .method = "sam", .rtol = 1e-11, .atol = 1e-13};
            request.options.difference_order = static_cast<std::size_t>(order);
            request.options.micro_steps_per_period = 128;
            const papers::Pendulum pendulum{.l = 2, .g = 9.8, .v_max = 4};
            const auto system = pendulum.vibrated(omega);
            const auto run = plain_run(system, request);
            const auto truth = conventional(system, "dopri8", 2 * pi / omega, 128,
                                            std::lround(t_end * omega / (2 * pi)), 1, {0.5, 0.3});
            lengths.push_back(1 / omega);
            errors.push_back(std::abs(run.final_state().position[0] - truth[0][0]) / t_end);
        }
        EXPECT_NEAR(papers::slope(lengths, errors), order, 0.6) << order;
    }
}

/// (28): Runge-Kutta micro-steps on a vibrated system have nu = 1: at the same steps a period the error does not depend
/// on eps.
TEST(Sam, errors_of_runge_kutta_micro_steps_do_not_depend_on_the_frequency) {
    std::vector<double> errors;
    for (const double omega : {1e4, 1e5, 1e6}) {
        const double t_end = std::floor(omega / (2 * pi) / 4) * 2 * pi / omega;
        const auto solve_with = [&](std::size_t n) {
            Request request{.start = {0.5}, .t_end = t_end, .method = "sam", .rtol = 1e-9};
            request.options.micro = "rk4";
            request.options.micro_steps_per_period = n;
            request.options.difference_order = 4;
            return plain_run(papers::Pendulum{}.vibrated(omega), request).final_state().position[0];
        };
        errors.push_back(std::abs(solve_with(12) - solve_with(96)));
    }
    EXPECT_NEAR(errors[1] / errors[0], 1, 0.1);
    EXPECT_NEAR(errors[2] / errors[1], 1, 0.1);
}

/// And Strang's splitting of van der Pol's equation nu = 2: over an interval 1/eps the error is proportional to eps.
TEST(Sam, errors_of_splitting_micro_steps_fall_with_eps) {
    std::vector<double> errors;
    for (const double eps : {4e-3, 2e-3, 1e-3}) {
        const auto solve_with = [&](std::size_t n) {
            Request request{.start = {0.5, 0.5},
                            .t_end = 2 * pi * std::round(1 / eps),
                            .method = "sam",
                            .rtol = 1e-10,
                            .atol = 1e-12};
            request.options.micro = "strang";
            request.options.micro_steps_per_period = n;
            request.options.difference_order = 4;
            return plain_run(van_der_pol(eps), request).final_state().position;
        };
        errors.push_back(apart(solve_with(16), solve_with(512)));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 1, 0.15);
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), 1, 0.15);
}

// --- Splittings ------------------------------------------------------------------------------------------------------

TEST(Splitting, micro_steppers_all_find_the_same_slow_orbit) {
    const double eps = std::pow(2.0, -12);
    const auto system = perturbed_kepler(eps);
    const auto truth = conventional(system, "dopri8", 2 * pi, 64, 256, 1, kepler_start)[0];
    for (const auto* micro : {"strang", "suzuki4", "kahan-li6", "aba84", "aba104", "dopri8"}) {
        const auto run = plain_run(system, {.start = kepler_start,
                                            .t_end = 512 * pi,
                                            .method = "multirevolution",
                                            .rtol = 1e-7,
                                            .options = {.micro = micro}});
        ASSERT_EQ(run.outcome(), Outcome::completed) << micro << run.explanation();
        EXPECT_LT(apart(run.final_state().position, truth), 2e-6) << micro;
    }
}

TEST(Splitting, of_the_exact_part_saves_evaluations) {
    const auto whole = first_order_system(2, [](auto y, auto, auto rate) {
        rate[0] = y[1];
        rate[1] = -y[0] - 1e-4 * y[0] * y[0] * y[0];  // the rest is a kick
    });
    const auto evaluations = [&](const char* micro) {
        const auto run =
            plain_run(split(whole.with_period(2 * pi), OscillatorFlow({{0, 1, 1.0}})),
                      {.start = {0.5, 0.5}, .t_end = 1e4, .method = "multirevolution", .options = {.micro = micro}});
        EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        return run.statistics().force_evaluations;
    };
    EXPECT_LT(2 * evaluations("aba104"), evaluations("dopri8"));
}

TEST(Splitting, an_orbit_that_loses_its_negative_energy_is_told_of) {
    // A push along the velocity unbinds the orbit after a while.
    const auto whole = first_order_system(4, [](auto y, auto, auto rate) {
                           const auto lambda = papers::KeplerTimeFactor::of(y[0], y[1], y[2], y[3]);
                           const auto square = y[0] * y[0] + y[1] * y[1];
                           const auto cube = square * sqrt(square);
                           rate[0] = lambda * y[2];
                           rate[1] = lambda * y[3];
                           rate[2] = lambda * (-y[0] / cube + 0.002 * y[2]);
                           rate[3] = lambda * (-y[1] / cube + 0.002 * y[3]);
                       }).with_names({"x1", "x2", "v1", "v2"});
    const auto system = split(whole.with_period(2 * pi), KeplerFlow<papers::KeplerTimeFactor>({0, 1}, {2, 3}, 1.0));
    for (const auto* method : {"sam", "multirevolution"}) {
        const auto run = plain_run(system, {.start = kepler_start, .t_end = 5000, .method = method});
        EXPECT_NE(run.outcome(), Outcome::completed) << method;
        EXPECT_FALSE(run.explanation().empty());
        EXPECT_LT(run.record().t_end, 1000);
        for (const double component : run.final_state().position) {
            EXPECT_TRUE(std::isfinite(component));
        }
    }
}

// --- Periods that nobody tells ---------------------------------------------------------------------------------------

/// A satellite round an oblate earth, kilometres and seconds.
auto satellite() {
    return plain_system(3, [](auto x, auto, auto, auto f) {
        const double mu = 398600.4418;
        const double J2 = 1.08262668e-3;
        const double R = 6378.137;
        const auto square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        const auto pull = mu / (square * sqrt(square));
        const auto bulge = 1.5 * J2 * R * R / square;
        const auto height = 5.0 * x[2] * x[2] / square;
        f[0] = -pull * x[0] * (1.0 + bulge * (1.0 - height));
        f[1] = -pull * x[1] * (1.0 + bulge * (1.0 - height));
        f[2] = -pull * x[2] * (1.0 + bulge * (3.0 - height));
    });
}

TEST(Multirevolution, follows_a_satellite_for_thirty_days_without_knowing_its_period) {
    const double a = 7178.137;
    const double speed = std::sqrt(398600.4418 / a);
    const double slope = 50 * pi / 180;
    Request request{
        .start = {a, 0, 0}, .velocity = {0, speed * std::cos(slope), speed * std::sin(slope)}, .t_end = 30 * 86400.0};
    request.method = "multirevolution";
    request.rtol = 1e-5;
    const auto run = plain_run(satellite(), request);
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    const auto position_error = [](const Snapshot& state, const Snapshot& truth) {
        return std::hypot(state.position[0] - truth.position[0], state.position[1] - truth.position[1],
                          state.position[2] - truth.position[2]);
    };
    request.method = "direct";
    request.options.macro = "arkode-8";
    request.rtol = 1e-13;
    request.atol = 1e-13;
    const auto truth = plain_run(satellite(), request);
    const double error = position_error(run.fast(request.t_end), truth.final_state());
    EXPECT_LT(error, 1);
    // The direct method at its loosest tolerance that is as accurate.
    std::int64_t direct = 0;
    double its_error = 0;
    for (double rtol = 1e-8; rtol > 1e-13; rtol /= 1.5) {
        request.rtol = rtol;
        request.atol = rtol;
        const auto other = plain_run(satellite(), request);
        its_error = position_error(other.final_state(), truth.final_state());
        direct = other.statistics().force_evaluations;
        if (its_error < error) {
            break;
        }
    }
    std::printf("satellite: multirevolution %.3g km, %ld evaluations; arkode-8 %.3g km, %ld evaluations\n", error,
                static_cast<long>(run.statistics().force_evaluations), its_error, static_cast<long>(direct));
    EXPECT_LT(5 * run.statistics().force_evaluations, direct);
}

TEST(Stroboscopic, methods_find_the_period_of_an_oscillator) {
    const double eps = 1e-3;
    const auto undivided = whole(van_der_pol(eps));
    const auto unknown = first_order_system(2, [eps](auto y, auto, auto rate) {
        rate[0] = y[1];
        rate[1] = -y[0] + eps * (1 - y[0] * y[0]) * y[1];
    });
    const auto truth = conventional(undivided, "dopri8", 2 * pi, 32, 640, 1, {0.5, 0.5})[0];
    for (const auto* method : {"sam", "lips", "multirevolution"}) {
        const auto run = plain_run(unknown, {.start = {0.5, 0.5}, .t_end = 1280 * pi, .method = method, .rtol = 1e-8});
        ASSERT_EQ(run.outcome(), Outcome::completed) << method << run.explanation();
        EXPECT_LT(apart(run.fast(1280 * pi).position, truth), 3e-6) << method;
        EXPECT_NEAR(*run.final_state().revolutions, 640, 1e-2) << method;
    }
}

TEST(Stroboscopic, a_motion_that_does_not_return_is_refused) {
    const auto drift = first_order_system(2, [](auto y, auto, auto rate) {
        rate[0] = 1.0 + 0 * y[0];
        rate[1] = -y[1];
    });
    const auto run = plain_run(drift, {.start = {0, 1}, .t_end = 50, .method = "multirevolution"});
    EXPECT_EQ(run.outcome(), Outcome::refused);
    EXPECT_TRUE(says(run.explanation(), "does not return")) << run.explanation();
}

TEST(Stroboscopic, an_orbit_that_escapes_is_told_of) {
    const auto pushed = plain_system(2, [](auto x, auto v, auto, auto f) {
        const auto square = x[0] * x[0] + x[1] * x[1];
        const auto cube = square * sqrt(square);
        f[0] = -x[0] / cube + 0.002 * v[0];
        f[1] = -x[1] / cube + 0.002 * v[1];
    });
    const auto run =
        plain_run(pushed, {.start = {1, 0}, .velocity = {0, 1}, .t_end = 5000, .method = "multirevolution"});
    EXPECT_NE(run.outcome(), Outcome::completed);
    EXPECT_FALSE(run.explanation().empty());
    for (const double component : run.final_state().position) {
        EXPECT_TRUE(std::isfinite(component));
    }
}

// --- What is detected ------------------------------------------------------------------------------------------------

TEST(Stroboscopic, a_period_that_is_wrong_by_a_percent_is_told_of) {
    const auto system = whole(van_der_pol(1e-3)).with_period(2 * pi * 1.01);
    const auto run = plain_run(system, {.start = {0.5, 0.5}, .t_end = 2000, .method = "multirevolution"});
    ASSERT_FALSE(run.warnings().empty());
    EXPECT_TRUE(says(run.warnings()[0], "too long: the motion returns after 6.28")) << run.warnings()[0];
    const auto shorter = plain_run(whole(van_der_pol(1e-3)).with_period(2 * pi * 0.99),
                                   {.start = {0.5, 0.5}, .t_end = 2000, .method = "sam"});
    ASSERT_FALSE(shorter.warnings().empty());
    EXPECT_TRUE(says(shorter.warnings()[0], "too short")) << shorter.warnings()[0];
}

/// An orbit round a body that is not quite a point, with drag: its period is not 2 pi, and changes.
Problem dragged_orbit() {
    return plain_system(2, [](auto x, auto v, auto, auto f) {
        const auto square = x[0] * x[0] + x[1] * x[1];
        const auto pull = (1.0 - 2e-3 / sqrt(square)) / (square * sqrt(square));
        f[0] = -pull * x[0] - 5e-5 * v[0];
        f[1] = -pull * x[1] - 5e-5 * v[1];
    });
}

TEST(Multirevolution, takes_a_declared_period_for_a_first_guess_and_knows_its_error) {
    Request request{.start = {0.9, 0}, .velocity = {0, 1.1}, .t_end = 2500, .rtol = 1e-6, .atol = 1e-9};
    Request exactly = request;
    exactly.rtol = exactly.atol = 1e-12;
    const auto truth = solve(dragged_orbit(), exactly, method::direct);
    for (const double period : {2 * pi, 2 * pi * 1.01, 6.8, 5.5}) {
        const auto run = solve(dragged_orbit().with_period(period), request, method::multirevolution);
        ASSERT_EQ(run.outcome(), Outcome::completed) << period << run.explanation();
        ASSERT_EQ(run.record().error_estimate.size(), 4U);
        for (const double t :
             {0.1, 311.1, 1250.0, 1251.5, 1253.0, 1254.5, 2221.3, 2500.0}) {  // between strobe times too
            for (std::size_t i = 0; i < 2; ++i) {
                const double error = std::abs(run.fast(t).position[i] - truth.fast(t).position[i]);
                EXPECT_LT(error, 3 * run.record().error_estimate[i] + 1e-9) << period << ' ' << t;
                EXPECT_LT(error, 2e-6) << period << ' ' << t;
            }
        }
    }
}

TEST(Multirevolution, estimates_errors_within_a_factor_of_three_or_too_large) {
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        for (const double eps : {1e-2, 1e-3, 1e-4}) {
            const Request request{.start = {1.5, -0.4, 0.3}, .t_end = 2000, .rtol = rtol, .atol = rtol / 1000};
            const auto system = first_order_system(3, [eps](auto y, auto t, auto rate) {
                rate[0] = y[1];
                rate[1] = -y[0] + eps * ((1 - y[0] * y[0]) * y[1] + 0.3 * y[0] * y[2]);
                rate[2] = eps * (y[0] * y[0] - y[2] + cos(eps * t));
            });
            Request exactly = request;
            exactly.rtol = exactly.atol = 1e-12;
            const auto truth = solve(system, exactly, method::direct);
            const auto run = solve(system.with_period(2 * pi), request, method::multirevolution);
            if (run.outcome() == Outcome::no_scale_separation) {
                continue;
            }
            ASSERT_FALSE(run.record().error_estimate.empty()) << run.explanation();
            for (std::size_t i = 0; i < 3; ++i) {
                for (const double t : {1203.4, 1999.0, 2000.0}) {
                    EXPECT_LT(std::abs(run.fast(t).position[i] - truth.fast(t).position[i]),
                              3 * run.record().error_estimate[i] + 1e-10)
                        << rtol << ' ' << eps << ' ' << i << ' ' << t;
                }
            }
        }
    }
}

TEST(Stroboscopic, a_map_far_from_the_identity_is_refused) {
    for (const auto* method : {"sam", "lips"}) {
        const auto run =
            plain_run(whole(van_der_pol(1e-3)).with_period(5), {.start = {0.5, 0.5}, .t_end = 2000, .method = method});
        EXPECT_EQ(run.outcome(), Outcome::no_scale_separation);
        EXPECT_TRUE(says(run.explanation(), "not near the identity")) << run.explanation();
    }
}

TEST(Stroboscopic, steps_beyond_stability_are_told_of) {
    // On the limit cycle amplitudes decay like exp(-eps t): 4000 periods of 2 pi are too many at once.
    Request request{.start = {2, 0}, .t_end = 2e6, .method = "multirevolution"};
    request.options.macro = "rk4";
    request.options.periods_per_step = 1000;
    const auto run = plain_run(van_der_pol(1e-3), request);
    EXPECT_EQ(run.outcome(), Outcome::unstable) << run.explanation();
    EXPECT_TRUE(says(run.explanation(), "periods_per_step")) << run.explanation();
}

TEST(Stroboscopic, a_time_that_is_as_fast_as_the_period_is_refused) {
    const auto driven =
        first_order_system(1, [](auto, auto t, auto rate) { rate[0] = cos(50 * t); }).with_period(2 * pi / 50);
    const auto run = plain_run(driven, {.start = {0.0}, .t_end = 100, .method = "sam"});
    EXPECT_EQ(run.outcome(), Outcome::refused);
    EXPECT_TRUE(says(run.explanation(), "declare a phase")) << run.explanation();
}

TEST(Stroboscopic, phases_without_a_common_period_are_misuse) {
    const auto system =
        vibrated_system(1, std::vector<double>{100, 100 * std::numbers::sqrt2},
                        [](auto, auto, auto, auto theta, auto f) { f[0] = cos(theta[0]) + cos(theta[1]); });
    EXPECT_THROW(plain_run(system, {.start = {0.0}, .t_end = 10, .method = "sam"}), Misuse);
}

TEST(Stroboscopic, a_run_of_few_periods_is_refused) {
    const auto run = plain_run(van_der_pol(1e-3), {.start = {0.5, 0.5}, .t_end = 12, .method = "multirevolution"});
    EXPECT_EQ(run.outcome(), Outcome::no_scale_separation);
}

TEST(Stroboscopic, options_that_do_not_fit_are_misuse) {
    const auto run = [](Options options, const char* method) {
        return plain_run(van_der_pol(1e-3),
                         {.start = {0.5, 0.5}, .t_end = 2000, .method = method, .options = std::move(options)});
    };
    EXPECT_THROW(run({.macro = "rk4"}, "multirevolution"), Misuse);
    EXPECT_THROW(run({.macro = "dopri5"}, "multirevolution"), Misuse);
    EXPECT_THROW(run({.difference_order = 3}, "sam"), Misuse);
    EXPECT_THROW(run({.difference = "sideways"}, "sam"), Misuse);
    EXPECT_THROW(run({.micro = "verlet"}, "sam"), Misuse);
    EXPECT_THROW(run({.filter = "cos4"}, "sam"), Misuse);
    EXPECT_THROW(run({.micro_step = 0.1, .micro_steps_per_period = 10}, "sam"), Misuse);
}

TEST(Stroboscopic, the_origin_of_a_coordinate_does_not_matter) {
    const double omega = 1e4;
    const auto from = [&](double origin) {
        const auto system = vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
            f[0] = 1.0 + omega * cos(theta) * (1.0 + x[0] - origin);
        });
        return plain_run(system, {.start = {origin}, .t_end = 1, .method = "multirevolution"});
    };
    const auto at_zero = from(0);
    const auto shifted = from(1);
    ASSERT_EQ(at_zero.outcome(), Outcome::completed) << at_zero.explanation();
    EXPECT_NEAR(at_zero.final_state().position[0], shifted.final_state().position[0] - 1, 1e-5);
}

TEST(Stroboscopic, runs_may_start_before_zero) {
    const auto spring =
        plain_system(1, [](auto x, auto v, auto, auto f) { f[0] = -x[0] - 0.5 * x[0] * x[0] * x[0] - 1e-4 * v[0]; });
    const auto early = plain_run(spring, {.start = {1}, .t_start = -100, .t_end = 900, .method = "multirevolution"});
    const auto later = plain_run(spring, {.start = {1}, .t_end = 1000, .method = "multirevolution"});
    ASSERT_EQ(early.outcome(), Outcome::completed) << early.explanation();
    EXPECT_NEAR(early.fast(900).position[0], later.fast(1000).position[0], 1e-5);
}

TEST(Stroboscopic, a_time_that_turns_with_the_period_is_seen_away_from_the_start_too) {
    const auto pumped = first_order_system(2, [](auto y, auto t, auto rate) {  // nothing of it shows where y[0] = 0
        rate[0] = y[1];
        rate[1] = -y[0] - 0.004 * y[1] + 0.01 * y[0] * cos(2 * t);
    });
    const auto run = plain_run(pumped.with_period(2 * pi), {.start = {0, 1}, .t_end = 1000, .method = "sam"});
    EXPECT_EQ(run.outcome(), Outcome::refused) << run.explanation();
    // A slow time is welcome.
    const auto fading = first_order_system(2, [](auto y, auto t, auto rate) {
        rate[0] = y[1];
        rate[1] = -y[0] - 0.004 * y[1] * cos(1e-3 * t);
    });
    EXPECT_EQ(plain_run(fading.with_period(2 * pi), {.start = {0, 1}, .t_end = 1000, .method = "sam"}).outcome(),
              Outcome::completed);
}

TEST(Stroboscopic, eccentric_orbits_are_followed) {
    const double e = 0.7;
    const auto orbit = plain_system(2, [](auto x, auto, auto, auto f) {
        const auto square = x[0] * x[0] + x[1] * x[1];
        const auto pull = (1.0 + 1e-4 / square) / (square * sqrt(square));
        f[0] = -pull * x[0];
        f[1] = -pull * x[1];
    });
    Request request{
        .start = {1 - e, 0}, .velocity = {0, std::sqrt((1 + e) / (1 - e))}, .t_end = 2000, .method = "multirevolution"};
    const auto run = plain_run(orbit, request);
    ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    request.method = "direct";
    request.rtol = request.atol = 1e-13;
    EXPECT_LT(apart(run.fast(2000).position, plain_run(orbit, request).final_state().position), 1e-4);
}

TEST(Stroboscopic, kinks_are_not_taken_for_rounding) {
    const auto rubbing = plain_system(1, [](auto x, auto v, auto, auto f) {
        f[0] = -x[0] - 1e-3 * v[0] * abs(v[0]) - 1e-3 * (v[0] > 0 ? 1.0 : v[0] < 0 ? -1.0 : 0.0);
    });
    const auto run = plain_run(rubbing, {.start = {1}, .t_end = 300, .method = "multirevolution"});
    for (const auto& warning : run.warnings()) {
        EXPECT_FALSE(says(warning, "rounding")) << warning;
    }
}

TEST(Multirevolution, strides_of_adams_methods_are_no_longer_than_asked_and_held_to_the_tolerance) {
    for (const std::size_t longest : {std::size_t{1}, std::size_t{100}}) {
        Request request{.start = {0.5, 0.5}, .t_end = 4000 * pi, .method = "multirevolution"};
        request.options.periods_per_step = longest;
        const auto run = plain_run(van_der_pol(1e-3), request);
        ASSERT_EQ(run.outcome(), Outcome::completed) << run.explanation();
        for (const auto& step : run.trajectory().steps()) {
            EXPECT_LT(step.to() - step.from(), 2 * pi * (static_cast<double>(longest) + 0.01));
        }
        const auto truth = conventional(van_der_pol(1e-3), "dopri8", 2 * pi, 32, 2000, 1, {0.5, 0.5})[0];
        EXPECT_LT(apart(run.final_state().position, truth), 1e-4);
    }
}

// --- Long runs, constraints ------------------------------------------------------------------------------------------

TEST(Multirevolution, keeps_nothing_over_a_million_periods) {
    std::size_t samples = 0;
    double last = 0;
    Request request{.start = {0.5, 0.5}, .t_end = 2e6 * pi, .method = "multirevolution", .rtol = 1e-5};
    request.samples = 1001;
    request.sink = [&](double, std::span<const double> y) {
        ++samples;
        last = std::hypot(y[0], y[1]);
    };
    request.keep = Recorder::Keep::nothing;
    const auto run = plain_run(van_der_pol(1e-3), request);
    EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
    EXPECT_EQ(samples, 1001u);
    EXPECT_NEAR(last, 2, 2e-3);  // the limit cycle
    EXPECT_TRUE(run.trajectory().empty());
}

TEST(Stroboscopic, methods_keep_constraints_and_find_their_forces) {
    const auto chain = papers::double_pendulum();
    const double omega = 1e4;
    const auto system = chain.vibrated(omega);
    auto start = chain.position({0.5, 0});
    auto y = start;
    y.resize(8, 0.0);
    const auto periods = std::int64_t{300};
    const double t_end = static_cast<double>(periods) * 2 * pi / omega;
    const auto truth = conventional(system, "herk4", 2 * pi / omega, 128, periods, 1, y)[0];
    for (const auto* method : {"sam", "multirevolution"}) {
        const auto run = plain_run(system, {.start = start, .t_end = t_end, .method = method, .rtol = 1e-7});
        ASSERT_EQ(run.outcome(), Outcome::completed) << method << run.explanation();
        for (const double t : {0.3 * t_end, t_end}) {
            const auto state = run.slow(t);
            EXPECT_NEAR(std::hypot(state.position[0], state.position[1]), 0.2, 1e-14);
            EXPECT_NEAR(state.position[0] * state.velocity[0] + state.position[1] * state.velocity[1], 0, 1e-13);
            ASSERT_EQ(state.multipliers.size(), 2u);
            EXPECT_TRUE(std::isfinite(state.total_multipliers[1]));
        }
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_NEAR(run.final_state().position[i], truth[i], 1e-6) << method;
        }
        // The mean force of the rods is that of gravity and of the slow motion, not of the vibration: some hundredths
        // of a newton a metre.
        EXPECT_LT(std::abs(run.final_state().total_multipliers[0]), 10);
    }
}

}  // namespace
}  // namespace lento
