/// Newton's basis for the polynomial through the last values of a function of time. With s = (t - t_n)/h and s_i the times
/// of the values, newest first (s_0 = 0, the others negative),
///
///     z(s) = sum_i phi_i pi_i(s),     pi_i(s) = (s - s_0) ... (s - s_{i-1}),     phi_i divided differences
///
/// Between s = 0 and s = 1 no pi_i is negative, nor has it negative coefficients about these: nothing cancels in their
/// integrals over a step.
#pragma once

#include <array>

#include "lento/problem/forces.hpp"

namespace lento {

inline constexpr std::size_t most_of_newton_basis = 14;

/// pi_0, ..., pi_k by their coefficients about some s.
class NewtonBasis {
public:
    /// Powers up to the given one.
    NewtonBasis(In nodes, double about, std::size_t degree = most_of_newton_basis - 1);

    double coefficient(std::size_t i, std::size_t j) const { return rows_[i][j]; }

private:
    std::array<std::array<double, most_of_newton_basis>, most_of_newton_basis> rows_;
};

/// pi_0, ..., pi_k over a step: their integrals from 0 to 1, once and twice, and their values at 1.
struct NewtonIntegrals {
    explicit NewtonIntegrals(In nodes);

    std::array<double, most_of_newton_basis> once, twice, end;
};

}  // namespace lento
