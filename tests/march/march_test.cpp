#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stop_token>
#include <vector>

#include "lento/base/misuse.hpp"
#include "lento/march/recorder.hpp"
#include "lento/solution/solution.hpp"
#include "march/adaptive.hpp"
#include "march/controller.hpp"
#include "march/fixed.hpp"
#include "papers/slope.hpp"
#include "step/catalogue.hpp"

namespace lento {
namespace {

struct Nobody {
    bool wants(double) const { return false; }
    void take(const DenseStep&) const {}
};

/// The Kepler problem with eccentricity 0.5 over one revolution: it returns to its start.
void kepler(double, std::span<const double> y, std::span<double> dy) {
    const double r = std::hypot(y[0], y[1]);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -y[0] / (r * r * r);
    dy[3] = -y[1] / (r * r * r);
}
const std::vector<double> kepler_start{0.5, 0, 0, std::sqrt(3.0)};
constexpr double revolution = 2 * 3.14159265358979323846;

template <class Controller>
std::pair<double, MarchResult> kepler_error(double rtol) {
    const Interval interval{0, revolution};
    auto y = kepler_start;
    const auto result =
        march_adaptive(Controller({rtol, rtol * 1e-3}, interval), kepler, interval, y, Nobody{}, {}, 100'000);
    double error = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        error = std::max(error, std::abs(y[i] - kepler_start[i]));
    }
    return {error, result};
}

template <class Controller>
void expect_error_to_follow_tolerance(double from, double to) {
    std::vector<double> tolerances;
    std::vector<double> errors;
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
        const auto [error, result] = kepler_error<Controller>(rtol);
        EXPECT_EQ(result.outcome, Outcome::completed);
        EXPECT_LT(error, 1e3 * rtol);
        tolerances.push_back(rtol);
        errors.push_back(error);
    }
    const double order = papers::slope(tolerances, errors);
    EXPECT_GT(order, from);
    EXPECT_LT(order, to);
}

TEST(Adaptive, the_error_follows_the_tolerance_with_both_controllers) {
    expect_error_to_follow_tolerance<PiController>(0.8, 1.2);
    expect_error_to_follow_tolerance<Ode45Controller>(0.8, 1.2);
}

TEST(Adaptive, ode45_takes_at_least_ten_steps_and_pi_as_few_as_it_likes) {
    const auto still = [](double, std::span<const double>, std::span<double> dy) { dy[0] = 0; };
    const Interval interval{0, 1};
    std::vector<double> y{1};
    EXPECT_GE(march_adaptive(Ode45Controller({1e-3, 1e-6}, interval), still, interval, y, Nobody{}, {}, 100'000).steps,
              10);
    EXPECT_LT(march_adaptive(PiController({1e-3, 1e-6}, interval), still, interval, y, Nobody{}, {}, 100'000).steps,
              10);
}

TEST(Adaptive, ode45_rules_step_by_step) {
    Ode45Controller controller({1e-3, 1e-6}, {0, 10});
    EXPECT_DOUBLE_EQ(controller.largest_step(), 1.0);
    EXPECT_DOUBLE_EQ(controller.next_after_accepted(0.1, 1.0), 0.1 / 1.25);
    EXPECT_DOUBLE_EQ(controller.next_after_accepted(0.1, 1e-9), 0.5);
    EXPECT_DOUBLE_EQ(controller.next_after_rejected(0.1, 32.0), 0.1 * 0.8 / 2);
    EXPECT_DOUBLE_EQ(controller.next_after_rejected(0.1, 32.0), 0.05);
    EXPECT_DOUBLE_EQ(controller.next_after_accepted(0.1, 1e-9), 0.1) << "no growth right after a rejection";
    EXPECT_DOUBLE_EQ(controller.next_after_rejected(0.1, 1e9), 0.01);
    const std::vector<double> y0{1.0, 0.0};
    const std::vector<double> y1{2.0, 0.0};
    const std::vector<double> estimate{1e-3, 1e-7};
    EXPECT_DOUBLE_EQ(controller.error(estimate, y0, y1), 0.5) << "weights max(|y|, |y_new|, atol/rtol), infinity norm";
    const std::vector<double> broken{std::nan(""), 0.0};
    EXPECT_TRUE(std::isnan(controller.error(broken, y0, y1))) << "a NaN is not hidden";
}

TEST(Adaptive, a_singularity_ends_in_an_outcome) {
    const auto blow_up = [](double, std::span<const double> y, std::span<double> dy) { dy[0] = y[0] * y[0]; };
    const Interval interval{0, 2};
    std::vector<double> y{1};  // 1/(1-t)
    const auto result =
        march_adaptive(PiController({1e-6, 1e-9}, interval), blow_up, interval, y, Nobody{}, {}, 100'000);
    EXPECT_TRUE(result.outcome == Outcome::not_converged || result.outcome == Outcome::diverged);
    EXPECT_NEAR(result.reached, 1, 1e-3);
    EXPECT_FALSE(result.explanation.empty());

    const auto nothing = [](double t, std::span<const double>, std::span<double> dy) {
        dy[0] = t < 0.5 ? 1.0 : std::nan("");
    };
    y = {0};
    const auto hit = march_adaptive(PiController({1e-6, 1e-9}, interval), nothing, interval, y, Nobody{}, {}, 100'000);
    EXPECT_EQ(hit.outcome, Outcome::diverged);
    EXPECT_NEAR(hit.reached, 0.5, 1e-6);
    EXPECT_EQ(hit.culprit, 0U);
    EXPECT_TRUE(std::isfinite(y[0]));
}

TEST(Adaptive, a_budget_and_a_stop_end_the_march_with_what_there_is) {
    const Interval interval{0, revolution};
    auto y = kepler_start;
    const auto spent = march_adaptive(PiController({1e-10, 1e-12}, interval), kepler, interval, y, Nobody{}, {}, 5);
    EXPECT_EQ(spent.outcome, Outcome::budget_exhausted);
    EXPECT_GT(spent.reached, 0);
    std::stop_source source;
    source.request_stop();
    EXPECT_EQ(march_adaptive(PiController({1e-10, 1e-12}, interval), kepler, interval, y, Nobody{}, source.get_token(),
                             100'000)
                  .outcome,
              Outcome::interrupted);
}

MarchResult march_oscillator(double H, MotionState<double>& state, double t_end, const std::stop_token& stop = {}) {
    const auto rhs = [](double, std::span<const double> x, std::span<const double>, std::span<double> a) {
        a[0] = -x[0];
    };
    Verlet<double> verlet(1);
    return march_fixed(verlet, rhs, {0, t_end}, H, state, Nobody{}, stop);
}

TEST(Fixed, the_last_step_is_shortened_to_the_end) {
    MotionState<double> state(1);
    state.x()[0] = 1;
    const auto result = march_oscillator(0.03, state, 1.0);
    EXPECT_EQ(result.steps, 34);
    EXPECT_EQ(result.reached, 1.0);
    EXPECT_NEAR(state.x()[0], std::cos(1.0), 1e-3);
}

TEST(Fixed, a_step_beyond_stability_ends_as_diverged_with_the_last_good_state) {
    MotionState<double> state(1);
    state.x()[0] = 1;
    const auto result = march_oscillator(50, state, 1e5);
    EXPECT_EQ(result.outcome, Outcome::diverged);
    EXPECT_TRUE(std::isfinite(state.x()[0]));
    EXPECT_EQ(result.culprit, 0U);
    EXPECT_NE(result.explanation.find("stopped being finite"), std::string::npos);
}

TEST(Sampling, both_ends_and_equal_spacing) {
    std::vector<double> times;
    std::vector<double> values;
    Recorder recorder({0, 1}, 11,
                      [&](double t, std::span<const double> y) {
                          times.push_back(t);
                          values.push_back(y[0]);
                      },
                      Recorder::Keep::nothing, {});
    std::vector<double> y{0, 1};
    recorder.begin(y);
    const auto rhs = [](double, std::span<const double> p, std::span<double> d) {
        d[0] = p[1];
        d[1] = -p[0];
    };
    march_adaptive(PiController({1e-9, 1e-12}, {0, 1}), rhs, {0, 1}, y, recorder, {}, 100'000);
    ASSERT_EQ(times.size(), 11U);
    EXPECT_EQ(times.front(), 0.0);
    EXPECT_EQ(times.back(), 1.0);
    for (std::size_t k = 0; k < times.size(); ++k) {
        EXPECT_NEAR(times[k], static_cast<double>(k) / 10, 1e-15);
        EXPECT_NEAR(values[k], std::sin(times[k]), 1e-7);
    }
}

TEST(Trajectory, answers_inside_and_refuses_outside) {
    Trajectory trajectory;
    EXPECT_THROW(trajectory.value(0), Misuse);
    for (int n = 0; n < 4; ++n) {
        DenseStep step(n, n + 1, 2, 1);
        step.coefficient(0)[0] = n;
        step.coefficient(1)[0] = 1;
        trajectory.append(step);
    }
    for (const double t : {0.0, 0.5, 1.0, 2.75, 4.0}) {
        EXPECT_DOUBLE_EQ(trajectory.value(t)[0], t);
    }
    EXPECT_THROW(trajectory.value(4.1), Misuse);
    EXPECT_THROW(trajectory.value(-0.1), Misuse);
    EXPECT_THROW(trajectory.value(std::nan("")), Misuse);
}

}  // namespace
}  // namespace lento
