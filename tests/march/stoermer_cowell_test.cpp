#include "march/stoermer_cowell.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;

class Kepler final : public MultistepForce {
public:
    bool second_order() const override { return true; }
    std::size_t dimension() const override { return 2; }
    void evaluate(double, std::span<const double> y, const AuxiliarySeries&, std::span<double> force,
                  std::span<double>) override {
        ++evaluations;
        const double r = std::hypot(y[0], y[1]);
        force[0] = -y[0] / (r * r * r);
        force[1] = -y[1] / (r * r * r);
    }
    long evaluations = 0;
};

struct Flight {
    double error;
    long evaluations;
    MarchResult result;
};

Flight orbit(double tolerance, std::size_t highest_order, double longest = 1) {
    Kepler kepler;
    constexpr double e = 0.3;
    const std::vector<double> y{1 - e, 0, 0, std::sqrt((1 + e) / (1 - e))};
    std::vector<double> force(2);
    kepler.evaluate(0, y, {}, force, {});
    MultistepMarch march(kepler, {tolerance, tolerance}, {.longest = longest, .highest_order = highest_order});
    const auto result = march.run({.t = 0, .y = y, .series = force}, 2 * pi, {}, {});
    return {std::hypot(march.state()[0] - y[0], march.state()[1] - y[1]), kepler.evaluations, result};
}

TEST(StoermerCowell, errors_follow_the_tolerance) {
    for (const double tolerance : {1e-5, 1e-7, 1e-9, 1e-11}) {
        const auto flight = orbit(tolerance, 12);
        EXPECT_EQ(flight.result.outcome, Outcome::completed);
        EXPECT_LT(flight.error, 300 * tolerance);
    }
    EXPECT_LT(orbit(1e-11, 12).evaluations, 700);
}

/// With equal steps and one order.
TEST(StoermerCowell, orders_are_as_they_say) {
    for (const std::size_t order : {4U, 6U, 8U, 10U}) {
        std::vector<double> errors;
        // NOTE: long steps for high orders, which are soon right to rounding.
        for (const std::size_t steps : {400 / order, 800 / order}) {
            const double h = 6.0 / static_cast<double>(steps);
            // The history is exact, and so loose a tolerance leaves step and order alone.
            class Exact final : public MultistepForce {
            public:
                bool second_order() const override { return true; }
                std::size_t dimension() const override { return 1; }
                void evaluate(double, std::span<const double> y, const AuxiliarySeries&, std::span<double> force,
                              std::span<double>) override {
                    force[0] = -y[0];
                }
            } oscillator;
            // cos t about 0, so many coefficients that the first values are right.
            std::vector<double> series;
            double factorial = 1;
            for (std::size_t j = 0; j + 1 < order; ++j) {
                factorial *= j > 1 ? static_cast<double>(j) : 1.0;
                series.push_back(j % 2 == 1 ? 0.0 : (j % 4 == 0 ? -1.0 : 1.0) / factorial);
            }
            MultistepMarch march(oscillator, {1e6, 1e6}, {.longest = h, .lowest_order = order, .highest_order = order});
            const auto result = march.run({.t = 0, .y = {1, 0}, .series = series}, 6, {}, {});
            EXPECT_EQ(result.steps, static_cast<std::int64_t>(steps));
            errors.push_back(std::abs(march.state()[0] - std::cos(6.0)));
        }
        // At least: the start, by a series, is not better than that.
        EXPECT_GT(std::log2(errors[0] / errors[1]), static_cast<double>(order) - 0.4) << order;
    }
}

TEST(StoermerCowell, first_order_systems_are_integrated_once) {
    class Logistic final : public MultistepForce {
    public:
        bool second_order() const override { return false; }
        std::size_t dimension() const override { return 1; }
        void evaluate(double, std::span<const double> y, const AuxiliarySeries&, std::span<double> force,
                      std::span<double>) override {
            force[0] = y[0] * (1 - y[0]);
        }
    } logistic;
    MultistepMarch march(logistic, {1e-10, 1e-10}, {.longest = 1});
    const auto result = march.run({.t = 0, .y = {0.1}, .series = {0.09}}, 5, {}, {});
    EXPECT_EQ(result.outcome, Outcome::completed);
    EXPECT_NEAR(march.state()[0], 1 / (1 + 9 * std::exp(-5.0)), 1e-8);
}

/// The auxiliary vector is sin(t): its series has to say so.
TEST(StoermerCowell, what_is_kept_comes_back_as_a_series) {
    class Keeper final : public MultistepForce {
    public:
        bool second_order() const override { return true; }
        std::size_t dimension() const override { return 1; }
        std::size_t auxiliary() const override { return 1; }
        int auxiliary_degree() const override { return 5; }
        void evaluate(double t, std::span<const double> y, const AuxiliarySeries& past, std::span<double> force,
                      std::span<double> kept) override {
            force[0] = -y[0];
            kept[0] = std::sin(t);
            if (t > 3 && past.degree >= 5) {
                slope_error = std::max(slope_error, std::abs(past.coefficients[past.stride] / past.h - std::cos(t)));
                ++seen;
            }
        }
        double slope_error = 0;
        int seen = 0;
    } keeper;
    MultistepMarch march(keeper, {1e-12, 1e-12}, {.longest = 1});
    march.run({.t = 0, .y = {1, 0}, .series = {-1, 0}}, 10, {}, {});
    EXPECT_GT(keeper.seen, 20);
    EXPECT_LT(keeper.slope_error, 1e-6);
}

TEST(StoermerCowell, dense_output_is_as_good_as_the_steps) {
    Kepler kepler;
    const std::vector<double> y{1, 0, 0, 1};
    double worst = 0;
    MultistepMarch march(kepler, {1e-9, 1e-9}, {.longest = 1});
    march.run({.t = 0, .y = y, .series = {-1, 0}}, 2 * pi,
              {[](double) { return true; },
               [&](DenseStep step) {
                   std::vector<double> between(4);
                   const double t = step.from() + 0.37 * (step.to() - step.from());
                   step.value(t, between);
                   worst = std::max({worst, std::abs(between[0] - std::cos(t)), std::abs(between[3] - std::cos(t))});
               }},
              {});
    EXPECT_LT(worst, 1e-7);
}

TEST(StoermerCowell, ends_with_what_went_wrong) {
    class Singular final : public MultistepForce {
    public:
        bool second_order() const override { return false; }
        std::size_t dimension() const override { return 1; }
        void evaluate(double, std::span<const double> y, const AuxiliarySeries&, std::span<double> force,
                      std::span<double>) override {
            force[0] = y[0] * y[0];
        }
    } singular;
    MultistepMarch march(singular, {1e-8, 1e-8}, {.longest = 1});
    const auto result = march.run({.t = 0, .y = {1}, .series = {1}}, 2, {}, {});  // 1/(1 - t)
    EXPECT_NE(result.outcome, Outcome::completed);
    EXPECT_NEAR(result.reached, 1, 1e-3);
    MultistepMarch limited(singular, {1e-8, 1e-8}, {.longest = 1, .most_steps = 5});
    EXPECT_EQ(limited.run({.t = 0, .y = {1}, .series = {1}}, 0.9, {}, {}).outcome, Outcome::budget_exhausted);
}

}  // namespace
}  // namespace lento
