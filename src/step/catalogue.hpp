/// The steppers by name, for either scale.
#pragma once

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "step/lobatto.hpp"
#include "step/rattle.hpp"
#include "step/runge_kutta.hpp"
#include "step/verlet.hpp"

namespace lento {

/// What to throw where there is no stepper of that name; `role` is the option that named it.
inline Misuse no_such_stepper(std::string_view name, std::string_view role, std::string_view kind,
                              const std::vector<std::string>& names) {
    return Misuse(
        fmt::format("{} = '{}' is not a {}{}; there are {}", role, name, kind, suggestion(name, names), listed(names)));
}

/// A stepper as a value, so that it can be handed to a generic lambda.
template <template <class, std::size_t> class T>
struct StepperChoice {
    template <class S, std::size_t Extent>
    using Stepper = T<S, Extent>;
};
/// The same of a first-order stepper put to work on coordinates.
template <template <class, std::size_t> class T>
struct OnMotionChoice {
    template <class S, std::size_t Extent>
    using Stepper = OnMotion<T, S, Extent>;
};

/// Those for second-order systems.
inline const std::vector<std::string>& stepper_names() {
    static const std::vector<std::string> names{"verlet",   "verlet4", "verlet6", "verlet8",
                                                "midpoint", "heun3",   "rk4",     "dopri5"};
    return names;
}

/// Those whose order above 2 needs accelerations that do not depend on the velocity.
inline bool is_composition(std::string_view name) {
    return name == "verlet4" || name == "verlet6" || name == "verlet8";
}

/// visitor(choice) for the stepper of that name.
template <class Visitor>
auto with_stepper(std::string_view name, std::string_view role, Visitor&& visitor) {
    return name == "verlet"     ? visitor(StepperChoice<Verlet>{})
           : name == "verlet4"  ? visitor(StepperChoice<Verlet4>{})
           : name == "verlet6"  ? visitor(StepperChoice<Verlet6>{})
           : name == "verlet8"  ? visitor(StepperChoice<Verlet8>{})
           : name == "midpoint" ? visitor(OnMotionChoice<Midpoint>{})
           : name == "heun3"    ? visitor(OnMotionChoice<Heun3>{})
           : name == "rk4"      ? visitor(OnMotionChoice<RungeKutta4>{})
           : name == "dopri5"   ? visitor(OnMotionChoice<DormandPrince>{})
                                : throw no_such_stepper(name, role, "stepper", stepper_names());
}

/// Those for first-order systems.
inline const std::vector<std::string>& rate_stepper_names() {
    static const std::vector<std::string> names{"midpoint", "heun3", "rk4", "dopri5", "dopri8"};
    return names;
}

template <class Visitor>
auto with_rate_stepper(std::string_view name, std::string_view role, Visitor&& visitor) {
    return name == "midpoint" ? visitor(StepperChoice<Midpoint>{})
           : name == "heun3"  ? visitor(StepperChoice<Heun3>{})
           : name == "rk4"    ? visitor(StepperChoice<RungeKutta4>{})
           : name == "dopri5" ? visitor(StepperChoice<DormandPrince>{})
           : name == "dopri8" ? visitor(StepperChoice<PrinceDormand>{})
                              : throw no_such_stepper(name, role, "stepper", rate_stepper_names());
}

/// Those for constrained systems.
inline const std::vector<std::string>& constrained_stepper_names() {
    static const std::vector<std::string> names{"shake", "rattle", "rattle4", "rattle6", "rattle8", "lobatto"};
    return names;
}

/// Those whose order above 2 needs forces that do not depend on the velocity.
inline bool is_rattle_composition(std::string_view name) {
    return name == "rattle4" || name == "rattle6" || name == "rattle8";
}

template <class T>
struct ConstrainedChoice {
    using Stepper = T;
};

template <class Visitor>
auto with_constrained_stepper(std::string_view name, std::string_view role, Visitor&& visitor) {
    return name == "shake"     ? visitor(ConstrainedChoice<Shake>{})
           : name == "rattle"  ? visitor(ConstrainedChoice<Rattle>{})
           : name == "rattle4" ? visitor(ConstrainedChoice<Rattle4>{})
           : name == "rattle6" ? visitor(ConstrainedChoice<Rattle6>{})
           : name == "rattle8" ? visitor(ConstrainedChoice<Rattle8>{})
           : name == "lobatto"
               ? visitor(ConstrainedChoice<Lobatto>{})
               : throw no_such_stepper(name, role, "stepper for constrained systems", constrained_stepper_names());
}

}  // namespace lento
