/// What SHAKE-SHAKE and RATTLE-SHAKE share (vibrated, sections 4.2 and 4.3). The averaged motion keeps the constraints of the fast one,
///
///     M X'' = F(X) - g'(X, t)^T Lambda,     g(X, t) = 0                       (4.4), (4.5)
///
/// and F is the mean of the active plus the constraint force along a window that starts at X, at rest, at phase zero, and stays on the
/// manifold itself. Then one macro-step by SHAKE or RATTLE, which have the same positions; by a composition, by Lobatto IIIA-IIIB, or
/// by a half-explicit Dormand-Prince with its own steps. Multipliers have Lento's sign, the opposite of the paper's. Two are given: Lambda, and
/// Lambda plus the mean of those in the window, which is the mean of the true one.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "lento/run/method.hpp"
#include "method/constrained_motion.hpp"
#include "method/rest_window.hpp"

namespace lento {

/// `macro` is the default of the option of that name.
constexpr auto options_on_constraints(std::string_view macro) {
    using Option = Method::Option;
    return std::array{Option{"macro", macro},
                      Option{"macro_step", "adaptive"},
                      Option{"steps", "adaptive"},
                      Option{"micro",
                             "shake with micro_step or micro_steps_per_period, else rattle6; lobatto where forces "
                             "depend on the velocity"},
                      Option{"micro_step", "from micro_steps_per_period"},
                      Option{"micro_steps_per_period", "doubled until the averaged force settles"},
                      Option{"filter", "period where the force is even about some phase, else cos8"},
                      Option{"window", "from window_periods"},
                      Option{"window_periods", "exponential 40, cubic 6, cosP P/2 + 8, period 1"},
                      Option{"initial", "true-state"},
                      Option{"mean_force", "refuse"},
                      Option{"parity", "detect, unless the system declares it"}};
}

/// With large steps by the stepper of that name, unless the user names another.
inline Solution average_on_constraints(Run& run, std::string macro) {
    AveragedRun averaged(run, std::make_unique<ConstrainedMotion>(run.problem(), std::move(macro)));
    return average_from_rest(averaged);
}

}  // namespace lento
