#include "lento/method/choice.hpp"

namespace lento {

std::vector<Applicability> applicability(const ProblemClass& problem) {
    const auto averaging = [&](const char* method, bool for_constraints) -> Applicability {
        if (problem.constraints && !for_constraints) {
            return {method, false, "the system has rigid constraints"};
        }
        if (!problem.constraints && for_constraints) {
            return {method, false, "the system has no rigid constraints"};
        }
        if (problem.first_order) {
            return {method, false, "it is for systems with coordinates; this one has variables"};
        }
        if (!problem.phases && (for_constraints || !problem.period)) {
            return {method, false,
                    for_constraints ? "no fast phase is declared" : "no fast phase is declared, nor a period"};
        }
        return {method, true,
                problem.phases ? "a fast phase is declared" : "the period of a fast oscillation is declared"};
    };
    return {averaging("hmm-sync", false),
            averaging("hmm-async", false),
            averaging("shake-shake", true),
            averaging("rattle-shake", true),
            {"direct", true, "it resolves every vibration, whatever the system"}};
}

MethodChoice automatic_choice(const ProblemClass& problem) {
    if (problem.stiff_springs) {
        return {"direct", "no averaging method for stiff springs is there yet; every vibration is resolved"};
    }
    if (problem.constraints && problem.phases) {
        return {"rattle-shake", "a fast phase is declared: its vibration is averaged on the constraints"};
    }
    if (problem.constraints) {
        return {"direct", "no fast phase is declared: there is nothing to average on the constraints"};
    }
    if (!problem.first_order && problem.phases) {
        return {"hmm-async", "a fast phase is declared: its vibration is averaged"};
    }
    if (!problem.first_order && problem.period) {
        return {"direct",
                "a fast period is declared without a phase; hmm-async would average it, but leaves out what the energy "
                "of the "
                "oscillation does to the slow motion"};
    }
    if (problem.first_order && (problem.phases || problem.period)) {
        return {"direct", "no averaging method for first-order systems is there yet; every vibration is resolved"};
    }
    return {"direct", "no fast phase and no period is declared: there is nothing to average"};
}

}  // namespace lento
