/// The one-period map of a fast motion, Psi(y(t)) = y(t + T), near the identity     (stroboscopic (3), (20))
///
/// It maps z = (y, t): the time is a variable like the others, so that things may depend on it slowly, and a period may
/// drift. All that is asked of it are changes Psi^k(z) - z, which are integrated as such and keep their digits.
#pragma once

#include "average/micro_flow.hpp"

namespace lento {

class PeriodMap {
public:
    virtual ~PeriodMap() = default;

    /// Psi^(+-k)(z) - z for k = 1, ..., count, one after the other; `direction` is 1 or -1. Not finite where the motion
    /// could not be followed.
    virtual void iterate(In z, int direction, std::size_t count, Out changes) = 0;

    /// D(z) = Psi(z) - z.
    void change(In z, Out result) { iterate(z, 1, 1, result); }

    /// y at the time t, from z at a time not much more than a period away.
    std::vector<double> followed(In z, double t);

    /// Of z.
    std::size_t dimension() const { return flow_->dimension() + 1; }
    MicroFlow& flow() const { return *flow_; }
    /// The declared period, or the last that was found.
    double period() const { return period_; }
    /// Where periods are found, the next is looked for near this one.
    virtual void expect(double) {}

    std::size_t steps_per_period() const { return steps_; }
    void set_steps_per_period(std::size_t steps) { steps_ = steps; }

    /// Why the last changes are not finite, as a sentence.
    std::optional<std::string> failure() const { return failure_; }

protected:
    PeriodMap(MicroFlow& flow, double period, std::size_t steps) : flow_(&flow), period_(period), steps_(steps) {}

    MicroFlow* flow_;
    double period_;
    std::size_t steps_;
    std::optional<std::string> failure_;
};

/// The period is known: that of a phase, or declared.
class FixedPeriod final : public PeriodMap {
public:
    FixedPeriod(MicroFlow& flow, double period, std::size_t steps) : PeriodMap(flow, period, steps) {}

    void iterate(In z, int direction, std::size_t count, Out changes) override;

private:
    std::vector<double> increments_;
};

/// The period is what the motion takes to come back: each point has a section of its own across the flow,
///
///     <f(y), Psi(y) - y> = 0,     <a, b> = sum_i a_i b_i / scale_i^2
///
/// found by Newton's method from the time that the last return took. There is no fixed section that a drifting orbit
/// could miss or touch, and nothing drifts along the orbit.
class FirstReturn final : public PeriodMap {
public:
    /// `period` is a good guess, `scales` are the sizes of the motion in its components.
    FirstReturn(MicroFlow& flow, double period, std::size_t steps, std::vector<double> scales);

    void iterate(In z, int direction, std::size_t count, Out changes) override;

    const std::vector<double>& scales() const { return scales_; }
    void expect(double period) override { period_ = period; }

private:
    double across(In a, In b) const;
    /// Adds the way to the next return to `change` = (y - y_0, t - t_0); false if there is none.
    bool go_on(In z, int direction, Out change);

    std::vector<double> scales_;
    // Work space.
    std::vector<double> here_, point_, section_, rate_, increment_;
};

}  // namespace lento
