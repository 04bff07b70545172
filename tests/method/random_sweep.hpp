/// Random vibrated systems (`papers/random_vibrated.hpp`) by harmonic averages, against Boost.odeint in long double,
/// which nobody here wrote.
#pragma once

#include <algorithm>
#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "lento/lento.hpp"
#include "papers/random_vibrated.hpp"

namespace lento {

/// How one run ended.
struct SweepRun {
    std::uint64_t seed = 0;
    double omega = 0, rtol = 0;
    bool averaged = false;   ///< with success, by harmonic averages
    std::string why{};       ///< where not
    double by_estimate = 0;  ///< the largest error over its estimate, and over its tolerance
    double by_tolerance = 0;
    std::int64_t evaluations = 0;
};

/// The larger one; what is not a number is worst (std::max would hide it).
inline double worse(double a, double b) {
    return std::isnan(a) || std::isnan(b) ? HUGE_VAL : std::max(a, b);
}

class RandomSweep {
public:
    /// Runs last until t = 2, or for so many periods.
    RandomSweep(std::uint64_t seed, double most_periods)
        : seed_(seed),
          random_(seed),
          t_end_(std::min(2.0, most_periods * 2 * std::numbers::pi / random_.omega)),
          truth_(resolved()) {}

    SweepRun run(double rtol) const {
        const Request request{
            .start = random_.start, .velocity = random_.velocity, .t_end = t_end_, .rtol = rtol, .atol = rtol / 100};
        const auto run = solve(random_.system(), request);
        SweepRun result{.seed = seed_,
                        .omega = random_.omega,
                        .rtol = rtol,
                        .averaged = run.outcome() == Outcome::completed && run.record().method == "harmonic",
                        .evaluations = static_cast<std::int64_t>(run.statistics().all_evaluations())};
        if (!result.averaged) {
            result.why = run.outcome() != Outcome::completed ? run.explanation()
                         : run.record().tried.empty()        ? automatic_choice(random_.system(), request).why
                                                             : run.record().tried[0].why;
            return result;
        }
        const std::size_t n = random_.dimension;
        std::vector<double> error(2 * n, 0.0);
        std::vector<double> size(2 * n, 0.0);
        for (std::size_t k = 0; k < truth_.size(); ++k) {
            const auto found = run.fast(time(k));
            for (std::size_t i = 0; i < 2 * n; ++i) {
                const long double value = i < n ? found.position[i] : found.velocity[i - n];
                error[i] = worse(error[i], static_cast<double>(std::abs(value - truth_[k][i])));
                size[i] = std::max(size[i], static_cast<double>(std::abs(truth_[k][i])));
            }
        }
        for (std::size_t i = 0; i < 2 * n; ++i) {
            result.by_estimate = worse(result.by_estimate, error[i] / run.record().error_estimate[i]);
            result.by_tolerance = worse(result.by_tolerance, error[i] / (rtol / 100 + rtol * size[i]));
        }
        return result;
    }

private:
    using State = std::array<long double, 2 * papers::RandomVibrated::most>;
    static constexpr std::size_t intervals = 32;

    double time(std::size_t k) const { return k == intervals ? t_end_ : t_end_ * static_cast<double>(k) / intervals; }

    std::vector<State> resolved() const {
        const std::size_t n = random_.dimension;
        const auto rate = [&](const State& y, State& dy, long double t) {
            const std::span<const long double> all(y);
            const long double theta = static_cast<long double>(random_.omega) * t;
            dy = {};
            std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(n), n, dy.begin());
            random_.force(all.first(n), all.subspan(n, n), theta, std::span(dy).subspan(n, n));
        };
        State y{};
        std::copy(random_.start.begin(), random_.start.end(), y.begin());
        std::copy(random_.velocity.begin(), random_.velocity.end(), y.begin() + static_cast<std::ptrdiff_t>(n));
        std::vector<State> states{y};
        for (std::size_t k = 1; k <= intervals; ++k) {
            boost::numeric::odeint::bulirsch_stoer<State, long double> stepper(1e-14, 1e-14);
            boost::numeric::odeint::integrate_adaptive(stepper, rate, y, static_cast<long double>(time(k - 1)),
                                                       static_cast<long double>(time(k)),
                                                       0.3L / static_cast<long double>(random_.omega));
            states.push_back(y);
        }
        return states;
    }

    std::uint64_t seed_;
    papers::RandomVibrated random_;
    double t_end_;
    std::vector<State> truth_;
};

}  // namespace lento
