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
#include <array>

#include "method/rest_window.hpp"
#include "method/windows_verdict.hpp"

namespace lento {
namespace {

constexpr std::array options{Method::Option{"macro", "verlet with macro_step or steps, else dopri5"},
                             Method::Option{"macro_step", "adaptive"},
                             Method::Option{"steps", "adaptive"},
                             Method::Option{"micro", "dopri5; verlet8 for a declared period without a phase"},
                             Method::Option{"micro_step", "from micro_steps_per_period"},
                             Method::Option{"micro_steps_per_period", "doubled until the averaged force settles"},
                             Method::Option{"filter", "period where the force is even about some phase, else cos8"},
                             Method::Option{"window", "from window_periods"},
                             Method::Option{"window_periods", "exponential 40, cubic 6, cosP P/2 + 8, period 1"},
                             Method::Option{"initial", "true-state"},
                             Method::Option{"mean_force", "refuse"},
                             Method::Option{"parity", "detect, unless the system declares it"}};

Verdict judge(const Problem& problem, const Request&) {
    constexpr double evaluations = 2e4;
    return windows_verdict(problem, ForConstraints::no, evaluations);
}

Solution solve(Run& run) {
    AveragedRun averaged(run);
    return average_from_rest(averaged);
}

}  // namespace

constinit const Method method::hmm_async{
    .name = "hmm-async",
    .problems = "vibrated",
    .paper = "vibrated",
    .slow_is = SlowMeaning::averaged,
    .summary = "windows from rest at phase zero, averaged by a kernel or over exactly one period; then large steps",
    .options = options,
    .judge = judge,
    .solve = solve};

}  // namespace lento
