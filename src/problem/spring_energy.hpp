/// Energies of a system with stiff springs.
#pragma once

#include "lento/problem/problem.hpp"

namespace lento {

/// That of the springs, 1/2 sum_j k_j (g_j^2 + (g_j'/omega_j)^2).
double spring_energy(const Problem& problem, double t, In x, In v);

/// That of the motion, 1/2 v^T M v.
double kinetic_energy(const Problem& problem, In v);

}  // namespace lento
