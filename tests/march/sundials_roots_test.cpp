/// Roots that SUNDIALS finds while it marches, and the dense output around them.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "lento/march/recorder.hpp"
#include "march/sundials.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;
using View = std::span<const double>;

/// From (1, 0): cos(t), -sin(t).
void oscillator(double, View y, std::span<double> dy) {
    dy[0] = y[1];
    dy[1] = -y[0];
}

TEST(SundialsRoots, roots_are_found_with_their_direction_and_samples_are_neither_lost_nor_doubled) {
    // Zeros of cos(t) and, by the time alone, of t - 3.
    const std::map<std::string, double> most{
        {"cvode-adams", 1e-10}, {"cvode-bdf", 1e-10}, {"arkode-4", 1e-10}, {"arkode-5", 1e-10}, {"arkode-8", 2e-7}};
    for (const auto& name : sundials_names()) {
        std::vector<double> times;
        Sampler sampler({0, 10}, 1001, [&](double t, View y) {
            times.push_back(t);
            EXPECT_NEAR(y[0], std::cos(t), 1e-6) << name;
        });
        std::vector<double> y{1, 0};
        sampler.begin(y);
        const StepListener listener{[&](double to) { return sampler.wants(to); },
                                    [&](const DenseStep& dense) { sampler.take(dense); }};
        std::vector<double> crossings;
        const RootSearch roots{2,
                               [](double t, View point, std::span<double> values) {
                                   values[0] = point[0];
                                   values[1] = t - 3;
                               },
                               [&](double t, std::size_t which, int direction, View point) {
                                   if (which == 1) {
                                       EXPECT_NEAR(t, 3, 1e-10) << name;
                                       EXPECT_EQ(direction, 1);
                                       return true;
                                   }
                                   EXPECT_EQ(direction, crossings.size() % 2 == 0 ? -1 : 1) << name;
                                   EXPECT_NEAR(point[0], 0, 1e-12) << name;
                                   EXPECT_LE(times.back(), t) << "samples before a root come before it";
                                   EXPECT_GT(times.back(), t - 0.01 - 1e-12);
                                   crossings.push_back(t);
                                   return true;
                               }};
        const auto result = march_sundials(name, oscillator, {0, 10}, {1e-12, 1e-12}, y, listener, {}, 100'000, roots);
        EXPECT_EQ(result.outcome, Outcome::completed) << name << result.explanation;
        EXPECT_EQ(result.reached, 10);
        ASSERT_EQ(crossings.size(), 3U) << name;
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_NEAR(crossings[k], (static_cast<double>(k) + 0.5) * pi, most.at(name)) << name;
        }
        ASSERT_EQ(times.size(), 1001U) << name;
        for (std::size_t k = 0; k < times.size(); ++k) {
            EXPECT_NEAR(times[k], static_cast<double>(k) / 100, 1e-14);
        }
    }
}

TEST(SundialsRoots, a_zero_at_the_start_is_no_root_and_roots_of_one_time_are_all_told) {
    for (const auto& name : sundials_names()) {
        std::vector<std::pair<double, int>>
            told;  // -sin(t) falls through 0 at 0, rises at pi; its opposite falls there
        const RootSearch roots{2,
                               [](double, View y, std::span<double> values) {
                                   values[0] = y[1];
                                   values[1] = -y[1];
                               },
                               [&](double t, std::size_t, int direction, View) {
                                   told.emplace_back(t, direction);
                                   return false;
                               }};
        std::vector<double> y{1, 0};
        const auto result = march_sundials(name, oscillator, {0, 10}, {1e-8, 1e-8}, y, {}, {}, 100'000, roots);
        ASSERT_EQ(told.size(), 2U) << name;
        EXPECT_NEAR(told[0].first, pi, 1e-4) << name;
        EXPECT_EQ(told[0].first, told[1].first) << name;
        EXPECT_EQ(told[0].second, 1);
        EXPECT_EQ(told[1].second, -1);
        EXPECT_EQ(result.reached, told[0].first) << name;
    }
}

TEST(SundialsRoots, a_root_can_end_the_march_and_the_state_is_the_one_there) {
    for (const auto& name : sundials_names()) {
        double end = 0;
        int told = 0;
        const StepListener listener{[](double) { return true; }, [&](const DenseStep& dense) { end = dense.to(); }};
        const RootSearch roots{1, [](double, View y, std::span<double> values) { values[0] = y[0] - 0.5; },
                               [&](double, std::size_t, int, View) { return ++told < 2; }};
        std::vector<double> y{1, 0};
        const auto result = march_sundials(name, oscillator, {0, 10}, {1e-10, 1e-10}, y, listener, {}, 100'000, roots);
        EXPECT_EQ(result.outcome, Outcome::completed) << name;
        EXPECT_EQ(told, 2) << name;
        EXPECT_NEAR(result.reached, 5 * pi / 3, 1e-5) << name;
        EXPECT_NEAR(y[0], 0.5, 1e-12) << name;
        EXPECT_EQ(end, result.reached) << name;
    }
}

TEST(SundialsRoots, a_root_in_the_last_step_or_at_the_end_does_not_hide_the_end) {
    for (const auto& name : sundials_names()) {
        for (const double where : {10 - 1e-9, 10 - 1e-14, 10.0}) {
            const RootSearch roots{1, [&](double t, View, std::span<double> values) { values[0] = t - where; }};
            double end = 0;
            const StepListener listener{[](double) { return true; },
                                        [&](const DenseStep& dense) {
                                            EXPECT_EQ(dense.from(), end);
                                            EXPECT_LT(dense.from(), dense.to());
                                            end = dense.to();
                                        }};
            std::vector<double> y{1, 0};
            const auto result =
                march_sundials(name, oscillator, {0, 10}, {1e-6, 1e-6}, y, listener, {}, 100'000, roots);
            EXPECT_EQ(result.outcome, Outcome::completed) << name << ", " << where << ": " << result.explanation;
            EXPECT_EQ(result.reached, 10) << name;
            EXPECT_EQ(end, 10) << name;
        }
    }
}

}  // namespace
}  // namespace lento
