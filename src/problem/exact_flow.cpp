#include "lento/problem/exact_flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

bool all_finite(std::span<const double> y) {
    return std::all_of(y.begin(), y.end(), [](double component) { return std::isfinite(component); });
}

void require_distinct(std::vector<std::size_t> components, std::string_view what) {
    std::sort(components.begin(), components.end());
    const auto twice = std::adjacent_find(components.begin(), components.end());
    if (twice != components.end()) {
        throw Misuse(fmt::format("component {} is used twice in {}", *twice, what));
    }
}

}  // namespace

Eigen::MatrixXd exponential_less_one(const Eigen::MatrixXd& A) {
    const auto n = A.rows();
    if (n == 0) {
        return A;
    }
    const double norm = A.cwiseAbs().colwise().sum().maxCoeff();
    if (!std::isfinite(norm)) {
        return Eigen::MatrixXd::Constant(n, n, std::numeric_limits<double>::quiet_NaN());
    }
    // NOTE: each doubling doubles the error in the phase of an oscillation; the digits of a long double make up for it.
    const int doublings = std::max(0, std::ilogb(std::max(norm, 0.5)) + 2);
    const LongMatrix a = A.cast<long double>() * std::ldexp(1.0L, -doublings);
    // a + a^2/2 + ... = a (1 + a/2 (1 + a/3 (...))); the norm of a is below 1/2, and 0.5^18 / 19! is below 1e-22.
    constexpr int terms = 18;
    const LongMatrix one = LongMatrix::Identity(n, n);
    LongMatrix sum = one;
    for (int k = terms; k >= 2; --k) {
        sum = one + a * sum / static_cast<long double>(k);
    }
    LongMatrix result = a * sum;
    for (int k = 0; k < doublings; ++k) {
        result = result * (result + 2 * one);
    }
    return result.cast<double>();
}

LinearFlow::LinearFlow(Eigen::MatrixXd matrix) : matrix_(std::move(matrix)) {
    if (matrix_.rows() != matrix_.cols() || matrix_.rows() == 0) {
        throw Misuse(
            fmt::format("the matrix of a linear flow has to be square, not {} x {}", matrix_.rows(), matrix_.cols()));
    }
    if (!matrix_.allFinite()) {
        throw Misuse("the matrix of a linear flow has an entry that is not finite");
    }
    kept_.reserve(most_kept);
}

void LinearFlow::field(std::span<const double> y, std::span<double> rate) const {
    const auto n = matrix_.rows();
    Eigen::Map<Eigen::VectorXd>(rate.data(), n).noalias() = matrix_ * Eigen::Map<const Eigen::VectorXd>(y.data(), n);
}

bool LinearFlow::increment(double h, std::span<const double> y, std::span<double> du) {
    const auto n = matrix_.rows();
    Eigen::Map<Eigen::VectorXd>(du.data(), n).noalias() =
        exponential_less_one(h) * Eigen::Map<const Eigen::VectorXd>(y.data(), n);
    return finite_ = all_finite(du);
}

const Eigen::MatrixXd& LinearFlow::exponential_less_one(double h) {
    const auto same = std::find_if(kept_.begin(), kept_.end(), [h](const Kept& kept) { return kept.h == h; });
    if (same != kept_.end()) {
        return same->exponential_less_one;
    }
    if (kept_.size() == most_kept) {
        kept_.clear();
    }
    kept_.push_back({h, lento::exponential_less_one(matrix_ * h)});
    return kept_.back().exponential_less_one;
}

std::optional<std::string> LinearFlow::failure() const {
    return finite_ ? std::nullopt : std::optional<std::string>("the motion of the linear part is not finite");
}

OscillatorFlow::OscillatorFlow(std::vector<Oscillator> oscillators) : oscillators_(std::move(oscillators)) {
    std::vector<std::size_t> components;
    for (const auto& oscillator : oscillators_) {
        if (!(oscillator.frequency >= 0) || !std::isfinite(oscillator.frequency)) {
            throw Misuse(
                fmt::format("the frequency of an oscillator has to be zero or more, not {}", oscillator.frequency));
        }
        components.push_back(oscillator.position);
        components.push_back(oscillator.velocity);
    }
    require_distinct(std::move(components), "the oscillators");
}

void OscillatorFlow::field(std::span<const double> y, std::span<double> rate) const {
    std::fill(rate.begin(), rate.end(), 0.0);
    for (const auto& [q, p, w] : oscillators_) {
        rate[q] = y[p];
        rate[p] = -w * w * y[q];
    }
}

bool OscillatorFlow::increment(double h, std::span<const double> y, std::span<double> du) {
    std::fill(du.begin(), du.end(), 0.0);
    finite_ = true;
    for (const auto& [q, p, w] : oscillators_) {
        const double s = std::sin(w * h / 2);
        const double sine = 2 * s * std::cos(w * h / 2);
        const double one_less_cosine = 2 * s * s;
        du[q] = (w == 0 ? h : sine / w) * y[p] - one_less_cosine * y[q];
        du[p] = -w * sine * y[q] - one_less_cosine * y[p];
        finite_ = finite_ && std::isfinite(du[q]) && std::isfinite(du[p]);
    }
    return finite_;
}

std::optional<std::string> OscillatorFlow::failure() const {
    return finite_ ? std::nullopt : std::optional<std::string>("the motion of the oscillators is not finite");
}

namespace {

/// X^k c_k(beta X^2), c_k(z) = 1/k! - z/(k+2)! + z^2/(k+4)! - ...
struct Stumpff {
    double G0, G1, G2, G3;
};

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

template <std::size_t K>
double stumpff_series(double z) {
    static constexpr auto coefficients = inverse_factorials<K>();
    double sum = 0;
    for (std::size_t k = stumpff_terms; k-- > 0;) {
        sum = coefficients[k] - z * sum;
    }
    return sum;
}

Stumpff stumpff(double beta, double X) {
    const double z = beta * X * X;
    Stumpff G{};
    const bool cancels = std::abs(z) < 4;  // X - G1
    if (cancels) {
        G.G3 = X * X * X * stumpff_series<3>(z);
    }
    // NOTE: the rounding of a series' coefficients is the same in every step. From about 1 on it would add up.
    if (std::abs(z) < 0.25) {
        G.G2 = X * X * stumpff_series<2>(z);
        G.G1 = X - beta * G.G3;
    } else {
        const double root = std::sqrt(std::abs(beta));
        const double half = root * X / 2;
        const double s = beta > 0 ? std::sin(half) : std::sinh(half);
        G.G1 = 2 * s * (beta > 0 ? std::cos(half) : std::cosh(half)) / root;
        G.G2 = 2 * s * s / std::abs(beta);
    }
    if (!cancels) {
        G.G3 = (X - G.G1) / beta;
    }
    G.G0 = 1 - beta * G.G2;
    return G;
}

/// The orbit of a point, and Kepler's equation for it. The time is positive.
struct Orbit {
    double r, radial, mu, beta, zeta;

    Orbit(double distance, double position_times_velocity, double speed_squared, double mass)
        : r(distance),
          radial(position_times_velocity),
          mu(mass),
          beta(2 * mass / distance - speed_squared),
          zeta(distance * speed_squared - mass) {}

    double distance(const Stumpff& G) const { return r + radial * G.G1 + zeta * G.G2; }

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

std::optional<KeplerCoefficients> kepler_coefficients(double distance, double position_times_velocity,
                                                      double speed_squared, double mu, double time) {
    if (!(distance > 0) || !std::isfinite(time)) {
        return std::nullopt;
    }
    if (time == 0) {
        return KeplerCoefficients{};
    }
    // Backwards in time is forwards with the velocity turned round: G_1, G_3 and <x, v> change their signs.
    double forwards = std::abs(time);
    double sign = time < 0 ? -1 : 1;
    const double beta = 2 * mu / distance - speed_squared;
    if (beta > 0) {
        forwards = std::remainder(forwards, 2 * std::numbers::pi * mu / (beta * std::sqrt(beta)));
        sign = forwards < 0 ? -sign : sign;
        forwards = std::abs(forwards);
        if (forwards == 0) {
            return KeplerCoefficients{};
        }
    }
    const Orbit orbit(distance, sign * position_times_velocity, speed_squared, mu);
    const auto X = orbit.universal_anomaly(forwards);
    if (!X) {
        return std::nullopt;
    }
    const auto G = stumpff(orbit.beta, *X);
    const double end = orbit.distance(G);
    const KeplerCoefficients result{.f_less_one = -mu * G.G2 / distance,
                                    .g = sign * (distance * G.G1 + orbit.radial * G.G2),
                                    .f_rate = -sign * mu * G.G1 / (distance * end),
                                    .g_rate_less_one = -mu * G.G2 / end};
    const bool finite = std::isfinite(result.f_less_one) && std::isfinite(result.g) && std::isfinite(result.f_rate) &&
                        std::isfinite(result.g_rate_less_one);
    return finite && end > 0 ? std::optional(result) : std::nullopt;
}

KeplerMotion::KeplerMotion(std::vector<std::size_t> positions, std::vector<std::size_t> velocities, double mu)
    : dimension_(positions.size()), mu_(mu) {
    if (positions.size() != velocities.size() || dimension_ < 2 || dimension_ > 3) {
        throw Misuse(fmt::format("a Kepler motion needs two or three positions and as many velocities, not {} and {}",
                                 positions.size(), velocities.size()));
    }
    require_positive(mu, "mu, the strength of the attraction");
    std::copy(positions.begin(), positions.end(), x_.begin());
    std::copy(velocities.begin(), velocities.end(), v_.begin());
    positions.insert(positions.end(), velocities.begin(), velocities.end());
    require_distinct(std::move(positions), "the Kepler motion");
}

KeplerMotion::Products KeplerMotion::products(std::span<const double> y) const {
    double xx = 0;
    double xv = 0;
    double vv = 0;
    for (std::size_t i = 0; i < dimension_; ++i) {
        xx += y[x_[i]] * y[x_[i]];
        xv += y[x_[i]] * y[v_[i]];
        vv += y[v_[i]] * y[v_[i]];
    }
    return {.distance = std::sqrt(xx), .position_times_velocity = xv, .speed_squared = vv};
}

double KeplerMotion::energy(std::span<const double> y) const {
    const auto [distance, _, speed_squared] = products(y);
    return speed_squared / 2 - mu_ / distance;
}

void KeplerMotion::field(double lambda, std::span<const double> y, std::span<double> rate) const {
    std::fill(rate.begin(), rate.end(), 0.0);
    const double r = products(y).distance;
    for (std::size_t i = 0; i < dimension_; ++i) {
        rate[x_[i]] = lambda * y[v_[i]];
        rate[v_[i]] = -lambda * mu_ * y[x_[i]] / (r * r * r);
    }
}

bool KeplerMotion::increment(double lambda, double h, std::span<const double> y, std::span<double> du) {
    std::fill(du.begin(), du.end(), 0.0);
    failure_ = {};
    const auto [r, xv, vv] = products(y);
    if (r == 0) {
        failure_ = "the orbit runs into the centre: the distance is zero";
    } else if (!std::isfinite(r) || !std::isfinite(xv) || !std::isfinite(vv)) {
        failure_ = "the orbit's position or velocity is not finite";
    } else if (!std::isfinite(lambda)) {
        failure_ = energy(y) >= 0 ? "the orbit's energy is not negative any more: it escapes"
                                  : "the time factor of the orbit is not finite";
    }
    if (!failure_.empty()) {
        return false;
    }
    const auto motion = kepler_coefficients(r, xv, vv, mu_, h * lambda);
    if (!motion) {
        failure_ = "the orbit's motion is not finite: it runs into the centre, or too far";
        return false;
    }
    for (std::size_t i = 0; i < dimension_; ++i) {
        const double x = y[x_[i]];
        const double v = y[v_[i]];
        du[x_[i]] = motion->f_less_one * x + motion->g * v;
        du[v_[i]] = motion->f_rate * x + motion->g_rate_less_one * v;
    }
    return true;
}

std::optional<std::string> KeplerMotion::failure() const {
    return failure_.empty() ? std::nullopt : std::optional<std::string>(failure_);
}

}  // namespace lento
