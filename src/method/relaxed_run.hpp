/// Constraints through springs, "DAEs without algebraic equations" (slow-manifold, section 6.5): each constraint
/// becomes a stiff spring, and a method for springs does the rest. Multipliers are those of the constraints.
#pragma once

#include "lento/run/run.hpp"

namespace lento {

/// The springs that stand for the constraints in a run, and their frequency.
struct RelaxedProblem {
    Problem problem;
    double frequency = 0;
};
/// The slow motion of the springs is (omega T)^-2 off that of the constraints, T the slow time, with a factor of some
/// hundreds; what rounding leaves in windows grows as omega T 1e-16. The first is kept to a hundredth of the tolerance,
/// as far as the second allows.
RelaxedProblem relaxed_for(const Problem& problem, const Request& request);

/// By the method `follow` on springs: those of the problem, or those that stand for its constraints.
Solution solve_on_springs(Run& run, Solution (*follow)(Run& run));

/// Whether methods for springs are for a problem, which may have constraints to be relaxed.
Verdict springs_verdict(const Problem& problem, double evaluations);

}  // namespace lento
