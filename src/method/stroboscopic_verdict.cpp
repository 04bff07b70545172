#include "method/stroboscopic_verdict.hpp"

#include <fmt/format.h>

#include "problem/time_scales.hpp"

namespace lento {

Verdict stroboscopic_verdict(const Problem& problem, double evaluations) {
    if (!problem.phases.empty() && !common_period(problem)) {
        return {false,
                "the phases have no common period of less than 64 turns of the slowest: there is no one-period map"};
    }
    const bool declared = !problem.phases.empty() || problem.period;
    if (problem.springs && !declared) {
        return {false, "stiff springs have no common period"};
    }
    if (problem.constraints && !declared) {
        return {false, "no fast phase is declared, nor a period"};
    }
    if (!declared) {
        return {true, "where the motion returns near its start again and again: the period is then found"};
    }
    const char* why = problem.phases.empty()
                          ? "a fast period is declared: steps stride over many of them at once"
                          : "a fast phase is declared: steps stride over many of its periods at once";
    // NOTE: the map over a period of a motion that finds a limit cycle is far from the identity in the directions in which it does.
    if (problem.springs || (problem.constraints && problem.phases.empty()) || finds_limit_cycle(problem)) {
        return {true, why};
    }
    constexpr double beside_windows = 3;  // where forces have a phase, windows are cheaper
    return {true, why, problem.second_order && !problem.phases.empty() ? beside_windows * evaluations : evaluations};
}

Solution follow_recovered(StroboscopicRun& strobe, Recovery recovery, std::span<const int> orders) {
    Run& run = strobe.run();
    const auto& options = run.options();
    const bool fixed = options.macro_step || options.steps;
    const int order = options.difference_order ? static_cast<int>(*options.difference_order)
                      : fixed                  ? 2
                                               : strobe.fitting_order(recovery, orders);
    run.note("difference_order", fmt::format("{}", order));
    return strobe.follow_field(MapField(recovery, order));
}

}  // namespace lento
