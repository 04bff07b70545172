/// What a run cost.
#pragma once

#include <cstdint>

namespace [[gnu::visibility("default")]] lento {

struct Statistics {
    std::int64_t macro_steps = 0;           ///< accepted steps of the slow-scale solver
    std::int64_t rejected_steps = 0;        ///< steps of it that were tried again with a smaller step
    std::int64_t micro_steps = 0;           ///< steps of the fast-scale stepper, all windows together
    std::int64_t force_evaluations = 0;     ///< calls of the full right-hand side, one phase and one state each
    std::int64_t estimate_evaluations = 0;  ///< more of them, for the estimate of the error alone
    std::int64_t slow_evaluations = 0;      ///< of the right-hand side of the slow motion, where a method counts them
    std::int64_t newton_iterations = 0;
    std::int64_t projections = 0;            ///< onto the slow manifold
    std::int64_t projection_iterations = 0;  ///< windows that they took
    double projection_residual = 0;          ///< the largest change in a last iteration, over its tolerance
    std::int64_t bridges = 0;                ///< macro-steps that had to be integrated directly
    double wall_seconds = 0;

    /// With those for the estimate.
    double all_evaluations() const { return static_cast<double>(force_evaluations + estimate_evaluations); }
};

}  // namespace lento
