/// What averaging needs of a vibrated system, judged at its start and along the march.
#pragma once

#include "average/fast_part.hpp"
#include "lento/judge/outset.hpp"
#include "lento/judge/violation.hpp"
#include "lento/march/recorder.hpp"
#include "problem/acceleration.hpp"
#include "problem/time_scales.hpp"

namespace lento {

/// What to do where the leading force has a mean: whether it is an ordinary slow force is for the user to say.
enum class MeanForce { refused, accepted };

class Hypotheses {
public:
    /// `velocity_rate` is how fast the active force changes with the velocity, `cancelled` the swing of the fast
    /// velocity that constraints take away.
    Hypotheses(Acceleration& acceleration, const TimeScales& scales, double velocity_rate, double cancelled,
               const Outset& outset, MeanForce mean);

    /// The first that is violated.
    std::optional<Violation> violation();

    /// The amplitude of the oscillating acceleration.
    double leading_amplitude() const;

private:
    using Found = std::optional<Violation>;

    FastPart::Profile profile_at(In x);
    double largest_swing() const;
    bool has_variables() const { return !acceleration_->problem().second_order; }
    const std::string& name(std::size_t i) const { return acceleration_->problem().names[i]; }

    Found force_is_finite();

    /// A leading force that depends on the velocity changes the fast velocity by as much as itself within a period.
    Found velocity_acts_slowly();

    /// (3.3): the mean acceleration times the period against the swing of the fast velocity. Of variables the mean may
    /// be as large as the swing: both are O(1).
    Found leading_force_averages_to_zero();

    /// What averages of rates need instead: over the way that they move the variables within a period they hardly
    /// change. Else the variables themselves are fast.
    Found mean_rates_are_slow();

    /// The vibration must hardly change over the distance that it moves the system itself.
    Found fast_displacement_is_small();

    Acceleration* acceleration_;
    const TimeScales* scales_;
    double velocity_rate_;
    double least_swing_;  // below this it is rounding
    Outset outset_;
    MeanForce mean_;
    FastPart::Profile profile_;
};

/// The rate at which the averaged force drives a stiff coordinate away from its slow motion. The average of a stiff
/// force -w^2 z is to vanish; what the window lets through, kappa z, grows like exp(sqrt(kappa) t) if kappa > 0.
double spurious_growth(Acceleration& acceleration, const TimeScales& scales, const AveragedAcceleration& force,
                       double t, const std::vector<double>& X, const std::vector<double>& V);

/// Watches an averaged force while a march calls it: how large it gets, and whether fixed macro-steps are short enough.
class MacroWatch {
public:
    /// Where the motion is bound: what counts of a force is its part along the constraints, and points are on them.
    struct Ground {
        std::function<void(double t, In x, Out a)> along;
        std::function<void(double t, std::vector<double>& x)> settle;
    };

    /// `first_value` is told the force at the start.
    MacroWatch(AveragedAcceleration force, Ground ground, std::optional<double> macro_step,
               std::function<void(In)> first_value);

    void operator()(double t, In x, In v, Out result);

    /// The largest component met.
    double largest_force() const { return largest_force_; }

    /// The slope of the force times the square of the macro-step, at its largest. Verlet is stable up to 4.
    double steepest() const { return steepest_; }

private:
    double slope_at_last_point(double t, In target, In v);

    AveragedAcceleration force_;
    Ground ground_;
    std::optional<double> macro_step_;
    std::function<void(In)> first_value_;
    std::vector<double> last_x_, last_a_, along_;
    double longest_ = 0;     // move from one call to the next
    double farthest_ = 0.1;  // component of a position; moves beyond twice this no longer tell the slope
    double largest_force_ = 0;
    double steepest_ = 0;
};

/// How much an averaged force depends on the phase at which its window starts, over its size: at (x, v) and some way
/// ahead, since the start itself may be an equilibrium. `length` is that of the run, `scales` are those of x; none: 1.
double phase_noise(const AveragedAcceleration& force, double t, double fast_period, double length, In x, In v,
                   In scales);

}  // namespace lento
