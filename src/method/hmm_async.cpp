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
///
/// Variables, y' = r(y, t, theta), are not at rest anywhere (appendix A). Windows start about a phase c at which the
/// rates are even, where Delta(Y, c) = 0, and the mean over one period centred there,
///
///     F(Y) = (y(c + pi) - y(c - pi)) omega / (2 pi),     y(c) = Y
///
/// is right to O(1/omega^2) for rates of size one. Where there is no such phase, or a kernel is asked for, windows
/// start at the true state Y + Delta(Y, c).
#include "method/rest_window.hpp"

namespace lento {
namespace {

constexpr auto options = rest_window_options("verlet, for variables rk4, with macro_step or steps, else dopri5",
                                             "dopri5; verlet8 for a declared period without a phase");

}  // namespace

constinit const Method method::hmm_async{
    .name = "hmm-async",
    .problems = "vibrated",
    .paper = "vibrated",
    .slow_is = SlowMeaning::averaged,
    .summary =
        "windows from rest, or the true state of variables, at phase zero, averaged by a kernel or over exactly one "
        "period; then large steps",
    .options = options,
    .judge = [](const Problem& problem, const Request&) { return windows_verdict(problem, ForConstraints::no, 2e4); },
    .solve = [](Run& run) { return average_from_rest(run, free_motion(run.problem())); }};

}  // namespace lento
