/// What an averaged run needs to know of the kind of motion: free, or bound to a manifold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "average/fast_part.hpp"
#include "average/window.hpp"
#include "lento/run/macro.hpp"
#include "lento/run/request.hpp"
#include "lento/solution/solution.hpp"
#include "problem/manifold.hpp"
#include "problem/probe.hpp"

namespace lento {

class Motion {
public:
    explicit Motion(const Problem& problem) : own_oscillation_(problem.phases.empty()) {}
    virtual ~Motion() = default;

    /// How the active forces depend on the velocity.
    virtual VelocityDependence velocity_dependence(Acceleration& acceleration, const ProbeStates& probes);

    /// The swing of the fast velocity that the active forces would cause, of which constraints leave only a part; 0 where there are none.
    virtual double cancelled_swing(In, In, double, const TimeScales&) { return 0; }

    /// The acceleration of the active forces alone, and the phase about which it is even. Constraints do not depend on phases, so that in a
    /// window from rest the whole motion has the parity of the active forces.
    virtual std::vector<double> active_acceleration(Acceleration& acceleration, In x, In v, double t, In theta);
    virtual SymmetryPhase symmetry(Acceleration& acceleration, const ProbeStates& probes, const TimeScales& scales);

    /// A stepper of high order for windows.
    virtual std::string finest_micro() const { return "verlet8"; }
    /// The stepper inside windows where the user names none. NOTE: without a phase the fast motion is the system's own, met only off its
    /// slow motion; there a window has to be symmetric and of high order to let nothing of the stiff force through.
    virtual std::string usual_micro(const Options& options, VelocityUse velocity) const;
    virtual std::unique_ptr<Window> window(std::string_view micro, Acceleration& acceleration, const TimeScales& scales,
                                           const WindowShape& shape);

    virtual MacroChoice macro(const Options& options, Interval interval) const;
    virtual Marched march(const MacroChoice& choice, VelocityUse velocity, const AveragedAcceleration& force,
                          const Request& request, const PhasePoint& start);

    /// Throws Misuse for steppers that would lose their order to forces that depend on the velocity.
    virtual void require_stepper_suits_velocity(std::string_view role, std::string_view stepper) const;

    /// Moves a state that was computed only approximately to where motions can be.
    virtual void settle(double, PhasePoint&) {}
    /// The same for a position, at any moment of a march.
    virtual void settle_position(double, std::vector<double>&) {}
    /// Leaves of an acceleration what moves the system: the part along the constraints.
    virtual void along(double, In, Out) {}
    /// The same for interpolated states of the solution, and for reconstructed ones, to which it may add; empty if there is nothing to do.
    virtual Settling settling() const { return {}; }
    virtual std::function<void(Snapshot&)> completion() const { return {}; }

    /// Beyond those of the run's own acceleration.
    virtual std::int64_t force_evaluations() const { return 0; }
    virtual std::int64_t newton_iterations() const { return 0; }
    /// What windows of micro-steps h, `steps` on each side, add to the averaged acceleration across the constraints by rounding.
    virtual double noise_across(std::string_view, double, std::size_t, double) const { return 0; }

private:
    bool own_oscillation_;
};

/// Motion bound to a manifold, for SHAKE-SHAKE and RATTLE-SHAKE (vibrated, sections 4.2 and 4.3): windows and macro-steps stay on it, and
/// multipliers are part of the solution. The averaged motion keeps the constraints of the fast one,
///
///     M X'' = F(X) - g'(X, t)^T Lambda,     g(X, t) = 0                       (4.4), (4.5)
///
/// and F is the mean of the active plus the constraint force along a window that starts at X, at rest, at phase zero, and stays on the
/// manifold itself. Then one macro-step by SHAKE or RATTLE, which have the same positions; by a composition, by Lobatto IIIA-IIIB, or
/// by a half-explicit Dormand-Prince with its own steps. Multipliers have Lento's sign, the opposite of the paper's. Two are given: Lambda, and
/// Lambda plus the mean of those in the window, which is the mean of the true one.
class ConstrainedMotion final : public Motion {
public:
    /// `usual_macro` takes fixed steps where the user names no other.
    ConstrainedMotion(const Problem& problem, std::string usual_macro)
        : Motion(problem),
          problem_(std::make_shared<const Problem>(problem)),
          usual_macro_(std::move(usual_macro)),
          active_(problem.free()),
          in_windows_(problem, Clock::stopped),
          in_march_(problem),
          in_watch_(problem, Clock::stopped),
          gradient_(in_watch_.entries()),
          rest_(in_watch_.dimension(), 0.0),
          lambda_(in_watch_.count()) {}

    VelocityDependence velocity_dependence(Acceleration&, const ProbeStates& probes) override;

    double cancelled_swing(In start, In velocity, double t, const TimeScales& scales) override;

    std::vector<double> active_acceleration(Acceleration&, In x, In v, double t, In theta) override;
    SymmetryPhase symmetry(Acceleration&, const ProbeStates& probes, const TimeScales& scales) override;

    std::string finest_micro() const override { return "rattle8"; }
    /// NOTE: SHAKE is the paper's, for steps that the user chooses; where they are chosen by accuracy, order 6 needs far fewer.
    std::string usual_micro(const Options& options, VelocityUse velocity) const override;
    std::unique_ptr<Window> window(std::string_view micro, Acceleration&, const TimeScales& scales,
                                   const WindowShape& shape) override;

    MacroChoice macro(const Options& options, Interval interval) const override;
    Marched march(const MacroChoice& choice, VelocityUse velocity, const AveragedAcceleration& force,
                  const Request& request, const PhasePoint& start) override;

    void require_stepper_suits_velocity(std::string_view role, std::string_view stepper) const override;

    void settle(double t, PhasePoint& state) override;
    void settle_position(double t, std::vector<double>& x) override;
    void along(double t, In x, Out a) override;

    /// SHAKE finds multipliers from positions: one rounding of a position, over h^2. It averages out along the motion, not across it.
    double noise_across(std::string_view micro, double h, std::size_t steps, double size) const override;

    Settling settling() const override;

    /// The true state onto the manifold, with its multipliers, in which there is nothing averaged.
    std::function<void(Snapshot&)> completion() const override;

    std::int64_t force_evaluations() const override { return active_.evaluations(); }
    std::int64_t newton_iterations() const override { return in_windows_.iterations() + in_march_.iterations(); }

private:
    std::shared_ptr<const Problem> problem_;
    std::string usual_macro_;
    Acceleration active_;
    // NOTE: steppers rely on the matrix factorised last; nobody else may use theirs.
    Manifold in_windows_, in_march_, in_watch_;
    std::vector<double> gradient_, rest_, lambda_;  // work space
};

}  // namespace lento
