/// The elementary functions of compiled and of interpreted code: the system's libm for single numbers, SLEEF for
/// several side by side.
///
/// SLEEF's are those whose results are the same to the bit on vectors of any width and whatever stands in the other
/// lanes (`finz`), right to 1.0 units in the last place. Where a machine has no vectors of four numbers with fused
/// products, libm serves, one lane after another.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "model/graph.hpp"

namespace lento::model {

/// An elementary function that compiled code calls, by the name it calls it by.
struct LibraryFunction {
    Op op;
    const char* name;
    void* address;
};
struct Library {
    std::vector<LibraryFunction> functions{};
    /// Puts the sine and the cosine of its second argument where the first one points: faster than one by one.
    std::optional<LibraryFunction> sine_and_cosine{};
};
/// The system's libm.
const Library& scalar_library();
/// SLEEF's functions of vectors of `lanes` numbers; none where this machine has no such vectors.
const Library& vector_library(std::size_t lanes);
/// The widest vectors, 8 or 4 numbers, that there are functions for; 1 where there are none.
std::size_t widest_vectors();

/// Whether this machine has instructions that add a product with one rounding.
bool has_fused_products();

/// What the interpreter works on.
using Octet = std::array<double, 8>;
/// Functions of `vector_library(lanes)` on eight numbers.
void call_on(std::size_t lanes, void* function, const Octet& a, Octet& y);
void call_on(std::size_t lanes, void* function, const Octet& a, const Octet& b, Octet& y);
void call_sine_and_cosine(std::size_t lanes, void* function, const Octet& a, Octet& sine, Octet& cosine);

}  // namespace lento::model
