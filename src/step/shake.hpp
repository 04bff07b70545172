/// SHAKE in position-velocity form, order 2 (vibrated, section 4.2), with Lento's sign of the multipliers:
///
///     v_{n+1/2} = v_{n-1/2} + h M^-1 (f_n - g'(x_n)^T lambda_n)
///     x_{n+1} = x_n + h v_{n+1/2},     g(x_{n+1}, t_{n+1}) = 0
///
/// and v_{1/2} = v_0 + h/2 M^-1 (f_0 - g'(x_0)^T lambda_0). The multiplier at a point is known once the next point is. Velocities at
/// the points are defined as v_n = v_{n-1/2} + h/2 M^-1 f_n made tangential: those of RATTLE, whose positions are the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "step/constrained_state.hpp"
#include "step/verlet.hpp"

namespace lento {

class Shake {
public:
    static constexpr int order = 2;
    static constexpr int evaluations = 1;

    explicit Shake(Manifold& manifold, VelocityUse use = VelocityUse::possible)
        : manifold_(&manifold),
          use_(use),
          half_(manifold.dimension()),
          predicted_(manifold.dimension()),
          mu_(manifold.count()),
          nu_(manifold.count()) {}

    /// The next step starts afresh, from the velocity at its point.
    void restart() { last_step_ = 0; }

    template <class Acceleration, class Time>
    Convergence step(Acceleration&& acceleration, Time&& time, double h, ConstrainedState& state) {
        if (auto moved = move(time(1.0), h, state); !moved.converged) {
            return moved;
        }
        evaluate(acceleration, h, state);
        if (auto there = linearise(*manifold_, time(1.0), state); !there.converged) {
            return there;
        }
        const auto v = state.v();
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] = half_[i] + h / 2 * state.a()[i];
        }
        return manifold_->to_velocity(state.gradient, state.x(), time(1.0), v, nu_);
    }

    /// The position part alone: to x_{n+1}. Windows need no more; they renew the acceleration by `evaluate`.
    Convergence move(double end, double h, ConstrainedState& state) {
        const auto x = state.x();
        const auto a = state.a();
        const bool goes_on = h == last_step_;
        const double kick = goes_on ? h : h / 2;
        for (std::size_t i = 0; i < x.size(); ++i) {
            half_[i] = (goes_on ? half_[i] : state.v()[i]) + kick * a[i];
            x[i] += h * half_[i];
        }
        const auto reached = manifold_->to_position(state.gradient, end, x, mu_);
        manifold_->pull(state.gradient, mu_, 1 / h, half_);
        for (auto& multiplier : mu_) {
            multiplier /= h * kick;
        }
        last_step_ = h;
        return reached;
    }

    /// The active acceleration at the point reached; forces see the predicted velocity v_{n+1/2} + h/2 a_n.
    template <class Acceleration>
    void evaluate(Acceleration&& acceleration, double h, ConstrainedState& state) {
        using View = std::span<const double>;
        if (use_ == VelocityUse::none) {
            acceleration(1.0, View(state.x()), View(half_), state.a());
            return;
        }
        // NOTE: the kick of the constraint forces is part of the prediction; it is as large as that of the active ones.
        std::copy(state.a().begin(), state.a().end(), predicted_.begin());
        manifold_->pull(state.gradient, mu_, 1, predicted_);
        for (std::size_t i = 0; i < predicted_.size(); ++i) {
            predicted_[i] = half_[i] + h / 2 * predicted_[i];
        }
        acceleration(1.0, View(state.x()), View(predicted_), state.a());
    }

    /// lambda at the point from which the last `move` went.
    std::span<const double> multipliers() const { return mu_; }

private:
    Manifold* manifold_;
    VelocityUse use_;
    double last_step_ = 0;
    std::vector<double> half_, predicted_, mu_, nu_;
};

}  // namespace lento
