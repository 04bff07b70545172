/// The iterated projection algorithm (slow-manifold) put to work. Slow solutions of stiff springs lie on the slow manifold; P projects onto
/// it (`average/projection.hpp`).
///
///     each    y' = phi(P y), so that only the slow manifold is seen. A Runge-Kutta step has stages Z^i = P(z_n + H sum_j a_ij phi(Z^j)) and
///             ends at z_{n+1} = P z_n + H sum_i b_i phi(Z^i)                                  (38)
///             phi takes the acceleration filtered in the last window of P. The iterations of P begin where springs are as long as they
///             were at the last point (`average/slow_guess.hpp`), so that the cost does not grow with the stiffness.
///     start   the stiff system itself is integrated from P(q_0, p_0)                          (section 6.3)
///     times   and is projected again on the way                                               (section 6.4)
#pragma once

#include "lento/average/stiff_motion.hpp"
#include "lento/method/request.hpp"
#include "lento/method/stiff_scales.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

inline const MethodDescription ipa_description{
    .name = "ipa",
    .problems = "stiff springs, constraints",
    .paper = "slow-manifold",
    .slow_is = "slow manifold",
    .summary =
        "projects onto the slow manifold by filtering again and again, before each evaluation of the force; any "
        "solver for the slow motion",
    .options = {
        {"macro", "rk4 with macro_step or steps, else dopri5; with project = each no verlet, no implicit-midpoint"},
        {"macro_step", "adaptive"},
        {"steps", "adaptive"},
        {"micro", "verlet"},
        {"micro_step", "from micro_steps_per_period"},
        {"micro_steps_per_period", "6, more where springs move faster together"},
        {"filter", "cubic"},
        {"window", "from window_periods"},
        {"window_periods", "6, more where springs move slower together"},
        {"project", "each; or start, times"},
        {"project_times", "none"},
        {"projection_tolerance", "follows the frequency"},
        {"guess", "elongations; or none, as in the paper"}}};

inline const WindowDefaults ipa_window{
    .filters = {"cubic"}, .periods = 6, .steps_per_period = 6, .least_periods = 3.6, .least_steps = 3.5};

Solution ipa(const StiffMotion& motion, const Request& request);

}  // namespace lento
