/// The pendulum on which harmonic averages were tried first: a vibrated pivot, a force that is not even in the phase
/// and depends on the velocity.
#pragma once

#include "lento/lento.hpp"

namespace lento::papers {

inline Problem uneven_pendulum(double omega) {
    return vibrated_system(1, omega, [=](auto x, auto v, auto, auto theta, auto f) {
        constexpr double l = 0.2;
        constexpr double v_max = 4;
        f[0] = sin(x[0]) * (9.8 + v_max * omega * cos(theta)) / l +
               cos(x[0]) * v_max * omega * sin(2 * theta + 1) / (2 * l) - (0.3 + 0.2 * sin(theta)) * v[0] -
               0.05 * v[0] * v[0] * v[0];
    });
}

}  // namespace lento::papers
