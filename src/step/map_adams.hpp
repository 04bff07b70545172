/// Multirevolution Adams methods. D_j = Psi(z_j) - z_j is known at points p_j, in revolutions from z_n, and
///
///     Psi^N(z_n) = z_n + sum_{m=0}^{N-1} D(m) = z_n + sum_j w_j D_j,     w_j = sum_{m=0}^{N-1} l_j(m)
///
/// with D(m) interpolated by the polynomial through the known ones, l_j its Lagrange polynomials. The sum is exact: there is no
/// difference quotient, and as N grows the weights become N times those of Adams. The partial sums are polynomials in m, which is the dense
/// output between the ends.
#pragma once

#include <span>
#include <vector>

namespace lento {

/// w_j(s N) = sum_{k=1} c_k s^k for each point j: the coefficients c_1, c_2, ..., as many as there are points. Up to 12 points, all different.
std::vector<std::vector<double>> adams_polynomials(std::span<const double> points, double N);

/// w_j: the same at s = 1.
std::vector<double> adams_weights(std::span<const double> points, double N);

}  // namespace lento
