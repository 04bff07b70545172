/// The double pendulum on a vibrating support (vibrated, section 4.2; stroboscopic, section 6.2), on its rods and in
/// its angles.
#pragma once

#include <vector>

#include "chain.hpp"
#include "lento/lento.hpp"

namespace lento::papers {

/// In its angles: Lagrange's equations with gravity g + v_max omega cos(theta).
inline Problem in_angles(double omega) {
    const Chain pendulum = double_pendulum();
    const double m1 = pendulum.masses[0];
    const double m2 = pendulum.masses[1];
    const double l1 = pendulum.lengths[0];
    const double l2 = pendulum.lengths[1];
    const double g = pendulum.g;
    const double v_max = pendulum.v_max;
    return vibrated_system(2, omega, [=](auto q, auto v, auto, auto theta, auto a) {
        using std::cos, std::sin;
        const auto weight = g + v_max * omega * cos(theta);
        const auto apart = sin(q[0] - q[1]);
        const auto coupling = m2 * l1 * l2 * cos(q[0] - q[1]);
        const auto f1 = (m1 + m2) * weight * l1 * sin(q[0]) - m2 * l1 * l2 * apart * v[1] * v[1];
        const auto f2 = m2 * weight * l2 * sin(q[1]) + m2 * l1 * l2 * apart * v[0] * v[0];
        const double i1 = (m1 + m2) * l1 * l1;
        const double i2 = m2 * l2 * l2;
        const auto determinant = i1 * i2 - coupling * coupling;
        a[0] = (i2 * f1 - coupling * f2) / determinant;
        a[1] = (i1 * f2 - coupling * f1) / determinant;
    });
}

/// On its rods at rest, with velocities.
inline std::vector<double> start_on_rods() {
    auto start = double_pendulum().position({0.5, 0});
    start.resize(2 * start.size(), 0.0);
    return start;
}

}  // namespace lento::papers
