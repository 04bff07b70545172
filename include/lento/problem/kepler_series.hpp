/// The motion x'' = -mu x / |x|^3 over a time, for any energy and any scalar type, from r = |x|, <x, v> and |v|^2, by
/// the universal anomaly X:
///
///     t = r X + <x, v> G_2 + (r |v|^2 - mu) G_3,       G_k(X) = X^k c_k(beta X^2),  beta = 2 mu / r - |v|^2
///     r(t) = r + <x, v> G_1 + (r |v|^2 - mu) G_2,
///     f - 1 = -mu G_2 / r,   g = r G_1 + <x, v> G_2,   f' = -mu G_1 / (r r(t)),   g' - 1 = -mu G_2 / r(t)
///
/// with the functions c_k of Stumpff (Danby, Fundamentals of Celestial Mechanics, 2nd ed., chapter 6). For series X is
/// found for their values first; each step of Newton's method, whose slope dt/dX is r(t), then doubles the number of
/// coefficients that are right.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <type_traits>

#include "lento/base/jet.hpp"

namespace [[gnu::visibility("default")]] lento {

/// A Kepler motion over a time: x(t) - x = f_less_one x + g v,  v(t) - v = f_rate x + g_rate_less_one v.
template <class S>
struct KeplerSeries {
    S f_less_one{};
    S g{};
    S f_rate{};
    S g_rate_less_one{};
};
using KeplerCoefficients = KeplerSeries<double>;

/// X, negative backwards in time, once whole revolutions are taken off the time.
struct UniversalAnomaly {
    double X;
    double revolutions;
};

/// None if r is zero or something is not finite. A flyby from r to a pericentre r_p in one step is known to (r / r_p)^2
/// ulps: more than one step of it is better.
std::optional<UniversalAnomaly> universal_anomaly(double distance, double position_times_velocity, double speed_squared,
                                                  double mu, double time);

namespace kepler_detail {

constexpr std::size_t stumpff_terms = 12;  // 4^12 / 27! is below 1e-20

template <std::size_t K>
constexpr std::array<double, stumpff_terms> inverse_factorials() {
    std::array<double, stumpff_terms> result{};
    long double factorial = 1;
    for (std::size_t j = 2; j < K; ++j) {
        factorial *= static_cast<long double>(j);
    }
    for (std::size_t k = 0, j = K; k < stumpff_terms; ++k, j += 2) {
        factorial *= static_cast<long double>(j);
        result[k] = static_cast<double>(1 / factorial);
        factorial *= static_cast<long double>(j + 1);
    }
    return result;
}

template <std::size_t K, class S>
S stumpff_series(const S& z) {
    static constexpr auto coefficients = inverse_factorials<K>();
    S sum = 0;
    for (std::size_t k = stumpff_terms; k-- > 0;) {
        sum = coefficients[k] - z * sum;
    }
    return sum;
}

/// X^k c_k(beta X^2), c_k(z) = 1/k! - z/(k+2)! + z^2/(k+4)! - ...
template <class S>
struct Stumpff {
    S G0, G1, G2, G3;
};

template <class S>
Stumpff<S> stumpff(const S& beta, const S& X) {
    const S z = beta * X * X;
    Stumpff<S> G{};
    const bool cancels = abs(z) < 4;  // X - G1
    if (cancels) {
        G.G3 = X * X * X * stumpff_series<3>(z);
    }
    // NOTE: the rounding of a series' coefficients is the same in every step. From about 1 on it would add up.
    if (abs(z) < 0.25) {
        G.G2 = X * X * stumpff_series<2>(z);
        G.G1 = X - beta * G.G3;
    } else {
        const S root = sqrt(abs(beta));
        const S half = root * X / 2;
        const S s = beta > 0 ? sin(half) : sinh(half);
        G.G1 = 2 * s * (beta > 0 ? cos(half) : cosh(half)) / root;
        G.G2 = 2 * s * s / abs(beta);
    }
    if (!cancels) {
        G.G3 = (X - G.G1) / beta;
    }
    G.G0 = 1 - beta * G.G2;
    return G;
}

/// Kepler's equation for X.
template <class S>
struct Equation {
    S distance, radial, zeta, beta, time;

    S end_distance(const Stumpff<S>& G) const { return distance + radial * G.G1 + zeta * G.G2; }

    /// Its root, from that of the values.
    S root(double value) const {
        if constexpr (std::is_arithmetic_v<S>) {
            return value;
        } else {
            using Value = Equation<typename S::value_type>;
            S X = Value{distance[0], radial[0], zeta[0], beta[0], time[0]}.root(value);
            const int degree = (distance + radial + beta + time).top();
            for (int right = 1; right <= degree; right *= 2) {
                const auto G = stumpff<S>(beta, X);
                X -= (distance * X + radial * G.G2 + zeta * G.G3 - time) / end_distance(G);
            }
            return X;
        }
    }
};

}  // namespace kepler_detail

/// None where there is no universal anomaly, or the end is not finite.
template <class S>
std::optional<KeplerSeries<S>> kepler_series(const S& distance, const S& position_times_velocity,
                                             const S& speed_squared, double mu, S time) {
    using jet_detail::leading;
    const auto start = universal_anomaly(leading(distance), leading(position_times_velocity), leading(speed_squared),
                                         mu, leading(time));
    if (!start) {
        return std::nullopt;
    }
    const S beta = 2 * mu / distance - speed_squared;
    if (start->revolutions != 0 && !std::is_arithmetic_v<S>) {
        time -= start->revolutions * 2 * std::numbers::pi * mu / (beta * sqrt(beta));
    }
    const kepler_detail::Equation<S> equation{distance, position_times_velocity, distance * speed_squared - mu, beta,
                                              time};
    const auto G = kepler_detail::stumpff<S>(beta, equation.root(start->X));
    const S end = equation.end_distance(G);
    KeplerSeries<S> result{.f_less_one = -mu * G.G2 / distance,
                           .g = distance * G.G1 + position_times_velocity * G.G2,
                           .f_rate = -mu * G.G1 / (distance * end),
                           .g_rate_less_one = -mu * G.G2 / end};
    const bool finite = std::isfinite(leading(result.f_less_one)) && std::isfinite(leading(result.g)) &&
                        std::isfinite(leading(result.f_rate)) && std::isfinite(leading(result.g_rate_less_one));
    return finite && end > 0 ? std::optional(result) : std::nullopt;
}

}  // namespace lento
