/// How a harmonic average starts: how many phases and sweeps it needs, and the slow state of the true one.
#pragma once

#include "average/harmonic.hpp"
#include "average/phase_field.hpp"
#include "base/number.hpp"
#include "judge/break_even.hpp"
#include "lento/base/outcome.hpp"
#include "lento/run/request.hpp"

namespace lento {

/// What phases and sweeps leave out, over the tolerance.
struct Defect {
    double force = 0;     ///< of the averaged force, times the length of the run
    double response = 0;  ///< of the response

    void include(const Defect& other) {
        force = larger(force, other.force);
        response = larger(response, other.response);
    }
    double worst() const { return larger(force, response); }
};

struct HarmonicPlan {
    std::size_t phases = 0;
    int sweeps = 0;
    std::vector<double> state{};   ///< slow: (X, V), or Y
    std::vector<double> beyond{};  ///< what more phases would add to the response at the start
    std::vector<double> scales{};  ///< how large its components are, or may be expected to become
    std::vector<double> series{};  ///< (F, harmonics of a) in slow time
    double ratio = 0;              ///< by which a sweep changes the averaged force less than the one before
    Defect defect{};
    double noise = 0;  ///< of the averaged force by rounding, as its defect
    SlowPace pace{};
    bool finite = true;
    bool stopped = false;    ///< on request, before it was done
    bool affordable = true;  ///< it was found out within the evaluations allowed
};

/// (Delta, W) at a phase, or Delta alone.
std::vector<double> at_phase(const HarmonicAverage& average, const Response& response, double phi);

class HarmonicStart {
public:
    HarmonicStart(PhaseField& field, const Request& request);

    /// With the phases and sweeps given, or as many as the tolerance needs; after so many evaluations it is given up,
    /// and where the request says stop.
    HarmonicPlan plan(std::optional<std::size_t> phases, std::optional<std::size_t> sweeps, std::int64_t budget);

    /// How large the unknowns become, when a march has shown it.
    void know_scales(In scales, HarmonicPlan& plan);

    /// What more phases would change.
    Defect by_phases(const HarmonicSpot& spot, const HarmonicPlan& plan);
    /// What one more sweep would change, at most: as much as the last term of the response did.
    Defect by_sweeps(const HarmonicSpot& spot, const HarmonicPlan& plan);

    /// Whether the request says stop. Who watches the progress is told of it here, for programs that stop only then.
    bool stopped() const;

    /// Whether a and its first derivatives are finite at the start, at all of so many phases.
    bool finite_force(std::size_t phases) const;

    /// The next number of phases, or about twice as many.
    static std::size_t more_phases(std::size_t phases, bool many);
    /// As many as the fastest of several phases needs, which turns so often in the common period.
    static double fewest_for(double turns) { return std::max(static_cast<double>(fewest_phases), 2 * turns + 1); }

    /// Changes of that many times the noise of rounding are more than noise.
    static constexpr double clear_of_noise = 5;
    static constexpr int most_sweeps = 8;
    static constexpr std::size_t fewest_phases = 5;
    static constexpr std::size_t most_phases = 129;       ///< that it goes up to by itself
    static constexpr std::size_t most_by_request = 4096;  ///< or by several phases; work grows with the square

private:
    std::size_t n() const { return field_->dimension(); }
    In X(In state) const { return state.first(n()); }
    In V(In state) const { return state.subspan(n()); }
    std::vector<double> start() const;
    bool converts() const { return request_->options.initial.value_or("true-state") != "averaged"; }
    /// One more sweep, and the state that goes with the response.
    void sweep(HarmonicAverage& average, HarmonicPlan& plan) const;
    void convert(const HarmonicAverage& average, HarmonicPlan& plan) const;
    /// About twice as many phases, and not a multiple: one sweep from what the fewer have found, and another with what
    /// that changes.
    struct MorePhases {
        HarmonicAverage average;
        Response change{};
        std::vector<double> force{};
    };
    MorePhases more_phases_at(const HarmonicSpot& spot, std::size_t phases);
    HarmonicAverage with_phases(HarmonicPlan& plan, bool given, std::int64_t budget);
    void with_sweeps(HarmonicAverage& average, HarmonicPlan& plan, std::int64_t budget);
    void with_given_sweeps(HarmonicAverage& average, HarmonicPlan& plan, int sweeps) const;
    void measure(const HarmonicAverage& average, HarmonicPlan& plan);
    void weigh(std::size_t i, const HarmonicPlan& plan);
    void take_series(const HarmonicAverage& average, HarmonicPlan& plan) const;
    bool finite(const HarmonicAverage& average, const HarmonicPlan& plan) const;
    bool affordable(std::size_t evaluations, std::int64_t budget, HarmonicPlan& plan) const;
    std::vector<double> changes(const HarmonicAverage& average) const;
    double change(In a, In b) const;
    double over_tolerance(In a, In b, const HarmonicPlan& plan) const;
    /// Of a response, at any phase.
    double over_tolerance(const Response& response, const HarmonicPlan& plan) const;
    double tolerance(std::size_t i, const HarmonicPlan& plan) const { return tolerance_.of(i, plan.scales[i]); }
    /// Of the velocity that F_i changes, or of the variable.
    double driven_tolerance(std::size_t i, const HarmonicPlan& plan) const {
        return tolerance(field_->second_order() ? n() + i : i, plan);
    }

    PhaseField* field_;
    const Request* request_;
    Tolerance tolerance_;
    std::vector<double> weights_;  // of changes of F
};

struct NoConvergence {
    Outcome outcome;
    std::string sentence, advice;
};
/// Why sweeps do not lead to a response; none where they do.
std::optional<NoConvergence> no_convergence(const HarmonicPlan& plan);

}  // namespace lento
