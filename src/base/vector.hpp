/// Vectors whose length may be known when the program is compiled.
///
/// A window over a pendulum is a loop over one number. With the length known that number lives in a register; with the
/// length known only at run time the same loop goes through memory, about a fifth slower.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace lento {

inline constexpr std::size_t dynamic = std::dynamic_extent;

template <class S, std::size_t Extent>
using Vector = std::conditional_t<Extent == dynamic, std::vector<S>, std::array<S, Extent == dynamic ? 0 : Extent>>;

template <class S, std::size_t Extent>
Vector<S, Extent> make_vector(std::size_t dimension) {
    if constexpr (Extent == dynamic) {
        return std::vector<S>(dimension);
    } else {
        return {};
    }
}

/// The extent of a vector twice as long.
inline constexpr std::size_t twice(std::size_t extent) {
    return extent == dynamic ? dynamic : 2 * extent;
}

template <std::size_t Extent, class S>
std::span<S, Extent> view(std::span<S> values) {
    return std::span<S, Extent>(values.data(), values.size());
}

}  // namespace lento
