/// A vibrated system with two coordinates and a full mass matrix whose averaged force (vibrated (3.7)) is known in
/// closed form.
///
///     M x'' = omega f1(x) cos(theta) + f0(x),     f1 = -grad U1,  f0 = -grad U0
///     U1 = sin(x1) cos(2 x2) + x1 x2 / 2,         U0 = (x1^2 + 2 x2^2 + x1^2 x2^2) / 2
///
/// With s = -f1 cos(theta) the formula gives M X'' = -1/2 f1'(X) M^-1 f1(X) + f0(X); the Jacobian f1' comes from jets.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "derivative.hpp"
#include "lento/lento.hpp"

namespace lento::papers {

struct TwoCoordinates {
    Eigen::Matrix2d mass = (Eigen::Matrix2d() << 1.0, 0.0, 0.0, 1.0).finished();

    template <class X, class F>
    static void leading(X x, F f) {
        f[0] = -(cos(x[0]) * cos(2 * x[1]) + x[1] / 2);
        f[1] = -(-2 * sin(x[0]) * sin(2 * x[1]) + x[0] / 2);
    }
    template <class X, class F>
    static void slow(X x, F f) {
        f[0] = -(x[0] + x[0] * x[1] * x[1]);
        f[1] = -(2 * x[1] + x[0] * x[0] * x[1]);
    }

    Problem vibrated(double omega) const {
        const auto system = vibrated_system(2, omega, [omega](auto x, auto, auto, auto theta, auto f) {
            slow(x, f);
            const auto f0 = f[0];
            const auto f1 = f[1];
            leading(x, f);
            f[0] = f0 + omega * cos(theta) * f[0];
            f[1] = f1 + omega * cos(theta) * f[1];
        });
        return mass.isIdentity() ? system : system.with_mass(Mass::full(mass));
    }

    /// M^-1 times the right-hand side of (3.7).
    std::vector<double> averaged_force(std::span<const double> X) const {
        const Eigen::MatrixXd jacobian_f1 = jacobian([](auto x, auto f) { leading(x, f); }, 2, X);
        Eigen::Vector2d f1;
        Eigen::Vector2d f0;
        leading(X, std::span<double>(f1.data(), 2));
        slow(X, std::span<double>(f0.data(), 2));
        const Eigen::Vector2d F = mass.inverse() * (-0.5 * jacobian_f1 * (mass.inverse() * f1) + f0);
        return {F[0], F[1]};
    }
};

}  // namespace lento::papers
