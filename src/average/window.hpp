/// A window: a short integration of the fast motion on both sides of a point, seen through a filter.
///
///     F = sum_{|k| <= M} w_|k| a_k                                            (vibrated (2.11), (2.15))
///
/// with a_k the acceleration after k micro-steps h = T/N from the middle. Where the motion is even about the middle,
/// the forward half is enough (section 2.3). Phases are exact fractions k/N of a period from the window's start, sums
/// are compensated, and nothing is allocated after construction. Of variables, which have no accelerations, the rates
/// are averaged.
#pragma once

#include "average/filter.hpp"
#include "problem/acceleration.hpp"
#include "problem/time_scales.hpp"
#include "step/verlet.hpp"

namespace lento {

enum class Sides { both, forward };           ///< forward: the motion is even about the middle
enum class ExplicitTime { frozen, running };  ///< whether t stays at the middle's value within a window

/// What all windows of a run have in common.
struct WindowShape {
    FilterWeights weights;
    std::size_t steps_per_period = 0;  ///< of the fastest phase
    Sides sides = Sides::both;
    VelocityUse velocity = VelocityUse::possible;
};

/// Where a window starts.
struct WindowStart {
    In x;
    In v;                ///< velocity of the window's own motion at its middle; of variables none
    In slow_velocity{};  ///< added to the window's velocity where the force sees it; may be empty
    double t = 0;
    In phases{};  ///< at the middle
    ExplicitTime time = ExplicitTime::frozen;
};

/// Of numbers below 2^51: with ulps of one beside it, a sum is rounded to it. A processor of 2003 has no instruction.
inline double nearest_whole(double x) {
    constexpr double coarse = 0x1.8p52;
    return (x + coarse) - coarse;
}

/// The phases `steps` micro-steps from the middle of a window.
inline void window_phases(In middle, In ratios, double steps, std::int64_t steps_per_period, Out theta) {
    for (std::size_t j = 0; j < theta.size(); ++j) {
        const double turns = steps * ratios[j] / static_cast<double>(steps_per_period);
        theta[j] = middle[j] + 2 * std::numbers::pi * (turns - nearest_whole(turns));
    }
}

class Window {
public:
    virtual ~Window() = default;

    /// The filtered acceleration.
    virtual void average_acceleration(const WindowStart& start, Out result) = 0;

    /// The filtered position, velocity and acceleration: the slow part of a motion with a fast oscillation.
    virtual void average_motion(const WindowStart& start, Out x, Out v, Out a) = 0;

    /// Why the last window could not be run to its end, as a sentence; nothing if it could.
    virtual std::optional<std::string> failure() const { return std::nullopt; }

    /// Taken so far, all windows together.
    std::int64_t micro_steps() const { return micro_steps_; }
    const FilterWeights& weights() const { return weights_; }
    std::size_t steps_per_period() const { return static_cast<std::size_t>(steps_per_period_); }
    double micro_step() const { return micro_step_; }
    /// The whole width, as a time.
    double width() const { return static_cast<double>(2 * weights_.each_side()) * micro_step_; }

protected:
    Window(const TimeScales& scales, WindowShape shape);

    FilterWeights weights_;
    std::int64_t steps_per_period_;
    double micro_step_;
    Sides sides_;
    std::int64_t micro_steps_ = 0;
};

/// A window with the stepper of that name (`step/catalogue.hpp`). For up to three coordinates the compiler
/// knows the length: the loop then runs in registers. One indirect call a window, one a force.
std::unique_ptr<Window> make_window(std::string_view stepper, Acceleration& acceleration, const TimeScales& scales,
                                    const WindowShape& shape);

/// A window of a constrained system with the stepper of that name: a short integration on the manifold. The
/// acceleration is that of the active forces.
std::unique_ptr<Window> make_constrained_window(std::string_view stepper, Acceleration& active, Manifold& manifold,
                                                const TimeScales& scales, const WindowShape& shape);

}  // namespace lento
