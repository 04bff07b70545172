/// The steppers for second-order systems by name, for either scale.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "step/composition.hpp"
#include "step/runge_kutta.hpp"
#include "step/verlet.hpp"

namespace lento {

/// A stepper as a value, so that it can be handed to a generic lambda.
template <template <class, std::size_t> class T>
struct StepperChoice {
    template <class S, std::size_t Extent>
    using Stepper = T<S, Extent>;
};

template <class S, std::size_t Extent>
using MidpointOnMotion = OnMotion<Midpoint, S, Extent>;
template <class S, std::size_t Extent>
using Heun3OnMotion = OnMotion<Heun3, S, Extent>;
template <class S, std::size_t Extent>
using RungeKutta4OnMotion = OnMotion<RungeKutta4, S, Extent>;
template <class S, std::size_t Extent>
using DormandPrinceOnMotion = OnMotion<DormandPrince, S, Extent>;
template <class S, std::size_t Extent>
using PrinceDormandOnMotion = OnMotion<PrinceDormand, S, Extent>;

inline const std::vector<std::string>& stepper_names() {
    static const std::vector<std::string> names{"verlet",   "verlet4", "verlet6", "verlet8",
                                                "midpoint", "heun3",   "rk4",     "dopri5"};
    return names;
}

/// Those whose order above 2 needs accelerations that do not depend on the velocity.
inline bool is_composition(std::string_view name) {
    return name == "verlet4" || name == "verlet6" || name == "verlet8";
}

/// visitor(StepperChoice<...>{}) for the stepper of that name; `role` is the option that named it.
template <class Visitor>
decltype(auto) with_stepper(std::string_view name, std::string_view role, Visitor&& visitor) {
    if (name == "verlet") {
        return visitor(StepperChoice<Verlet>{});
    }
    if (name == "verlet4") {
        return visitor(StepperChoice<Verlet4>{});
    }
    if (name == "verlet6") {
        return visitor(StepperChoice<Verlet6>{});
    }
    if (name == "verlet8") {
        return visitor(StepperChoice<Verlet8>{});
    }
    if (name == "midpoint") {
        return visitor(StepperChoice<MidpointOnMotion>{});
    }
    if (name == "heun3") {
        return visitor(StepperChoice<Heun3OnMotion>{});
    }
    if (name == "rk4") {
        return visitor(StepperChoice<RungeKutta4OnMotion>{});
    }
    if (name == "dopri5") {
        return visitor(StepperChoice<DormandPrinceOnMotion>{});
    }
    throw Misuse(fmt::format("{} = '{}' is not a stepper{}; there are {}", role, name,
                             suggestion(name, stepper_names()), listed(stepper_names())));
}

/// Those for first-order systems.
inline const std::vector<std::string>& rate_stepper_names() {
    static const std::vector<std::string> names{"midpoint", "heun3", "rk4", "dopri5", "dopri8"};
    return names;
}

template <class Visitor>
decltype(auto) with_rate_stepper(std::string_view name, std::string_view role, Visitor&& visitor) {
    if (name == "midpoint") {
        return visitor(StepperChoice<Midpoint>{});
    }
    if (name == "heun3") {
        return visitor(StepperChoice<Heun3>{});
    }
    if (name == "rk4") {
        return visitor(StepperChoice<RungeKutta4>{});
    }
    if (name == "dopri5") {
        return visitor(StepperChoice<DormandPrince>{});
    }
    if (name == "dopri8") {
        return visitor(StepperChoice<PrinceDormand>{});
    }
    throw Misuse(fmt::format("{} = '{}' is not a stepper{}; there are {}", role, name,
                             suggestion(name, rate_stepper_names()), listed(rate_stepper_names())));
}

}  // namespace lento
