/// Methods for maps near the identity: Runge-Kutta and Adams. With D(Z) = Psi(Z) - Z,
///
///     Z_i = z + sum_{j<i} a_ij D(Z_j),   z* = z + sum_i b_i D(Z_i)     (stroboscopic (30), (31), M taken into a and b)
///
/// is to be Psi^M(z). Psi^M is M steps of Euler's method of length 1 with the field D, so both sides are B-series in D,
/// and the conditions of order are those of Runge-Kutta methods with sums for the integrals of polynomials: for the
/// tree t = [t_1 ... t_k]
///
///     sum_i b_i Phi_i(t) = e_M(t),     e_M([t_1 ... t_k]) = sum_{m=0}^{M-1} e_m(t_1) ... e_m(t_k),   e_M(.) = M
///
/// These are polynomials in M, and make sense for any real M. Psi^M = z + M F + O(M^2), F the field whose flow after
/// one period is Psi: at M = 0 the same methods, divided by M, recover F from Psi (Kirchgraber's formulas; (29) is the
/// one of order 2).
#pragma once

#include <array>

#include "lento/problem/forces.hpp"

namespace lento {

/// Up to four stages; entries beyond are zero.
struct MapTableau {
    static constexpr std::size_t most = 4;
    std::size_t stages = 0;
    std::array<std::array<double, most>, most> a{};
    std::array<double, most> b{};
};

/// Of order and stages 1 to 4, for Psi^M: as M grows they become Euler's method, the midpoint rule, Kutta's third-order
/// method and the classical fourth-order one; order 4 is (32).
MapTableau multirevolution_tableau(int order, double M);

/// sum_i b_i D(Z_i) is the field F times the period, with an error O(eps^order) relative to it.
MapTableau recovery_tableau(int order);

/// Multirevolution Adams methods. D_j = Psi(z_j) - z_j is known at points p_j, in revolutions from z_n, and
///
///     Psi^N(z_n) = z_n + sum_{m=0}^{N-1} D(m) = z_n + sum_j w_j D_j,     w_j = sum_{m=0}^{N-1} l_j(m)
///
/// with D(m) interpolated by the polynomial through the known ones, l_j its Lagrange polynomials. As N grows the
/// weights become N times those of Adams. The partial sums are polynomials in m, the dense output between the ends:
///
/// w_j(s N) = sum_{k=1} c_k s^k for each point j: c_1, c_2, ..., as many as there are points, up to 12, all different.
std::vector<std::vector<double>> adams_polynomials(In points, double N);

/// w_j: the same at s = 1.
std::vector<double> adams_weights(In points, double N);

}  // namespace lento
