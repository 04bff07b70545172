#include "method/windows_verdict.hpp"

namespace lento {

Verdict windows_verdict(const Problem& problem, ForConstraints constraints, double evaluations) {
    const bool bound = constraints == ForConstraints::yes;
    if (problem.constraints && !bound) {
        return {false, "the system has rigid constraints"};
    }
    if (!problem.constraints && bound) {
        return {false, "the system has no rigid constraints"};
    }
    if (!problem.second_order) {
        return {false, "it is for systems with coordinates; this one has variables"};
    }
    if (problem.phases.empty() && (bound || !problem.period)) {
        return {false, bound ? "no fast phase is declared" : "no fast phase is declared, nor a period"};
    }
    if (problem.springs) {
        return {true, "a fast phase or period is declared; stiff springs count as any other force"};
    }
    // NOTE: without a phase, windows from rest leave out what the energy of the oscillation does; maps do not.
    constexpr double without_phase = 2.5;
    return problem.phases.empty()
               ? Verdict{true, "the period of a fast oscillation is declared", without_phase * evaluations}
               : Verdict{true, "a fast phase is declared: its vibration is averaged in windows", evaluations};
}

}  // namespace lento
