/// Motion bound to a manifold: the start is put on it, windows and macro-steps stay on it, and multipliers are part of the solution.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/average/constrained_window.hpp"
#include "lento/march/constrained.hpp"
#include "lento/march/controller.hpp"
#include "lento/method/constrained_start.hpp"
#include "lento/method/motion.hpp"
#include "lento/problem/constrained_system.hpp"
#include "lento/problem/reduced_system.hpp"

namespace lento {

/// Marches as the choice and the request say; samples and final state carry multipliers.
template <class Constraints>
Marched march_on_manifold(Manifold<Constraints>& manifold, const MacroChoice& choice, VelocityUse velocity,
                          const AveragedAcceleration& force, const Request& request, std::span<const double> x,
                          std::span<const double> v) {
    const Interval interval{request.t_start, request.t_end};
    const Tolerance tolerance{request.rtol, request.atol};
    ConstrainedMarch march(manifold, force);
    // NOTE: samples between steps are interpolated; they are put on the manifold by one that no stepper relies on.
    Manifold<Constraints> for_samples(manifold.mass(), manifold.constraints());
    ConstrainedMarch settle(for_samples, force);
    SampleSink sink;
    if (request.sink) {
        sink = [&, y = std::vector<double>()](double t, std::span<const double> given) mutable {
            y.assign(given.begin(), given.end());
            const std::span<double> state(y);
            const auto settled = settle.project(t, state.first(x.size()), state.subspan(x.size(), x.size()));
            request.sink(t, settled.converged ? std::span<const double>(y) : given);
        };
    }
    Recorder recorder(interval, request.samples, sink, request.keep, request.progress);
    auto point = march.point_at(request.t_start, x, v);
    MarchResult result{.reached = request.t_start};
    if ((result.culprit = first_not_finite(point.y))) {
        result.outcome = Outcome::diverged;
        result.explanation = fmt::format("the force is not a finite number at the start, t = {}", request.t_start);
    } else {
        recorder.begin(point.y);
        if (choice.step) {
            with_constrained_stepper(choice.name, "macro", [&](auto stepper_choice) {
                typename decltype(stepper_choice)::template Stepper<Constraints> stepper(manifold, velocity);
                result = march.fixed(stepper, interval, *choice.step, point, recorder, request.stop);
            });
        } else if (choice.name == "ode45") {
            result = march.adaptive(Ode45Controller(tolerance, interval), interval, point, recorder, request.stop,
                                    request.most_steps);
        } else {
            result = march.adaptive(PiController(tolerance, interval), interval, point, recorder, request.stop,
                                    request.most_steps);
        }
    }
    const double reached = result.reached;
    return {std::move(result), std::move(recorder).trajectory(),
            snapshot_of(reached, point.y, x.size(), manifold.count())};
}

/// The solvers that keep constraints.
inline MacroSolvers constrained_solvers(std::string usual) {
    return {constrained_stepper_names(), std::move(usual)};
}

/// Throws Misuse for compositions, which lose their order to forces that depend on the velocity.
inline void require_rattle_suits_velocity(std::string_view role, std::string_view stepper) {
    if (is_rattle_composition(stepper)) {
        throw Misuse(fmt::format(
            "{} = {} keeps its order only for forces that do not depend on the velocity, and this one does; "
            "use lobatto (shake and rattle run too, with order 2)",
            role, stepper));
    }
}

/// Interpolated states onto the manifold.
template <class Constraints>
Settling settling_onto(const Mass& mass, const Constraints& constraints) {
    auto manifold = std::make_shared<Manifold<Constraints>>(mass, constraints);
    return [manifold](double t, std::vector<double>& y) {
        const std::size_t d = manifold->dimension();
        const auto given = y;
        if (!ConstrainedMarch(*manifold, [](auto&&...) {})
                 .project(t, std::span(y).first(d), std::span(y).subspan(d, d))
                 .converged) {
            y = given;
        }
    };
}

/// `Reduced` is the reduced form of the system, which the run probes.
template <class Reduced, class Free, class Constraints>
class ConstrainedMotion final : public Motion<Reduced> {
public:
    /// `usual_macro` takes fixed steps where the user names no other.
    ConstrainedMotion(const ConstrainedSystem<Free, Constraints>& system, std::string usual_macro)
        : system_(std::make_shared<const ConstrainedSystem<Free, Constraints>>(system)),
          usual_macro_(std::move(usual_macro)),
          active_(system_->free()),
          in_windows_(system.mass(), system.constraints(), Clock::stopped),
          in_march_(system.mass(), system.constraints()),
          in_watch_(system.mass(), system.constraints(), Clock::stopped),
          gradient_(in_watch_.entries()),
          rest_(in_watch_.dimension(), 0.0),
          lambda_(in_watch_.count()) {}

    std::optional<Violation> prepare(Request& request, std::vector<std::string>& warnings) override {
        return StartOnManifold(in_march_, system_->names())(request, warnings);
    }

    VelocityDependence velocity_dependence(Acceleration<Reduced>&, const ProbeStates& probes) override {
        return lento::velocity_dependence(active_, probes);
    }

    double cancelled_swing(const Request& request, const TimeScales& scales) override {
        const auto swing = FastPart<Free>(active_, request.start, request.velocity, request.t_start)
                               .profile(request.start, request.velocity, request.t_start, scales)
                               .velocity_swing;
        return *std::max_element(swing.begin(), swing.end());
    }

    std::vector<double> active_acceleration(Acceleration<Reduced>&, std::span<const double> x,
                                            std::span<const double> v, double t,
                                            std::span<const double> theta) override {
        return probe_detail::acceleration_at(active_, x, v, t, theta);
    }
    SymmetryPhase symmetry(Acceleration<Reduced>&, const ProbeStates& probes, const TimeScales& scales) override {
        return symmetry_phase(active_, probes, scales);
    }

    std::string finest_micro() const override { return "rattle8"; }
    /// NOTE: SHAKE is the paper's, for steps that the user chooses; where they are chosen by accuracy, order 6 needs far fewer.
    std::string usual_micro(const Options& options, VelocityUse velocity) const override {
        const bool steps_given = options.micro_step || options.micro_steps_per_period;
        return steps_given ? "shake" : velocity == VelocityUse::none ? "rattle6" : "lobatto";
    }
    std::unique_ptr<AnyWindow<Reduced>> window(std::string_view micro, Acceleration<Reduced>&, const TimeScales& scales,
                                               const WindowShape& shape) override {
        return make_constrained_window<Reduced>(micro, active_, in_windows_, scales, shape);
    }

    MacroChoice macro(const Options& options, Interval interval) const override {
        return macro_choice(options, interval, constrained_solvers(usual_macro_));
    }
    Marched march(const MacroChoice& choice, VelocityUse velocity, const AveragedAcceleration& force,
                  const Request& request, const PhasePoint& start) override {
        return march_on_manifold(in_march_, choice, velocity, force, request, start.position, start.velocity);
    }

    void require_stepper_suits_velocity(std::string_view role, std::string_view stepper) const override {
        require_rattle_suits_velocity(role, stepper);
    }

    void settle(double t, PhasePoint& state) override {
        auto moved = state;
        // NOTE: a state that cannot be settled is left as it is; the march then says what is wrong.
        if (ConstrainedMarch(in_march_, [](auto&&...) {}).project(t, moved.position, moved.velocity).converged) {
            state = std::move(moved);
        }
    }
    void settle_position(double t, std::vector<double>& x) override {
        auto moved = x;
        in_watch_.gradient(x, t, gradient_);
        if (in_watch_.factorise(gradient_) && in_watch_.to_position(gradient_, t, moved, lambda_).converged) {
            x = std::move(moved);
        }
    }
    void along(double t, std::span<const double> x, std::span<double> a) override {
        in_watch_.gradient(x, t, gradient_);
        if (in_watch_.factorise(gradient_)) {
            in_watch_.constrain_acceleration(gradient_, x, rest_, t, a, lambda_);
        }
    }

    /// SHAKE finds multipliers from positions: one rounding of a position, over h^2. It averages out along the motion, not across it.
    double noise_across(std::string_view micro, double h, std::size_t steps, double size) const override {
        return micro == "shake"
                   ? 0.1 * std::numeric_limits<double>::epsilon() * size / (h * h * static_cast<double>(steps))
                   : 0.0;
    }

    Settling settling() const override { return settling_onto(system_->mass(), system_->constraints()); }

    /// The true state onto the manifold, with its multipliers, in which there is nothing averaged.
    std::function<void(Snapshot&)> completion() const override {
        auto settle = settling();
        auto force = std::make_shared<const ReducedForce<Free, Constraints>>(*system_);
        return [settle, force, system = system_](Snapshot& state) {
            const std::size_t d = state.position.size();
            std::vector<double> y = state.position;
            y.insert(y.end(), state.velocity.begin(), state.velocity.end());
            settle(state.t, y);
            std::copy_n(y.begin(), d, state.position.begin());
            std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(d), d, state.velocity.begin());
            (*force)(state.position, state.velocity, state.t, system->free().phases_at(state.t), std::span(y).first(d));
            state.multipliers.assign(force->multipliers().begin(), force->multipliers().end());
            state.total_multipliers = state.multipliers;
        };
    }

    std::int64_t force_evaluations() const override { return active_.evaluations(); }
    std::int64_t newton_iterations() const override { return in_windows_.iterations() + in_march_.iterations(); }

private:
    std::shared_ptr<const ConstrainedSystem<Free, Constraints>> system_;
    std::string usual_macro_;
    Acceleration<Free> active_;
    // NOTE: steppers rely on the matrix factorised last; nobody else may use theirs.
    Manifold<Constraints> in_windows_, in_march_, in_watch_;
    std::vector<double> gradient_, rest_, lambda_;  // work space
};

}  // namespace lento
