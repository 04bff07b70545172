#include "judge/price.hpp"

#include "judge/stiff_scales.hpp"
#include "problem/time_scales.hpp"

namespace lento {

double price_of_direct(double vibrations, double rtol) {
    constexpr double evaluations = 65;  // a vibration at 1e-4, of a method of order 5
    return evaluations * vibrations * std::pow(1e-4 / rtol, 0.2);
}

double price_of_direct(const SpringSpectrum& spectrum, double length, double rtol) {
    return price_of_direct(length * spectrum.fastest / (2 * std::numbers::pi), rtol);
}

std::optional<double> vibrations_in(const Problem& problem, double length) {
    auto fastest = fastest_period(problem);
    if (problem.springs) {
        const double period = spring_scales(problem.springs->entries).fastest;
        fastest = std::min(fastest.value_or(period), period);
    }
    return fastest ? std::optional(length / *fastest) : std::nullopt;
}

}  // namespace lento
