/// Multirevolution methods (stroboscopic, section 4.2): steps over N periods with a few evaluations of the one-period map, no rate recovered
/// from it and so no error of differences. Adams methods choose N and their order (`march/map_march.hpp`); Runge-Kutta methods take N as
/// given, of order 4 they are (32).
#pragma once

#include "lento/method/stroboscopic_run.hpp"

namespace lento {

inline const MethodDescription multirevolution_description{
    .name = "multirevolution",
    .problems = "vibrated, periodic, with or without constraints",
    .paper = "stroboscopic",
    .slow_is = "stroboscopic",
    .summary =
        "strides over many periods at once with maps over single ones; the cheapest where the map is near the identity",
    .options = {{"macro", "adams; or rk2, rk3, rk4 with periods_per_step or steps"},
                {"periods_per_step", "adaptive"},
                {"steps", "adaptive"},
                {"micro", "dopri8; aba104 where an exact part is declared"},
                {"micro_step", "from micro_steps_per_period"},
                {"micro_steps_per_period", "as the tolerance needs"}}};

Solution multirevolution(SharedMotion motion, const Request& request, StartReport start = {});

}  // namespace lento
