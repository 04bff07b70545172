/// The fast part of a vibrated motion, computed from the force alone.
///
/// With X, V frozen, the acceleration is a periodic function of the phases, a = sum_n c_n e^(i n.theta). Its part of
/// zero mean, integrated once and twice along theta' = omega, is the fast velocity and the fast displacement (vibrated
/// (3.4), (3.6), (3.8)):
///
///     W = sum c_n e^(i n.theta) / (i n.omega),     Delta = -sum c_n e^(i n.theta) / (n.omega)^2
///
/// with sums over n.omega != 0, so that x = X + Delta + O(omega^-2) and v = V + W + O(omega^-1). Harmonics with
/// n.omega = 0 (phases of equal or commensurate frequency) belong to the mean.
///
/// Of variables, y' = r(y, t, theta), the first integral of the rates is the displacement itself, and there is no
/// velocity. It is found twice, with F = <r> and P the integral along the phases without its mean,
///
///     Delta_1 = P r(Y),     Delta = P [r(Y + Delta_1) - (F d/dY + d/dt) Delta_1],     y = Y + Delta + O(omega^-3)
///
/// for rates of size one: the near-identity map of averaging in its first two terms (vibrated, appendix A). Where
/// rates are O(omega), Delta is O(1), and that holds only if what is driven does not drive: of q' = p, p' = omega
/// f_1(q, theta) the first Delta is W in p, the second has Delta in q too, as above.
#pragma once

#include <complex>

#include "average/window.hpp"

namespace lento {

/// The harmonics of a vector-valued function on the torus of k phases, from its values on a grid of m points a phase.
class Harmonics {
public:
    Harmonics(std::size_t dimension, std::span<const Phase> phases, std::size_t points);

    std::size_t grid_size() const { return grid_size_; }
    /// The phases of grid point j.
    void grid_phases(std::size_t j, Out theta) const;
    /// Where the values at grid point j go.
    Out values(std::size_t j) { return {values_.data() + j * dimension_, dimension_}; }
    /// From values to coefficients.
    void transform();
    /// The largest coefficient in the upper half of the harmonics, over the largest of all: 0 means resolved.
    double tail() const;

    /// The frequencies n.omega >= 0 of the coefficients above `share` of the largest, standing ones left out.
    std::vector<double> frequencies(double share) const;

    /// The integral along the phases, without its mean, at all points of the grid.
    std::vector<double> integral_on_grid() const;

    struct Parts {
        std::vector<double> mean, velocity, displacement;
    };
    Parts at(In theta) const;

private:
    /// The harmonics n of a coefficient, each 0, 1, ..., m/2, -(m/2-1), ..., -1: n.values, and the largest |n_j|.
    double along(std::size_t index, In values) const;
    std::ptrdiff_t highest(std::size_t index) const;
    std::ptrdiff_t harmonic(std::size_t index) const;
    /// Whether the grid does not determine its derivative: half a turn from point to point.
    bool is_undetermined(std::size_t index) const { return 2 * highest(index) == static_cast<std::ptrdiff_t>(points_); }
    /// Sums numbers * e^(sign i n.theta) over the grid, one phase after the other, in place.
    void along_each_phase(std::vector<std::complex<double>>& numbers, double sign) const;

    std::size_t dimension_, points_, grid_size_;
    std::vector<double> frequencies_, values_;
    double standing_ = 0;  // slower combinations of phases count as standing still
    std::vector<std::complex<double>> coefficients_;
};

class FastPart {
public:
    /// What the leading force is like: its mean and the swing (peak to peak) of what it drives, the fast velocity or,
    /// of variables, the displacement; for each coordinate.
    struct Profile {
        std::vector<double> mean{}, swing{}, largest_displacement{};
    };

    /// Chooses the number of phases at which the force is evaluated: enough at the state given.
    FastPart(Acceleration& acceleration, In x, In v, double t) : acceleration_(&acceleration) {
        const std::size_t phases = acceleration.problem().phases.size();
        const std::size_t most = phases == 1 ? 256 : phases == 2 ? 64 : 16;
        while (points_ < most && harmonics(x, v, t, Moved{}).tail() > 1e-10) {
            points_ *= 2;
        }
    }

    Harmonics::Parts at(In x, In v, double t, In theta) { return at(harmonics(x, v, t), theta); }

    /// At `count` moments of a period of the fastest phase, all phases starting from zero.
    std::vector<std::vector<double>> displacements(In x, In v, double t, int count) {
        const auto& phases = acceleration_->problem().phases;
        const auto h = harmonics(x, v, t);
        double fastest = 0;
        for (const auto& phase : phases) {
            fastest = std::max(fastest, phase.frequency);
        }
        std::vector<std::vector<double>> result;
        for (int k = 0; k < count; ++k) {
            std::vector<double> theta;
            for (const auto& phase : phases) {
                theta.push_back(2 * std::numbers::pi * k / count * phase.frequency / fastest);
            }
            result.push_back(at(h, theta).displacement);
        }
        return result;
    }

    Profile profile(In x, In v, double t, const TimeScales& scales) {
        constexpr int samples = 64;
        const auto& phases = acceleration_->problem().phases;
        const auto h = harmonics(x, v, t);
        std::vector<double> low(x.size(), HUGE_VAL), high(x.size(), -HUGE_VAL);
        Profile profile{.largest_displacement = std::vector<double>(x.size())};
        for (int k = 0; k < samples; ++k) {
            std::vector<double> theta;
            for (const auto& phase : phases) {
                theta.push_back(phase.start + phase.frequency * scales.slowest * k / samples);
            }
            auto parts = at(h, theta);
            const In driven = parts.velocity.empty() ? parts.displacement : parts.velocity;
            for (std::size_t i = 0; i < x.size(); ++i) {
                low[i] = std::min(low[i], driven[i]);
                high[i] = std::max(high[i], driven[i]);
                if (std::abs(parts.displacement[i]) > std::abs(profile.largest_displacement[i])) {
                    profile.largest_displacement[i] = parts.displacement[i];
                }
            }
            profile.mean = std::move(parts.mean);
        }
        std::ranges::transform(high, low, std::back_inserter(profile.swing), std::minus<>());
        return profile;
    }

    /// The slowest oscillation that the force and its products with itself contain: the smallest n.omega or sum or
    /// difference of two, for the harmonics n that the force has at the state given.
    double slowest_frequency(In x, In v, double t) {
        const auto present = harmonics(x, v, t, Moved{}).frequencies(1e-6);
        double slowest = HUGE_VAL;
        for (const double one : present) {
            slowest = std::min(slowest, one);
            for (const double other : present) {
                const double beat = std::abs(one - other);
                slowest = beat > 1e-9 * one ? std::min(slowest, beat) : slowest;
            }
        }
        return slowest;
    }

    /// Phases a dimension of the grid.
    std::size_t points() const { return points_; }

private:
    Harmonics::Parts at(const Harmonics& h, In theta) const {
        auto parts = h.at(theta);
        if (!acceleration_->problem().second_order) {
            parts.displacement = std::exchange(parts.velocity, {});
        }
        return parts;
    }

    Harmonics harmonics(In x, In v, double t) {
        auto first = harmonics(x, v, t, Moved{});
        return acceleration_->problem().second_order ? first : second(first, x, t);
    }
    /// Of variables, from the first.
    Harmonics second(const Harmonics& first, In y, double t);

    /// What the grid adds to the position at each of its points, and takes off the acceleration; may be empty.
    struct Moved {
        std::vector<double> by{}, rates{};
    };
    Harmonics harmonics(In x, In v, double t, const Moved& moved);

    Acceleration* acceleration_;
    std::size_t points_ = 16;
};

/// How strongly the vibration acts as a parametric excitation at a point: the spectral radius of the derivative of the
/// fast displacement by the position, the largest over the phases. For x'' = -k cos(theta) x it is k / omega^2. Above
/// 0.45 the un-averaged motion near an equilibrium grows at half the frequency of the vibration (Mathieu's equation;
/// Acheson's theorem on inverted chains), which no averaged force can show.
inline constexpr double largest_parametric_strength = 0.45;

double parametric_strength(Acceleration& acceleration, In x, In v, double t);

/// Between true and averaged states of a vibrated system (vibrated (3.4), (3.6), (3.8)):
///
///     q = X + Delta(X, V, theta),     v = V + W(X, V, theta)
///
/// The true velocity contains W, of size one: taking a true state for an averaged one is a motion wrong by O(1). States
/// of variables are positions, without velocities.
struct PhasePoint {
    std::vector<double> position, velocity;
};

/// The averaged state at time t of the true state (q, v), by fixed-point iteration; each pass gains a factor 1/omega.
PhasePoint averaged_state(Acceleration& acceleration, In q, In v, double t);

/// The true state at time t of the averaged state (X, V).
PhasePoint true_state(Acceleration& acceleration, In X, In V, double t);

}  // namespace lento
