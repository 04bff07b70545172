/// SHAKE-SHAKE and RATTLE-SHAKE (vibrated, sections 4.2 and 4.3). The averaged motion keeps the constraints of the fast one,
///
///     M X'' = F(X) - g'(X, t)^T Lambda,     g(X, t) = 0                       (4.4), (4.5)
///
/// and F is the mean of the active plus the constraint force along a window that starts at X, at rest, at phase zero, and stays on the
/// manifold itself. Then one macro-step by SHAKE or RATTLE, which have the same positions; by a composition, by Lobatto IIIA-IIIB, or
/// by a half-explicit Dormand-Prince with its own steps. Multipliers have Lento's sign, the opposite of the paper's. Two are given: Lambda, and
/// Lambda plus the mean of those in the window, which is the mean of the true one.
#pragma once

#include <memory>
#include <string>

#include "lento/method/averaged_run.hpp"
#include "lento/method/constrained_motion.hpp"
#include "lento/method/rest_window.hpp"

namespace lento {

inline MethodDescription constrained_averaging_description(const std::string& name, const std::string& macro,
                                                           const std::string& summary) {
    return {.name = name,
            .problems = "vibrated, with constraints",
            .paper = "vibrated",
            .slow_is = "averaged",
            .summary = summary,
            .options = {
                {"macro", macro + " with macro_step or steps, else dopri5"},
                {"macro_step", "adaptive"},
                {"steps", "adaptive"},
                {"micro",
                 "shake with micro_step or micro_steps_per_period, else rattle6; lobatto where forces depend on the "
                 "velocity"},
                {"micro_step", "from micro_steps_per_period"},
                {"micro_steps_per_period", "doubled until the averaged force settles"},
                {"filter", "period where the force is even about some phase, else cos8"},
                {"window", "from window_periods"},
                {"window_periods", "exponential 40, cubic 6, cosP P/2 + 8, period 1"},
                {"initial", "true-state"},
                {"mean_force", "refuse"},
                {"parity", "detect, unless the system declares it"}}};
}

inline const MethodDescription shake_shake_description = constrained_averaging_description(
    "shake-shake", "shake", "windows on the constraints from rest at phase zero; then large SHAKE steps");
inline const MethodDescription rattle_shake_description =
    constrained_averaging_description("rattle-shake", "rattle",
                                      "windows on the constraints from rest at phase zero; then large RATTLE steps, "
                                      "whose velocities keep the constraints too");

/// Either of the two, by its description.
template <class Free, class Constraints>
Solution average_on_constraints(const ConstrainedSystem<Free, Constraints>& system, const Request& request,
                                const MethodDescription& method) {
    if (system.phases().empty()) {
        throw Misuse(
            fmt::format("{} averages over declared phases, and this system has none; use direct", method.name));
    }
    const auto reduced_system = reduced(system);
    using Reduced = std::decay_t<decltype(reduced_system)>;
    const std::string macro = method.name == shake_shake_description.name ? "shake" : "rattle";
    AveragedRun<Reduced> run(reduced_system, request, method,
                             std::make_unique<ConstrainedMotion<Reduced, Free, Constraints>>(system, macro));
    return average_from_rest(run);
}

}  // namespace lento
