/// The leapfrog macro-steps of the method reversible: their options, and a run by them. By name
///
///     leapfrog          (3.11), of second order whatever the fast phases
///     leapfrog-tangent  (3.9): (3.11) with xi_k replaced by its tangent at x_1
///     leapfrog-field    (2.7): the leapfrog of the field F of (2.6)
#pragma once

#include "lento/run/macro.hpp"
#include "lento/run/run.hpp"
#include "march/leapfrog.hpp"

namespace lento {

const std::vector<std::string>& leapfrogs();
bool is_leapfrog(const std::string& macro);
/// Misuse where options of leapfrogs are given to another macro-solver, or do not fit each other.
void require_leapfrog_options(const Options& options, const std::string& macro);

class SlowLeapfrog {
public:
    /// `macro` is one of the names, with its step.
    SlowLeapfrog(Run& run, const MacroChoice& macro);

    double step() const { return plan_.interval.length() / static_cast<double>(plan_.steps); }
    Marched from(SlowField& field, In x);

private:
    LeapfrogResult march(SlowField& field, In x, Recorder& recorder);
    void report(const LeapfrogResult& result);
    void judge_bridges(LeapfrogResult& result);

    Run* run_;
    LeapfrogPlan plan_;
    std::string reconstruction_, smoothing_;
};

}  // namespace lento
