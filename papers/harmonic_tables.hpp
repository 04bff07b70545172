/// The tables of Lento's own method, harmonic averaging, recomputed beside the figures of its first prototype.
#pragma once

#include <vector>

#include "reproduction.hpp"

namespace lento::papers {

inline constexpr const char* of_the_prototype =
    "The reference figures were measured beforehand with the first prototype of the method.";

std::vector<Reproduction> harmonic_tables();
std::vector<Reproduction> harmonic_springs();
std::vector<Reproduction> macro_solver_tables();

}  // namespace lento::papers
