/// Whether methods on one-period maps are for a problem, and at what price; and the recovery of a slow field from such maps.
#pragma once

#include <array>
#include <span>

#include "average/map_field.hpp"
#include "lento/run/method.hpp"
#include "method/stroboscopic_run.hpp"

namespace lento {

/// `evaluations` is what a run takes where the period is declared.
Verdict stroboscopic_verdict(const Problem& problem, double evaluations);

/// Follows the field that is recovered with differences of the order asked for, else of one that the tolerance needs.
Solution follow_recovered(StroboscopicRun& run, Recovery recovery, std::span<const int> orders);

}  // namespace lento
