/// Multirevolution methods (stroboscopic, section 4.2): steps over N periods with a few one-period maps; no rate is
/// recovered, so there is no error of differences. Adams methods choose N and their order (`march/map_march.hpp`);
/// Runge-Kutta methods take N as given, of order 4 they are (32).
#include "method/stroboscopic_run.hpp"

namespace lento {
namespace {

constexpr std::array options{Method::Option{"macro", "adams; or rk2, rk3, rk4 with periods_per_step or steps"},
                             Method::Option{"periods_per_step", "adaptive"},
                             Method::Option{"steps", "adaptive"},
                             Method::Option{"micro", "dopri8; aba104 where an exact part is declared"},
                             Method::Option{"micro_step", "from micro_steps_per_period"},
                             Method::Option{"micro_steps_per_period", "as the tolerance needs"},
                             Method::Option{"estimate", "yes"}};

/// What three marches take on motions that change little, with maps of some 300 evaluations; how much more on others
/// only the first march tells.
Verdict judge(const Problem& problem, const Request& request) {
    constexpr double evaluations = 1e6;  // at 1e-6
    return stroboscopic_verdict(problem, evaluations * std::pow(1e-6 / request.rtol, 0.15));
}

Solution solve(Run& run) {
    StroboscopicRun strobe(run, StroboscopicRun::Declared::guess);
    return strobe.ready() ? strobe.follow_map() : strobe.not_started();
}

}  // namespace

constinit const Method method::multirevolution{
    .name = "multirevolution",
    .problems = "vibrated, periodic, with or without constraints",
    .paper = "stroboscopic",
    .slow_is = SlowMeaning::stroboscopic,
    .estimate = Method::Estimate::own,
    .summary =
        "strides over many periods at once with maps over single ones; the cheapest where the map is near the identity",
    .options = options,
    .judge = judge,
    .solve = solve};

}  // namespace lento
