/// Slow right-hand sides, as marches take them.
#pragma once

#include <functional>
#include <span>

namespace [[gnu::visibility("default")]] lento {

/// Any average, as the acceleration of the slow motion. Behind the acceleration there may be room for more, which the
/// march keeps beside the motion: the mean multipliers of a constrained system.
using AveragedAcceleration =
    std::function<void(double t, std::span<const double> x, std::span<const double> v, std::span<double> a)>;

/// y' = rate(t, y).
using FirstOrderRate = std::function<void(double t, std::span<const double> y, std::span<double> rate)>;

}  // namespace lento
