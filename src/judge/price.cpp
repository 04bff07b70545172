#include "judge/price.hpp"

#include <cmath>

#include "judge/stiff_scales.hpp"
#include "problem/motion_series.hpp"
#include "problem/time_scales.hpp"
#include "step/taylor.hpp"

namespace lento {
namespace {

/// The time of a Taylor step over that of one of Nystroem's. NOTE: both in nanoseconds of one machine, fitted to the
/// models of this repository (2 to 160 unknowns, 5 to 605 operations, most within a third).
double taylor_over_nystroem(const MotionSeries::Work& work, std::size_t unknowns, int order) {
    constexpr double stages = 17;
    const auto operations = static_cast<double>(work.operations), sums = static_cast<double>(work.sums);
    const double taylor = 150 + order * (0.35 * operations + 0.32 * sums);
    return taylor / (stages * (8 + 0.4 * operations + 1.3 * static_cast<double>(unknowns)));
}

}  // namespace

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

std::optional<std::int64_t> evaluations_before_series(const Problem& problem, ResolvingMarch::Stepper other,
                                                      double tolerance) {
    constexpr std::int64_t compiling = 200'000;  // 5 to 10 ms
    if (!ResolvingMarch::has_series(problem)) {
        return std::nullopt;
    }
    if (other == ResolvingMarch::Stepper::dop853) {
        return compiling;  // at equal error series took 0.5 of its time at 1e-3, 0.15 at 1e-10
    }
    // NOTE: at equal error they take as many steps as Nystroem's pair at 1e-8, 0.65 times as many at 1e-11: their
    // steps hardly become shorter.
    const double steps = std::pow(0.65, std::log10(1e-8 / tolerance) / 3);
    constexpr double worth_it = 0.75;
    const auto work = problem.forces.motion_series()->work();
    const double ratio = steps * taylor_over_nystroem(work, problem.unknowns(), TaylorStep::order_for(tolerance));
    return ratio < worth_it ? std::optional(compiling) : std::nullopt;
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
