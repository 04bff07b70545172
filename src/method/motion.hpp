/// What an averaged run needs to know of the kind of motion: free, of variables, or bound to a manifold.
#pragma once

#include "average/fast_part.hpp"
#include "average/window.hpp"
#include "lento/run/macro.hpp"
#include "problem/manifold.hpp"
#include "problem/probe.hpp"
#include "run/constrained_macro.hpp"

namespace lento {

class Motion {
public:
    explicit Motion(const Problem& problem) : own_oscillation_(problem.phases.empty()) {}
    virtual ~Motion() = default;

    /// That of the active forces alone. Constraints do not depend on phases, so that in a window from rest the whole
    /// motion has the parity of the active forces.
    virtual Acceleration& active(Acceleration& all) { return all; }

    /// The swing of the fast velocity that active forces would cause without constraints; 0 where there are none.
    virtual double cancelled_swing(In, In, double, const TimeScales&) { return 0; }

    /// 2 where forces make accelerations, 1 where there are rates.
    virtual int order() const { return 2; }

    /// A stepper of high order for windows.
    virtual std::string finest_micro() const { return "verlet8"; }
    /// The stepper inside windows where the user names none. NOTE: without a phase the fast motion is the system's own,
    /// met only off its slow motion; only symmetric windows of high order let nothing of the stiff force through.
    virtual std::string usual_micro(const Options& options, VelocityUse velocity) const;
    virtual std::unique_ptr<Window> window(std::string_view micro, Acceleration& acceleration, const TimeScales& scales,
                                           const WindowShape& shape);

    virtual MacroSolvers solvers() const { return free_solvers(); }
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
    /// The same for interpolated states of the solution, and for reconstructed ones, to which it may add; may be empty.
    virtual Settling settling() const { return {}; }
    virtual std::function<void(Snapshot&)> completion() const { return {}; }

    /// Beyond those of the run's own acceleration.
    virtual std::int64_t force_evaluations() const { return 0; }
    virtual std::int64_t newton_iterations() const { return 0; }
    /// What rounding in windows of micro-steps h, `steps` on each side, adds across the constraints.
    virtual double noise_across(std::string_view, double, std::size_t, double) const { return 0; }

private:
    bool own_oscillation_;
};

/// Variables: Y' = F(Y, t), without velocities (vibrated, appendix A).
class VariableMotion final : public Motion {
public:
    using Motion::Motion;

    int order() const override { return 1; }
    std::string finest_micro() const override { return "dopri8"; }
    MacroSolvers solvers() const override { return rate_solvers(); }
    Marched march(const MacroChoice& choice, VelocityUse, const AveragedAcceleration& rate, const Request& request,
                  const PhasePoint& start) override;
};

/// Of coordinates or variables, whichever the problem has.
std::unique_ptr<Motion> free_motion(const Problem& problem);

/// Motion bound to a manifold, for SHAKE-SHAKE and RATTLE-SHAKE (vibrated, sections 4.2 and 4.3). The averaged motion
/// keeps the constraints of the fast one,
///
///     M X'' = F(X) - g'(X, t)^T Lambda,     g(X, t) = 0                       (4.4), (4.5)
///
/// and F is the mean of the active plus the constraint force along a window that starts at X, at rest, at phase zero,
/// and stays on the manifold itself. Then one macro-step by SHAKE or RATTLE, which have the same positions; by a
/// composition, by Lobatto IIIA-IIIB, or by a half-explicit Dormand-Prince with its own steps. Multipliers have Lento's
/// sign, the opposite of the paper's. Two are given: Lambda, and Lambda plus the mean of those in the window, which is
/// the mean of the true one.
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

    Acceleration& active(Acceleration&) override { return active_; }
    double cancelled_swing(In start, In velocity, double t, const TimeScales& scales) override;

    std::string finest_micro() const override { return "rattle8"; }
    /// NOTE: SHAKE is the paper's, for steps that the user chooses; where accuracy chooses, order 6 needs far fewer.
    std::string usual_micro(const Options& options, VelocityUse velocity) const override;
    std::unique_ptr<Window> window(std::string_view micro, Acceleration&, const TimeScales& scales,
                                   const WindowShape& shape) override;

    MacroSolvers solvers() const override { return constrained_solvers(usual_macro_); }
    Marched march(const MacroChoice& choice, VelocityUse velocity, const AveragedAcceleration& force,
                  const Request& request, const PhasePoint& start) override;

    void require_stepper_suits_velocity(std::string_view role, std::string_view stepper) const override {
        require_rattle_suits_velocity(role, stepper);
    }

    void settle(double t, PhasePoint& state) override;
    void settle_position(double t, std::vector<double>& x) override;
    void along(double t, In x, Out a) override;

    /// SHAKE finds multipliers from positions: one rounding over h^2, which averages out only along the motion.
    double noise_across(std::string_view micro, double h, std::size_t steps, double size) const override;

    Settling settling() const override { return settling_onto(*problem_); }
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
