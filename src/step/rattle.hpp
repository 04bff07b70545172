/// SHAKE and RATTLE, order 2, with Lento's sign of the multipliers, and what steppers for constrained systems share:
/// where they stand, with the gradient of the constraints there.
///
/// They get the acceleration M^-1 f of the active forces, `acceleration(c, x, v, a)`, and the time, `time(c)`, at a
/// fraction c of the step (`step/state.hpp`). A step that cannot reach the manifold says so; its state is undefined.
#pragma once

#include "problem/manifold.hpp"
#include "step/verlet.hpp"

namespace lento {

/// A point with velocity, the acceleration of the active forces there, and the gradient of the constraints.
template <class Surface>
struct StateOn : MotionState<double, Surface::extent> {
    typename Surface::Gradient gradient;

    explicit StateOn(const Surface& surface)
        : MotionState<double, Surface::extent>(surface.dimension()), gradient(surface.new_gradient()) {}
};
using ConstrainedState = StateOn<Manifold>;

/// Renews the gradient and its matrix at the state's position. Not converged: the constraints are dependent there.
template <class Surface>
Convergence linearise(Surface& surface, double t, StateOn<Surface>& state) {
    surface.gradient(state.x(), t, state.gradient);
    const bool independent = surface.factorise(state.gradient);
    return {.converged = independent, .independent = independent};
}

/// SHAKE in position-velocity form (vibrated, section 4.2):
///
///     v_{n+1/2} = v_{n-1/2} + h M^-1 (f_n - g'(x_n)^T lambda_n)
///     x_{n+1} = x_n + h v_{n+1/2},     g(x_{n+1}, t_{n+1}) = 0
///
/// and v_{1/2} = v_0 + h/2 M^-1 (f_0 - g'(x_0)^T lambda_0). The multiplier at a point is known once the next point is.
/// Velocities there are v_{n-1/2} + h/2 M^-1 f_n made tangential: those of RATTLE, whose positions are the same.
///
/// On a manifold, or on one of known size (`problem/fixed_manifold.hpp`).
template <class Surface>
class ShakeOn {
public:
    static constexpr int order = 2;
    static constexpr int evaluations = 1;

    using State = StateOn<Surface>;

    explicit ShakeOn(Surface& surface, VelocityUse use = VelocityUse::possible)
        : manifold_(&surface),
          use_(use),
          half_(make_vector<double, extent>(surface.dimension())),
          predicted_(make_vector<double, extent>(surface.dimension())),
          mu_(make_vector<double, count_extent>(surface.constraints().count())),
          nu_(mu_) {}

    /// The next step starts afresh, from the velocity at its point.
    void restart() { last_step_ = 0; }

    template <class Acceleration, class Time>
    Convergence step(Acceleration&& acceleration, Time&& time, double h, State& state) {
        if (auto moved = move(time(1.0), h, state); !moved.converged) {
            return moved;
        }
        evaluate(acceleration, h, state);
        if (auto there = linearise(*manifold_, time(1.0), state); !there.converged) {
            return there;
        }
        const auto v = state.v();
        std::ranges::copy(half_, v.begin());
        add_to(v, h / 2, state.a());
        return manifold_->to_velocity(state.gradient, state.x(), time(1.0), v, nu_);
    }

    /// The position part alone: to x_{n+1}. Windows need no more; they renew the acceleration by `evaluate`.
    Convergence move(double end, double h, State& state) {
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
    void evaluate(Acceleration&& acceleration, double h, State& state) {
        if (use_ == VelocityUse::possible) {
            // NOTE: the kick of the constraint forces is part of it; it is as large as that of the active ones.
            std::ranges::copy(state.a(), predicted_.begin());
            manifold_->pull(state.gradient, mu_, 1, predicted_);
            for (std::size_t i = 0; i < predicted_.size(); ++i) {
                predicted_[i] = half_[i] + h / 2 * predicted_[i];
            }
        }
        acceleration(1.0, In(state.x()), In(use_ == VelocityUse::none ? half_ : predicted_), state.a());
    }

    /// lambda at the point from which the last `move` went.
    std::span<const double, Surface::count_extent> multipliers() const { return mu_; }

private:
    static constexpr std::size_t extent = Surface::extent;
    static constexpr std::size_t count_extent = Surface::count_extent;

    Surface* manifold_;
    VelocityUse use_;
    double last_step_ = 0;
    Vector<double, extent> half_, predicted_;
    Vector<double, count_extent> mu_, nu_;
};
using Shake = ShakeOn<Manifold>;

/// RATTLE, symmetric (vibrated, section 4.3):
///
///     v_{1/2} = v_0 + h/2 M^-1 (f_0 - g'(x_0)^T lambda_x)
///     x_1 = x_0 + h v_{1/2},                                  g(x_1, t_1) = 0
///     v_1 = v_{1/2} + h/2 M^-1 (f_1 - g'(x_1)^T lambda_v),    g'(x_1) v_1 + g_t = 0
///
/// Where forces depend on the velocity, f_1 is taken at a predicted one: still of order 2, no longer symmetric.
class Rattle {
public:
    static constexpr int order = 2;
    static constexpr int evaluations = 1;

    explicit Rattle(Manifold& manifold, VelocityUse use = VelocityUse::possible)
        : manifold_(&manifold), use_(use), predicted_(manifold.dimension()), mu_(manifold.count()) {}

    /// `end` is the fraction of the caller's step at which this one ends.
    template <class Acceleration, class Time>
    Convergence step(Acceleration&& acceleration, Time&& time, double h, ConstrainedState& state, double end = 1) {
        const auto x = state.x();
        const auto v = state.v();
        const auto a = state.a();
        for (std::size_t i = 0; i < x.size(); ++i) {
            predicted_[i] = v[i];
            v[i] += h / 2 * a[i];
            x[i] += h * v[i];
        }
        if (auto reached = manifold_->to_position(state.gradient, time(end), x, mu_); !reached.converged) {
            return reached;
        }
        manifold_->pull(state.gradient, mu_, 1 / h, v);
        if (auto there = linearise(*manifold_, time(end), state); !there.converged) {
            return there;
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            predicted_[i] = 2 * v[i] - predicted_[i];
        }
        acceleration(end, In(x), use_ == VelocityUse::none ? In(v) : In(predicted_), a);
        add_to(v, h / 2, a);
        return manifold_->to_velocity(state.gradient, x, time(end), v, mu_);
    }

private:
    Manifold* manifold_;
    VelocityUse use_;
    std::vector<double> predicted_, mu_;
};

/// Symmetric compositions of RATTLE of order 4, 6 and 8, with the coefficients of those of Verlet.
template <const auto& Coefficients>
class RattleComposition {
public:
    static constexpr int order = Coefficients.order;
    static constexpr int evaluations = static_cast<int>(Coefficients.parts);

    explicit RattleComposition(Manifold& manifold, VelocityUse use = VelocityUse::possible) : rattle_(manifold, use) {}

    template <class Acceleration, class Time>
    Convergence step(Acceleration&& acceleration, Time&& time, double h, ConstrainedState& state) {
        static constexpr auto weights = Coefficients.template weights<double>();
        static constexpr auto ends = Coefficients.template ends<double>();
        Convergence last;
        for (std::size_t i = 0; i < weights.size() && last.converged; ++i) {
            last = rattle_.step(acceleration, time, weights[i] * h, state, ends[i]);
        }
        return last;
    }

private:
    Rattle rattle_;
};

using Rattle4 = RattleComposition<suzuki4>;
using Rattle6 = RattleComposition<kahan_li6>;
using Rattle8 = RattleComposition<kahan_li8>;

}  // namespace lento
