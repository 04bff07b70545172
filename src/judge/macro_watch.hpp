/// Watches an averaged force while a march calls it: how large it gets, and whether fixed macro-steps are short enough for it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "lento/march/recorder.hpp"

namespace lento {

class MacroWatch {
public:
    /// What counts of a force and which points there are, where the motion is bound: the part along the constraints, points on them.
    struct Ground {
        std::function<void(double t, std::span<const double> x, std::span<double> a)> along;
        std::function<void(double t, std::vector<double>& x)> settle;
    };

    /// `first_value` is told the force at the start.
    MacroWatch(AveragedAcceleration force, Ground ground, std::optional<double> macro_step,
               std::function<void(std::span<const double>)> first_value);

    void operator()(double t, std::span<const double> x, std::span<const double> v, std::span<double> result);

    /// The largest component met.
    double largest_force() const { return largest_force_; }

    /// The slope of the force times the square of the macro-step, at its largest. Verlet is stable up to 4.
    double steepest() const { return steepest_; }

private:
    double slope_at_last_point(double t, std::span<const double> target, std::span<const double> v);

    AveragedAcceleration force_;
    Ground ground_;
    std::optional<double> macro_step_;
    std::function<void(std::span<const double>)> first_value_;
    std::vector<double> last_x_, last_a_, along_;
    double longest_ = 0;     // move from one call to the next
    double farthest_ = 0.1;  // component of a position; moves beyond twice this no longer tell the slope
    double largest_force_ = 0;
    double steepest_ = 0;
};

/// How much an averaged force depends on the phase at which its window starts, over its size: at (x, v) and some way ahead, since the
/// start itself may be an equilibrium. `length` is that of the run.
double phase_noise(const AveragedAcceleration& force, double t, double fast_period, double length,
                   std::span<const double> x, std::span<const double> v);

}  // namespace lento
