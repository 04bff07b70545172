/// The implicit midpoint rule, order 2:
///
///     z_1 = z_0 + h f((z_0 + z_1) / 2),     z = (x, v), f = (v, a)
///
/// Symmetric and symplectic, also where accelerations depend on the velocity (Hairer, Lubich, Wanner, Geometric
/// Numerical Integration, 2nd ed., (I.1.7), chapters V and VI). Solved for the midpoint
///
///     v_m = v_0 + h/2 a(x_m, v_m),     x_m = x_0 + h/2 v_m,     x_1 = x_0 + h v_m,     v_1 = v_0 + h a(x_m, v_m)
///
/// by fixed-point iteration. It contracts by (h w / 2)^2, w the largest frequency: fifty iterations are enough below
/// h w = 1.4. It goes on until it changes nothing or no less than before: a fixed tolerance would leave an error of one
/// sign in the energy (Hairer, McLachlan, Razakarivony 2008).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/number.hpp"
#include "step/state.hpp"

namespace lento {

class ImplicitMidpoint {
public:
    static constexpr int order = 2;
    static constexpr int most_iterations = 50;
    using State = MotionState<double>;

    explicit ImplicitMidpoint(std::size_t dimension) : x_(dimension), v_(dimension), a_(dimension) {}

    /// Advances by h. A state that could not be found is not a number.
    template <class Acceleration>
    void step(Acceleration&& acceleration, double h, State& state) {
        const auto x = state.x();
        const auto v = state.v();
        std::ranges::copy(state.a(), a_.begin());  // the rate at the start is the first guess
        if (!(converged_ = solve(acceleration, h, state))) {
            std::ranges::fill(state.y, NAN);
            std::ranges::fill(state.rate, NAN);
            return;
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += h * (v[i] + h / 2 * a_[i]);
            v[i] += h * a_[i];
        }
        acceleration(1.0, In(x), In(v), state.a());
    }

    /// Whether the last step did.
    bool converged() const { return converged_; }
    bool force_was_finite() const { return force_was_finite_; }
    /// Of all steps so far; each is one evaluation.
    std::int64_t iterations() const { return iterations_; }

private:
    /// Leaves the acceleration of the midpoint in a_.
    template <class Acceleration>
    bool solve(Acceleration&& acceleration, double h, State& state) {
        constexpr double few_ulps = 8 * std::numeric_limits<double>::epsilon();
        // NOTE: an averaged force has noise of its own, below which no iteration can go.
        constexpr double noise = 1e-7;
        double before = HUGE_VAL;
        int level = 0;  // updates in a row that hardly fell
        for (int k = 0; k < most_iterations; ++k) {
            const double scale = midpoint(h, state);
            acceleration(0.5, In(x_), In(v_), state.a());
            ++iterations_;
            const double update = std::abs(h / 2) * largest_change(state.a(), a_);  // of the velocity
            std::ranges::copy(state.a(), a_.begin());
            level = update >= 0.9 * before ? level + 1 : 0;
            force_was_finite_ = std::isfinite(update);
            if ((update <= few_ulps * scale && update >= before) || update == 0 ||
                (level >= 3 && update <= noise * scale)) {
                return true;
            }
            if (!force_was_finite_) {
                break;
            }
            before = std::min(before, update);
        }
        return false;
    }

    /// x_m and v_m from a_; returns the size of a velocity at which its last digits count, 2/h x among them: the
    /// position carries the velocity's error h/2 times.
    double midpoint(double h, State& state) {
        const double half = h / 2;
        double scale = 0;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            v_[i] = state.v()[i] + half * a_[i];
            x_[i] = state.x()[i] + half * v_[i];
            scale = std::max({scale, std::abs(v_[i]), std::abs(state.v()[i]), std::abs(x_[i] / half)});
        }
        return scale;
    }

    std::vector<double> x_, v_, a_;  // of the midpoint
    bool converged_ = true;
    bool force_was_finite_ = true;
    std::int64_t iterations_ = 0;
};

}  // namespace lento
