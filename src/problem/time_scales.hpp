/// The fast time scales of a system, from its phases or its declared period.
#pragma once

#include "lento/problem/problem.hpp"

namespace lento {

struct TimeScales {
    double fastest = 0;                   ///< the shortest period: it sets the micro-step
    double slowest = 0;                   ///< the longest period or beat: a window has to cover it
    std::optional<double> common_period;  ///< where all periods are multiples of one
    std::vector<double> ratios;           ///< each phase's frequency over the fastest one
};

/// Misuse where there is neither.
TimeScales time_scales(const Problem& problem);
/// Common to all phases, or declared; none if nobody knows it.
std::optional<double> common_period(const Problem& problem);
/// Of the fastest phase, or the declared one.
std::optional<double> fastest_period(const Problem& problem);

/// How often the fastest phase turns in the period common to all; once where there is no phase.
double turns_in_common(const std::vector<Phase>& phases, double common_period);

/// Whether slow variables are too few to tell a state: the fast motion finds the rest by itself, on a limit cycle.
bool finds_limit_cycle(const Problem& problem);

}  // namespace lento
