/// What the start of a slow motion of stiff springs tells: whether what was taken out to get there is small beside it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "judge/hypotheses.hpp"
#include "judge/slow_size.hpp"
#include "lento/problem/problem.hpp"
#include "problem/spring_spectrum.hpp"

namespace lento {

/// Springs that have no direction at the start.
std::optional<Violation> vanishing_spring(const Problem& problem, const SpringSpectrum& spectrum);

/// A fast oscillation that is not small against the motion: |x - start| >= 0.3 L.
std::optional<Violation> far_start(const Outset& outset, std::span<const double> x, const SlowSize& size);

/// The share of the slow motion's energy that fast oscillations may have without doing much to it.
inline constexpr double much_energy = 0.01;

/// A sentence about the energy that was taken out, if it is much.
std::optional<std::string> fast_start(const Problem& problem, const Outset& outset, std::span<const double> x,
                                      std::span<const double> v, std::span<const double> acceleration,
                                      const SlowSize& size);

}  // namespace lento
