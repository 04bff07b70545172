/// The Lobatto IIIA-IIIB pair with three stages for constrained systems, order 4, symmetric (L. O. Jay, SIAM J. Numer.
/// Anal. 33 (1996); Hairer, Lubich, Wanner, Geometric Numerical Integration, 2nd ed., section VII.1.4). With
/// K_i = M^-1 (f(Q_i) - g'(Q_i)^T lambda_i) the stages 0, 1/2, 1 become
///
///     Q_2 = x_0 + h/2 v_0 + h^2 (1/12 K_1 + 1/24 K_2),     g(Q_2) = 0
///     x_1 = x_0 + h   v_0 + h^2 (1/6  K_1 + 1/3  K_2),     g(x_1) = 0
///     v_1 = v_0 + h (1/6 K_1 + 2/3 K_2 + 1/6 K_3),         g'(x_1) v_1 + g_t = 0
///     V_1 = v_0 + h/6 (K_1 - K_2),   V_2 = v_0 + h (1/6 K_1 + 1/3 K_2),   V_3 = v_0 + h (1/6 K_1 + 5/6 K_2)
///
/// (V_i the velocities that forces see). The multipliers of the first two stages are found by simplified Newton
/// iterations, in which the matrix of coefficients above has the inverse (16 -2; -8 4); the force at the middle by
/// fixed-point iteration around them.
#pragma once

#include "step/rattle.hpp"

namespace lento {

class Lobatto {
public:
    static constexpr int order = 4;
    static constexpr int evaluations = 2;  // at least: the force at the middle is asked for until it settles

    explicit Lobatto(Manifold& manifold, VelocityUse use = VelocityUse::possible)
        : manifold_(&manifold),
          use_(use),
          first_(manifold),
          second_(manifold),
          last_middle_(manifold.dimension()),
          x_end_(manifold.dimension()),
          velocity_(manifold.dimension()),
          nu_(manifold.count()) {}

    /// The next step starts without a memory of forces.
    void restart() { last_step_ = 0; }

    template <class Acceleration, class Time>
    Convergence step(Acceleration&& acceleration, Time&& time, double h, ConstrainedState& state) {
        constexpr int most_passes = 50;
        begin(h, state);
        // NOTE: the middle point is watched, not the force: its noise across the manifold the multipliers take away.
        double before = HUGE_VAL;
        for (int pass = 0;; ++pass) {
            if (auto solved = reach_manifold(time, h, state); !solved.converged) {
                return solved;
            }
            if (pass > 0) {
                const double change = largest_change(second_.x, last_middle_);
                const double size = largest(second_.x);
                // What no longer gets less is the noise of the force.
                if (change <= 2e-16 * size || (change <= 1e-9 * size && change > 0.5 * before)) {
                    break;
                }
                if (!std::isfinite(change) || pass == most_passes) {
                    return {.converged = false, .residual = change / size, .settled = false};
                }
                before = change;
            }
            if (use_ == VelocityUse::possible) {
                stage_velocity(h, 1 / 6.0, -1 / 6.0, state);
                acceleration(0.0, In(state.x()), In(velocity_), Out(first_.active));
            }
            stage_velocity(h, 1 / 6.0, 1 / 3.0, state);
            last_middle_ = second_.x;
            acceleration(0.5, In(second_.x), In(velocity_), Out(second_.active));
        }
        return finish(acceleration, time, h, state);
    }

private:
    /// One of the first two stages.
    struct Stage {
        std::vector<double> x, active, pull, gradient, mu, residual;  // pull: M^-1 g'^T mu, with mu = h^2 lambda

        explicit Stage(const Manifold& manifold)
            : x(manifold.dimension()),
              active(manifold.dimension()),
              pull(manifold.dimension()),
              gradient(manifold.entries()),
              mu(manifold.count()),
              residual(manifold.count()) {}
    };

    void begin(double h, ConstrainedState& state) {
        // The force at the middle: extrapolated from the last step, else as at the start.
        for (std::size_t i = 0; i < state.x().size(); ++i) {
            const double now = state.a()[i];
            second_.active[i] = h == last_step_ ? first_.active[i] - 3 * second_.active[i] + 3 * now : now;
            first_.active[i] = now;
        }
        first_.gradient = second_.gradient = state.gradient;
        std::ranges::fill(first_.mu, 0.0);
        std::ranges::fill(second_.mu, 0.0);
        last_step_ = h;
    }

    /// The multipliers of both stages for the forces as they are.
    template <class Time>
    Convergence reach_manifold(Time&& time, double h, ConstrainedState& state) {
        constexpr int most_iterations = 100;
        constexpr int most_setbacks = 10;
        double before = HUGE_VAL;
        int setbacks = 0;
        Convergence now;
        for (int k = 0; k < most_iterations; ++k) {
            place_stages(h, state);
            const auto middle = manifold_->residuals(second_.gradient, second_.x, time(0.5), first_.residual);
            const auto end = manifold_->residuals(second_.gradient, x_end_, time(1.0), second_.residual);
            now = middle.residual >= end.residual ? middle : end;
            manifold_->gradient(second_.x, time(0.5), second_.gradient);
            const bool stalled = now.residual > 0.5 * before;
            if (now.residual <= 1e-16 || (stalled && now.residual <= 5e-13)) {
                return now;
            }
            setbacks += now.residual > before ? 1 : 0;
            if (!std::isfinite(now.residual) || setbacks > most_setbacks) {
                break;
            }
            if (stalled && !manifold_->factorise(second_.gradient)) {
                now.independent = false;
                break;
            }
            correct(first_.mu, 16, -2);
            correct(second_.mu, -8, 4);
            before = now.residual;
        }
        now.converged = false;
        return now;
    }

    /// mu += (g' M^-1 g'^T)^-1 (a g(Q_2) + b g(x_1))
    void correct(std::vector<double>& mu, double a, double b) {
        for (std::size_t j = 0; j < mu.size(); ++j) {
            nu_[j] = a * first_.residual[j] + b * second_.residual[j];
        }
        manifold_->solve(nu_);
        add_to(mu, 1, nu_);
    }

    void place_stages(double h, ConstrainedState& state) {
        for (auto* stage : {&first_, &second_}) {
            std::fill(stage->pull.begin(), stage->pull.end(), 0.0);
            manifold_->pull(stage->gradient, stage->mu, -1, stage->pull);
        }
        const auto x = state.x();
        const auto v = state.v();
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double first = h * h * first_.active[i] - first_.pull[i];
            const double second = h * h * second_.active[i] - second_.pull[i];
            second_.x[i] = x[i] + h / 2 * v[i] + first / 12 + second / 24;
            x_end_[i] = x[i] + h * v[i] + first / 6 + second / 3;
        }
    }

    /// v_0 + h (a K_1 + b K_2)
    void stage_velocity(double h, double a, double b, ConstrainedState& state) {
        for (std::size_t i = 0; i < velocity_.size(); ++i) {
            const double first = h * first_.active[i] - first_.pull[i] / h;
            const double second = h * second_.active[i] - second_.pull[i] / h;
            velocity_[i] = state.v()[i] + a * first + b * second;
        }
    }

    template <class Acceleration, class Time>
    Convergence finish(Acceleration&& acceleration, Time&& time, double h, ConstrainedState& state) {
        stage_velocity(h, 1 / 6.0, 5 / 6.0, state);
        std::ranges::copy(x_end_, state.x().begin());
        if (auto there = linearise(*manifold_, time(1.0), state); !there.converged) {
            return there;
        }
        acceleration(1.0, In(state.x()), In(velocity_), state.a());
        stage_velocity(h, 1 / 6.0, 2 / 3.0, state);
        std::ranges::copy(velocity_, state.v().begin());
        add_to(state.v(), h / 6, state.a());
        return manifold_->to_velocity(state.gradient, state.x(), time(1.0), state.v(), nu_);
    }

    Manifold* manifold_;
    VelocityUse use_;
    double last_step_ = 0;
    Stage first_, second_;
    std::vector<double> last_middle_, x_end_, velocity_, nu_;
};

}  // namespace lento
