#include "problem/time_scales.hpp"

#include <algorithm>
#include <cmath>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

constexpr int most_periods_in_common = 64;
// Frequencies closer than this, relatively, are one frequency with errors of rounding. NOTE: what is taken for one and is not beats
// within some runs.
constexpr double same = 1e-14;

std::optional<double> common_period_of(std::span<const Phase> phases, double slowest_frequency) {
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

TimeScales time_scales(std::span<const Phase> phases, std::optional<double> declared_period) {
    TimeScales scales;
    if (phases.empty()) {
        if (!declared_period) {
            throw Misuse(
                "the system has neither a vibration phase nor a declared period: nothing tells its fast time scale; "
                "give it a phase or a period");
        }
        scales.fastest = scales.slowest = *declared_period;
        scales.common_period = declared_period;
        return scales;
    }
    const auto by_frequency = [](const Phase& a, const Phase& b) { return a.frequency < b.frequency; };
    const auto [low, high] = std::minmax_element(phases.begin(), phases.end(), by_frequency);
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

TimeScales time_scales(const Problem& problem) {
    return time_scales(problem.phases, problem.period);
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

bool finds_limit_cycle(const Problem& problem) {
    const std::size_t needed = problem.unknowns() - (problem.phases.empty() ? 1 : 0);
    return problem.slow && problem.slow->names().size() < needed;
}

}  // namespace lento
