/// Section 5.1 of the paper stroboscopic: the perturbed Kepler motion over 0 <= tau <= (pi/8)/eps, eps = 2^-power, by
/// methods that are compared at its end.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "base/number.hpp"
#include "lento/lento.hpp"
#include "plain_run.hpp"
#include "stroboscopic_runs.hpp"

namespace lento::papers {

class KeplerRuns {
public:
    /// Errors are the largest of a component at the end.
    Measured averaged(int power, const std::string& method, const Options& options) {
        const auto run = plain_run(
            perturbed_kepler(eps(power)),
            {.start = kepler_start, .t_end = std::numbers::pi / 8 / eps(power), .method = method, .options = options});
        const std::size_t maps_at_end = method == "multirevolution" ? 1 : 2;
        return {counted_micro_steps(run, options.micro_steps_per_period.value_or(0), maps_at_end),
                run.outcome() == Outcome::completed ? largest_change(run.final_state().position, truth(power))
                                                    : std::nan("")};
    }
    /// Without an average, in n steps a period.
    Measured conventional(int power, const std::string& stepper, std::size_t n) {
        const auto steps = static_cast<std::int64_t>(n);
        const auto end = papers::conventional(perturbed_kepler(eps(power)), stepper, 2 * std::numbers::pi, steps,
                                              periods(power), 1, kepler_start);
        return {static_cast<double>(periods(power) * steps), largest_change(end[0], truth(power))};
    }

private:
    static double eps(int power) { return std::pow(2.0, -power); }
    static std::int64_t periods(int power) { return std::int64_t{1} << (power - 4); }

    /// In 64 steps of order 8 a period.
    const std::vector<double>& truth(int power) {
        auto& state = truths_[power];
        if (state.empty()) {
            state = papers::conventional(perturbed_kepler(eps(power)), "dopri8", 2 * std::numbers::pi, 64,
                                         periods(power), 1, kepler_start)[0];
        }
        return state;
    }

    std::map<int, std::vector<double>> truths_;
};

}  // namespace lento::papers
