/// The runs of the paper stiff: its windows, and errors against the true motion.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/number.hpp"
#include "lento/lento.hpp"
#include "two_springs.hpp"

namespace lento::papers {

/// The paper's window: 20 nominal periods, six Verlet steps each, the exponential kernel.
inline Request hmm_request(std::vector<double> start) {
    Request request{.start = std::move(start),
                    .velocity = {0.5, -0.5, -0.5, 0.5},
                    .t_end = 10,
                    .method = "hmm-stiff",
                    .rtol = 1e-3,
                    .atol = 1e-6};
    request.options.micro = "verlet";
    request.options.micro_steps_per_period = 6;
    request.options.filter = "exponential";
    request.options.window_periods = 20;
    request.options.project = "start";
    request.options.fast_energy = "none";
    return request;
}

inline Request with_ode45(Request request) {
    request.options.macro = "ode45";
    return request;
}

inline Request case_one(double omega2) {
    return hmm_request({1, 0, 2 + 1 / omega2, 0});
}

/// In words.
inline std::string stiff_window() {
    return "HMM: Verlet micro-steps h = (2 pi/omega)/6, window 2 eta = 20 (2 pi/omega) with omega of the hard spring, "
           "kernel exp(5/(xi^2 - 1)), projected "
           "start";
}
inline std::string default_ode45() {
    return "ode45 with rtol = 1e-3, atol = 1e-6";
}

/// Errors of a run against the true motion at the same times, given with those of other runs.
class Comparison {
public:
    explicit Comparison(TwoSprings springs) : springs_(springs) {}

    void add(const Request& request) {
        runs_.push_back(springs_.solve(request));
        const auto times = output_times(runs_.size() - 1);
        times_.insert(times_.end(), times.begin(), times.end());
    }
    const Solution& run(std::size_t n) const { return runs_[n]; }

    /// The largest error in positions and in velocities over the output times, for each run.
    std::vector<std::array<double, 2>> errors(const Request& request) {
        std::sort(times_.begin(), times_.end());
        times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
        const auto states = true_motion(springs_, request, times_, 1e-9);
        std::vector<std::array<double, 2>> result;
        for (std::size_t r = 0; r < runs_.size(); ++r) {
            const auto& run = runs_[r];
            std::array<double, 2> error{0, 0};
            for (const double t : output_times(r)) {
                const auto n = std::lower_bound(times_.begin(), times_.end(), t) - times_.begin();
                const std::span<const double> y = states[static_cast<std::size_t>(n)];
                const auto slow = run.slow(t);
                error[0] = larger(error[0], largest_component(slow.position, y.first(4)));
                error[1] = larger(error[1], largest_component(slow.velocity, y.last(4)));
            }
            result.push_back(error);
        }
        return result;
    }

private:
    /// The macro-step times; of ode45 every 0.25, as for the figures.
    std::vector<double> output_times(std::size_t r) const {
        if (!has_own_steps(runs_[r])) {
            return step_times(runs_[r]);
        }
        std::vector<double> times;
        for (int n = 0; n <= 40; ++n) {
            times.push_back(0.25 * n);
        }
        return times;
    }
    static bool has_own_steps(const Solution& run) {
        const auto& options = run.record().options;
        return std::none_of(options.begin(), options.end(), [](const auto& used) { return used.name == "macro_step"; });
    }

    TwoSprings springs_;
    std::vector<Solution> runs_;
    std::vector<double> times_;
};

}  // namespace lento::papers
