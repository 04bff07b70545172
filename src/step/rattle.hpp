/// RATTLE, order 2, symmetric (vibrated, section 4.3), with Lento's sign of the multipliers:
///
///     v_{1/2} = v_0 + h/2 M^-1 (f_0 - g'(x_0)^T lambda_x)
///     x_1 = x_0 + h v_{1/2},                                  g(x_1, t_1) = 0
///     v_1 = v_{1/2} + h/2 M^-1 (f_1 - g'(x_1)^T lambda_v),    g'(x_1) v_1 + g_t = 0
///
/// and its symmetric compositions of order 4, 6 and 8 with the coefficients of `step/composition.hpp`. Where forces depend on the
/// velocity, f_1 is taken at a predicted one: still of order 2, no longer symmetric.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "step/composition.hpp"
#include "step/constrained_state.hpp"
#include "step/verlet.hpp"

namespace lento {

class Rattle {
public:
    static constexpr int order = 2;
    static constexpr int evaluations = 1;

    explicit Rattle(Manifold& manifold, VelocityUse use = VelocityUse::possible)
        : manifold_(&manifold),
          use_(use),
          predicted_(manifold.dimension()),
          of_position_(manifold.count()),
          of_velocity_(manifold.count()) {}

    /// `end` is the fraction of the caller's step at which this one ends.
    template <class Acceleration, class Time>
    Convergence step(Acceleration&& acceleration, Time&& time, double h, ConstrainedState& state, double end = 1) {
        using View = std::span<const double>;
        const auto x = state.x();
        const auto v = state.v();
        const auto a = state.a();
        for (std::size_t i = 0; i < x.size(); ++i) {
            predicted_[i] = v[i];
            v[i] += h / 2 * a[i];
            x[i] += h * v[i];
        }
        if (auto reached = manifold_->to_position(state.gradient, time(end), x, of_position_); !reached.converged) {
            return reached;
        }
        manifold_->pull(state.gradient, of_position_, 1 / h, v);
        if (auto there = linearise(*manifold_, time(end), state); !there.converged) {
            return there;
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            predicted_[i] = 2 * v[i] - predicted_[i];
        }
        acceleration(end, View(x), use_ == VelocityUse::none ? View(v) : View(predicted_), a);
        for (std::size_t i = 0; i < x.size(); ++i) {
            v[i] += h / 2 * a[i];
        }
        const auto tangential = manifold_->to_velocity(state.gradient, x, time(end), v, of_velocity_);
        for (std::size_t j = 0; j < of_position_.size(); ++j) {
            of_position_[j] /= h * h / 2;
            of_velocity_[j] /= h / 2;
        }
        return tangential;
    }

    /// lambda_x and lambda_v of the last step.
    std::span<const double> position_multipliers() const { return of_position_; }
    std::span<const double> velocity_multipliers() const { return of_velocity_; }

private:
    Manifold* manifold_;
    VelocityUse use_;
    std::vector<double> predicted_, of_position_, of_velocity_;
};

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
