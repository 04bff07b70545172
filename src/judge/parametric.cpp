#include "judge/parametric.hpp"

#include <fmt/format.h>

#include "average/fast_part.hpp"

namespace lento {

std::optional<std::string> parametric_resonance(const Problem& problem, const Outset& outset,
                                                std::string_view resolving) {
    constexpr std::size_t most = 400;
    if (!problem.second_order || problem.phases.empty()) {
        return std::nullopt;
    }
    if (problem.dimension() > most) {
        return fmt::format("{} coordinates are too many to look for parametric resonance", problem.dimension());
    }
    Acceleration acceleration(problem);
    const double strength = parametric_strength(acceleration, outset.start, outset.velocity, outset.t_start);
    if (!(strength > largest_parametric_strength)) {
        return std::nullopt;
    }
    return fmt::format(
        "the vibration is so strong that the motion about the start may resonate with it parametrically: the "
        "derivative of the fast displacement is {:.3g}, where {} is the limit near an equilibrium. Averaged methods "
        "cannot see this; trust only `{}`, or make the vibration faster at the same velocity",
        strength, largest_parametric_strength, resolving);
}

}  // namespace lento
