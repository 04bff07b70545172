#include "lento/method/spring_start.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "lento/base/number.hpp"

namespace lento {

std::optional<Violation> vanishing_spring(const StiffMotion& motion, const SpringSpectrum& spectrum) {
    if (!spectrum.vanishing) {
        return std::nullopt;
    }
    return Violation{Outcome::refused,
                     fmt::format("the elongation of spring {} has a vanishing gradient at the start: the spring "
                                 "has no direction to pull in, and no frequency; start elsewhere, or write the "
                                 "elongation so that its gradient is not zero (r - 1, not (r - 1)^2)",
                                 motion.springs()[*spectrum.vanishing].name)};
}

std::optional<Violation> far_start(const Request& request, std::span<const double> x, const SlowSize& size) {
    double moved = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        moved = larger(moved, std::abs(x[i] - request.start[i]));
    }
    if (moved <= 0.3 * size.length) {
        return std::nullopt;
    }
    return Violation{
        Outcome::refused,
        fmt::format("the fast oscillation has an amplitude of {:.3g}, where the coordinates themselves are of "
                    "size {:.3g}: averaging needs oscillations that are small against the slow motion (of the "
                    "order 1/frequency); use the method direct",
                    moved, size.length)};
}

std::optional<std::string> fast_start(const StiffMotion& motion, const Request& request, std::span<const double> x,
                                      std::span<const double> v, std::span<const double> acceleration,
                                      const SlowSize& size) {
    const double taken = motion.spring_energy(request.t_start, request.start, request.velocity) -
                         motion.spring_energy(request.t_start, x, v);
    const double kinetic = motion.kinetic_energy(v);
    std::vector<double> gained(acceleration.begin(), acceleration.end());
    for (auto& component : gained) {
        component *= size.time;
    }
    if (!(taken > much_energy * std::max(kinetic, motion.kinetic_energy(gained)))) {
        return std::nullopt;
    }
    return fmt::format(
        "the start has an energy of {:.2g} in fast oscillations of the springs, where the slow motion "
        "has a kinetic energy of {:.2g}; that is taken out, and with it what it does to the slow "
        "motion: `lento compare` tells how much that is",
        taken, kinetic);
}

double evaluations_to_resolve(const SpringSpectrum& spectrum, double length) {
    constexpr double a_period = 40;
    return a_period * length * spectrum.fastest / (2 * std::numbers::pi);
}

}  // namespace lento
