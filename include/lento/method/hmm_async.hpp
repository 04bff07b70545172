/// Asynchronous HMM (vibrated, Algorithm 2). The averaged force at X is found from a window that starts at X, at rest,
/// at phase zero:
///
///     x(0) = X,  v(0) = 0,  theta(0) = 0                    (2.14)
///     F(X) = sum_k w_k a(x_k, V + v_k, t, theta_k)          (2.15), (2.16)
///
/// It needs no relation between fast and slow velocities, F does not depend on the phase, and where it depends on X
/// alone the macro-step inherits the symmetry of the macro-stepper. A force that depends on the velocity sees the slow
/// velocity plus the window's own. Explicit slow time stays at t while the phase restarts. Where the force is even
/// about a phase the window starts there, and half of it is enough; then, and only then, the one-period filter works
/// (section 2.4).
#pragma once

#include <span>
#include <vector>

#include "lento/method/averaged_run.hpp"
#include "lento/method/rest_window.hpp"

namespace lento {

inline const MethodDescription hmm_async_description{
    .name = "hmm-async",
    .problems = "vibrated",
    .paper = "vibrated",
    .slow_is = "averaged",
    .summary = "windows from rest at phase zero, averaged by a kernel or over exactly one period; then large steps",
    .options = {{"macro", "verlet with macro_step or steps, else dopri5"},
                {"macro_step", "adaptive"},
                {"steps", "adaptive"},
                {"micro", "dopri5; verlet8 for a declared period without a phase"},
                {"micro_step", "from micro_steps_per_period"},
                {"micro_steps_per_period", "doubled until the averaged force settles"},
                {"filter", "period where the force is even about some phase, else cos8"},
                {"window", "from window_periods"},
                {"window_periods", "exponential 40, cubic 6, cosP P/2 + 8, period 1"},
                {"initial", "true-state"},
                {"mean_force", "refuse"},
                {"parity", "detect, unless the system declares it"}}};

template <class System>
Solution hmm_async(const System& system, const Request& request) {
    AveragedRun<System> run(system, request, hmm_async_description);
    return average_from_rest(run);
}

}  // namespace lento
