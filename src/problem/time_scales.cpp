#include "problem/time_scales.hpp"

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

constexpr int most_periods_in_common = 64;
// Frequencies closer than this, relatively, are one with errors of rounding. NOTE: others beat within some runs.
constexpr double same = 1e-14;

std::optional<double> common_period_of(const std::vector<Phase>& phases, double slowest_frequency) {
    for (int count = 1; count <= most_periods_in_common; ++count) {
        const bool all_whole = std::all_of(phases.begin(), phases.end(), [&](const Phase& phase) {
            const double turns = count * phase.frequency / slowest_frequency;
            return std::abs(turns - std::round(turns)) < same * turns;
        });
        if (all_whole) {
            return count * 2 * std::numbers::pi / slowest_frequency;
        }
    }
    return std::nullopt;
}

}  // namespace

TimeScales time_scales(const Problem& problem) {
    const auto& phases = problem.phases;
    TimeScales scales;
    if (phases.empty()) {
        if (!problem.period) {
            throw Misuse(
                "the system has neither a vibration phase nor a declared period: nothing tells its fast time scale; "
                "give it a phase or a period");
        }
        scales.fastest = scales.slowest = *problem.period;
        scales.common_period = problem.period;
        return scales;
    }
    const auto [low, high] = std::ranges::minmax_element(phases, {}, &Phase::frequency);
    double slowest_frequency = low->frequency;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        scales.ratios.push_back(phases[i].frequency / high->frequency);
        for (std::size_t j = 0; j < i; ++j) {
            const double beat = std::abs(phases[i].frequency - phases[j].frequency);
            if (beat > same * high->frequency) {
                slowest_frequency = std::min(slowest_frequency, beat);
            }
        }
    }
    scales.fastest = high->period();
    scales.common_period = common_period_of(phases, low->frequency);
    scales.slowest = scales.common_period.value_or(2 * std::numbers::pi / slowest_frequency);
    return scales;
}

std::optional<double> common_period(const Problem& problem) {
    return problem.phases.empty() && !problem.period ? std::nullopt : time_scales(problem).common_period;
}

std::optional<double> fastest_period(const Problem& problem) {
    auto fastest = problem.period;
    for (const auto& phase : problem.phases) {
        fastest = std::min(fastest.value_or(phase.period()), phase.period());
    }
    return fastest;
}

double turns_in_common(const std::vector<Phase>& phases, double common_period) {
    double turns = 1;
    for (const auto& phase : phases) {
        turns = std::max(turns, std::round(phase.frequency / (2 * std::numbers::pi / common_period)));
    }
    return turns;
}

bool finds_limit_cycle(const Problem& problem) {
    const std::size_t needed = problem.unknowns() - (problem.phases.empty() ? 1 : 0);
    return problem.slow && problem.slow->names().size() < needed;
}

}  // namespace lento
