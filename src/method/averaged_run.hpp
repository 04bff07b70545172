/// What the averaging methods for vibrated systems share: initial data, the size of the window, the march.
///
/// A method says how a window starts; this does the rest.
#pragma once

#include "average/fast_part.hpp"
#include "average/filter.hpp"
#include "average/window.hpp"
#include "judge/window_size.hpp"
#include "lento/run/run.hpp"
#include "method/motion.hpp"
#include "problem/acceleration.hpp"
#include "problem/probe.hpp"
#include "problem/time_scales.hpp"

namespace lento {

/// At which phase windows start: always the same, or that of the current time.
enum class WindowPhase { restarts, runs };

class AveragedRun : public MethodRun {
public:
    AveragedRun(Run& run, std::unique_ptr<Motion> motion);

    const TimeScales& scales() const { return scales_; }
    const ProbeStates& probes() const { return probes_; }
    /// Of all forces, those of constraints included.
    Acceleration& acceleration() { return acceleration_; }
    Motion& motion() { return *motion_; }
    bool velocity_matters() const { return velocity_.any; }
    /// even, none or detect: the option, else what the system declares.
    std::string parity() const;

    /// The filter where the user names none, but for windows of one period. NOTE: of variables all else is right to
    /// O(1/omega^3), so that the bias of a window counts; flat8 has the fourth power of its width, cos8 the second.
    std::string usual_kernel() const { return has_variables() ? "flat8" : "cos8"; }

    /// What a method makes of a window: the averaged acceleration `force(t, X, V, F)`, of variables the averaged rate,
    /// with no V.
    using MakeForce = std::function<AveragedAcceleration(Window&)>;

    /// Averages with windows through `filter` and marches.
    Solution solve(const Filter& filter, Sides sides, WindowPhase phase, const MakeForce& make_force);

    /// Why the last window could not be run; nothing if it could. An adaptive march tries again with a shorter step.
    void note_window_failure(std::optional<std::string> sentence) { window_failure_ = std::move(sentence); }

private:
    VelocityUse velocity_use() const { return velocity_.any ? VelocityUse::possible : VelocityUse::none; }
    std::string initial() const { return options().initial.value_or("true-state"); }

    bool has_variables() const { return motion_->order() == 1; }
    PhasePoint slow_start();
    /// Without a phase windows start at rest, and do not see what the oscillation does to the slow motion by its
    /// energy.
    void warn_of_oscillation_left_out(const PhasePoint& slow);
    std::unique_ptr<Window> window_of(const Filter& filter, Sides sides, std::size_t steps_per_period);
    /// The window with the micro-steps a period asked for, else with as many as the averaged force at the start needs.
    std::unique_ptr<Window> settled_window(const Filter& filter, Sides sides, const MakeForce& make_force,
                                           const PhasePoint& at);
    /// An averaged force that depends on the phase at which its window starts is known only up to that dependence,
    /// O(1/omega): a step-size control with a tighter tolerance would chase it with ever smaller steps.
    void raise_tolerance_to_phase_noise(const AveragedAcceleration& force, const PhasePoint& slow);
    Solution march(const AveragedAcceleration& force, const Window& window, const WindowNoise& noise,
                   const PhasePoint& slow);
    /// x = X + Delta, v = V + W at the true phase.
    Reconstruction reconstruction() const;

    std::unique_ptr<Motion> motion_;
    Acceleration acceleration_;
    TimeScales scales_;
    ProbeStates probes_;
    VelocityDependence velocity_;
    std::string micro_;  // the stepper inside windows
    std::optional<std::string> window_failure_;
    double leading_amplitude_ = 0;  // of the oscillating acceleration at the start
};

enum class ForConstraints { no, yes };

/// Whether methods of windows are for a problem, and at what price: `evaluations` where a phase is declared.
Verdict windows_verdict(const Problem& problem, ForConstraints constraints, double evaluations);

}  // namespace lento
