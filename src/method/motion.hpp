/// What an averaged run needs to know of the kind of motion: free, or bound to a manifold (`method/constrained_motion.hpp`).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "average/fast_part.hpp"
#include "average/window.hpp"
#include "lento/base/misuse.hpp"
#include "lento/run/macro.hpp"
#include "lento/run/request.hpp"
#include "lento/solution/solution.hpp"
#include "problem/probe.hpp"
#include "step/catalogue.hpp"

namespace lento {

class Motion {
public:
    virtual ~Motion() = default;

    /// How the active forces depend on the velocity.
    virtual VelocityDependence velocity_dependence(Acceleration& acceleration, const ProbeStates& probes) = 0;

    /// The swing of the fast velocity that the active forces would cause, of which constraints leave only a part; 0 where there are none.
    virtual double cancelled_swing(In start, In velocity, double t, const TimeScales& scales) = 0;

    /// The acceleration of the active forces alone, and the phase about which it is even. Constraints do not depend on phases, so that in a
    /// window from rest the whole motion has the parity of the active forces.
    virtual std::vector<double> active_acceleration(Acceleration& acceleration, In x, In v, double t, In theta) = 0;
    virtual SymmetryPhase symmetry(Acceleration& acceleration, const ProbeStates& probes, const TimeScales& scales) = 0;

    /// A stepper of high order for windows.
    virtual std::string finest_micro() const = 0;
    /// The stepper inside windows where the user names none.
    virtual std::string usual_micro(const Options& options, VelocityUse velocity) const = 0;
    virtual std::unique_ptr<Window> window(std::string_view micro, Acceleration& acceleration, const TimeScales& scales,
                                           const WindowShape& shape) = 0;

    virtual MacroChoice macro(const Options& options, Interval interval) const = 0;
    virtual Marched march(const MacroChoice& choice, VelocityUse velocity, const AveragedAcceleration& force,
                          const Request& request, const PhasePoint& start) = 0;

    /// Throws Misuse for steppers that would lose their order to forces that depend on the velocity.
    virtual void require_stepper_suits_velocity(std::string_view role, std::string_view stepper) const = 0;

    /// Moves a state that was computed only approximately to where motions can be.
    virtual void settle(double t, PhasePoint& state) = 0;
    /// The same for a position, at any moment of a march.
    virtual void settle_position(double t, std::vector<double>& x) = 0;
    /// Leaves of an acceleration what moves the system: the part along the constraints.
    virtual void along(double t, In x, Out a) = 0;
    /// The same for interpolated states of the solution, and for reconstructed ones, to which it may add; empty if there is nothing to do.
    virtual Settling settling() const = 0;
    virtual std::function<void(Snapshot&)> completion() const = 0;

    /// Beyond those of the run's own acceleration.
    virtual std::int64_t force_evaluations() const = 0;
    virtual std::int64_t newton_iterations() const = 0;
    /// What windows of micro-steps h, `steps` on each side, add to the averaged acceleration across the constraints by rounding.
    virtual double noise_across(std::string_view micro, double h, std::size_t steps, double size) const = 0;
};

class FreeMotion final : public Motion {
public:
    VelocityDependence velocity_dependence(Acceleration& acceleration, const ProbeStates& probes) override;

    double cancelled_swing(In, In, double, const TimeScales&) override { return 0; }

    std::vector<double> active_acceleration(Acceleration& acceleration, In x, In v, double t, In theta) override;
    SymmetryPhase symmetry(Acceleration& acceleration, const ProbeStates& probes, const TimeScales& scales) override;

    std::string finest_micro() const override { return "verlet8"; }
    /// NOTE: without a phase the fast motion is the system's own, met only off its slow motion; there a window has to be symmetric and
    /// of high order to let nothing of the stiff force through.
    std::string usual_micro(const Options&, VelocityUse velocity) const override;
    std::unique_ptr<Window> window(std::string_view micro, Acceleration& acceleration, const TimeScales& scales,
                                   const WindowShape& shape) override;

    MacroChoice macro(const Options& options, Interval interval) const override;
    Marched march(const MacroChoice& choice, VelocityUse, const AveragedAcceleration& force, const Request& request,
                  const PhasePoint& start) override;

    void require_stepper_suits_velocity(std::string_view role, std::string_view stepper) const override;

    void settle(double, PhasePoint&) override {}
    void settle_position(double, std::vector<double>&) override {}
    void along(double, In, Out) override {}
    Settling settling() const override { return {}; }
    std::function<void(Snapshot&)> completion() const override { return {}; }
    std::int64_t force_evaluations() const override { return 0; }
    std::int64_t newton_iterations() const override { return 0; }
    double noise_across(std::string_view, double, std::size_t, double) const override { return 0; }

    explicit FreeMotion(const Problem& problem) : own_oscillation_(problem.phases.empty()) {}

private:
    bool own_oscillation_;
};

}  // namespace lento
