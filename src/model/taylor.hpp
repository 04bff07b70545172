/// Taylor coefficients in slow time of what a graph computes, as a graph of their own.
///
///     x(s) = x_0 + x_1 s + ... + x_D s^D,    the same for v,    t(s) = t + s,    theta(s) = theta
///
/// Every node becomes D + 1 nodes by the recurrences of `base/jet.hpp`: with y = phi(a) and y' = g a' the coefficients
/// obey k y_k = sum_{j=1..k} j a_j g_{k-j}. Equal sums are one node, and a coefficient that is zero whatever the
/// arguments costs nothing. At a kink (of abs, sign, floor; where both arguments of min, max are equal) a coefficient
/// is that of one side or zero.
#pragma once

#include <cstddef>

#include "model/compile.hpp"

namespace lento::model {

/// The coefficients up to `degree` of a function of `dimension` positions and as many velocities: coefficient j of
/// result i of n is result j*n + i, that of coordinate i has index j*dimension + i in its array.
FunctionGraph taylor(const FunctionGraph& function, std::size_t dimension, int degree);

}  // namespace lento::model
