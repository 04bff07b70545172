/// Flows that are known: linear ones, oscillators, Kepler motions. What the members of a flow mean is in
/// `problem/exact_part.hpp`; all are templates on their numbers, and so known for points that are series in time too.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lento/base/jet.hpp"
#include "lento/problem/mass.hpp"

namespace [[gnu::visibility("default")]] lento {

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
///
/// A Kepler motion over a time: x(t) - x = f_less_one x + g v,  v(t) - v = f_rate x + g_rate_less_one v.
template <class S>
struct KeplerSeries {
    S f_less_one{};
    S g{};
    S f_rate{};
    S g_rate_less_one{};
};

/// X, negative backwards in time, once whole revolutions are taken off the time.
struct UniversalAnomaly {
    double X;
    double revolutions;
};

/// None if r is zero or something is not finite. One step from r past a pericentre r_p is known to (r / r_p)^2 ulps.
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

/// y' = A y, du = (e^(Ah) - 1) y. Matrices are kept for the last h: of a splitting step, or all phases of an average.
class LinearFlow {
public:
    static constexpr std::size_t most_kept = 2048;

    explicit LinearFlow(Rows matrix);
    template <class Matrix>
    explicit LinearFlow(const Matrix& matrix) : LinearFlow(Rows(matrix)) {}

    std::optional<std::string> failure() const;

    template <class S>
    void field(std::span<const S> y, std::span<S> rate) const {
        multiply(matrix_, y, rate);
    }
    template <class S>
    bool increment(double h, std::span<const S> y, std::span<S> du) {
        multiply(exponential_less_one(h), y, du);
        return finite_ = std::all_of(du.begin(), du.end(),
                                     [](const S& component) { return std::isfinite(jet_detail::leading(component)); });
    }
    template <class S>
    bool carry(double h, std::span<const S>, std::span<const S> w, std::span<S> dw) {
        return increment(h, w, dw);
    }

    const Rows& matrix() const { return matrix_; }

private:
    template <class S>
    static void multiply(const Rows& matrix, std::span<const S> y, std::span<S> result) {
        for (std::size_t i = 0; i < matrix.rows; ++i) {
            S sum = 0;
            for (std::size_t j = 0; j < matrix.columns; ++j) {
                if (matrix(i, j) != 0) {
                    sum += matrix(i, j) * y[j];
                }
            }
            result[i] = sum;
        }
    }

    struct Kept {
        double h;
        Rows exponential_less_one;
    };
    const Rows& exponential_less_one(double h);

    Rows matrix_;
    std::vector<Kept> kept_;
    std::size_t last_ = 0;  // of those that are kept
    bool finite_ = true;
};

/// e^A - 1, by its series at A / 2^s and s times e^2a - 1 = (e^a - 1) (e^a + 1): small A keep their digits.
Rows exponential_less_one(const Rows& A);

/// q' = p, p' = -w^2 q in components `position` and `velocity` of y.
struct Oscillator {
    std::size_t position;
    std::size_t velocity;
    double frequency;
};

/// Independent oscillators; a frequency may be zero. With s = sin(w h / 2), c = cos(w h / 2)
///
///     dq = -2 s^2 q + 2 s c p / w,     dp = -2 s c w q - 2 s^2 p
class OscillatorFlow {
public:
    explicit OscillatorFlow(std::vector<Oscillator> oscillators);

    std::optional<std::string> failure() const;

    template <class S>
    void field(std::span<const S> y, std::span<S> rate) const {
        std::fill(rate.begin(), rate.end(), S(0));
        for (const auto& [q, p, w] : oscillators_) {
            rate[q] = y[p];
            rate[p] = -w * w * y[q];
        }
    }
    template <class S>
    bool increment(double h, std::span<const S> y, std::span<S> du) {
        std::fill(du.begin(), du.end(), S(0));
        finite_ = true;
        for (const auto& [q, p, w] : oscillators_) {
            const double s = std::sin(w * h / 2);
            const double sine = 2 * s * std::cos(w * h / 2);
            const double one_less_cosine = 2 * s * s;
            du[q] = (w == 0 ? h : sine / w) * y[p] - one_less_cosine * y[q];
            du[p] = -w * sine * y[q] - one_less_cosine * y[p];
            finite_ = finite_ && std::isfinite(jet_detail::leading(du[q])) && std::isfinite(jet_detail::leading(du[p]));
        }
        return finite_;
    }
    template <class S>
    bool carry(double h, std::span<const S>, std::span<const S> w, std::span<S> dw) {
        return increment(h, w, dw);
    }

private:
    std::vector<Oscillator> oscillators_;
    bool finite_ = true;
};

/// x' = lambda v, v' = -lambda mu x / |x|^3 for a given lambda, in two or three dimensions: what all KeplerFlows share.
class KeplerMotion {
public:
    KeplerMotion(std::vector<std::size_t> positions, std::vector<std::size_t> velocities, double mu);

    template <class S>
    void field(const S& lambda, std::span<const S> y, std::span<S> rate) const {
        std::fill(rate.begin(), rate.end(), S(0));
        const S r = products(y).distance;
        for (std::size_t i = 0; i < dimension_; ++i) {
            rate[x_[i]] = lambda * y[v_[i]];
            rate[v_[i]] = -lambda * mu_ * y[x_[i]] / (r * r * r);
        }
    }
    template <class S>
    bool increment(const S& lambda, double h, std::span<const S> y, std::span<S> du) {
        using jet_detail::leading;
        std::fill(du.begin(), du.end(), S(0));
        const auto [r, xv, vv] = products(y);
        if (!is_possible(leading(lambda), {leading(r), leading(xv), leading(vv)})) {
            return false;
        }
        const auto motion = kepler_series<S>(r, xv, vv, mu_, h * lambda);
        if (!motion) {
            failure_ = "the orbit's motion is not finite: it runs into the centre, or too far";
            return false;
        }
        for (std::size_t i = 0; i < dimension_; ++i) {
            const S& x = y[x_[i]];
            const S& v = y[v_[i]];
            du[x_[i]] = motion->f_less_one * x + motion->g * v;
            du[v_[i]] = motion->f_rate * x + motion->g_rate_less_one * v;
        }
        return true;
    }
    std::optional<std::string> failure() const;

    /// |v|^2 / 2 - mu / |x|
    double energy(std::span<const double> y) const { return energy(products(y)); }

private:
    template <class S>
    struct Products {
        S distance, position_times_velocity, speed_squared;
    };
    template <class S>
    Products<S> products(std::span<const S> y) const {
        S xx = 0;
        S xv = 0;
        S vv = 0;
        for (std::size_t i = 0; i < dimension_; ++i) {
            xx += y[x_[i]] * y[x_[i]];
            xv += y[x_[i]] * y[v_[i]];
            vv += y[v_[i]] * y[v_[i]];
        }
        return {sqrt(xx), xv, vv};
    }
    double energy(const Products<double>& at) const { return at.speed_squared / 2 - mu_ / at.distance; }
    /// Else `failure_` says why not.
    bool is_possible(double lambda, const Products<double>& at);

    std::size_t dimension_;
    std::array<std::size_t, 3> x_{}, v_{};  // where they are in y
    double mu_;
    std::string_view failure_;
};

struct NoTimeFactor {
    template <class S>
    S operator()(std::span<const S>) const {
        return S(1);
    }
};

/// x' = lambda(y) v, v' = -lambda(y) mu x / |x|^3. The time factor has to be constant along the Kepler motion: a
/// function of the energy, of the angular momentum and of what does not move. With (-2 energy)^(-3/2) mu, which is one
/// over the mean motion, every bound orbit has the period 2 pi. For series it has to be a template on its numbers.
template <class TimeFactor = NoTimeFactor>
class KeplerFlow {
public:
    KeplerFlow(std::vector<std::size_t> positions, std::vector<std::size_t> velocities, double mu,
               TimeFactor time_factor = {})
        : motion_(std::move(positions), std::move(velocities), mu), time_factor_(std::move(time_factor)) {}

    void field(std::span<const double> y, std::span<double> rate) const {
        motion_.field<double>(time_factor_(y), y, rate);
    }
    bool increment(double h, std::span<const double> y, std::span<double> du) {
        return motion_.increment<double>(time_factor_(y), h, y, du);
    }
    std::optional<std::string> failure() const { return motion_.failure(); }

    template <class S>
    requires std::is_invocable_r_v<S, const TimeFactor&, std::span<const S>>
    void field(std::span<const S> y, std::span<S> rate) const { motion_.template field<S>(time_factor_(y), y, rate); }
    template <class S>
    requires std::is_invocable_r_v<S, const TimeFactor&, std::span<const S>>
    bool increment(double h, std::span<const S> y, std::span<S> du) {
        return motion_.template increment<S>(time_factor_(y), h, y, du);
    }

    double energy(std::span<const double> y) const { return motion_.energy(y); }

private:
    KeplerMotion motion_;
    TimeFactor time_factor_;
};

}  // namespace lento
