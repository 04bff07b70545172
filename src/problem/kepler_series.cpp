#include "lento/problem/kepler_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace lento {
namespace {

using kepler_detail::Stumpff, kepler_detail::stumpff;

/// The orbit of a point, and Kepler's equation for it. The time is positive.
struct Orbit {
    double r, radial, mu, beta, zeta;

    Orbit(double distance, double position_times_velocity, double speed_squared, double mass)
        : r(distance),
          radial(position_times_velocity),
          mu(mass),
          beta(2 * mass / distance - speed_squared),
          zeta(distance * speed_squared - mass) {}

    double distance(const Stumpff<double>& G) const { return r + radial * G.G1 + zeta * G.G2; }

    /// Where the root is not beyond, or, for an orbit that is not closed and comes nearer first, a length to begin with.
    double bound(double time) const {
        if (beta > 0) {
            return 2 * std::numbers::pi / std::sqrt(beta);
        }
        const double s = std::sqrt(-beta);
        // t > zeta G_3, zeta >= mu > 0, and sinh y - y > sinh(y) / 2 from 2.2 on.
        const double far = s > 0 ? std::max(2.2, std::asinh(2 * time * s * s * s / zeta)) / s
                                 : std::numeric_limits<double>::infinity();
        return std::min({time / r, std::cbrt(6 * time / zeta), far});
    }

    double first_guess(double time, double end) const {
        const double straight = time / r;
        const double bend = radial * straight / (2 * r);
        if (std::abs(bend) < 0.3 && std::abs(mu / r) * straight * straight < 1) {
            return straight * (1 - bend);  // a short way
        }
        return beta > 0 ? std::min(beta / mu * time, 0.9 * end) : 0.9 * end;  // beta / mu is the mean of 1/r
    }

    /// X, by the method of Laguerre and Conway, kept in between two bounds: the time grows with X.
    std::optional<double> universal_anomaly(double time) const {
        constexpr int most = 200;
        constexpr double ulp = std::numeric_limits<double>::epsilon();
        double low = 0;
        double high = bound(time);
        double X = first_guess(time, high);
        bool closed = beta > 0;
        for (int k = 0; k < most; ++k) {
            const auto G = stumpff(beta, X);
            const double excess = r * X + radial * G.G2 + zeta * G.G3 - time;
            const double size = std::abs(r * X) + std::abs(radial * G.G2) + std::abs(zeta * G.G3) + time;
            if (std::abs(excess) <= ulp / 2 * size && std::isfinite(size)) {
                return X;
            }
            const bool before = excess < 0;  // NOTE: what has overflowed is beyond
            (before ? low : high) = X;
            closed = closed || !before;
            if (!closed && X >= 0.9 * high) {
                X = high *= 2;
                continue;
            }
            const double rate = distance(G);
            const double curvature = radial * G.G0 + zeta * G.G1;
            const double root = std::sqrt(std::abs(16 * rate * rate - 20 * excess * curvature));
            const double next = X - 5 * excess / (rate + root);
            const double last = X;
            X = next > low && next < high ? next : low + (high - low) / 2;
            if (std::abs(X - last) <= ulp / 2 * X) {
                return X;
            }
        }
        return std::nullopt;
    }
};

}  // namespace

std::optional<UniversalAnomaly> universal_anomaly(double distance, double position_times_velocity, double speed_squared,
                                                  double mu, double time) {
    if (!(distance > 0) || !std::isfinite(time)) {
        return std::nullopt;
    }
    // Backwards in time is forwards with the velocity turned round: X and <x, v> change their signs.
    double forwards = std::abs(time);
    double sign = time < 0 ? -1 : 1;
    double revolutions = 0;
    const double beta = 2 * mu / distance - speed_squared;
    if (beta > 0) {
        const double period = 2 * std::numbers::pi * mu / (beta * std::sqrt(beta));
        const double rest = std::remainder(forwards, period);
        revolutions = sign * std::rint((forwards - rest) / period);
        sign = rest < 0 ? -sign : sign;
        forwards = std::abs(rest);
    }
    if (forwards == 0) {
        return UniversalAnomaly{.X = 0, .revolutions = revolutions};
    }
    const Orbit orbit(distance, sign * position_times_velocity, speed_squared, mu);
    const auto X = orbit.universal_anomaly(forwards);
    return X ? std::optional(UniversalAnomaly{.X = sign * *X, .revolutions = revolutions}) : std::nullopt;
}

}  // namespace lento
