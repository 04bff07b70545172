/// What it takes to find the acceleration of the double pendulum at one of the phases of a harmonic average: forces,
/// constraints with their derivatives, and the elimination of the multipliers (`average/constrained_field.hpp`).
#pragma once

namespace bench {

/// Prints it; false if it is longer than is wanted.
bool constrained_evaluations();

}  // namespace bench
