/// The steppers by name, for either scale.
#pragma once

#include <tuple>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "step/lobatto.hpp"
#include "step/rattle.hpp"
#include "step/runge_kutta.hpp"
#include "step/verlet.hpp"

namespace lento {

/// A stepper as a value, so that it can be handed to a generic lambda.
template <template <class, std::size_t> class T>
struct StepperChoice {
    std::string_view name{};

    template <class S, std::size_t Extent>
    using Stepper = T<S, Extent>;
};
/// The same of a first-order stepper put to work on coordinates.
template <template <class, std::size_t> class T>
struct OnMotionChoice {
    std::string_view name{};

    template <class S, std::size_t Extent>
    using Stepper = OnMotion<T, S, Extent>;
};
/// The same for variables.
template <class Choice>
struct OnVariablesChoice {
    template <class S, std::size_t Extent>
    using Stepper = OnVariables<Choice::template Stepper, S, Extent>;
};
template <class T>
struct ConstrainedChoice {
    std::string_view name{};

    using Stepper = T;
};

/// Those for second-order systems, for first-order ones, and for constrained ones.
inline constexpr std::tuple motion_steppers{
    StepperChoice<Verlet>{"verlet"},    StepperChoice<Verlet4>{"verlet4"},      StepperChoice<Verlet6>{"verlet6"},
    StepperChoice<Verlet8>{"verlet8"},  OnMotionChoice<Midpoint>{"midpoint"},   OnMotionChoice<Heun3>{"heun3"},
    OnMotionChoice<RungeKutta4>{"rk4"}, OnMotionChoice<DormandPrince>{"dopri5"}};
inline constexpr std::tuple rate_steppers{StepperChoice<Midpoint>{"midpoint"}, StepperChoice<Heun3>{"heun3"},
                                          StepperChoice<RungeKutta4>{"rk4"}, StepperChoice<DormandPrince>{"dopri5"},
                                          StepperChoice<PrinceDormand>{"dopri8"}};
inline constexpr std::tuple constrained_steppers{
    ConstrainedChoice<Shake>{"shake"},     ConstrainedChoice<Rattle>{"rattle"},
    ConstrainedChoice<Rattle4>{"rattle4"}, ConstrainedChoice<Rattle6>{"rattle6"},
    ConstrainedChoice<Rattle8>{"rattle8"}, ConstrainedChoice<Lobatto>{"lobatto"}};

template <class Steppers>
std::vector<std::string> names_of(const Steppers& steppers) {
    return std::apply([](auto... choice) { return std::vector{std::string(choice.name)...}; }, steppers);
}

/// visitor(choice) for the stepper of that name; `role` is the option that named it, `kind` what it should be.
template <std::size_t I = 0, class Steppers, class Visitor>
auto with_stepper_of(const Steppers& steppers, std::string_view name, std::string_view role, std::string_view kind,
                     Visitor&& visitor) {
    const auto choice = std::get<I>(steppers);
    if constexpr (I + 1 < std::tuple_size_v<Steppers>) {
        return name == choice.name ? visitor(choice) : with_stepper_of<I + 1>(steppers, name, role, kind, visitor);
    } else {
        const auto names = names_of(steppers);
        return name == choice.name ? visitor(choice)
                                   : throw Misuse(fmt::format("{} = '{}' is not a {}{}; there are {}", role, name, kind,
                                                              suggestion(name, names), listed(names)));
    }
}
template <class Visitor>
auto with_stepper(std::string_view name, std::string_view role, Visitor&& visitor) {
    return with_stepper_of(motion_steppers, name, role, "stepper", visitor);
}
template <class Visitor>
auto with_constrained_stepper(std::string_view name, std::string_view role, Visitor&& visitor) {
    return with_stepper_of(constrained_steppers, name, role, "stepper for constrained systems", visitor);
}

/// Whether it is a composition of `basic`: its order above 2 needs forces that do not depend on the velocity.
inline bool is_composition(std::string_view name, std::string_view basic) {
    const auto order = name.starts_with(basic) ? name.substr(basic.size()) : "";
    return order == "4" || order == "6" || order == "8";
}

}  // namespace lento
