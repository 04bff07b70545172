/// The slow motion of stiff springs without micro-steps: multipliers lambda = k g are expanded in powers of omega^-2 from the condition that
/// no derivative along the motion is of the size of omega (`average/multiplier_expansion.hpp`). What is left is not stiff,
///
///     M q'' = F(q, q', t) - g'(q, t)^T lambda^n(q, q', t),        error O(omega^(-2n-2))
///
///     (1) take the true start to the slow manifold: g = K^-1 lambda, g' v + g_t = K^-1 lambda'   (`average/slow_manifold.hpp`)
///     (2) march, with one sweep more than the tolerance needs and loosely
///     (3) march with as many as it needs, finely; what both differ by is the estimate of the error
///
/// The tolerance is that of the solution, not of a step: a run that misses it is repeated.
#pragma once

#include "lento/average/stiff_motion.hpp"
#include "lento/method/options.hpp"
#include "lento/method/request.hpp"
#include "lento/method/slow_point.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

inline const MethodDescription bounded_derivative_description{
    .name = "bounded-derivative",
    .problems = "stiff springs",
    .paper = "",
    .slow_is = "slow manifold",
    .summary =
        "expands the force of the springs on the slow manifold in powers of one over the frequency, without "
        "micro-steps; any solver for the slow motion, with an estimate of the error",
    .options = {{"macro", "stoermer-cowell; rk4 with macro_step or steps; dopri5, arkode-8, cvode-adams, ..."},
                {"macro_step", "adaptive"},
                {"steps", "adaptive"},
                {"sweeps", "as the tolerance needs, 0 to 3"}}};

/// With `direct`, runs that `auto` has chosen this for go there where the springs are not fast enough for it to pay.
Solution bounded_derivative(const StiffMotion& motion, const Request& request, const DirectRun& direct = {});

/// The start on the slow manifold, by the expansion.
SlowPoint expanded_point(const StiffMotion& motion, const Request& request);

}  // namespace lento
