/// Parts of first-order systems that are solved exactly: a field r(y) and its flow phi_h, y(t + h) = phi_h(y(t)).
///
///     field(y, rate)           rate = r(y), zero where the part moves nothing
///     increment(h, y, du)      du = phi_h(y) - y; false where there is no such motion, and failure() says why
///
/// Increments, and not the point they lead to: a short motion is known to its last digit, and not to the last digit of y.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Core>

namespace lento {

template <class F>
concept ExactFlow = requires(F& flow, const F& same, double h, std::span<const double> y, std::span<double> result) {
    same.field(y, result);
    { flow.increment(h, y, result) } -> std::same_as<bool>;
    { same.failure() } -> std::same_as<std::optional<std::string>>;
};

/// y' = A y, du = (e^(Ah) - 1) y. The matrices of the last few h are kept: those of one splitting step.
class LinearFlow {
public:
    static constexpr std::size_t most_kept = 32;

    explicit LinearFlow(Eigen::MatrixXd matrix);

    void field(std::span<const double> y, std::span<double> rate) const;
    bool increment(double h, std::span<const double> y, std::span<double> du);
    std::optional<std::string> failure() const;

    const Eigen::MatrixXd& matrix() const { return matrix_; }

private:
    struct Kept {
        double h;
        Eigen::MatrixXd exponential_less_one;
    };
    const Eigen::MatrixXd& exponential_less_one(double h);

    Eigen::MatrixXd matrix_;
    std::vector<Kept> kept_;
    bool finite_ = true;
};

/// e^A - 1, by its series at A / 2^s and s times e^2a - 1 = (e^a - 1) (e^a + 1): small A keep their digits.
Eigen::MatrixXd exponential_less_one(const Eigen::MatrixXd& A);

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

    void field(std::span<const double> y, std::span<double> rate) const;
    bool increment(double h, std::span<const double> y, std::span<double> du);
    std::optional<std::string> failure() const;

private:
    std::vector<Oscillator> oscillators_;
    bool finite_ = true;
};

/// A Kepler motion over a time: x(t) - x = f_less_one x + g v,  v(t) - v = f_rate x + g_rate_less_one v.
struct KeplerCoefficients {
    double f_less_one;
    double g;
    double f_rate;
    double g_rate_less_one;
};

/// Of x'' = -mu x / |x|^3 for any energy, from r = |x|, <x, v> and |v|^2, by the universal anomaly X:
///
///     t = r X + <x, v> G_2 + (r |v|^2 - mu) G_3,       G_k(X) = X^k c_k(beta X^2),  beta = 2 mu / r - |v|^2
///     r(t) = r + <x, v> G_1 + (r |v|^2 - mu) G_2,
///     f - 1 = -mu G_2 / r,   g = r G_1 + <x, v> G_2,   f' = -mu G_1 / (r r(t)),   g' - 1 = -mu G_2 / r(t)
///
/// with the functions c_k of Stumpff (Danby, Fundamentals of Celestial Mechanics, 2nd ed., chapter 6). Whole
/// revolutions are taken off the time first. None if r is zero or something is not finite. A flyby from r to a pericentre
/// r_p in one step is known to (r / r_p)^2 ulps: more than one step of it is better.
std::optional<KeplerCoefficients> kepler_coefficients(double distance, double position_times_velocity,
                                                      double speed_squared, double mu, double time);

/// x' = lambda v, v' = -lambda mu x / |x|^3 for a given lambda, in two or three dimensions: what all KeplerFlows share.
class KeplerMotion {
public:
    KeplerMotion(std::vector<std::size_t> positions, std::vector<std::size_t> velocities, double mu);

    void field(double lambda, std::span<const double> y, std::span<double> rate) const;
    bool increment(double lambda, double h, std::span<const double> y, std::span<double> du);
    std::optional<std::string> failure() const;

    /// |v|^2 / 2 - mu / |x|
    double energy(std::span<const double> y) const;

private:
    struct Products {
        double distance, position_times_velocity, speed_squared;
    };
    Products products(std::span<const double> y) const;

    std::size_t dimension_;
    std::array<std::size_t, 3> x_{}, v_{};  // where they are in y
    double mu_;
    std::string_view failure_;
};

struct NoTimeFactor {
    double operator()(std::span<const double>) const { return 1; }
};

/// x' = lambda(y) v, v' = -lambda(y) mu x / |x|^3. The time factor has to be constant along the Kepler motion: a
/// function of the energy, of the angular momentum and of what does not move. With (-2 energy)^(-3/2) mu, which
/// is one over the mean motion, every bound orbit has the period 2 pi.
template <class TimeFactor = NoTimeFactor>
class KeplerFlow {
public:
    KeplerFlow(std::vector<std::size_t> positions, std::vector<std::size_t> velocities, double mu,
               TimeFactor time_factor = {})
        : motion_(std::move(positions), std::move(velocities), mu), time_factor_(std::move(time_factor)) {}

    void field(std::span<const double> y, std::span<double> rate) const { motion_.field(time_factor_(y), y, rate); }
    bool increment(double h, std::span<const double> y, std::span<double> du) {
        return motion_.increment(time_factor_(y), h, y, du);
    }
    std::optional<std::string> failure() const { return motion_.failure(); }

    double energy(std::span<const double> y) const { return motion_.energy(y); }

private:
    KeplerMotion motion_;
    TimeFactor time_factor_;
};

}  // namespace lento
