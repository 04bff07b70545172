/// The true frequencies of stiff springs at a position, from the eigenvalues of their part of the Hessian:
///
///     mu^2 = eigenvalues of K^(1/2) g' M^-1 g'^T K^(1/2),     K = diag(k_j)
///
/// Springs that pull on each other have frequencies far from their nominal ones: two in line 0.618 and 1.618 of it, a
/// long straight chain all from nearly zero up to twice it. Windows have to cover the slowest, micro-steps the fastest.
#pragma once

#include "lento/problem/problem.hpp"

namespace lento {

struct SpringSpectrum {
    double slowest = 0;  ///< the lowest angular frequency, without those of springs that depend on others
    double fastest = 0;  ///< the highest
    std::optional<std::size_t> vanishing{};  ///< a spring without a direction: its row of g' is zero or no number
    bool independent = true;                 ///< whether the rows of g' are
    bool known = true;  ///< false: too many dependent springs; the lowest frequency is the nominal one
};

/// At (x, t). Springs with a potential of another form count with the frequency they declare.
SpringSpectrum spring_spectrum(const Problem& problem, In x, double t);

/// The energy of the springs, 1/2 sum_j k_j (g_j^2 + (g_j'/omega_j)^2).
double spring_energy(const Problem& problem, double t, In x, In v);

/// That of the motion, 1/2 v^T M v.
double kinetic_energy(const Problem& problem, double t, In x, In v);

}  // namespace lento
