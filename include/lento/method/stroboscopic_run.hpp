/// What the methods on one-period maps share: the period, the micro-steps, what they rely on, the march and its report.
///
/// The slow motion Y(t) coincides with the true one at the times t_0 + k T (stroboscopic (20), (22)): it starts from the true state as it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lento/average/map_field.hpp"
#include "lento/average/period_map.hpp"
#include "lento/average/periodic_motion.hpp"
#include "lento/method/hypotheses.hpp"
#include "lento/method/macro.hpp"
#include "lento/method/options.hpp"
#include "lento/method/request.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

using SharedMotion = std::shared_ptr<const PeriodicMotion>;

class StroboscopicRun {
public:
    StroboscopicRun(SharedMotion motion, const Request& request, const MethodDescription& method, StartReport start);

    /// False: what the method relies on does not hold; `not_started` says so.
    bool ready() const { return !violation_; }
    Solution not_started();

    const Request& request() const { return request_; }
    PeriodMap& map() { return *map_; }

    /// Y' = F(Y)/T with any solver (stroboscopic, section 3.2).
    Solution follow_field(const MapField& field);
    /// Steps over whole revolutions (section 4.2).
    Solution follow_map();

    /// The order of differences whose error at the start is within the tolerance.
    int fitting_order(Recovery recovery, std::span<const int> orders);
    void note_option(std::string name, std::string value) {
        record_.options.push_back({std::move(name), std::move(value)});
    }

private:
    std::size_t d() const { return motion_->unknowns(); }
    bool known_period() const { return motion_->period().has_value(); }
    double revolutions() const { return (request_.t_end - request_.t_start) / map_->period(); }
    std::vector<double> start() const;

    void refuse(Outcome outcome, std::string sentence);
    void find_period();
    void require_slow_time();
    void choose_micro_steps();
    void judge_map();
    void judge_period(std::span<const double> change);

    /// The largest of what `difference` is over the tolerance, in any component of z.
    double over_tolerance(std::span<const double> difference, std::span<const double> z) const;
    double tolerance_of(std::size_t i, std::span<const double> z) const;
    /// D at z, put on the constraints first; watches the micro-steps on the way.
    void change(std::span<const double> z, std::span<double> result);
    void settle(double t, std::span<double> y);
    /// y on the constraints, with multipliers behind it: those of the true motion at the phases of the start, and their mean over a period.
    void complete(double t, std::vector<double>& y);
    void watch_micro_steps(std::span<const double> z);
    /// The error of D with the steps a period that there are, by doubling them once.
    double micro_error(std::span<const double> z, std::vector<double>& change);

    Marched march_half_explicit(const MacroChoice& macro, const FirstOrderRate& rate, std::vector<double> y);
    SampleSink sink();
    Solution finished(Outcome outcome, std::string explanation, Trajectory trajectory, Snapshot final_state);
    Solution finished(Marched marched, double steepest, double limit, const std::string& remedy);
    Reconstruction reconstruction() const;

    std::chrono::steady_clock::time_point began_;
    SharedMotion motion_;
    Request request_;
    RunRecord record_;
    std::optional<Violation> violation_;
    std::string micro_;
    std::shared_ptr<MicroFlow> flow_;
    std::shared_ptr<PeriodMap> map_;
    std::shared_ptr<Ground> ground_;
    std::vector<double> scales_;  // how large the components become within a period
    bool micro_steps_given_ = false;
    double next_look_ = 0;  // at the micro-steps, a time
    bool has_slow_ = true;
};

}  // namespace lento
