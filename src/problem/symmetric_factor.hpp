/// L D L^T of a symmetric positive definite matrix, in place of its lower triangle (`SymmetricEntries`), for any scalar
/// type: D on the diagonal, L below it. Matrices are small, and series are their entries.
#pragma once

#include <cstddef>
#include <span>

#include "lento/problem/mass.hpp"

namespace lento {

inline double leading(double number) {
    return number;
}
inline double leading(const Taylor& series) {
    return series[0];
}

/// False at the first pivot that is not above zero: the matrix is not positive definite.
template <class S>
[[nodiscard]] bool factorise(std::span<S> entries, std::size_t rows) {
    const SymmetricEntries<S> m(entries, rows);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            for (std::size_t k = 0; k < j; ++k) {
                m(i, j) -= m(i, k) * m(j, k);  // of row i still L D
            }
        }
        for (std::size_t j = 0; j < i; ++j) {
            const S scaled = m(i, j) / m(j, j);
            m(i, i) -= scaled * m(i, j);
            m(i, j) = scaled;
        }
        if (!(leading(m(i, i)) > 0)) {
            return false;
        }
    }
    return true;
}

/// b becomes the solution, of a matrix that was factorised.
template <class S>
void solve(std::span<const S> factors, std::span<S> b) {
    const std::size_t rows = b.size();
    const auto l = [&](std::size_t i, std::size_t j) -> const S& { return factors[SymmetricEntries<S>::place(i, j)]; };
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            b[i] -= l(i, j) * b[j];
        }
    }
    for (std::size_t i = 0; i < rows; ++i) {
        b[i] /= l(i, i);
    }
    for (std::size_t i = rows; i-- > 0;) {
        for (std::size_t j = i + 1; j < rows; ++j) {
            b[i] -= l(j, i) * b[j];
        }
    }
}

}  // namespace lento
