#include "judge/late_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/number.hpp"
#include "problem/acceleration.hpp"
#include "problem/time_scales.hpp"

namespace lento {

double rounding_of_times(const Outset& outset) {
    return std::numeric_limits<double>::epsilon() * std::max(std::abs(outset.t_start), std::abs(outset.t_end));
}

std::vector<double> rates_at_late_times(const Problem& problem, const Outset& outset) {
    constexpr double counts = 1e-3;  // of the tolerance
    constexpr int looks = 16;
    const auto period = fastest_period(problem);
    if (!period || rounding_of_times(outset) * 2 * std::numbers::pi / *period < counts * outset.rtol) {
        return {};
    }
    const std::size_t d = problem.dimension();
    std::vector<double> largest(problem.second_order ? 2 * d : d, 0.0), rate(d);
    for (int k = 0; k < looks; ++k) {
        const std::vector<double> theta(problem.phases.size(), 2 * std::numbers::pi * k / looks);
        if (problem.second_order) {
            rate = Acceleration(problem).at(outset.start, outset.velocity, outset.t_start, theta);
        } else {
            problem.forces.at(outset.start.data(), nullptr, outset.t_start, theta.data(), problem.parameters.data(),
                              rate.data());
        }
        for (std::size_t i = 0; i < d; ++i) {
            auto& of_this = largest[largest.size() - d + i];
            of_this = larger(of_this, std::abs(rate[i]));
        }
    }
    if (problem.second_order) {
        std::ranges::transform(outset.velocity, largest.begin(), [](double v) { return std::abs(v); });
    }
    return largest;
}

}  // namespace lento
