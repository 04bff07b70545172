/// The stroboscopic averaging method (stroboscopic, section 3). The slow motion Y' = F(Y) through the points y(t_0 + k T) of the true one is
/// integrated by any solver; F is recovered from the one-period map Psi by differences,
///
///     F(Y) = (Psi(Y) - Psi^-1(Y)) / (2 T) + O(eps^2)                                        (25), of order 4 (26)
///
/// each window starting at the phase of t_0. And Kirchgraber's method, which recovers F by nested evaluations of Psi forward in time alone:
///
///     F(Y) = (Psi(Z) - Z) / T + O(eps^2),     Z = Y - (Psi(Y) - Y) / 2                       (29)
#pragma once

#include "lento/method/stroboscopic_run.hpp"

namespace lento {

inline const MethodDescription sam_description{
    .name = "sam",
    .problems = "vibrated, periodic, with or without constraints",
    .paper = "stroboscopic",
    .slow_is = "stroboscopic",
    .summary =
        "averages by differences of the map over one period; the slow motion meets the true one once a period; any "
        "solver for it",
    .options = {{"macro", "rk4 (herk3 with constraints) with macro_step or steps, else dopri5"},
                {"macro_step", "adaptive"},
                {"steps", "adaptive"},
                {"difference", "central"},
                {"difference_order", "as the tolerance needs, 2 with macro_step or steps"},
                {"micro", "dopri8; aba104 where an exact part is declared"},
                {"micro_step", "from micro_steps_per_period"},
                {"micro_steps_per_period", "as the tolerance needs"}}};

inline const MethodDescription lips_description{
    .name = "lips",
    .problems = "vibrated, periodic, with or without constraints",
    .paper = "stroboscopic",
    .slow_is = "stroboscopic",
    .summary =
        "Kirchgraber's method: recovers the averaged rate by nested maps over one period, forward alone; else as sam",
    .options = {{"macro", "rk4 (herk3 with constraints) with macro_step or steps, else dopri5"},
                {"macro_step", "adaptive"},
                {"steps", "adaptive"},
                {"difference_order", "as the tolerance needs, 2 with macro_step or steps"},
                {"micro", "dopri8; aba104 where an exact part is declared"},
                {"micro_step", "from micro_steps_per_period"},
                {"micro_steps_per_period", "as the tolerance needs"}}};

Solution sam(SharedMotion motion, const Request& request, StartReport start = {});
Solution lips(SharedMotion motion, const Request& request, StartReport start = {});

}  // namespace lento
