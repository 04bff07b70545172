/// What a person may not have declared: one fast oscillation of the motion, or one of the force in time.
///
/// An oscillation is believed where the motion comes back near where it was, again and again and in nearly the same
/// time, from most of the points at which that is tried, and what a revolution changes bends little: the map over one
/// is near the identity (`docs/stroboscopic.md`). A vibration of the force is believed where it crosses its mean at
/// equal distances of time, at the start of the run as in its middle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lento/judge/outset.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

/// The period of the fast oscillation, from some states y = (x, v) of the motion and their times, all along the run.
struct UndeclaredPhase {
    std::optional<double> period{};
    std::int64_t evaluations = 0;
};
UndeclaredPhase undeclared_phase(const Problem& problem, const Outset& outset,
                                 const std::vector<std::pair<double, std::vector<double>>>& states);

/// The frequency with which the force depends on the time itself, phases and state held.
std::optional<double> undeclared_frequency(const Problem& problem, const Outset& outset);

/// One sentence each, with how often that is in the run; `method` is one for motions with a period.
std::string advice_on_period(double period, const Outset& outset, std::string_view method);
std::string advice_on_frequency(double frequency, const Outset& outset);

}  // namespace lento
