/// Newton's basis for the polynomial through the last values of a function of time. With s = (t - t_n)/h and s_i the
/// times of the values, newest first (s_0 = 0, the others negative),
///
///     z(s) = sum_i phi_i pi_i(s),     pi_i(s) = (s - s_0) ... (s - s_{i-1}),     phi_i divided differences
///
/// Between s = 0 and s = 1 no pi_i is negative, nor has it negative coefficients about these: nothing cancels in their
/// integrals over a step.
#pragma once

#include <array>
#include <type_traits>

#include "lento/problem/forces.hpp"

namespace lento {

inline constexpr std::size_t most_of_newton_basis = 17;

/// Coefficients of the first powers of s - about, of which the first is not zero, times (s - s_0) (s - s_1) ...
template <class Terms>
inline void multiply_out(In nodes, double about, Terms terms, double* c) {
    for (const double node : nodes) {
        const double shift = about - node;
        for (std::size_t j = terms; j-- > 1;) {
            c[j] = shift * c[j] + c[j - 1];
        }
        c[0] *= shift;
    }
}

/// sum_{i < count} phi(i) pi_i in powers of s - about, as many as there are terms, by multiplying out one factor after
/// the other; the first count - 1 nodes are looked at.
template <class Terms, class Value, class Phi>
inline void expand(In nodes, std::size_t count, double about, Terms terms, Value* c, Phi&& phi) {
    c[0] = phi(count - 1);
    for (std::size_t j = 1; j < terms; ++j) {
        c[j] = Value{};
    }
    for (std::size_t i = count - 1; i-- > 0;) {
        const double shift = about - nodes[i];
        for (std::size_t j = terms; j-- > 1;) {
            c[j] = shift * c[j] + c[j - 1];
        }
        c[0] = shift * c[0] + phi(i);
    }
}

/// Calls `use` with a number of terms that the compiler knows, where it is small: coefficients stay in registers then.
template <class Use>
inline void with_known(std::size_t terms, Use&& use) {
    switch (terms) {
        case 1:
            return use(std::integral_constant<std::size_t, 1>{});
        case 2:
            return use(std::integral_constant<std::size_t, 2>{});
        case 3:
            return use(std::integral_constant<std::size_t, 3>{});
        case 4:
            return use(std::integral_constant<std::size_t, 4>{});
        case 5:
            return use(std::integral_constant<std::size_t, 5>{});
        case 6:
            return use(std::integral_constant<std::size_t, 6>{});
        default:
            return use(terms);
    }
}

/// pi_0, ..., pi_k over a step: their integrals from 0 to 1, once and twice, and their values at 1.
struct NewtonIntegrals {
    explicit NewtonIntegrals(In nodes);

    std::array<double, most_of_newton_basis> once, twice, end;
};

}  // namespace lento
