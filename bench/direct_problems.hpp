/// Four motions that `direct` is measured on, as a person would write them by hand: plain structs with the rate of y in
/// units in which all components are of order one, so that a solver with one absolute tolerance does as well as it can.
/// Each has the same physics as the text model that it names; `units` turn components into those of the model.
/// `problem` is what Lento is given against other solvers, with the formulas that they have; `as_text` has the formulas
/// of the model, for what text costs.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lento/lento.hpp"

namespace bench {

using Assignments = std::vector<std::pair<std::string, std::string>>;

/// models/inverted-pendulum.toml at omega = 1e4: 1592 vibrations.
struct Pendulum {
    static constexpr std::string_view name = "pendulum", model = "inverted-pendulum";
    static constexpr std::size_t size = 2;
    static constexpr double omega = 1e4, l = 0.2, g = 9.8, v_max = 4;
    static constexpr double t_end = 1, unit_of_time = 1;
    static constexpr std::array<double, size> units{1, 1}, start{0.5, 0};
    static Assignments assignments() { return {{"omega", "1e4"}}; }

    template <class Real>
    static void rate(const Real* y, Real* dy, Real t) {
        using std::cos, std::sin;
        dy[0] = y[1];
        dy[1] = (Real(g) + Real(v_max * omega) * cos(Real(omega) * t)) / Real(l) * sin(y[0]);
    }
    static lento::Problem problem() {
        return lento::vibrated_system(1, omega, [](auto x, auto, auto, auto theta, auto f) {
            using std::cos, std::sin;
            f[0] = (g + v_max * omega * cos(theta)) / l * sin(x[0]);
        });
    }
    static lento::Problem as_text() { return problem(); }
};

/// models/paul-trap.toml: 4000 vibrations. Lengths in 1e-5 m, velocities in 0.5 m/s.
struct PaulTrap {
    static constexpr std::string_view name = "Paul trap", model = "paul-trap";
    static constexpr std::size_t size = 4;
    static constexpr double omega = 2 * std::numbers::pi * 10e6, q = 0.002, a = 2e-7;
    static constexpr double length = 1e-5, velocity = 0.5, unit_of_time = length / velocity;
    static constexpr double t_end = 400e-6 / unit_of_time;
    static constexpr std::array<double, size> units{length, length, velocity, velocity}, start{1, 0, 0, 1};
    static Assignments assignments() { return {}; }

    template <class Real>
    static void rate(const Real* y, Real* dy, Real t) {
        using std::cos;
        constexpr Real turning = Real(omega) * Real(unit_of_time);
        const Real saddle = (Real(a) - 2 * Real(q) * cos(turning * t)) * (turning * turning / 4);
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = -saddle * y[0];
        dy[3] = saddle * y[1];
    }
    static lento::Problem problem() {
        return lento::vibrated_system(2, omega, [](auto x, auto, auto, auto theta, auto f) {
            using std::cos;
            const auto saddle = (a - 2 * q * cos(theta)) * (omega * omega / 4);
            f[0] = -saddle * x[0];
            f[1] = saddle * x[1];
        });
    }
    static lento::Problem as_text() { return problem(); }
};

/// models/j2-satellite.toml for ten days instead of thirty: 143 revolutions. Lengths in semi-major axes, n t for time.
struct Satellite {
    static constexpr std::string_view name = "J2 satellite", model = "j2-satellite";
    static constexpr std::size_t size = 6;
    static constexpr double mu = 398600.4418, radius = 6378.137, j2 = 1.08262668e-3, axis = 7178.137;
    static constexpr double speed = 7.4518313334862665;  // sqrt(mu/axis)
    static constexpr double unit_of_time = axis / speed;
    static constexpr double t_end = 10 * 86400 / unit_of_time;
    static constexpr std::array<double, size> units{axis, axis, axis, speed, speed, speed},
        start{1, 0, 0, 0, 0.6427876096865394, 0.766044443118978};  // cos and sin of 50 degrees
    static Assignments assignments() { return {}; }

    /// x'' of a point with the constants given; both the hand's units and the model's are such constants.
    template <class X, class F, class Real>
    static void acceleration(const X& x, F&& f, Real strength, Real flattening) {
        const auto r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        using std::sqrt;
        const auto inverse2 = 1 / r2;
        const auto inverse3 = strength * inverse2 * sqrt(inverse2);
        const auto bulge = flattening * inverse2;
        const auto height = 5 * (x[2] * x[2]) * inverse2;
        const auto level = -inverse3 * (1 + bulge * (1 - height));
        f[0] = level * x[0];
        f[1] = level * x[1];
        f[2] = -inverse3 * (1 + bulge * (3 - height)) * x[2];
    }
    template <class Real>
    static void rate(const Real* y, Real* dy, Real) {
        constexpr Real strength = Real(mu) / Real(axis) / Real(speed) / Real(speed);
        constexpr Real flattening = Real(1.5) * Real(j2) * Real(radius) * Real(radius) / Real(axis) / Real(axis);
        dy[0] = y[3];
        dy[1] = y[4];
        dy[2] = y[5];
        acceleration(y, dy + 3, strength, flattening);
    }
    static lento::Problem problem() {
        return lento::plain_system(
            3, [](auto x, auto, auto, auto f) { acceleration(x, f, mu, 1.5 * j2 * radius * radius); });
    }
    /// The model has a potential, the gradient of which the program finds; these are the formulas of `as_text`.
    static constexpr std::string_view forces = R"toml(
lento = 1
[parameters]
mu = 398600.4418
R = 6378.137
J2 = 1.08262668e-3
[definitions]
r = "sqrt(x^2 + y^2 + z^2)"
bulge = "1.5*J2*(R/r)*(R/r)"
height = "5*z^2/(r*r)"
pull = "mu/(r*r*r)"
[coordinates]
x = { start = 7178.137, velocity = 0 }
y = { start = 0, velocity = 0 }
z = { start = 0, velocity = 0 }
[forces]
x = "-pull*x*(1 + bulge*(1 - height))"
y = "-pull*y*(1 + bulge*(1 - height))"
z = "-pull*z*(1 + bulge*(3 - height))"
)toml";
    static lento::Problem as_text() {
        return lento::plain_system(3, [](auto x, auto, auto, auto f) {
            using std::sqrt;
            const auto r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            const auto bulge = 1.5 * j2 * (radius / r) * (radius / r);
            const auto height = 5 * (x[2] * x[2]) / (r * r);
            const auto pull = mu / (r * r * r);
            f[0] = -pull * x[0] * (1 + bulge * (1 - height));
            f[1] = -pull * x[1] * (1 + bulge * (1 - height));
            f[2] = -pull * x[2] * (1 + bulge * (3 - height));
        });
    }
};

/// models/fermi-pasta-ulam.toml until t = 4 instead of 40: 637 vibrations of the stiff springs.
struct FermiPastaUlam {
    static constexpr std::string_view name = "Fermi-Pasta-Ulam", model = "fermi-pasta-ulam";
    static constexpr std::size_t size = 12;
    static constexpr double eps = 1e-3;
    static constexpr double t_end = 4, unit_of_time = 1;
    static constexpr std::array<double, size> units{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
        start{1, 1, -1, 0, 0, 0, 1, 0, 0, 0, 0, -0.5};
    static Assignments assignments() { return {}; }

    /// Variables y_i, u_i, x_i, v_i for i = 1, 2, 3.
    template <class Y, class R, class Real>
    static void rates(const Y& y, R&& r, Real small) {
        const auto force = [](auto s) { return s * s * s; };  // 4 (s/sqrt(2))^3 / sqrt(2)
        const auto f0 = force(y[0] - small * y[2]);
        const auto f1 = force((y[4] - small * y[6]) - (y[0] + small * y[2]));
        const auto f2 = force((y[8] - small * y[10]) - (y[4] + small * y[6]));
        const auto f3 = force(-(y[8] + small * y[10]));
        const Real stiff = 1 / small;
        r[0] = y[1];
        r[1] = f1 - f0;
        r[2] = y[3] * stiff;
        r[3] = f0 + f1 - y[2] * stiff;
        r[4] = y[5];
        r[5] = f2 - f1;
        r[6] = y[7] * stiff;
        r[7] = f1 + f2 - y[6] * stiff;
        r[8] = y[9];
        r[9] = f3 - f2;
        r[10] = y[11] * stiff;
        r[11] = f2 + f3 - y[10] * stiff;
    }
    template <class Real>
    static void rate(const Real* y, Real* dy, Real) {
        rates(y, dy, Real(eps));
    }
    static lento::Problem problem() {
        return lento::first_order_system(size, [](auto y, auto, auto r) { rates(y, r, eps); })
            .with_period(2 * std::numbers::pi * eps);
    }
    static lento::Problem as_text() {
        return lento::first_order_system(size,
                                         [](auto y, auto, auto r) {
                                             const double root = std::numbers::sqrt2;
                                             const auto force = [root](auto s) { return 4 * (s * s * s) / root; };
                                             const auto f0 = force((y[0] - eps * y[2]) / root);
                                             const auto f1 = force(((y[4] - eps * y[6]) - (y[0] + eps * y[2])) / root);
                                             const auto f2 = force(((y[8] - eps * y[10]) - (y[4] + eps * y[6])) / root);
                                             const auto f3 = force(-(y[8] + eps * y[10]) / root);
                                             r[0] = y[1];
                                             r[1] = f1 - f0;
                                             r[2] = y[3] / eps;
                                             r[3] = -y[2] / eps + f0 + f1;
                                             r[4] = y[5];
                                             r[5] = f2 - f1;
                                             r[6] = y[7] / eps;
                                             r[7] = -y[6] / eps + f1 + f2;
                                             r[8] = y[9];
                                             r[9] = f3 - f2;
                                             r[10] = y[11] / eps;
                                             r[11] = -y[10] / eps + f2 + f3;
                                         })
            .with_period(2 * std::numbers::pi * eps);
    }
};

}  // namespace bench
