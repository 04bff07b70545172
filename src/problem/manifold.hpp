/// The manifold g(x, t) = 0 and the three ways onto it, each along the normal directions M^-1 g'^T:
///
///     position       x - M^-1 g'(x_0)^T mu        with  g(x, t) = 0
///     velocity       v - M^-1 g'^T nu             with  g' v + g_t = 0
///     acceleration   a - M^-1 g'^T lambda         with  g' a + g''[v, v] + 2 g_t' v + g_tt = 0
///
/// The equations are solved to rounding by simplified Newton iterations with the matrix g' M^-1 g'^T factorised last;
/// where they contract slowly, it is renewed at the point reached. With a stopped clock there are no terms with g_t.
/// One manifold serves one thread.
#pragma once

#include <cstdint>

#include "base/number.hpp"
#include "lento/problem/constraints.hpp"
#include "lento/problem/problem.hpp"
#include "problem/normal_matrix.hpp"
#include "problem/normals.hpp"

namespace lento {

/// How an iteration ended. Residuals are relative: g_j over sum_i |g'_ji x_i|, and alike for velocities.
struct [[nodiscard]] Convergence {
    bool converged = true;
    double residual = 0;      ///< the largest, where it stopped
    std::size_t worst = 0;    ///< the constraint that has it
    bool independent = true;  ///< false: the constraints are dependent there, to rounding
    bool settled = true;      ///< false: the force does not settle, and `residual` is how far it still moves the point
};

class Manifold {
public:
    Manifold(const Mass& mass, std::shared_ptr<const Constraints> constraints, Clock clock = Clock::running)
        : constraints_(constraints),
          normals_(mass, std::move(constraints)),
          clock_(clock),
          matrix_(normals_.pattern(), mass),
          residual_(count()),
          scale_(count()),
          correction_(count()),
          curvature_(count()),
          newton_(entries()) {}

    /// Of the constraints of a problem.
    explicit Manifold(const Problem& problem, Clock clock = Clock::running)
        : Manifold(problem.mass, problem.constraints, clock) {}

    std::size_t count() const { return constraints_->count(); }
    std::size_t dimension() const { return normals_.mass().dimension(); }
    /// Numbers of a gradient: with its normals, where masses vary (`problem/normals.hpp`).
    std::size_t entries() const { return normals_.size(); }
    const Constraints& constraints() const { return *constraints_; }
    const Mass& mass() const { return normals_.mass(); }
    /// Corrections taken so far.
    std::int64_t iterations() const { return iterations_; }

    void gradient(In x, double t, Out entries) const { normals_.at(x, t, entries); }
    /// Of g' M^-1 g'^T; false where the constraints are dependent.
    [[nodiscard]] bool factorise(In gradient) { return matrix_.factorise(gradient); }

    /// x -= factor * M^-1 g'^T mu
    void pull(In gradient, In mu, double factor, Out x) { normals_.pull(gradient, mu, factor, x); }

    /// Moves x onto g(x, t) = 0 along the normals at another point; mu is how far.
    Convergence to_position(In directions, double t, Out x, Out mu) {
        set_scale(directions, x);
        return converge(
            mu, [&](int) { constraints_->values(x, t, residual_); },
            [&] {
                gradient(x, t, newton_);
                return matrix_.factorise(newton_, directions);
            },
            [&] { pull(directions, correction_, 1, x); });
    }

    /// Makes v tangential at x: the gradient is that at x.
    Convergence to_velocity(In gradient, In x, double t, Out v, Out nu) {
        set_scale(gradient, v);
        return converge(
            nu, [&](int iteration) { rate_residual(iteration, x, v, t); }, [&] { return matrix_.factorise(gradient); },
            [&] { pull(gradient, correction_, 1, v); });
    }

    /// The same along the normals at another point. Factorises.
    Convergence to_velocity_along(In directions, In gradient, In x, double t, Out v, Out nu) {
        set_scale(gradient, v);
        if (!matrix_.factorise(gradient, directions)) {
            return {.converged = false, .independent = false};
        }
        return converge(
            nu, [&](int iteration) { rate_residual(iteration, x, v, t); },
            [&] { return matrix_.factorise(gradient, directions); }, [&] { pull(directions, correction_, 1, v); });
    }

    /// Turns the active a = M^-1 f into that of the constrained motion. The matrix must be that of the gradient at x.
    void constrain_acceleration(In gradient, In x, In v, double t, Out a, Out lambda) {
        const auto& pattern = constraints_->pattern();
        constraints_->curvature(x, v, t, clock_, curvature_);
        std::fill(lambda.begin(), lambda.end(), 0.0);
        for (int pass = 0; pass < 2; ++pass) {  // the second removes what rounding leaves of the first
            for (std::size_t j = 0; j < count(); ++j) {
                double sum = curvature_[j];
                for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
                    sum += gradient[e] * a[pattern.column(e)];
                }
                correction_[j] = sum;
            }
            matrix_.solve(correction_);
            pull(gradient, correction_, 1, a);
            add_to(lambda, 1, correction_);
        }
    }

    /// g at (x, t), and the largest of it relative to `gradient`, one nearby.
    Convergence residuals(In gradient, In x, double t, Out g) {
        set_scale(gradient, x);
        constraints_->values(x, t, residual_);
        std::copy(residual_.begin(), residual_.end(), g.begin());
        return largest_residual();
    }
    /// Solves with the matrix factorised last, in place.
    void solve(Out r) {
        matrix_.solve(r);
        ++iterations_;
    }

    /// The largest relative residuals.
    Convergence position_residual(In x, double t) {
        constraints_->gradient(x, t, Out(newton_).first(normals_.entries()));
        set_scale(newton_, x);
        constraints_->values(x, t, residual_);
        return largest_residual();
    }
    Convergence velocity_residual(In x, In v, double t) {
        constraints_->gradient(x, t, Out(newton_).first(normals_.entries()));
        set_scale(newton_, v);
        constraints_->rates(x, v, t, clock_, residual_);
        return largest_residual();
    }

private:
    static constexpr double rounding = std::numeric_limits<double>::epsilon();
    /// Residuals that no iteration improves are taken for rounding up to here.
    static constexpr double stalled = 5e-13;

    void set_scale(In gradient, In x) {
        const auto& pattern = constraints_->pattern();
        double largest = 0;
        for (const double component : x) {
            largest = std::max(largest, std::abs(component));
        }
        const double least = 1e-3 * largest;
        for (std::size_t j = 0; j < count(); ++j) {
            // NOTE: a rail y = 0 has nothing at y to compare with; there the size of the whole system counts.
            double sum = std::numeric_limits<double>::min();
            for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
                sum += std::abs(gradient[e]) * std::max(std::abs(x[pattern.column(e)]), least);
            }
            scale_[j] = sum;
        }
    }

    void rate_residual(int iteration, In x, In v, double t) {
        constraints_->rates(x, v, t, clock_, residual_);
        // NOTE: where the constraints move, a velocity of zero says nothing of the size that velocities have.
        for (std::size_t j = 0; iteration == 0 && j < count(); ++j) {
            scale_[j] = std::max(scale_[j], std::abs(residual_[j]));
        }
    }

    Convergence largest_residual() const {
        Convergence state;
        for (std::size_t j = 0; j < count(); ++j) {
            const double relative = std::abs(residual_[j]) / scale_[j];
            if (!(relative <= state.residual)) {
                state.residual = larger(state.residual, relative);
                state.worst = j;
            }
        }
        return state;
    }

    template <class Evaluate, class Renew, class Apply>
    Convergence converge(Out total, Evaluate&& evaluate, Renew&& renew, Apply&& apply) {
        constexpr int most_iterations = 50;
        constexpr int most_setbacks = 4;
        constexpr double slow = 0.25;
        std::fill(total.begin(), total.end(), 0.0);
        double before = std::numeric_limits<double>::infinity();
        int setbacks = 0;
        Convergence state;
        for (int k = 0; k < most_iterations; ++k) {
            evaluate(k);
            state = largest_residual();
            if (!std::isfinite(state.residual)) {
                break;
            }
            if (state.residual > slow * before) {
                if (state.residual <= stalled) {
                    return state;
                }
                setbacks += state.residual > before ? 1 : 0;
                if (setbacks > most_setbacks) {
                    break;
                }
                if (!renew()) {
                    state.independent = false;
                    break;
                }
            }
            if (state.residual == 0) {
                return state;
            }
            std::copy(residual_.begin(), residual_.end(), correction_.begin());
            matrix_.solve(correction_);
            apply();
            add_to(total, 1, correction_);
            ++iterations_;
            // NOTE: the contraction seen tells the next residual well enough; where it is rounding, nobody has to look.
            const double expected = std::isfinite(before) ? state.residual * state.residual / before : state.residual;
            if (expected < 0.1 * rounding) {
                state.residual = expected;
                return state;
            }
            before = state.residual;
        }
        state.converged = false;
        return state;
    }

    std::shared_ptr<const Constraints> constraints_;
    Normals normals_;
    Clock clock_;
    NormalMatrix matrix_;
    std::int64_t iterations_ = 0;
    // Work space.
    std::vector<double> residual_, scale_, correction_, curvature_, newton_;
};

}  // namespace lento
