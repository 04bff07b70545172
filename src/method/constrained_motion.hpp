/// Motion bound to a manifold: windows and macro-steps stay on it, and multipliers are part of the solution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "method/motion.hpp"
#include "problem/manifold.hpp"

namespace lento {

class ConstrainedMotion final : public Motion {
public:
    /// `usual_macro` takes fixed steps where the user names no other.
    ConstrainedMotion(const Problem& problem, std::string usual_macro)
        : problem_(std::make_shared<const Problem>(problem)),
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
