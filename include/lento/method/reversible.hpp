/// The reversible multiscale method (reversible, sections 2 and 3): systems x' = f(x)/eps + g(x) through their slow variables xi(x).
///
///     (1) follow x(t) for a short time forward and backward from x_n
///     (2) average the rates of the slow variables with a kernel                               (2.11)
///     (3) step to x_{n+1} so that the slow variables change as their averaged rates say       (3.11), (2.6)
///
/// The leapfrog step is reversible in x itself (`march/leapfrog.hpp`). Any other solver is applied to x' = F(x), F the shortest field that is
/// consistent with the averaged rates (`average/slow_field.hpp`): Euler's method is (2.6).
///
/// The slow variables are right to O(eps); the fast phase of x is of no meaning.
#pragma once

#include "lento/method/options.hpp"
#include "lento/method/request.hpp"
#include "lento/method/slow_check.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

inline const MethodDescription reversible_description{
    .name = "reversible",
    .problems = "declared slow variables",
    .paper = "reversible",
    .slow_is = "slow variables",
    .summary =
        "averages the rates of slow variables over short windows; a leapfrog macro-step in the original variables that "
        "can be run "
        "backward to its start",
    .options = {
        {"macro", "leapfrog with macro_step or steps, else dopri5; leapfrog1, naive, euler, midpoint, rk4, ..."},
        {"macro_step", "adaptive"},
        {"steps", "adaptive"},
        {"reconstruction", "symmetric"},
        {"micro", "dopri8; rk4, verlet"},
        {"micro_step", "from micro_steps_per_period"},
        {"micro_steps_per_period", "as the tolerance needs"},
        {"filter", "cos8"},
        {"window", "from window_periods"},
        {"window_periods", "as the tolerance needs, from P/2 + 2 for cosP, 40 for exponential and gentle"}}};

/// With `faster`, slow variables are judged by their rates in a faster motion too.
Solution reversible(SharedSlow problem, const Request& request, const FasterMotion& faster = {});

/// The judgement alone, as the run would make it.
SlowReport judged_slow_variables(const SlowProblem& problem, const Request& request, const FasterMotion& faster = {});

}  // namespace lento
