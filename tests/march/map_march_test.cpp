#include "march/map_march.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "papers/slope.hpp"

namespace lento {
namespace {

/// z = (a, phi, t): a logistic growth and an angle, known in closed form, as the map over a time eps.
struct Known {
    double eps = 1e-3;
    static double amplitude(double t) { return 1 / (1 + 3 * std::exp(-t)); }
    static double angle(double t) { return std::sin(t) + 2 * t; }

    void operator()(std::span<const double> z, std::span<double> change) const {
        // a(t + eps) from a alone; the angle from the time alone.
        const double grown = z[0] * std::exp(eps) / (1 + z[0] * std::expm1(eps));
        change[0] = grown - z[0];
        change[1] = angle(z[2] + eps) - angle(z[2]);
        change[2] = eps;
    }
    static std::vector<double> start() { return {amplitude(0), angle(0), 0}; }
};

const StepListener nobody{[](double) { return false; }, [](DenseStep) {}};

double error_of(const MapMarch& march, double t) {
    return std::max(std::abs(march.final_y[0] - Known::amplitude(t)), std::abs(march.final_y[1] - Known::angle(t)));
}

TEST(MapMarch, adams_meets_its_tolerance_with_few_maps) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        int maps = 0;
        auto z = Known::start();
        const auto march = march_map_adams(
            [&](auto point, auto change) {
                ++maps;
                Known{}(point, change);
            },
            {.t_end = 5, .tolerance = {tolerance, tolerance}}, z, nobody, {});
        EXPECT_EQ(march.result.outcome, Outcome::completed) << march.result.explanation;
        EXPECT_LT(error_of(march, 5), 30 * tolerance) << tolerance;
        EXPECT_LT(maps, 200) << tolerance;  // of 5000 periods
        EXPECT_NEAR(march.revolutions, 5000, 1e-6);
    }
}

TEST(MapMarch, adams_does_not_grow_dearer_with_shorter_periods) {
    std::vector<int> maps;
    for (const double eps : {1e-4, 1e-6, 1e-8}) {
        int count = 0;
        auto z = Known::start();
        const auto march = march_map_adams(
            [&](auto point, auto change) {
                ++count;
                Known{eps}(point, change);
            },
            {.t_end = 5, .tolerance = {1e-6, 1e-6}}, z, nobody, {});
        EXPECT_LT(error_of(march, 5), 3e-5) << eps;
        maps.push_back(count);
    }
    EXPECT_LT(maps[2], 1.3 * maps[0]);
}

TEST(MapMarch, runge_kutta_has_its_order) {
    for (const int order : {2, 3, 4}) {
        std::vector<double> lengths, errors;
        for (const int N : {125, 250, 500}) {
            auto z = Known::start();
            const auto march =
                march_map_runge_kutta(Known{}, {.t_end = 5, .periods_per_step = N, .order = order}, z, nobody, {});
            EXPECT_EQ(march.result.steps, 5000 / N);
            lengths.push_back(N);
            errors.push_back(error_of(march, 5));
        }
        EXPECT_NEAR(papers::slope(lengths, errors), order, 0.3) << order;
    }
}

TEST(MapMarch, ends_between_two_periods_as_on_them) {
    auto z = Known::start();
    const auto march = march_map_adams(Known{}, {.t_end = 4.9996, .tolerance = {1e-9, 1e-9}}, z, nobody, {});
    EXPECT_LT(error_of(march, 4.9996), 1e-7);
    EXPECT_NEAR(z[2], 5, 1e-10);  // the last whole revolution
    EXPECT_EQ(march.result.reached, 4.9996);
}

TEST(MapMarch, dense_output_is_as_good_as_the_steps) {
    for (const bool adams : {true, false}) {
        double largest = 0;
        double before = 0;
        const StepListener listener{[](double) { return true; },
                                    [&](DenseStep dense) {
                                        EXPECT_EQ(dense.from(), before);
                                        before = dense.to();
                                        for (int k = 0; k <= 10; ++k) {
                                            const double t = dense.from() + (dense.to() - dense.from()) * k / 10;
                                            std::vector<double> y(2);
                                            dense.value(t, y);
                                            largest = std::max({largest, std::abs(y[0] - Known::amplitude(t)),
                                                                std::abs(y[1] - Known::angle(t))});
                                        }
                                    }};
        auto z = Known::start();
        if (adams) {
            march_map_adams(Known{}, {.t_end = 5, .tolerance = {1e-9, 1e-9}}, z, listener, {});
        } else {
            march_map_runge_kutta(Known{}, {.t_end = 5, .periods_per_step = 25, .order = 4}, z, listener, {});
        }
        EXPECT_EQ(before, 5);
        EXPECT_LT(largest, adams ? 1e-7 : 1e-7);
    }
}

TEST(MapMarch, revolutions_of_changing_length_are_told_as_functions_of_time) {
    // Each revolution takes eps (1 + t/10): dt/dr = eps (1 + t/10).
    const double eps = 1e-3;
    const auto map = [&](std::span<const double> z, std::span<double> change) {
        change[1] = (10 + z[1]) * std::expm1(eps / 10);
        change[0] = std::sin(z[1] + change[1]) - std::sin(z[1]);
    };
    double largest = 0;
    const StepListener listener{[](double) { return true; },
                                [&](DenseStep dense) {
                                    for (int k = 0; k <= 5; ++k) {
                                        const double t = dense.from() + (dense.to() - dense.from()) * k / 5;
                                        std::vector<double> y(2);
                                        dense.value(t, y);
                                        largest = std::max({largest, std::abs(y[0] - std::sin(t)),
                                                            1e-3 * std::abs(y[1] - 10 / eps * std::log1p(t / 10))});
                                    }
                                }};
    std::vector<double> z{0, 0};
    const auto march = march_map_adams(
        map, {.t_end = 5, .tolerance = {1e-9, 1e-9}, .time_tolerance = 1e-12, .revolutions = true}, z, listener, {});
    EXPECT_EQ(march.result.outcome, Outcome::completed) << march.result.explanation;
    EXPECT_LT(largest, 1e-7);
    EXPECT_NEAR(march.revolutions, 10 / eps * std::log1p(0.5), 1e-4);
    EXPECT_NEAR(march.final_y[1], march.revolutions, 1e-9);
}

TEST(MapMarch, a_map_that_stops_being_finite_ends_the_march_where_it_was_good) {
    const auto map = [](std::span<const double> z, std::span<double> change) {
        change[0] = 1e-3 * z[0] * z[0];  // grows beyond all bounds at t = 1
        change[1] = 1e-3;
        if (z[0] > 50) {
            change[0] = NAN;
        }
    };
    std::vector<double> z{1, 0};
    const auto march = march_map_adams(map, {.t_end = 2, .tolerance = {1e-6, 1e-6}}, z, nobody, {});
    EXPECT_EQ(march.result.outcome, Outcome::diverged);
    EXPECT_LT(march.result.reached, 1);
    EXPECT_TRUE(std::isfinite(march.final_y[0]));
    EXPECT_FALSE(march.result.explanation.empty());
}

TEST(MapMarch, a_map_far_from_the_identity_is_no_use_to_stride_over) {
    const auto turning = [](std::span<const double> z, std::span<double> change) {
        change[0] = (std::cos(2.0) - 1) * z[0] - std::sin(2.0) * z[1];
        change[1] = std::sin(2.0) * z[0] + (std::cos(2.0) - 1) * z[1];
        change[2] = 1;
    };
    std::vector<double> z{1, 0, 0};
    const auto march = march_map_adams(turning, {.t_end = 1e4, .tolerance = {1e-6, 1e-6}}, z, nobody, {});
    EXPECT_EQ(march.result.outcome, Outcome::no_scale_separation);
}

TEST(MapMarch, steps_that_are_too_long_show_in_the_slope) {
    const auto decay = [](std::span<const double> z, std::span<double> change) {
        change[0] = -1e-2 * z[0];
        change[1] = 1;
    };
    std::vector<double> z{1, 0};
    const auto march =
        march_map_runge_kutta(decay, {.t_end = 4000, .periods_per_step = 400, .order = 4}, z, nobody, {});
    EXPECT_NEAR(march.steepest, 4, 0.1);
}

}  // namespace
}  // namespace lento
