#include "method/motion.hpp"

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "march/constrained.hpp"
#include "step/catalogue.hpp"

namespace lento {

std::string Motion::usual_micro(const Options&, VelocityUse velocity) const {
    return own_oscillation_ && velocity == VelocityUse::none ? "verlet8" : "dopri5";
}

std::unique_ptr<Window> Motion::window(std::string_view micro, Acceleration& acceleration, const TimeScales& scales,
                                       const WindowShape& shape) {
    return make_window(micro, acceleration, scales, shape);
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

Marched VariableMotion::march(const MacroChoice& choice, VelocityUse, const AveragedAcceleration& rate,
                              const Request& request, const PhasePoint& start) {
    return march_macro(choice, {.rate = [&](double t, In y, Out result) { rate(t, y, {}, result); }}, request,
                       start.position);
}

std::unique_ptr<Motion> free_motion(const Problem& problem) {
    return problem.second_order ? std::make_unique<Motion>(problem) : std::make_unique<VariableMotion>(problem);
}

double ConstrainedMotion::cancelled_swing(In start, In velocity, double t, const TimeScales& scales) {
    const auto swing = FastPart(active_, start, velocity, t).profile(start, velocity, t, scales).swing;
    return std::ranges::max(swing);
}

std::string ConstrainedMotion::usual_micro(const Options& options, VelocityUse velocity) const {
    const bool steps_given = options.micro_step || options.micro_steps_per_period;
    return steps_given ? "shake" : velocity == VelocityUse::none ? "rattle6" : "lobatto";
}

std::unique_ptr<Window> ConstrainedMotion::window(std::string_view micro, Acceleration&, const TimeScales& scales,
                                                  const WindowShape& shape) {
    return make_constrained_window(micro, active_, in_windows_, scales, shape);
}

Marched ConstrainedMotion::march(const MacroChoice& choice, VelocityUse velocity, const AveragedAcceleration& force,
                                 const Request& request, const PhasePoint& start) {
    return march_on_manifold(*problem_, in_march_, choice, velocity, force, request, start.position, start.velocity);
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
    return [complete = with_multipliers(*problem_)](Snapshot& state) {
        const std::size_t d = state.position.size();
        auto y = put_together(state.position, state.velocity);
        complete(state.t, y);
        state = snapshot_of(state.t, y, d, (y.size() - 2 * d) / 2);
    };
}

}  // namespace lento
