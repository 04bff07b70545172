/// Vibrated systems in descriptor form:
///
///     M x'' = f(x, x', t, theta) - g'(x, t)^T lambda,     g(x, t) = 0          (vibrated (4.1), (4.2))
///
/// with Lento's sign of the multipliers, the opposite of the paper's.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lento/problem/constraints.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

/// `Free` is the system without its constraints, a VibratedSystem.
template <class Free, class Constraints>
class ConstrainedSystem {
public:
    /// Whether the force and the constraints take numbers of that type.
    template <class S>
    static constexpr bool accepts = Free::template accepts<S>&& requires(const Constraints& constraints,
                                                                         std::span<const S> x, S t, std::span<S> g) {
        constraints.gradient(x, t, g);
        constraints.curvature(x, x, t, g);
    };

    ConstrainedSystem(Free free, Constraints constraints)
        : free_(std::move(free)), constraints_(std::move(constraints)) {
        if (constraints_.count() >= free_.dimension()) {
            throw Misuse(fmt::format("{} constraints on {} coordinates leave nothing to move", constraints_.count(),
                                     free_.dimension()));
        }
    }

    const Free& free() const { return free_; }
    const Constraints& constraints() const { return constraints_; }

    std::size_t dimension() const { return free_.dimension(); }
    const Mass& mass() const { return free_.mass(); }
    const std::vector<Phase>& phases() const { return free_.phases(); }
    const std::vector<std::string>& names() const { return free_.names(); }
    std::optional<double> period() const { return free_.period(); }

    ConstrainedSystem with_constraint_names(std::vector<std::string> names) const {
        return {free_, constraints_.with_names(std::move(names))};
    }

private:
    Free free_;
    Constraints constraints_;
};

/// `count` constraints written as one template `g(x, t, values)`.
template <class Free, class Function>
auto constrained(const Free& free, std::size_t count, Function function) {
    return ConstrainedSystem<Free, ConstraintFunctions<Function>>(
        free, ConstraintFunctions<Function>(free.dimension(), count, std::move(function)));
}

}  // namespace lento
