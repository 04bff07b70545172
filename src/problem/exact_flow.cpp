#include "lento/problem/exact_flow.hpp"

#include <limits>

#include <fmt/format.h>
#include <Eigen/Core>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

/// Kepler's equation for the orbit of a point. The time is positive.
struct Orbit : kepler_detail::Equation<double> {
    double mu;

    /// The root is not beyond it; for an orbit that is not closed and comes nearer first, a length to begin with.
    double bound() const {
        if (beta > 0) {
            return 2 * std::numbers::pi / std::sqrt(beta);
        }
        const double s = std::sqrt(-beta);
        // t > zeta G_3, zeta >= mu > 0, and sinh y - y > sinh(y) / 2 from 2.2 on.
        const double far = s > 0 ? std::max(2.2, std::asinh(2 * time * s * s * s / zeta)) / s
                                 : std::numeric_limits<double>::infinity();
        return std::min({time / distance, std::cbrt(6 * time / zeta), far});
    }

    double first_guess(double end) const {
        const double straight = time / distance;
        const double bend = radial * straight / (2 * distance);
        if (std::abs(bend) < 0.3 && std::abs(mu / distance) * straight * straight < 1) {
            return straight * (1 - bend);  // a short way
        }
        return beta > 0 ? std::min(beta / mu * time, 0.9 * end) : 0.9 * end;  // beta / mu is the mean of 1/r
    }

    /// X, by the method of Laguerre and Conway, kept in between two bounds: the time grows with X.
    std::optional<double> universal_anomaly() const {
        constexpr int most = 200;
        constexpr double ulp = std::numeric_limits<double>::epsilon();
        double low = 0;
        double high = bound();
        double X = first_guess(high);
        bool closed = beta > 0;
        for (int k = 0; k < most; ++k) {
            const auto G = kepler_detail::stumpff(beta, X);
            const double excess = distance * X + radial * G.G2 + zeta * G.G3 - time;
            const double size = std::abs(distance * X) + std::abs(radial * G.G2) + std::abs(zeta * G.G3) + time;
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
            const double rate = end_distance(G);
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
    const Orbit orbit{{distance, sign * position_times_velocity, distance * speed_squared - mu, beta, forwards}, mu};
    const auto X = orbit.universal_anomaly();
    return X ? std::optional(UniversalAnomaly{.X = sign * *X, .revolutions = revolutions}) : std::nullopt;
}

namespace {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

void require_distinct(std::vector<std::size_t> components, std::string_view what) {
    std::ranges::sort(components);
    const auto twice = std::ranges::adjacent_find(components);
    if (twice != components.end()) {
        throw Misuse(fmt::format("component {} is used twice in {}", *twice, what));
    }
}

}  // namespace

Rows exponential_less_one(const Rows& A) {
    const auto n = static_cast<Eigen::Index>(A.rows);
    if (n == 0) {
        return A;
    }
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> given(
        A.entries.data(), n, n);
    const double norm = given.cwiseAbs().colwise().sum().maxCoeff();
    if (!std::isfinite(norm)) {
        return Rows(Eigen::MatrixXd::Constant(n, n, std::numeric_limits<double>::quiet_NaN()));
    }
    // NOTE: each doubling doubles the error in the phase of an oscillation; the digits of a long double make up for it.
    const int doublings = std::max(0, std::ilogb(std::max(norm, 0.5)) + 2);
    const LongMatrix a = given.cast<long double>() * std::ldexp(1.0L, -doublings);
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
    return Rows(Eigen::MatrixXd(result.cast<double>()));
}

LinearFlow::LinearFlow(Rows matrix) : matrix_(std::move(matrix)) {
    if (matrix_.rows != matrix_.columns || matrix_.rows == 0) {
        throw Misuse(
            fmt::format("the matrix of a linear flow has to be square, not {} x {}", matrix_.rows, matrix_.columns));
    }
    if (!std::ranges::all_of(matrix_.entries, [](double entry) { return std::isfinite(entry); })) {
        throw Misuse("the matrix of a linear flow has an entry that is not finite");
    }
    kept_.reserve(32);
}

const Rows& LinearFlow::exponential_less_one(double h) {
    // NOTE: the same h come again in the same order, those of a splitting step as those of the phases of an average.
    for (std::size_t k = 0; k < kept_.size(); ++k) {
        last_ = last_ + 1 < kept_.size() ? last_ + 1 : 0;
        if (kept_[last_].h == h) {
            return kept_[last_].exponential_less_one;
        }
    }
    if (kept_.size() >= most_kept) {
        kept_.clear();
    }
    last_ = kept_.size();
    Rows scaled = matrix_;
    for (double& entry : scaled.entries) {
        entry *= h;
    }
    kept_.push_back({h, lento::exponential_less_one(scaled)});
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

std::optional<std::string> OscillatorFlow::failure() const {
    return finite_ ? std::nullopt : std::optional<std::string>("the motion of the oscillators is not finite");
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

bool KeplerMotion::is_possible(double lambda, const Products<double>& at) {
    failure_ = {};
    if (at.distance == 0) {
        failure_ = "the orbit runs into the centre: the distance is zero";
    } else if (!std::isfinite(at.distance) || !std::isfinite(at.position_times_velocity) ||
               !std::isfinite(at.speed_squared)) {
        failure_ = "the orbit's position or velocity is not finite";
    } else if (!std::isfinite(lambda)) {
        failure_ = energy(at) >= 0 ? "the orbit's energy is not negative any more: it escapes"
                                   : "the time factor of the orbit is not finite";
    }
    return failure_.empty();
}

std::optional<std::string> KeplerMotion::failure() const {
    return failure_.empty() ? std::nullopt : std::optional<std::string>(failure_);
}

}  // namespace lento
