/// Kirchgraber's method (stroboscopic, section 3.2): F from nested one-period maps Psi, forward in time alone:
///
///     F(Y) = (Psi(Z) - Z) / T + O(eps^2),     Z = Y - (Psi(Y) - Y) / 2                       (29)
#include "method/stroboscopic_run.hpp"

namespace lento {
namespace {

constexpr auto options = recovery_options();

Solution solve(Run& run) {
    StroboscopicRun strobe(run);
    return strobe.ready() ? follow_recovered(strobe, Recovery::nested, std::array{2, 3, 4}) : strobe.not_started();
}

}  // namespace

constinit const Method method::lips{
    .name = "lips",
    .problems = "vibrated, periodic, with or without constraints",
    .paper = "stroboscopic",
    .slow_is = SlowMeaning::stroboscopic,
    .summary =
        "Kirchgraber's method: recovers the averaged rate by nested maps over one "
        "period, forward alone; otherwise by any solver, as for differences of maps",
    .options = options,
    .judge = [](const Problem& problem, const Request&) { return stroboscopic_verdict(problem, 3e4); },
    .solve = solve};

}  // namespace lento
