/// The order of a method as it is measured: the slope of log(error) against log(step), by least squares.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace lento::papers {

inline double slope(std::span<const double> step, std::span<const double> error) {
    const auto n = static_cast<double>(step.size());
    double mean_x = 0;
    double mean_y = 0;
    for (std::size_t i = 0; i < step.size(); ++i) {
        mean_x += std::log(step[i]) / n;
        mean_y += std::log(error[i]) / n;
    }
    double above = 0;
    double below = 0;
    for (std::size_t i = 0; i < step.size(); ++i) {
        above += (std::log(step[i]) - mean_x) * (std::log(error[i]) - mean_y);
        below += (std::log(step[i]) - mean_x) * (std::log(step[i]) - mean_x);
    }
    return above / below;
}

}  // namespace lento::papers
