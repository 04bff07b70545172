/// The stroboscopic averaging method (stroboscopic, section 3). The slow motion Y' = F(Y) through the points y(t_0 + k
/// T) of the true one is integrated by any solver; F is recovered from the one-period map Psi by differences,
///
///     F(Y) = (Psi(Y) - Psi^-1(Y)) / (2 T) + O(eps^2)                                        (25), of order 4 (26)
///
/// each window starting at the phase of t_0.
#include "lento/base/misuse.hpp"
#include "method/stroboscopic_run.hpp"

namespace lento {
namespace {

constexpr auto options = recovery_options(Method::Option{"difference", "central"});

Solution solve(Run& run) {
    StroboscopicRun strobe(run);
    const auto difference = run.options().difference.value_or("central");
    require_one_of("difference", difference, {"central", "forward", "backward"});
    if (!strobe.ready()) {
        return strobe.not_started();
    }
    run.note("difference", difference);
    return follow_recovered(strobe,
                            difference == "central"   ? Recovery::central
                            : difference == "forward" ? Recovery::forward
                                                      : Recovery::backward,
                            std::array{2, 4, 6, 8});
}

}  // namespace

constinit const Method method::sam{
    .name = "sam",
    .problems = "vibrated, periodic, with or without constraints",
    .paper = "stroboscopic",
    .slow_is = SlowMeaning::stroboscopic,
    .summary =
        "averages by differences of the map over one period; the slow motion meets the "
        "true one once a period; any solver for it",
    .options = options,
    .judge = [](const Problem& problem, const Request&) { return stroboscopic_verdict(problem, 2e4); },
    .solve = solve};

}  // namespace lento
