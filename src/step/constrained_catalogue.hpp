/// The steppers for constrained systems by name, for either scale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "step/lobatto.hpp"
#include "step/rattle.hpp"
#include "step/shake.hpp"

namespace lento {

inline const std::vector<std::string>& constrained_stepper_names() {
    static const std::vector<std::string> names{"shake", "rattle", "rattle4", "rattle6", "rattle8", "lobatto"};
    return names;
}

/// Those whose order above 2 needs forces that do not depend on the velocity.
inline bool is_rattle_composition(std::string_view name) {
    return name == "rattle4" || name == "rattle6" || name == "rattle8";
}

/// A stepper as a value, so that it can be handed to a generic lambda.
template <class T>
struct ConstrainedChoice {
    using Stepper = T;
};

/// visitor(ConstrainedChoice<...>{}) for the stepper of that name; `role` is the option that named it.
template <class Visitor>
decltype(auto) with_constrained_stepper(std::string_view name, std::string_view role, Visitor&& visitor) {
    if (name == "shake") {
        return visitor(ConstrainedChoice<Shake>{});
    }
    if (name == "rattle") {
        return visitor(ConstrainedChoice<Rattle>{});
    }
    if (name == "rattle4") {
        return visitor(ConstrainedChoice<Rattle4>{});
    }
    if (name == "rattle6") {
        return visitor(ConstrainedChoice<Rattle6>{});
    }
    if (name == "rattle8") {
        return visitor(ConstrainedChoice<Rattle8>{});
    }
    if (name == "lobatto") {
        return visitor(ConstrainedChoice<Lobatto>{});
    }
    throw Misuse(fmt::format("{} = '{}' is not a stepper for constrained systems{}; there are {}", role, name,
                             suggestion(name, constrained_stepper_names()), listed(constrained_stepper_names())));
}

}  // namespace lento
