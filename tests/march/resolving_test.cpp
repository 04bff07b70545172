/// The march that resolves everything, on motions that are known.
#include "march/resolving.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "lento/problem/systems.hpp"
#include "tests/step/kepler.hpp"

namespace lento {
namespace {

using Stepper = ResolvingMarch::Stepper;

struct Marched {
    MarchResult result{};
    std::vector<double> y{};
    std::vector<std::vector<double>> samples{};
    Stepper stepper{};
    std::int64_t evaluations = 0;
};

struct How {
    Stepper stepper = Stepper::nystroem;
    double rtol = 1e-9;
    std::size_t samples = 0;
    ResolvingMarch::Limits limits{};
};

Marched march(const Problem& problem, std::vector<double> start, double t_end, const How& how) {
    auto form = how.stepper == Stepper::nystroem ? MechanicalForm::of(problem, 0, start) : std::nullopt;
    ResolvingMarch resolving(problem, how.stepper, std::move(form));
    Marched found{.y = std::move(start)};
    Recorder recorder({0, t_end}, how.samples, [&](double, In y) { found.samples.emplace_back(y.begin(), y.end()); },
                      Recorder::Keep::nothing, {});
    recorder.begin(found.y);
    found.result = resolving.run({0, t_end}, {how.rtol, 1e-3 * how.rtol}, how.limits, found.y, recorder);
    found.stepper = resolving.stepper();
    found.evaluations = resolving.evaluations();
    return found;
}

Problem kepler() {
    return plain_system(2, [](auto x, auto, auto, auto f) { Ellipse::acceleration(x, f); });
}
/// The same motion as variables.
Problem kepler_of_first_order() {
    return first_order_system(4, [](auto y, auto, auto r) {
        r[0] = y[2];
        r[1] = y[3];
        Ellipse::acceleration(y, r.subspan(2));
    });
}
std::vector<double> perihelion() {
    const auto start = Ellipse::at(0);
    return {start.begin(), start.end()};
}

TEST(ResolvingMarch, errors_of_steps_are_within_the_tolerance) {
    // NOTE: errors of ten steps or more add up, and those of early steps grow on the way; an ellipse makes a few of
    // each.
    for (const double rtol : {1e-5, 1e-7, 1e-9, 1e-11}) {
        const auto coordinates = march(kepler(), perihelion(), Ellipse::period, {.rtol = rtol});
        EXPECT_EQ(coordinates.result.outcome, Outcome::completed);
        EXPECT_LT(Ellipse::distance(coordinates.y, Ellipse::period), 10 * rtol) << rtol;
        EXPECT_GT(Ellipse::distance(coordinates.y, Ellipse::period), 1e-5 * rtol) << "steps are too short: " << rtol;
        const auto variables =
            march(kepler_of_first_order(), perihelion(), Ellipse::period, {.stepper = Stepper::dop853, .rtol = rtol});
        EXPECT_EQ(variables.result.outcome, Outcome::completed);
        EXPECT_LT(Ellipse::distance(variables.y, Ellipse::period), 30 * rtol) << rtol;
    }
}

TEST(ResolvingMarch, samples_between_steps_are_as_good_as_their_ends) {
    constexpr std::size_t count = 201;
    for (const auto stepper : {Stepper::nystroem, Stepper::dop853}) {
        const auto found = march(kepler(), perihelion(), Ellipse::period, {.stepper = stepper, .samples = count});
        ASSERT_EQ(found.samples.size(), count);
        EXPECT_LT(found.result.steps, 100) << "most samples are between ends of steps";
        for (std::size_t k = 0; k < count; ++k) {
            const double t = Ellipse::period * static_cast<double>(k) / (count - 1);
            EXPECT_LT(Ellipse::distance(found.samples[k], t), 3e-7) << t;
        }
    }
}

TEST(ResolvingMarch, a_driven_oscillator_keeps_its_phase_over_ten_thousand_vibrations) {
    // x'' = -x + cos(theta), theta = 100 t: x = (cos(100 t) - cos t)/(1 - 1e4) from rest at 0.
    constexpr double omega = 100;
    const auto problem = vibrated_system(1, omega, [](auto x, auto, auto, auto theta, auto f) {
        using std::cos;
        f[0] = -x[0] + cos(theta);
    });
    constexpr double t_end = 200 * std::numbers::pi;
    const auto found = march(problem, {0, 0}, t_end, {.rtol = 1e-12});
    EXPECT_EQ(found.result.outcome, Outcome::completed);
    const double size = 2 / (omega * omega - 1);
    EXPECT_NEAR(found.y[0], (std::cos(omega * t_end) - std::cos(t_end)) / (1 - omega * omega), 5e-8 * size);
}

TEST(ResolvingMarch, sums_are_compensated_so_that_many_steps_lose_no_digits) {
    // x'' = 0 with steps of a hundred-thousandth: plain sums of 0.1 h would lose five digits of sixteen.
    const auto problem = plain_system(1, [](auto, auto, auto, auto f) { f[0] = 0.0; });
    constexpr int steps = 100'000;
    const auto found = march(problem, {1.0 / 3, 0.1}, 1, {.limits = {.longest = 1.0 / steps}});
    EXPECT_GE(found.result.steps, steps);
    EXPECT_NEAR(found.y[0], 1.0 / 3 + 0.1, 1.2e-16);
}

TEST(ResolvingMarch, a_force_that_turns_out_to_see_the_velocity_is_taken_over_by_dop853) {
    // Friction beyond x = 1 only. Whoever looked at the start alone would take the force for one of the position.
    const auto problem = plain_system(1, [](In x, In v, double, Out f) { f[0] = x[0] > 1 ? -v[0] : 0.0; });
    const auto found = march(problem, {0, 1}, 3, {.rtol = 1e-10});
    EXPECT_EQ(found.result.outcome, Outcome::completed) << found.result.explanation;
    EXPECT_EQ(found.stepper, Stepper::dop853);
    EXPECT_NEAR(found.y[0], 2 - std::exp(-2.0), 1e-7);
    EXPECT_NEAR(found.y[1], std::exp(-2.0), 1e-7);
}

TEST(ResolvingMarch, a_force_of_the_position_stays_with_nystroem) {
    EXPECT_EQ(march(kepler(), perihelion(), 1, {}).stepper, Stepper::nystroem);
    EXPECT_EQ(march(kepler_of_first_order(), perihelion(), 1, {}).stepper, Stepper::nystroem);
}

/// p = v/4 and q = x of the same motion, as (p, q).
Problem kepler_of_momenta() {
    return first_order_system(4, [](auto y, auto, auto r) {
        const auto force = r.first(2);
        Ellipse::acceleration(y.subspan(2), force);
        force[0] = force[0] / 4;
        force[1] = force[1] / 4;
        r[2] = 4 * y[0];
        r[3] = 4 * y[1];
    });
}

TEST(ResolvingMarch, positions_and_momenta_are_carried_as_coordinates_are) {
    constexpr std::size_t count = 51;
    const auto begin = perihelion();
    const auto found = march(kepler_of_momenta(), {begin[2] / 4, begin[3] / 4, begin[0], begin[1]}, Ellipse::period,
                             {.samples = count});
    EXPECT_EQ(found.result.outcome, Outcome::completed);
    const auto coordinates = march(kepler(), begin, Ellipse::period, {});
    EXPECT_LT(found.result.steps, 1.2 * static_cast<double>(coordinates.result.steps));
    EXPECT_LT(found.evaluations, 1.3 * static_cast<double>(coordinates.evaluations)) << "one a step checks q' = b p";
    ASSERT_EQ(found.samples.size(), count);
    for (std::size_t k = 0; k < count; ++k) {
        const auto& y = found.samples[k];
        const double t = Ellipse::period * static_cast<double>(k) / (count - 1);
        EXPECT_LT(Ellipse::distance(std::vector{y[2], y[3], 4 * y[0], 4 * y[1]}, t), 3e-7) << t;
    }
}

TEST(ResolvingMarch, where_the_velocity_ceases_to_be_a_multiple_of_the_momentum_dop853_takes_over) {
    // q' = min(p, 3) with p' = 1: probes near the start see q' = p.
    const auto problem = first_order_system(2, [](In y, double, Out r) {
        r[0] = std::min(y[1], 3.0);
        r[1] = 1;
    });
    const auto found = march(problem, {0, 0}, 5, {.rtol = 1e-9});
    EXPECT_EQ(found.result.outcome, Outcome::completed) << found.result.explanation;
    EXPECT_EQ(found.stepper, Stepper::dop853);
    EXPECT_NEAR(found.y[0], 4.5 + 6, 1e-7);
    EXPECT_NEAR(found.y[1], 5, 1e-12);
}

TEST(ResolvingMarch, scales_and_rates_of_variables_are_their_own) {
    // q = sin(2 t), p = 0.4 cos(2 t), as (p, q).
    const auto problem = first_order_system(2, [](auto y, auto, auto r) {
        r[0] = -0.8 * y[1];
        r[1] = 5.0 * y[0];
    });
    std::vector<double> y{0.4, 0};
    ResolvingMarch resolving(problem, Stepper::nystroem, MechanicalForm::of(problem, 0, y));
    Recorder recorder({0, 10}, 0, {}, Recorder::Keep::nothing, {});
    recorder.begin(y);
    resolving.run({0, 10}, {1e-9, 1e-12}, {.longest = 0.05}, y, recorder);
    EXPECT_EQ(resolving.stepper(), Stepper::nystroem);
    EXPECT_NEAR(resolving.scales()[0], 0.4, 1e-3);
    EXPECT_NEAR(resolving.scales()[1], 1, 1e-3);
    EXPECT_NEAR(resolving.rates()[0], 0.8, 2e-3);
    EXPECT_NEAR(resolving.rates()[1], 2, 5e-3);
}

TEST(ResolvingMarch, constraints_hold_to_rounding_after_every_step) {
    // A pendulum of length 1 in the plane, from the horizontal.
    const auto falling = plain_system(2, [](auto, auto, auto, auto f) {
        f[0] = 0.0;
        f[1] = -9.8;
    });
    const auto problem = constrained(falling, 1, [](auto x, auto, auto g) { g[0] = x[0] * x[0] + x[1] * x[1] - 1.0; });
    std::vector<double> worst{0, 0};
    ResolvingMarch resolving(problem, Stepper::dop853);
    std::vector<double> y{1, 0, 0, 0};
    // The ends of steps come as those of short marches.
    for (int k = 0; k < 50; ++k) {
        Recorder recorder({0.1 * k, 0.1 * (k + 1)}, 0, {}, Recorder::Keep::nothing, {});
        const auto result = resolving.run({0.1 * k, 0.1 * (k + 1)}, {1e-8, 1e-11}, {}, y, recorder);
        ASSERT_EQ(result.outcome, Outcome::completed) << result.explanation;
        worst[0] = std::max(worst[0], std::abs(y[0] * y[0] + y[1] * y[1] - 1));
        worst[1] = std::max(worst[1], std::abs(y[0] * y[2] + y[1] * y[3]));
    }
    EXPECT_LT(worst[0], 1e-14);
    EXPECT_LT(worst[1], 1e-14);
    EXPECT_NEAR((y[2] * y[2] + y[3] * y[3]) / 2 + 9.8 * y[1], 0, 1e-6) << "the energy";
}

TEST(ResolvingMarch, too_few_steps_end_it_as_budget_exhausted_where_it_is) {
    const auto found = march(kepler(), perihelion(), 100, {.limits = {.most_steps = 7}});
    EXPECT_EQ(found.result.outcome, Outcome::budget_exhausted);
    EXPECT_EQ(found.result.steps + found.result.rejected, 7);
    EXPECT_GT(found.result.reached, 0);
    EXPECT_LT(found.result.reached, 100);
    EXPECT_LT(Ellipse::distance(found.y, found.result.reached), 1e-7) << "the state is that of the time reached";
    EXPECT_NE(found.result.explanation.find("7 steps were not enough"), std::string::npos);
}

TEST(ResolvingMarch, a_stop_ends_it_before_the_next_step) {
    std::stop_source source;
    source.request_stop();
    const auto found = march(kepler(), perihelion(), 100, {.limits = {.stop = source.get_token()}});
    EXPECT_EQ(found.result.outcome, Outcome::interrupted);
    EXPECT_EQ(found.result.steps, 0);
    EXPECT_EQ(found.y, perihelion());
}

TEST(ResolvingMarch, a_motion_that_ends_in_a_singularity_says_where) {
    // y' = y^2 from 1 is 1/(1 - t).
    const auto problem = first_order_system(1, [](auto y, auto, auto r) { r[0] = y[0] * y[0]; });
    const auto found = march(problem, {1}, 2, {.stepper = Stepper::dop853});
    EXPECT_NE(found.result.outcome, Outcome::completed);
    EXPECT_NEAR(found.result.reached, 1, 1e-6);
    EXPECT_FALSE(found.result.explanation.empty());
}

TEST(ResolvingMarch, a_force_that_is_no_number_at_the_start_is_told_of) {
    const auto problem = plain_system(1, [](auto x, auto, auto, auto f) {
        using std::sqrt;
        f[0] = sqrt(x[0]);
    });
    const auto found = march(problem, {-1, 0}, 1, {});
    EXPECT_EQ(found.result.outcome, Outcome::diverged);
    EXPECT_EQ(found.result.reached, 0);
}

TEST(ResolvingMarch, no_step_is_longer_than_allowed) {
    const auto found = march(kepler(), perihelion(), 1, {.rtol = 1e-3, .limits = {.longest = 0.01}});
    EXPECT_GE(found.result.steps, 100);
}

TEST(ResolvingMarch, late_times_whose_rounding_is_longer_than_the_first_step_are_passed) {
    // At t = 1e12 times are 1e-4 apart; the first step by the derivatives of this spring would be shorter.
    ResolvingMarch resolving(plain_system(1, [](auto x, auto, auto, auto f) { f[0] = -1e6 * x[0]; }),
                             Stepper::nystroem);
    std::vector<double> y{1, 0};
    constexpr Interval late{1e12, 1e12 + 1};
    Recorder recorder(late, 0, {}, Recorder::Keep::nothing, {});
    const auto result = resolving.run(late, {1e-9, 1e-9}, {.most_steps = 100'000}, y, recorder);
    EXPECT_NE(result.outcome, Outcome::budget_exhausted);
    EXPECT_TRUE(std::isfinite(resolving.rates()[0]));
}

TEST(ResolvingMarch, scales_and_rates_are_the_largest_on_the_way) {
    ResolvingMarch resolving(plain_system(1, [](auto x, auto, auto, auto f) { f[0] = -4.0 * x[0]; }),
                             Stepper::nystroem);
    std::vector<double> y{0, 2};  // x = sin 2t
    Recorder recorder({0, 10}, 0, {}, Recorder::Keep::nothing, {});
    resolving.run({0, 10}, {1e-9, 1e-12}, {.longest = 0.05}, y, recorder);
    EXPECT_NEAR(resolving.scales()[0], 1, 2e-3);
    EXPECT_NEAR(resolving.scales()[1], 2, 1e-9);
    EXPECT_NEAR(resolving.rates()[0], 2, 5e-3);
    EXPECT_NEAR(resolving.rates()[1], 4, 1e-2);
}

}  // namespace
}  // namespace lento
