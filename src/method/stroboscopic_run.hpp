/// What the methods on one-period maps share: the period, the micro-steps, what they rely on, the march and its report.
///
/// The slow motion Y(t) coincides with the true one at the times t_0 + k T (stroboscopic (20), (22)): it starts from
/// the true state as it is.
#pragma once

#include "average/map_field.hpp"
#include "average/period_map.hpp"
#include "lento/run/run.hpp"
#include "problem/ground.hpp"

namespace lento {

class StroboscopicRun : public MethodRun {
public:
    explicit StroboscopicRun(Run& run);

    /// False: what the method relies on does not hold; `not_started` says so.
    bool ready() const { return run_->goes_on(); }
    Solution not_started() { return run_->not_started(); }

    /// Y' = F(Y)/T with any solver (stroboscopic, section 3.2).
    Solution follow_field(const MapField& field);
    /// Steps over whole revolutions (section 4.2).
    Solution follow_map();

    /// The order of differences whose error at the start is within the tolerance.
    int fitting_order(Recovery recovery, std::span<const int> orders);

private:
    std::size_t d() const { return problem().unknowns(); }
    bool known_period() const { return period_.has_value(); }
    double revolutions() const { return run_->length() / map_->period(); }
    /// z = (y, t)
    std::vector<double> start() const;

    void count();
    void find_period();
    void require_slow_time();
    void choose_micro_steps();
    void judge_map();
    void judge_period(In change);

    /// The largest of what `difference` is over the tolerance, in any component of z.
    double over_tolerance(In difference, In z) const;
    double tolerance_of(std::size_t i, In z) const;
    /// D at z, put on the constraints first; watches the micro-steps on the way.
    void change(In z, Out result);
    /// Puts y on the constraints and multipliers behind it: those of the true motion at the phases of the start, and
    /// their mean over a period. None without constraints.
    Settling completion() const;
    void watch_micro_steps(In z);
    /// The error of D with the steps a period that there are, by doubling them once.
    double micro_error(In z, std::vector<double>& change);

    Marched march_half_explicit(const MacroChoice& macro, const FirstOrderRate& rate, std::vector<double> y);
    SampleSink sink();
    Solution finished(Marched marched, double steepest, double limit, const std::string& remedy);
    Reconstruction reconstruction() const;

    std::optional<double> period_;  // known beforehand
    std::string micro_;
    std::shared_ptr<MicroFlow> flow_;
    std::shared_ptr<PeriodMap> map_;
    std::shared_ptr<Ground> ground_;
    std::vector<double> scales_;  // how large the components become within a period
    bool micro_steps_given_ = false;
    double next_look_ = 0;  // at the micro-steps, a time
};

/// Puts y on the constraints, where there are any; what cannot be put there is no number.
void settle(const std::shared_ptr<Ground>& ground, double t, Out y);

/// `evaluations` is what a run takes where the period is declared.
Verdict stroboscopic_verdict(const Problem& problem, double evaluations);

/// What methods that recover a field take; `own` are options of one of them alone.
template <class... Own>
constexpr auto recovery_options(Own... own) {
    using Option = Method::Option;
    return std::array{Option{"macro", "rk4 (herk3 with constraints) with macro_step or steps, else dopri5"},
                      Option{"macro_step", "adaptive"},
                      Option{"steps", "adaptive"},
                      own...,
                      Option{"difference_order", "as the tolerance needs, 2 with macro_step or steps"},
                      Option{"micro", "dopri8; aba104 where an exact part is declared"},
                      Option{"micro_step", "from micro_steps_per_period"},
                      Option{"micro_steps_per_period", "as the tolerance needs"},
                      Option{"estimate", "yes"}};
}

/// Follows the field that is recovered with differences of the order asked for, else of one that the tolerance needs.
Solution follow_recovered(StroboscopicRun& run, Recovery recovery, std::span<const int> orders);

}  // namespace lento
