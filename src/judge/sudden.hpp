/// What a force does in time by itself, phases and state held: a burst, a switch, a vibration that nobody declared.
///
/// The steepest change between neighbouring times, over the whole range, tells how long it takes,
///
///     tau = (max f - min f) / max |f'|
///
/// A step much longer than that may jump over it, and two marches that both do would agree.
#pragma once

#include <cstdint>

#include "lento/judge/outset.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

struct Suddenness {
    double time = HUGE_VAL;  ///< tau, the shortest of all components; infinite where nothing depends on time
    std::int64_t evaluations = 0;
};

/// By `looks` evaluations along the run, at a state near the start. What lasts less than the run over that many may be
/// missed.
Suddenness suddenness(const Problem& problem, const Outset& outset);

}  // namespace lento
