#include "method/motion.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "average/fast_part.hpp"
#include "average/window.hpp"
#include "lento/base/misuse.hpp"
#include "march/constrained.hpp"
#include "run/constrained_macro.hpp"
#include "step/catalogue.hpp"

namespace lento {

VelocityDependence Motion::velocity_dependence(Acceleration& acceleration, const ProbeStates& probes) {
    return lento::velocity_dependence(acceleration, probes);
}

std::vector<double> Motion::active_acceleration(Acceleration& acceleration, In x, In v, double t, In theta) {
    return acceleration.at(x, v, t, theta);
}

SymmetryPhase Motion::symmetry(Acceleration& acceleration, const ProbeStates& probes, const TimeScales& scales) {
    return symmetry_phase(acceleration, probes, scales);
}

std::string Motion::usual_micro(const Options&, VelocityUse velocity) const {
    return own_oscillation_ && velocity == VelocityUse::none ? "verlet8" : "dopri5";
}

std::unique_ptr<Window> Motion::window(std::string_view micro, Acceleration& acceleration, const TimeScales& scales,
                                       const WindowShape& shape) {
    return make_window(micro, acceleration, scales, shape);
}

MacroChoice Motion::macro(const Options& options, Interval interval) const {
    return macro_choice(options, interval, free_solvers());
}

Marched Motion::march(const MacroChoice& choice, VelocityUse, const AveragedAcceleration& force, const Request& request,
                      const PhasePoint& start) {
    return march_macro(choice, force, request, start.position, start.velocity);
}

void Motion::require_stepper_suits_velocity(std::string_view role, std::string_view stepper) const {
    if (is_composition(stepper, "verlet")) {
        throw Misuse(
            fmt::format("{} = {} keeps its order only for forces that do not depend on the velocity, and this one "
                        "does; use rk4 or dopri5 (verlet runs too, with order 2)",
                        role, stepper));
    }
}

VelocityDependence ConstrainedMotion::velocity_dependence(Acceleration&, const ProbeStates& probes) {
    return lento::velocity_dependence(active_, probes);
}

double ConstrainedMotion::cancelled_swing(In start, In velocity, double t, const TimeScales& scales) {
    const auto swing = FastPart(active_, start, velocity, t).profile(start, velocity, t, scales).velocity_swing;
    return *std::max_element(swing.begin(), swing.end());
}

std::vector<double> ConstrainedMotion::active_acceleration(Acceleration&, In x, In v, double t, In theta) {
    return active_.at(x, v, t, theta);
}

SymmetryPhase ConstrainedMotion::symmetry(Acceleration&, const ProbeStates& probes, const TimeScales& scales) {
    return symmetry_phase(active_, probes, scales);
}

std::string ConstrainedMotion::usual_micro(const Options& options, VelocityUse velocity) const {
    const bool steps_given = options.micro_step || options.micro_steps_per_period;
    return steps_given ? "shake" : velocity == VelocityUse::none ? "rattle6" : "lobatto";
}

std::unique_ptr<Window> ConstrainedMotion::window(std::string_view micro, Acceleration&, const TimeScales& scales,
                                                  const WindowShape& shape) {
    return make_constrained_window(micro, active_, in_windows_, scales, shape);
}

MacroChoice ConstrainedMotion::macro(const Options& options, Interval interval) const {
    return macro_choice(options, interval, constrained_solvers(usual_macro_));
}

Marched ConstrainedMotion::march(const MacroChoice& choice, VelocityUse velocity, const AveragedAcceleration& force,
                                 const Request& request, const PhasePoint& start) {
    return march_on_manifold(*problem_, in_march_, choice, velocity, force, request, start.position, start.velocity);
}

void ConstrainedMotion::require_stepper_suits_velocity(std::string_view role, std::string_view stepper) const {
    require_rattle_suits_velocity(role, stepper);
}

Settling ConstrainedMotion::settling() const {
    return settling_onto(*problem_);
}

void ConstrainedMotion::settle(double t, PhasePoint& state) {
    auto moved = state;
    // NOTE: a state that cannot be settled is left as it is; the march then says what is wrong.
    if (ConstrainedMarch(in_march_, [](auto&&...) {}).project(t, moved.position, moved.velocity).converged) {
        state = std::move(moved);
    }
}

void ConstrainedMotion::settle_position(double t, std::vector<double>& x) {
    auto moved = x;
    in_watch_.gradient(x, t, gradient_);
    if (in_watch_.factorise(gradient_) && in_watch_.to_position(gradient_, t, moved, lambda_).converged) {
        x = std::move(moved);
    }
}

void ConstrainedMotion::along(double t, In x, Out a) {
    in_watch_.gradient(x, t, gradient_);
    if (in_watch_.factorise(gradient_)) {
        in_watch_.constrain_acceleration(gradient_, x, rest_, t, a, lambda_);
    }
}

double ConstrainedMotion::noise_across(std::string_view micro, double h, std::size_t steps, double size) const {
    return micro == "shake" ? 0.1 * std::numeric_limits<double>::epsilon() * size / (h * h * static_cast<double>(steps))
                            : 0.0;
}

std::function<void(Snapshot&)> ConstrainedMotion::completion() const {
    auto settle = settling();
    auto acceleration = std::make_shared<Acceleration>(*problem_);
    return [settle, acceleration, problem = problem_](Snapshot& state) {
        const std::size_t d = state.position.size();
        auto y = put_together(state.position, state.velocity);
        settle(state.t, y);
        std::copy_n(y.begin(), d, state.position.begin());
        std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(d), d, state.velocity.begin());
        (*acceleration)(state.position, state.velocity, state.t, problem->phases_at(state.t), std::span(y).first(d));
        state.multipliers.assign(acceleration->multipliers().begin(), acceleration->multipliers().end());
        state.total_multipliers = state.multipliers;
    };
}

}  // namespace lento
