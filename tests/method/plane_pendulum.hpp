#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "base/number.hpp"
#include "lento/lento.hpp"
#include "papers/plain_run.hpp"

namespace lento {

/// The inverted pendulum of the papers, as a point in the plane and as an angle, under a vibration w(theta) and with
/// friction.
struct PlanePendulum {
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
        const auto plane =
            papers::plain_run(in_the_plane(), {.start = point(0.5),
                                               .t_end = t_end,
                                               .method = "rattle-shake",
                                               .rtol = 1e-10,
                                               .atol = 1e-12,
                                               .options = {.micro = "lobatto", .micro_steps_per_period = 64}});
        const auto angle = papers::plain_run(as_an_angle(), {.start = {0.5},
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

inline double cosine(std::span<const double> theta) {
    return std::cos(theta[0]);
}

}  // namespace lento
