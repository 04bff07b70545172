/// What the start of a slow motion of stiff springs tells: whether what was taken out to get there is small beside it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "lento/average/stiff_motion.hpp"
#include "lento/method/hypotheses.hpp"
#include "lento/method/request.hpp"
#include "lento/method/slow_size.hpp"

namespace lento {

/// Springs that have no direction at the start.
std::optional<Violation> vanishing_spring(const StiffMotion& motion, const SpringSpectrum& spectrum);

/// A fast oscillation that is not small against the motion: |x - start| >= 0.3 L.
std::optional<Violation> far_start(const Request& request, std::span<const double> x, const SlowSize& size);

/// The share of the slow motion's energy that fast oscillations may have without doing much to it.
inline constexpr double much_energy = 0.01;

/// A sentence about the energy that was taken out, if it is much.
std::optional<std::string> fast_start(const StiffMotion& motion, const Request& request, std::span<const double> x,
                                      std::span<const double> v, std::span<const double> acceleration,
                                      const SlowSize& size);

/// The force evaluations with which every oscillation would be resolved for that long, about.
double evaluations_to_resolve(const SpringSpectrum& spectrum, double length);

}  // namespace lento
