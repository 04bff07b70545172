/// Masses that depend on position or time have to be positive definite wherever the motion goes. At the start this is a
/// condition; on the way accelerations are not numbers where it does not hold, so that no run goes on beyond: marches
/// shorten their steps, or end. Here is looked for whether that is why one has ended.
#pragma once

#include <optional>
#include <string>

#include "lento/judge/outset.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

/// Throws Misuse where they are not at (x, t), the start.
void require_definite_masses(const Problem& problem, In x, double t);

/// Where a march ended, and how far its next step may have looked ahead.
struct MarchEnd {
    double t = 0;
    In x, v;
    double ahead = 0;
};

/// What has become of the masses at the end of a march.
struct MassesAtEnd {
    bool lost = false;  ///< they vanish or cease to be positive definite there, or on the way ahead
    std::string sentence{};
};

/// None where they are no reason for the march to end. Looks at its end, along the motion from there, and on the
/// straight line ahead where that is too long to follow; `from` is the start, for comparison.
std::optional<MassesAtEnd> masses_at_end(const Problem& problem, const Outset& from, const MarchEnd& end);

}  // namespace lento
