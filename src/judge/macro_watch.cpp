#include "judge/macro_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/number.hpp"

namespace lento {
namespace {

double largest_difference(std::span<const double> a, std::span<const double> b) {
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference = std::max(difference, std::abs(a[i] - b[i]));
    }
    return difference;
}

}  // namespace

MacroWatch::MacroWatch(AveragedAcceleration force, Ground ground, std::optional<double> macro_step,
                       std::function<void(std::span<const double>)> first_value)
    : force_(std::move(force)),
      ground_(std::move(ground)),
      macro_step_(macro_step),
      first_value_(std::move(first_value)) {}

void MacroWatch::operator()(double t, std::span<const double> x, std::span<const double> v, std::span<double> result) {
    force_(t, x, v, result);
    along_.assign(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(x.size()));
    ground_.along(t, x, along_);
    const std::span<const double> a = along_;
    for (const double component : a) {
        largest_force_ = std::max(largest_force_, std::abs(component));
    }
    if (last_x_.empty()) {
        first_value_(a);
    } else if (macro_step_) {
        const double distance = largest_difference(x, last_x_);
        const double square = *macro_step_ * *macro_step_;
        // NOTE: short moves, as near turning points, tell more of noise than of the slope; long ones of neither.
        if (distance > 0.1 * longest_) {
            steepest_ = std::max(steepest_, largest_difference(a, last_a_) / distance * square);
        }
        if (distance > longest_ && distance > 2 * farthest_) {
            steepest_ = std::max(steepest_, slope_at_last_point(t, x, v) * square);
        }
        longest_ = std::max(longest_, distance);
    }
    for (const double component : x) {
        farthest_ = std::max(farthest_, std::abs(component));
    }
    last_x_.assign(x.begin(), x.end());
    last_a_.assign(a.begin(), a.end());
}

double MacroWatch::slope_at_last_point(double t, std::span<const double> target, std::span<const double> v) {
    const double distance = largest_difference(target, last_x_);
    const double share = 1e-3 * farthest_ / distance;
    std::vector<double> near = last_x_;
    for (std::size_t i = 0; i < near.size(); ++i) {
        near[i] += share * (target[i] - near[i]);
    }
    ground_.settle(t, near);
    std::vector<double> there(near.size());
    force_(t, near, v, there);
    ground_.along(t, near, there);
    const double moved = largest_difference(near, last_x_);
    return moved > 0 ? largest_difference(there, last_a_) / moved : 0.0;
}

double phase_noise(const AveragedAcceleration& force, double t, double fast_period, double length,
                   std::span<const double> x, std::span<const double> v) {
    std::vector<double> here(x.begin(), x.end());
    std::vector<double> ahead = here;
    for (std::size_t i = 0; i < x.size(); ++i) {
        ahead[i] += 0.05 * length * v[i] + 0.1 * (0.1 + std::abs(x[i]));
    }
    std::vector<double> first(x.size());
    std::vector<double> other(x.size());
    double change = 0;
    double size = 0;
    for (const auto& place : {here, ahead}) {
        force(t, place, v, first);
        for (const double share : {1.0 / 3, 2.0 / 3}) {
            force(t + share * fast_period, place, v, other);
            for (std::size_t i = 0; i < x.size(); ++i) {
                change = larger(change, std::abs(other[i] - first[i]));
                size = larger(size, std::abs(first[i]));
            }
        }
    }
    return change / size;
}

}  // namespace lento
