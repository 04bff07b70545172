/// Step-size control for Dormand-Prince 5(4): two sets of rules.
///
/// A controller norms the error estimate so that 1 is the largest acceptable one, proposes the first step, and turns
/// the outcome of a trial into the next step.
#pragma once

#include <utility>

#include "lento/base/tolerance.hpp"
#include "lento/march/recorder.hpp"
#include "lento/problem/forces.hpp"

namespace lento {

/// The rules of ode45, under which the step counts of the papers come out exactly.
class Ode45Controller {
public:
    Ode45Controller(Tolerance tolerance, Interval interval) : tolerance_(std::move(tolerance)), interval_(interval) {}

    double error(In estimate, In y0, In y1) const;
    double largest_step() const { return interval_.length() / 10; }
    /// The last step may be stretched by this factor to reach the end.
    double stretch() const { return 1.1; }
    double next_after_accepted(double step, double error);
    double next_after_rejected(double step, double error);

    double first_step(const FirstOrderRate&, In y0, In rate) const;

private:
    Tolerance tolerance_;
    Interval interval_;
    int rejections_ = 0;  // of the step under way
};

/// The proportional-integral controller of DOPRI5 (Hairer, Norsett, Wanner, Solving ODEs I; Hairer, Wanner, Solving
/// ODEs II, (IV.2.43c)), root-mean-square norm: the default.
class PiController {
public:
    PiController(Tolerance tolerance, Interval interval) : tolerance_(std::move(tolerance)), interval_(interval) {}

    double error(In estimate, In y0, In y1) const;
    double largest_step() const { return interval_.length(); }
    double stretch() const { return 1.01; }
    double next_after_accepted(double step, double error);
    double next_after_rejected(double step, double error);

    /// Compares the solution with its first and second derivative (Solving ODEs I, section II.4); one evaluation.
    double first_step(const FirstOrderRate& rate, In y0, In rate0) const;

private:
    Tolerance tolerance_;
    Interval interval_;
    double previous_error_ = 1e-4;
    bool just_rejected_ = false;
};

}  // namespace lento
