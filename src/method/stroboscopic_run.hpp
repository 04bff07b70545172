/// What the methods on one-period maps share: the period, the micro-steps, what they rely on, the march and its report.
///
/// The slow motion Y(t) coincides with the true one at the times t_0 + k T (stroboscopic (20), (22)): it starts from
/// the true state as it is.
#pragma once

#include "average/map_field.hpp"
#include "average/period_map.hpp"
#include "judge/sudden.hpp"
#include "lento/run/run.hpp"
#include "march/estimating.hpp"
#include "march/map_march.hpp"
#include "problem/ground.hpp"

namespace lento {

class StroboscopicRun : public MethodRun {
public:
    /// What a declared period is taken for, where neither a phase nor an exact part has it.
    enum class Declared { period, guess };
    explicit StroboscopicRun(Run& run, Declared declared = Declared::period);

    /// False: what the method relies on does not hold; `not_started` says so.
    bool ready() const { return run_->goes_on(); }
    Solution not_started() { return run_->not_started(); }

    /// Y' = F(Y)/T with any solver (stroboscopic, section 3.2).
    Solution follow_field(const MapField& field);
    /// Steps over whole revolutions (section 4.2); where the tolerance chooses them, march by march until an estimate
    /// is within it.
    Solution follow_map();

    /// The order of differences whose error at the start is within the tolerance.
    int fitting_order(Recovery recovery, std::span<const int> orders);

private:
    std::size_t d() const { return problem().unknowns(); }
    bool known_period() const { return period_.has_value(); }
    double revolutions() const { return revolutions_of(map_->period()); }
    double revolutions_of(double period) const { return run_->length() / period; }
    /// z = (y, t)
    std::vector<double> start() const;

    void count();
    void find_period();
    /// How large components become over the time T, by a coarse look; positions count for no less than a share of the
    /// largest.
    std::vector<double> sizes_within(double T, double share);
    bool has_exact_period() const;
    /// The time after which the motion comes back, near the one that was declared.
    std::optional<double> return_near(double declared, const std::vector<double>& scales);
    void take_declared();
    bool turns_along_orbit(double declared, double returned) const;
    void tell_of_return(double declared, double returned, std::string_view consequence);
    void require_slow_time();
    void choose_micro_steps();
    void judge_map();
    void judge_period(In change);

    /// The largest of what `difference` is over the tolerance, in any component of z.
    double over_tolerance(In difference, In z) const;
    double tolerance_of(std::size_t i, In z) const;
    MapField::Settle onto_constraints() const;
    /// D at z, put on the constraints first; watches the micro-steps on the way.
    void change(In z, Out result);
    /// Puts y on the constraints and multipliers behind it: those of the true motion at the phases of the start, and
    /// their mean over a period. None without constraints.
    Settling completion() const;
    void watch_micro_steps(In z);
    /// Where `auto` has chosen this method, `direct` does it where that is cheaper.
    void set_budget();
    void watch_price();
    bool too_dear() const { return static_cast<double>(flow_->evaluations()) > budget_; }
    /// The error of D with the steps a period that there are, by doubling them once.
    double micro_error(In z, std::vector<double>& change);

    Marched march_half_explicit(const MacroChoice& macro, const FirstOrderRate& rate, std::vector<double> y);
    SampleSink sink();
    MapMarchSettings settings(int order, std::optional<std::size_t> periods) const;
    MapMarch march_map(const MapMarchSettings& settings, bool adams, Recorder& recorder, std::vector<double>& z);
    Solution estimated();
    EstimatingMarch::Estimated marches(const EstimatingMarch& estimating);
    Pass pass(const EstimatingMarch& estimating, double tightness);
    /// A look at the true motion: from the stroboscopic point z near it.
    struct Strobe {
        std::size_t sample;
        double look;
        std::vector<double> z;
    };
    void choose_looks(const EstimatingMarch& estimating);
    void note_strobes(const DenseStep& dense);
    /// The true motion at those times, each with three more in the period after it; and what the way to them from the
    /// slow one is wrong by.
    void look_at_motion(Pass& pass);
    std::vector<double> errors(const EstimatingMarch& estimating, const Pass& coarse, const Pass& fine) const;
    Solution finished(Marched marched, double steepest, double limit, const std::string& remedy);
    /// The true motion from the slow one.
    struct Motion {
        std::shared_ptr<MicroFlow> flow;
        std::shared_ptr<PeriodMap> map;
        std::shared_ptr<Ground> ground;
        Interval interval;
        double first_period, last_period;
        std::vector<double> tolerances;  // of z

        /// z at a stroboscopic time, from Y(t) a fraction of a revolution away.
        std::vector<double> strobe(std::vector<double> y, double t, std::optional<double> revolutions) const;
    };
    Motion motion() const;
    Reconstruction reconstruction() const;

    static constexpr double first_tightness = 0.03;  // the share of the tolerance for steps of the second march
    static constexpr double looser = 10;             // the march before

    Declared declared_;
    std::optional<double> period_;  // known beforehand
    std::optional<double> guess_;   // declared, but not the one that is followed
    double first_period_ = 0;       // as the run starts
    double last_period_ = 0;        // as it ends
    std::string micro_;
    std::shared_ptr<MicroFlow> flow_;
    std::shared_ptr<PeriodMap> map_;
    std::shared_ptr<Ground> ground_;
    std::vector<double> scales_;  // how large the components become within a period
    bool micro_steps_given_ = false;
    double next_look_ = 0;  // at the micro-steps, a time
    bool estimates_ = false;
    double budget_ = HUGE_VAL, price_ = HUGE_VAL;  // evaluations
    double tightness_ = 1;                         // the share of the tolerance that steps may take
    double map_error_ = 0;                         // over the run, in tolerances, that no micro-steps make smaller
    std::size_t chosen_ = 0;                       // micro-steps a period, at the start of a march
    std::size_t fewest_ = 0;                       // of them: more than in the march before
    int passes_ = 0;
    Suddenness sudden_, sharp_;
    std::vector<Strobe> strobes_;
    std::vector<double> unsure_;        // of the way from the slow motion to the true one, in the last march
    std::optional<std::int64_t> last_;  // evaluations of the last march
};

/// Puts y on the constraints, where there are any; what cannot be put there is no number.
void settle(const std::shared_ptr<Ground>& ground, double t, Out y);

/// `evaluations` is what a run takes where the period is declared, whatever its length.
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
