/// Which steps a resolving march (`march/resolving.hpp`) takes: what suits the force, or what the options of `direct`
/// name.
#pragma once

#include <cstdint>
#include <optional>

#include "lento/run/run.hpp"
#include "march/resolving.hpp"

namespace lento {

/// The share of the tolerance of a result that a step may err by, in the first march that may be kept.
inline constexpr double first_tightness = 0.01;
/// The share of the motion's size that a step of it may err by.
double step_tolerance(const Run& run);

/// The pair of the march by tolerance, and for Nystroem's on variables the form they take.
struct ResolvingChoice {
    ResolvingMarch::Stepper pair = ResolvingMarch::Stepper::dop853;
    std::optional<MechanicalForm> form{};
    std::optional<std::int64_t> series_after{};  ///< evaluations; none: no series
};

/// None where another solver, or fixed steps were asked for; Misuse where the steps that are named do not suit.
std::optional<ResolvingChoice> resolving_choice(const Run& run);

}  // namespace lento
