/// Rigid constraints relaxed to stiff springs: g(x, t) = 0 becomes the potential 1/2 k g^2. As k grows, slow motions of
/// the springs approach those of the constraints with O(1/k), and k g the multipliers (slow-manifold (4), section 6.5).
#pragma once

#include <vector>

#include "lento/problem/problem.hpp"

namespace lento {

/// Springs of stiffness strengths[j] and that nominal frequency in place of the constraints. A problem may know a
/// better form of itself; else springs that it has already become part of its slow force.
Problem relaxed(const Problem& problem, double frequency, const std::vector<double>& strengths);

}  // namespace lento
