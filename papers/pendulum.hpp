/// The inverted pendulum of the paper vibrated, section 2: l = 0.2, g = 9.8, v_max = 4, Q(0) = 0.5, P(0) = 0, T = 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "lento/lento.hpp"
#include "plain_run.hpp"

namespace lento::papers {

struct Pendulum {
    double l = 0.2;
    double g = 9.8;
    double v_max = 4;

    /// (2.2), (2.3), with the fast velocity of (2.7).
    Problem vibrated(double omega, double phase_start = 0) const {
        return vibrated_system(1, omega,
                               [*this, omega](auto x, auto, auto, auto theta, auto f) {
                                   f[0] = (g + v_max * omega * cos(theta)) / l * sin(x[0]);
                               })
            .with_names({"q"})
            .with_phase_start({phase_start})
            .with_fast_velocity(
                [*this](std::span<const double> x, double, std::span<const double> theta, std::span<double> w) {
                    w[0] = v_max * std::sin(theta[0]) / l * std::sin(x[0]);
                });
    }

    /// (2.2) in q and p* / (m l^2) = q' - v sin q / l, the generalised momentum of appendix A.
    Problem in_momentum(double omega, double phase_start = 0) const {
        return first_order_system(2, {{.frequency = omega, .start = phase_start}},
                                  [*this](auto y, auto, auto theta, auto rate) {
                                      const auto v = v_max / l * sin(theta[0]);
                                      rate[0] = y[1] + v * sin(y[0]);
                                      rate[1] = g / l * sin(y[0]) - rate[0] * v * cos(y[0]);
                                  })
            .with_names({"q", "p"});
    }

    /// (2.5), (2.6).
    double averaged_force(double Q) const { return (g / l - v_max * v_max / (2 * l * l) * std::cos(Q)) * std::sin(Q); }
    Problem averaged() const {
        return plain_system(1,
                            [*this](auto x, auto, auto, auto f) {
                                f[0] = (g / l - v_max * v_max / (2 * l * l) * cos(x[0])) * sin(x[0]);
                            })
            .with_names({"q"});
    }
    /// The energy that (2.5) conserves.
    double averaged_energy(double Q, double P) const {
        return P * P / 2 + g / l * std::cos(Q) + v_max * v_max / (4 * l * l) * std::sin(Q) * std::sin(Q);
    }

    /// The averaged motion from Q at rest, far more accurate than anything compared with it.
    Solution averaged_reference(double t_end = 1, double Q = 0.5) const {
        return plain_run(averaged(), {.start = {Q},
                                      .t_end = t_end,
                                      .method = "direct",
                                      .options = {.macro = "verlet8", .macro_step = 1.0 / 1600}});
    }
};

/// In words.
inline std::string pendulum_parameters() {
    return "l = 0.2, g = 9.8, v_max = 4";
}

/// The largest difference in position between a run and a reference, over the ends of the run's macro-steps.
inline double largest_error(const Solution& run, const Solution& reference) {
    double error = 0;
    for (const auto& step : run.trajectory().steps()) {
        const double difference = std::abs(run.slow(step.to()).position[0] - reference.slow(step.to()).position[0]);
        if (std::isnan(difference)) {
            return difference;  // std::max would hide it
        }
        error = std::max(error, difference);
    }
    return run.outcome() == Outcome::completed ? error : std::nan("");
}

}  // namespace lento::papers
