/// The slow motion of stiff springs as the expansion of their multipliers has it, and why it cannot be followed.
#pragma once

#include "average/multiplier_expansion.hpp"
#include "average/slow_manifold.hpp"
#include "judge/fast_energy.hpp"
#include "judge/slow_size.hpp"
#include "lento/judge/violation.hpp"
#include "lento/run/macro.hpp"
#include "march/estimating.hpp"
#include "problem/spring_spectrum.hpp"

namespace lento {

class ExpandedMotion {
public:
    /// NOTE: keeps pointers to both. Throws Misuse for systems and options that the expansion does not take.
    ExpandedMotion(const Problem& problem, const Request& request);

    /// NOTE: one more is taken to see what a run leaves out.
    static constexpr int most_sweeps = MultiplierExpansion::most_sweeps - 1;

    /// Why the motion cannot start.
    const std::optional<Violation>& violation() const { return violation_; }

    const SpringSpectrum& spectrum() const { return spectrum_; }
    const MultiplierExpansion& expansion() const { return *expansion_; }
    const SlowManifold& manifold() const { return *manifold_; }
    /// Of the slow motion at its start.
    const SlowSize& size() const { return size_; }

    /// The slow state y = (x, v) nearest to the true start; the expansion is left there.
    std::vector<double> nearest(int sweeps);
    /// The one that the true motion oscillates about: with the momentum along the springs' level sets that it has.
    std::vector<double> start(int sweeps);

    /// From here on fast oscillations about the start act on the motion, as `judge/fast_energy.hpp` has it.
    void push_by(const FastEnergy& fast, const Outset& outset);
    const std::optional<FastEnergy>& fast_energy() const { return fast_energy_; }

    /// What each of the sweeps that are possible adds to the acceleration at the slow start.
    std::vector<double> corrections(In y);

    /// NaN where there is no acceleration, and then `failure` says why.
    AveragedAcceleration acceleration(int sweeps);
    /// Of the last evaluation.
    const std::optional<Violation>& failure() const { return failure_; }
    /// The largest contribution of the last sweep to the acceleration: what one sweep less leaves out.
    double last_correction() const { return last_correction_; }
    /// Of the acceleration, and what they took of the slow force.
    std::int64_t evaluations() const { return evaluations_; }
    std::int64_t force_evaluations() const { return expansion_ ? expansion_->evaluations() : 0; }

private:
    /// Moves y onto the slow manifold, or finds a violation.
    void settle(int sweeps, Out y);
    std::optional<Violation> hypothesis();
    std::optional<Violation> no_contraction(double t) const;
    /// Whether that is so at the true start.
    bool slow_springs();

    const Problem* problem_;
    const Request* request_;
    SpringSpectrum spectrum_;
    std::optional<Violation> violation_, failure_;
    std::optional<MultiplierExpansion> expansion_;
    std::optional<SlowManifold> manifold_;
    std::optional<FastEnergy> fast_energy_;
    std::vector<double> turn_by_oscillation_;
    SlowSize size_;
    double last_correction_ = 0;
    std::int64_t evaluations_ = 0;
};

/// By which solver slow motions are followed whose error is estimated (`march/estimating.hpp`): one of those given, or
/// stoermer-cowell, which is the usual one.
MacroChoice slow_march_choice(const Request& request, MacroSolvers solvers);

/// Along x'' = a(t, x, v) from y = (x, v). Local errors are held to `tightness` times the tolerance asked for; fixed
/// steps are `longer` times as long.
Pass slow_pass(const EstimatingMarch& estimating, const MacroChoice& choice, const Request& request,
               const AveragedAcceleration& acceleration, std::vector<double> y, double tightness, int longer);

}  // namespace lento
