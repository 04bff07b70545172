/// The accelerations M(x, t)^-1 f that forces give where masses vary: by L D L^T at each point, of numbers or of
/// series.
#pragma once

#include "lento/problem/forces.hpp"
#include "lento/problem/mass.hpp"

namespace lento {

/// Not a number where M is not positive definite. They take series where forces and masses do.
Forces divided_by(const Mass& mass, Forces forces);

/// f becomes M(x, t)^-1 f.
void divide_by(const Mass& mass, In x, double t, Out f);

}  // namespace lento
