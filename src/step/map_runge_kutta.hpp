/// Runge-Kutta methods for maps near the identity. With D(Z) = Psi(Z) - Z,
///
///     Z_i = z + sum_{j<i} a_ij D(Z_j),      z* = z + sum_i b_i D(Z_i)                  (stroboscopic (30), (31), M taken into a and b)
///
/// is to be Psi^M(z). Psi^M is M steps of Euler's method of length 1 with the field D, so both sides are B-series in D, and the conditions of
/// order are those of Runge-Kutta methods with the integrals of polynomials replaced by sums: for the tree t = [t_1 ... t_k]
///
///     sum_i b_i Phi_i(t) = e_M(t),     e_M([t_1 ... t_k]) = sum_{m=0}^{M-1} e_m(t_1) ... e_m(t_k),   e_M(.) = M
///
/// These are polynomials in M, and make sense for any real M. Psi^M = z + M F + O(M^2), F the field whose flow after one period is Psi: at
/// M = 0 the same methods, divided by M, recover F from Psi (Kirchgraber's formulas; (29) is the one of order 2).
#pragma once

#include <array>
#include <cstddef>

namespace lento {

/// Up to four stages; entries beyond are zero.
struct MapTableau {
    static constexpr std::size_t most = 4;
    int order = 0;
    std::size_t stages = 0;
    std::array<std::array<double, most>, most> a{};
    std::array<double, most> b{};
};

/// Of order and stages 1 to 4, for Psi^M: those that become Euler's method, the midpoint rule, Kutta's third-order method and the classical
/// fourth-order one as M grows; order 4 is (32).
MapTableau multirevolution_tableau(int order, double M);

/// Order 4 with other nodes: stages at about c2 and c3 of the way, different from each other, from 0 and from 1.
MapTableau multirevolution_tableau(double c2, double c3, double M);

/// sum_i b_i D(Z_i) is the field F times the period, with an error O(eps^order) relative to it.
MapTableau recovery_tableau(int order);

}  // namespace lento
