#include "judge/slow_size.hpp"

#include <fmt/format.h>

#include "base/number.hpp"

namespace lento {
SlowSize::SlowSize(In x, In v, In a, double run)
    : length(largest(x)), velocity(largest(v)), acceleration(largest(a)), time(run) {
    if (acceleration > 0) {
        time = std::min(run, std::max(velocity / acceleration, std::sqrt(length / acceleration)));
    } else if (velocity > 0 && length > 0) {
        time = std::min(run, length / velocity);
    }
    length = std::max({length, velocity * time, acceleration * time * time});
    if (!(length > 0)) {
        length = 1;
    }
}

double SlowSize::move(In x, In v, In to_x, In to_v) const {
    return larger(largest_change(to_x, x) / length, largest_change(to_v, v) * time / length);
}

ProjectionTolerance usual_projection_tolerance(double frequency, const SlowSize& size, double rtol, double leakage) {
    const double separation = frequency * size.time;
    // The constants make the paper's 1e-7, 1e-9 at omega = 100, 1000 in its problem, whose glide they are just above.
    const double force = std::min(1e-3, 0.1 * rtol / leakage);
    const double elongation = force / std::pow(separation, 2) + 13 / std::pow(separation, 4);
    const double rate = std::min(6e-10, 6e-4 * rtol) + 1.3e-3 / std::pow(separation, 2);
    return {elongation * size.length, rate * size.length / size.time};
}

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

std::optional<Violation> far_start(const Outset& outset, In x, const SlowSize& size) {
    const double moved = largest_change(x, outset.start);
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

std::optional<std::string> fast_start(const Problem& problem, const Outset& outset, In x, In v, In acceleration,
                                      const SlowSize& size) {
    const double taken = spring_energy(problem, outset.t_start, outset.start, outset.velocity) -
                         spring_energy(problem, outset.t_start, x, v);
    const double kinetic = kinetic_energy(problem, outset.t_start, x, v);
    std::vector<double> gained(acceleration.size());
    add_to(gained, size.time, acceleration);
    if (!(taken > much_energy * std::max(kinetic, kinetic_energy(problem, outset.t_start, x, gained)))) {
        return std::nullopt;
    }
    return fmt::format(
        "the start has an energy of {:.2g} in fast oscillations of the springs, where the slow motion has a kinetic "
        "energy of {:.2g}; that is taken out, and with it what it does to the slow motion: `lento compare` tells how "
        "much that is",
        taken, kinetic);
}

}  // namespace lento
