#include "judge/price.hpp"

#include "judge/stiff_scales.hpp"
#include "problem/time_scales.hpp"

namespace lento {

double price_of_direct(const Problem& problem, double vibrations, double rtol) {
    constexpr double evaluations = 50;  // a vibration at 1e-4, of two marches
    // NOTE: along an orbit what each revolution is wrong by adds up, and marches are repeated until that is little.
    constexpr double undriven = 4;
    return (problem.phases.empty() ? undriven : 1) * evaluations * vibrations * std::pow(1e-4 / rtol, 0.1);
}

double price_of_direct(const Problem& problem, const SpringSpectrum& spectrum, double length, double rtol) {
    return price_of_direct(problem, length * spectrum.fastest / (2 * std::numbers::pi), rtol);
}

double most_for_resolving(const Problem& problem) {
    // NOTE: about 20 ns a coordinate and evaluation, force and step together; constraints are eliminated in each.
    constexpr double most_numbers = 6e8, most_evaluations = 1e8;
    const auto rows = problem.constraints ? static_cast<double>(problem.constraints->count()) : 0.0;
    return std::min(most_evaluations, most_numbers / (static_cast<double>(problem.dimension()) + rows * rows));
}

double most_for_opinion(const Problem& problem) {
    constexpr double share = 0.2;
    return share * most_for_resolving(problem);
}

std::int64_t most_steps_for_resolving(const Problem& problem) {
    constexpr double evaluations_a_step = 12;  // of DOP853
    return static_cast<std::int64_t>(most_for_resolving(problem) / evaluations_a_step);
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
