/// Windows that start from rest at a phase of symmetry, for hmm-async and the methods on constraints.
#pragma once

#include "method/averaged_run.hpp"

namespace lento {

/// Algorithm 2 of vibrated, on whatever kind of motion the run has: half windows where the force is even, the
/// one-period filter where it works.
Solution average_from_rest(Run& run, std::unique_ptr<Motion> motion);

/// What methods with such windows take; `macro` and `micro` are the defaults of the options of these names.
constexpr auto rest_window_options(std::string_view macro, std::string_view micro) {
    using Option = Method::Option;
    return std::array{
        Option{"macro", macro},
        Option{"macro_step", "adaptive"},
        Option{"steps", "adaptive"},
        Option{"micro", micro},
        Option{"micro_step", "from micro_steps_per_period"},
        Option{"micro_steps_per_period", "doubled until the averaged force settles"},
        Option{"filter", "period where the force is even about some phase, else cos8 (flat8 for variables)"},
        Option{"window", "from window_periods"},
        Option{"window_periods", "exponential 40, cubic 6, cosP P/2 + 8, period 1"},
        Option{"initial", "true-state"},
        Option{"mean_force", "refuse"},
        Option{"parity", "detect, unless the system declares it"},
        Option{"estimate", "yes"}};
}
/// The default of `micro` on constraints.
inline constexpr std::string_view micro_on_constraints =
    "shake with micro_step or micro_steps_per_period, else rattle6; lobatto where forces depend on the velocity";

}  // namespace lento
