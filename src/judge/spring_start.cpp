#include "judge/spring_start.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "problem/spring_energy.hpp"

namespace lento {

std::optional<Violation> vanishing_spring(const Problem& problem, const SpringSpectrum& spectrum) {
    if (!spectrum.vanishing) {
        return std::nullopt;
    }
    return Violation{Outcome::refused,
                     fmt::format("the elongation of spring {} has a vanishing gradient at the start: the spring has no "
                                 "direction to pull in, and no frequency; start elsewhere, or write the elongation so "
                                 "that its gradient is not zero (r - 1, not (r - 1)^2)",
                                 problem.springs->entries[*spectrum.vanishing].name)};
}

std::optional<Violation> far_start(const Outset& outset, std::span<const double> x, const SlowSize& size) {
    double moved = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        moved = larger(moved, std::abs(x[i] - outset.start[i]));
    }
    if (moved <= 0.3 * size.length) {
        return std::nullopt;
    }
    return Violation{
        Outcome::refused,
        fmt::format(
            "the fast oscillation has an amplitude of {:.3g}, where the coordinates themselves are of size {:.3g}: "
            "averaging needs oscillations that are small against the slow motion (of the order 1/frequency)",
            moved, size.length),
        Remedy::resolve};
}

std::optional<std::string> fast_start(const Problem& problem, const Outset& outset, std::span<const double> x,
                                      std::span<const double> v, std::span<const double> acceleration,
                                      const SlowSize& size) {
    const double taken = spring_energy(problem, outset.t_start, outset.start, outset.velocity) -
                         spring_energy(problem, outset.t_start, x, v);
    const double kinetic = kinetic_energy(problem, v);
    std::vector<double> gained(acceleration.begin(), acceleration.end());
    for (auto& component : gained) {
        component *= size.time;
    }
    if (!(taken > much_energy * std::max(kinetic, kinetic_energy(problem, gained)))) {
        return std::nullopt;
    }
    return fmt::format(
        "the start has an energy of {:.2g} in fast oscillations of the springs, where the slow motion has a kinetic "
        "energy of {:.2g}; that is taken out, and with it what it does to the slow motion: `lento compare` tells how "
        "much that is",
        taken, kinetic);
}

}  // namespace lento
