/// The mean rate of slow variables over a short window around a point (reversible (2.3), (2.11)):
///
///     <xi'>(t) = int K(tau) d xi/dt (x(t + tau)) d tau,     d xi/dt = xi_x x' + xi_t + xi_theta theta'
///
/// The true motion is followed by micro-steps forward and backward from x; the rates at all of them are weighed by a
/// filter. Where the fast motion falls onto a limit cycle it cannot be followed backward: two windows then lie ahead,
/// after a stretch in which the motion settles, and the mean at the point is extrapolated from theirs. One indirect
/// call a window, none a micro-step.
#pragma once

#include "average/filter.hpp"
#include "average/micro_flow.hpp"
#include "lento/problem/problem.hpp"
#include "problem/partition.hpp"

namespace lento {

struct SlowWindow {
    double t = 0;
    double h = 0;      ///< of a micro-step
    double turns = 0;  ///< what h is in periods; phases follow it
    const FilterWeights* weights = nullptr;
    std::optional<std::int64_t> settling{};  ///< micro-steps before a window that lies ahead; none: around the point
};

class SlowAverage {
public:
    SlowAverage(const Problem& problem, double t_start);
    virtual ~SlowAverage() = default;

    const std::vector<SlowName>& names() const { return slow_->names(); }
    std::size_t outputs() const { return slow_->outputs(); }
    virtual MicroFlow& flow() = 0;

    /// The means of all outputs.
    virtual void mean_rates(const SlowWindow& window, In x, Out rates) = 0;

    /// See the motion and the rates of all outputs along a stretch: for looks before the start, not for averages.
    using Look = std::function<void(std::int64_t k, In x, In x_rate, In rates)>;
    virtual void look(const Stretch& stretch, In x, const Look& look) = 0;

    /// At the phases of the start: the outputs, their partial derivatives by time, by x, and twice by x.
    void values(double t, In x, Out xi) { slow_->values(x, t, clock_.at(0), xi); }
    void time_derivatives(double t, In x, Out result);
    void gradients(double t, In x, Out result) { slow_->gradients(x, t, clock_.at(0), result); }
    std::vector<HessianEntry> hessians(double t, In x) { return slow_->hessians(x, t, clock_.at(0)); }

protected:
    /// The rates of all outputs, k micro-steps into a stretch.
    In rates_at(const Stretch& stretch, std::int64_t k, In y, In y_rate);

private:
    std::shared_ptr<const SlowFunctions> slow_;
    PhaseClock clock_;
    std::vector<double> theta_rate_, rates_;
};

std::vector<std::string> slow_micro_steppers();

/// Phases start as they stand at t_start. Misuse if there is no micro-stepper of that name, or it does not fit.
std::unique_ptr<SlowAverage> slow_average(const Problem& problem, std::string_view micro, double t_start, In start);

}  // namespace lento
