/// How a run ended. Every run ends in one of these; nothing fails silently.
#pragma once

#include <string_view>

namespace [[gnu::visibility("default")]] lento {

enum class Outcome {
    completed,            ///< reached t_end, within the tolerance by its own estimate where there is one
    tolerance_missed,     ///< reached t_end, with an estimate of the error above the tolerance
    interrupted,          ///< stopped by the user; what there is, is valid
    diverged,             ///< a value became infinite or not a number
    unstable,             ///< a fast oscillation grows from step to step
    not_converged,        ///< an iteration or a step-size control stalled
    no_scale_separation,  ///< the fast motion is not fast against the slow one
    off_constraints,      ///< the state left the constraint manifold
    refused,              ///< the method's hypotheses do not hold
    budget_exhausted      ///< more steps than allowed
};

/// The name used in `summary.json`.
std::string_view name_of(Outcome outcome);

}  // namespace lento
