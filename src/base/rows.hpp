/// Rows of numbers, one a lane (`Block`): what is done to one lane is done to all of a row, in a loop that the compiler
/// turns into vector instructions. Rows of one call are different ones.
#pragma once

#include <cstddef>

namespace lento {

/// y += a b
inline void add_product(std::size_t lanes, double* __restrict y, const double* __restrict a,
                        const double* __restrict b) {
    for (std::size_t k = 0; k < lanes; ++k) {
        y[k] += a[k] * b[k];
    }
}
/// y -= a b
inline void subtract_product(std::size_t lanes, double* __restrict y, const double* __restrict a,
                             const double* __restrict b) {
    for (std::size_t k = 0; k < lanes; ++k) {
        y[k] -= a[k] * b[k];
    }
}
/// y += factor a
inline void add_multiple(std::size_t lanes, double* __restrict y, double factor, const double* __restrict a) {
    for (std::size_t k = 0; k < lanes; ++k) {
        y[k] += factor * a[k];
    }
}
/// y -= a
inline void subtract(std::size_t lanes, double* __restrict y, const double* __restrict a) {
    for (std::size_t k = 0; k < lanes; ++k) {
        y[k] -= a[k];
    }
}
/// y *= a
inline void multiply(std::size_t lanes, double* __restrict y, const double* __restrict a) {
    for (std::size_t k = 0; k < lanes; ++k) {
        y[k] *= a[k];
    }
}

}  // namespace lento
