/// What a force does in time by itself, phases and state held: a burst, a switch, a vibration that nobody declared.
///
/// The steepest change between neighbouring times, over the whole range, tells how long it takes,
///
///     tau = (max f - min f) / max |f'|
///
/// A step much longer than that may jump over it, and two marches that both do would agree. So may one over a pulse
/// within a turn of a phase, whose tau is that of the phase over its frequency.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "lento/judge/outset.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

/// tau of values at equal distances, in units of these; the shortest of all components.
class Changes {
public:
    explicit Changes(std::size_t components)
        : before_(components), low_(components, HUGE_VAL), high_(components, -HUGE_VAL), steepest_(components) {}
    void add(In values);
    double shortest() const;

private:
    bool first_ = true;
    std::vector<double> before_, low_, high_, steepest_;
};

struct Suddenness {
    double time = HUGE_VAL;  ///< tau, the shortest of all components; infinite where nothing depends on time
    std::int64_t evaluations = 0;
};

/// By `looks` evaluations along the run, at a state near the start. What lasts less than the run over that many may be
/// missed.
Suddenness suddenness(const Problem& problem, const Outset& outset);
/// The same along a turn of each phase, where that is sharp: not of a few harmonics.
Suddenness sharpness(const Problem& problem, const Outset& outset);

}  // namespace lento
