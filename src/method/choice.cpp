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
    const auto projecting = [&](const char* method) -> Applicability {
        if (problem.first_order || (!problem.stiff_springs && !problem.constraints)) {
            return {method, false, "the system has no stiff springs, nor constraints that could be relaxed to some"};
        }
        if (problem.phases) {
            return {method, false, "it is for springs without a fast phase; this system has one"};
        }
        return {method, true,
                problem.constraints ? "constraints can be relaxed to stiff springs" : "stiff springs are declared"};
    };
    const auto mapping = [&](const char* method) -> Applicability {
        if (problem.stiff_springs) {
            return {method, false, "stiff springs have no common period"};
        }
        if (problem.constraints && !problem.phases && !problem.period) {
            return {method, false, "no fast phase is declared, nor a period"};
        }
        return {method, true,
                problem.phases   ? "a fast phase is declared"
                : problem.period ? "the period of a fast oscillation is declared"
                                 : "where the motion returns near its start again and again: the period is then found"};
    };
    const auto slowly = [&]() -> Applicability {
        if (problem.constraints) {
            return {"reversible", false, "the system has rigid constraints"};
        }
        return {"reversible", problem.slow_variables,
                problem.slow_variables ? "slow variables are declared or were found"
                                       : "no slow variables are declared: [slow]"};
    };
    const auto harmonically = [&]() -> Applicability {
        if (problem.constraints || problem.stiff_springs) {
            return {"harmonic", false,
                    problem.constraints ? "the system has rigid constraints" : "stiff springs have no declared phase"};
        }
        return {"harmonic", problem.common_period,
                !problem.phases          ? "no fast phase is declared"
                : !problem.common_period ? "the phases have no common period"
                                         : "a fast phase is declared"};
    };
    return {averaging("hmm-sync", false),
            averaging("hmm-async", false),
            averaging("shake-shake", true),
            averaging("rattle-shake", true),
            projecting("hmm-stiff"),
            projecting("ipa"),
            mapping("sam"),
            mapping("lips"),
            mapping("multirevolution"),
            slowly(),
            harmonically(),
            {"direct", true, "it resolves every vibration, whatever the system"}};
}

MethodChoice automatic_choice(const ProblemClass& problem) {
    if (problem.stiff_springs && problem.phases) {
        return {"direct",
                "stiff springs beside a fast phase: no averaging method takes both; every vibration is resolved"};
    }
    constexpr double few = 5000;  // 40 evaluations each are as many as the projections of a short run take
    if (problem.stiff_springs && !problem.constraints && problem.oscillations > 0 && problem.oscillations < few) {
        return {"direct", "stiff springs are declared, but oscillate so few times that resolving them is cheaper"};
    }
    if (problem.stiff_springs && !problem.constraints) {
        return {"ipa",
                "stiff springs are declared: their fast oscillation is taken out, the slow manifold is followed"};
    }
    if (problem.constraints && problem.phases) {
        return {"rattle-shake", "a fast phase is declared: its vibration is averaged on the constraints"};
    }
    if (problem.constraints && problem.stiff_springs) {
        return {"direct",
                "stiff springs beside constraints: ipa and hmm-stiff would make springs of the constraints too; every "
                "oscillation is resolved"};
    }
    if (problem.constraints) {
        return {"direct", "no fast phase is declared: there is nothing to average on the constraints"};
    }
    if (!problem.first_order && problem.phases) {
        return {"hmm-async", "a fast phase is declared: its vibration is averaged"};
    }
    if (problem.phases || problem.period) {
        return {"multirevolution", problem.phases
                                       ? "a fast phase is declared: steps stride over many of its periods at once"
                                       : "a fast period is declared: steps stride over many of them at once"};
    }
    return {"direct", "no fast phase and no period is declared: there is nothing to average"};
}

}  // namespace lento
