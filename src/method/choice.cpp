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
        if (problem.stiff_springs) {
            return {"harmonic", false, "stiff springs have no declared phase"};
        }
        if (!problem.phases && !(problem.period && problem.exact_part)) {
            return {"harmonic", false,
                    problem.period ? "a period is declared, but no phase, nor a part that is solved exactly"
                                   : "no fast phase is declared"};
        }
        if (!problem.series) {
            return {"harmonic", false, "the force takes double alone, not truncated series"};
        }
        return {"harmonic", problem.common_period,
                !problem.common_period ? "the phases have no common period"
                : problem.phases       ? "a fast phase is declared"
                                       : "the part that is solved exactly has a declared period"};
    };
    const auto expanding = [&]() -> Applicability {
        auto entry = projecting("bounded-derivative");
        if (entry.applies && problem.constraints) {
            return {"bounded-derivative", false, "the system has rigid constraints"};
        }
        if (entry.applies && !problem.elongations) {
            return {"bounded-derivative", false, "a spring is given by its potential, not by an elongation"};
        }
        return entry;
    };
    return {averaging("hmm-sync", false),
            averaging("hmm-async", false),
            averaging("shake-shake", true),
            averaging("rattle-shake", true),
            projecting("hmm-stiff"),
            projecting("ipa"),
            expanding(),
            mapping("sam"),
            mapping("lips"),
            mapping("multirevolution"),
            slowly(),
            harmonically(),
            {"direct", true, "it resolves every vibration, whatever the system"}};
}

std::vector<std::string> MethodChoice::instead(Outcome outcome) const {
    if (method == "direct") {
        return {};
    }
    if (outcome == Outcome::diverged && method == "harmonic") {
        return {"direct"};  // the force may be finite where its series are not
    }
    if (outcome != Outcome::no_scale_separation && outcome != Outcome::refused) {
        return {};
    }
    if (otherwise.empty()) {
        return {"direct"};
    }
    // NOTE: windows that start at rest need more separation than a harmonic average does.
    const bool windows = otherwise == "hmm-async" || otherwise == "rattle-shake";
    return windows && outcome == Outcome::no_scale_separation ? std::vector<std::string>{"direct", otherwise}
                                                              : std::vector<std::string>{otherwise, "direct"};
}

MethodChoice automatic_choice(const ProblemClass& problem) {
    const bool harmonic = problem.common_period && problem.series && (problem.phases || problem.exact_part);
    if (problem.stiff_springs && problem.phases) {
        return {"direct",
                "stiff springs beside a fast phase: no averaging method takes both; every vibration is resolved"};
    }
    if (problem.stiff_springs && problem.constraints) {
        return {"direct",
                "stiff springs beside constraints: ipa and hmm-stiff would make springs of the constraints too; every "
                "oscillation is resolved"};
    }
    if (problem.stiff_springs && problem.elongations) {
        return {"bounded-derivative",
                "stiff springs are declared by their elongations: the slow manifold is followed by its expansion",
                "ipa"};
    }
    constexpr double few = 5000;  // 40 evaluations each are as many as the projections of a short run take
    if (problem.stiff_springs && problem.oscillations > 0 && problem.oscillations < few) {
        return {"direct", "stiff springs are declared, but oscillate so few times that resolving them is cheaper"};
    }
    if (problem.stiff_springs) {
        return {"ipa",
                "stiff springs are declared: their fast oscillation is taken out, the slow manifold is followed"};
    }
    if (problem.constraints && problem.phases) {
        return harmonic ? MethodChoice{"harmonic",
                                       "a fast phase is declared: the response to it is found on the constraints",
                                       "rattle-shake"}
                        : MethodChoice{"rattle-shake",
                                       "a fast phase is declared: its vibration is averaged on the constraints"};
    }
    if (problem.constraints) {
        return {"direct", "no fast phase is declared: there is nothing to average on the constraints"};
    }
    if (!problem.first_order && problem.phases) {
        return harmonic ? MethodChoice{"harmonic", "a fast phase is declared: the response to it is found directly",
                                       "hmm-async"}
                        : MethodChoice{"hmm-async", "a fast phase is declared: its vibration is averaged"};
    }
    if (harmonic) {
        return {"harmonic",
                problem.phases ? "a fast phase is declared: the response to it is found directly"
                               : "the exactly solved part has a declared period: the response to it is found directly",
                "multirevolution"};
    }
    if (problem.phases || problem.period) {
        return {"multirevolution", problem.phases
                                       ? "a fast phase is declared: steps stride over many of its periods at once"
                                       : "a fast period is declared: steps stride over many of them at once"};
    }
    return {"direct", "no fast phase and no period is declared: there is nothing to average"};
}

}  // namespace lento
