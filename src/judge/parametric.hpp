/// Whether a vibration may excite the motion itself at half its frequency, which no averaged force can show: where the
/// derivative of the fast displacement by the position is above `largest_parametric_strength`
/// (`average/fast_part.hpp`).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lento/judge/outset.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

/// A sentence where it may, or where that is too dear to find out; `resolving` is the method to trust then.
std::optional<std::string> parametric_resonance(const Problem& problem, const Outset& outset,
                                                std::string_view resolving);

}  // namespace lento
