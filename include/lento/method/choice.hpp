/// Which methods are for which problems, and the one that `auto` stands for.
#pragma once

#include <string>
#include <vector>

#include "lento/base/jet.hpp"
#include "lento/base/outcome.hpp"
#include "lento/problem/time_scales.hpp"

namespace lento {

/// What decides which methods apply.
struct ProblemClass {
    bool first_order = false;     ///< variables with rates instead of coordinates with forces
    bool phases = false;          ///< fast phases are declared
    bool period = false;          ///< a fast period is declared, without a phase
    bool common_period = false;   ///< the phases have a common one, or one is declared
    bool stiff_springs = false;   ///< springs that are not soft
    bool elongations = false;     ///< all of these are given by elongations
    bool constraints = false;     ///< rigid constraints
    bool slow_variables = false;  ///< slow variables are declared, or were found
    bool exact_part = false;      ///< a part of the rates is solved exactly
    bool series = true;           ///< forces and constraints take truncated series
    double oscillations = 0;      ///< of the fastest spring over the run; 0 if nothing is known
};

template <class System>
ProblemClass problem_class(const System& system) {
    ProblemClass problem;
    problem.first_order = !requires {
        system.mass();
    };
    problem.phases = !system.phases().empty();
    problem.period = system.period().has_value();
    problem.common_period = (problem.phases || problem.period) && time_scales(system).common_period.has_value();
    problem.exact_part = requires {
        system.exact();
    };
    if constexpr (requires { System::template accepts<Taylor>; }) {
        problem.series = System::template accepts<Taylor>;
    }
    return problem;
}

struct Applicability {
    std::string method;
    bool applies = false;
    std::string why;  ///< or why not
};

/// Every method, in the order of `lento methods`.
std::vector<Applicability> applicability(const ProblemClass& problem);

struct MethodChoice {
    std::string method, why;
    std::string otherwise{};  ///< what is left where the method refuses

    /// What to try, one after the other, where the method has ended so; nothing where that is the answer.
    std::vector<std::string> instead(Outcome outcome) const;
};

/// The method that `auto` stands for; with an empty name, and the reason, if none applies.
MethodChoice automatic_choice(const ProblemClass& problem);

}  // namespace lento
