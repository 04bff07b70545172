/// Whether methods of windows are for a problem, and at what price.
#pragma once

#include "lento/run/method.hpp"

namespace lento {

enum class ForConstraints { no, yes };

/// `evaluations` is what a run takes where a phase is declared.
Verdict windows_verdict(const Problem& problem, ForConstraints constraints, double evaluations);

}  // namespace lento
