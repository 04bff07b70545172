/// Flows that are known: linear ones, oscillators, Kepler motions. What the members of a flow mean is in
/// `problem/exact_part.hpp`; all are templates on their numbers, so that they are also known for points that are series
/// in time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lento/base/jet.hpp"
#include "lento/problem/kepler_series.hpp"
#include "lento/problem/mass.hpp"

namespace [[gnu::visibility("default")]] lento {

/// y' = A y, du = (e^(Ah) - 1) y. The matrices of the last h are kept: those of one splitting step, or of all phases of
/// an average.
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
