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
#include "problem/simplified_newton.hpp"

namespace lento {

class Manifold {
public:
    Manifold(const Mass& mass, std::shared_ptr<const Constraints> constraints, Clock clock = Clock::running)
        : constraints_(constraints),
          normals_(mass, std::move(constraints)),
          clock_(clock),
          matrix_(normals_.pattern(), mass),
          newton_(count()),
          curvature_(count()),
          there_(entries()) {}

    /// Of the constraints of a problem.
    explicit Manifold(const Problem& problem, Clock clock = Clock::running)
        : Manifold(problem.mass, problem.constraints, clock) {}

    // What templates over manifolds ask (`problem/fixed_manifold.hpp`).
    static constexpr std::size_t count_extent = dynamic;
    static constexpr std::size_t extent = dynamic;
    using Gradient = std::vector<double>;
    Gradient new_gradient() const { return Gradient(entries()); }
    /// Of the largest coordinate: what coordinates count at least as in the scale of a residual.
    static constexpr double least_part = 1e-3;

    std::size_t count() const { return constraints_->count(); }
    std::size_t dimension() const { return normals_.mass().dimension(); }
    /// Numbers of a gradient: with its normals, where masses vary (`problem/normals.hpp`).
    std::size_t entries() const { return normals_.size(); }
    const Constraints& constraints() const { return *constraints_; }
    const Mass& mass() const { return normals_.mass(); }
    /// Corrections taken so far.
    std::int64_t iterations() const { return iterations_; }
    /// Others that take some with the matrix of this manifold count them here.
    void count(std::int64_t iterations) { iterations_ += iterations; }

    void gradient(In x, double t, Out entries) const { normals_.at(x, t, entries); }
    /// Of g' M^-1 g'^T; false where the constraints are dependent.
    [[nodiscard]] bool factorise(In gradient) { return matrix_.factorise(gradient); }
    /// Of g'(there) M^-1 g'(here)^T.
    [[nodiscard]] bool factorise(In there, In here) { return matrix_.factorise(there, here); }
    /// Of the matrix factorised last, by rows, if there are few constraints.
    In inverse() const { return matrix_.inverse(); }

    /// x -= factor * M^-1 g'^T mu
    void pull(In gradient, In mu, double factor, Out x) { normals_.pull(gradient, mu, factor, x); }

    /// Moves x onto g(x, t) = 0 along the normals at another point; mu is how far.
    Convergence to_position(In directions, double t, Out x, Out mu) {
        set_scale(directions, x);
        return converge(
            mu, [&](int) { constraints_->values(x, t, newton_.residual); },
            [&] {
                gradient(x, t, there_);
                return matrix_.factorise(there_, directions);
            },
            [&] { pull(directions, newton_.correction, 1, x); });
    }

    /// Makes v tangential at x: the gradient is that at x.
    Convergence to_velocity(In gradient, In x, double t, Out v, Out nu) {
        set_scale(gradient, v);
        return converge(
            nu, [&](int iteration) { rate_residual(iteration, x, v, t); }, [&] { return matrix_.factorise(gradient); },
            [&] { pull(gradient, newton_.correction, 1, v); });
    }

    /// The same along the normals at another point. Factorises.
    Convergence to_velocity_along(In directions, In gradient, In x, double t, Out v, Out nu) {
        set_scale(gradient, v);
        if (!matrix_.factorise(gradient, directions)) {
            return {.converged = false, .independent = false};
        }
        return converge(
            nu, [&](int iteration) { rate_residual(iteration, x, v, t); },
            [&] { return matrix_.factorise(gradient, directions); },
            [&] { pull(directions, newton_.correction, 1, v); });
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
                newton_.correction[j] = sum;
            }
            matrix_.solve(newton_.correction);
            pull(gradient, newton_.correction, 1, a);
            add_to(lambda, 1, newton_.correction);
        }
    }

    /// g at (x, t), and the largest of it relative to `gradient`, one nearby.
    Convergence residuals(In gradient, In x, double t, Out g) {
        set_scale(gradient, x);
        constraints_->values(x, t, newton_.residual);
        std::copy(newton_.residual.begin(), newton_.residual.end(), g.begin());
        return newton_.largest_residual();
    }
    /// Solves with the matrix factorised last, in place.
    void solve(Out r) {
        matrix_.solve(r);
        ++iterations_;
    }

    /// The largest relative residuals.
    Convergence position_residual(In x, double t) {
        constraints_->gradient(x, t, Out(there_).first(normals_.entries()));
        set_scale(there_, x);
        constraints_->values(x, t, newton_.residual);
        return newton_.largest_residual();
    }
    Convergence velocity_residual(In x, In v, double t) {
        constraints_->gradient(x, t, Out(there_).first(normals_.entries()));
        set_scale(there_, v);
        constraints_->rates(x, v, t, clock_, newton_.residual);
        return newton_.largest_residual();
    }

private:
    void set_scale(In gradient, In x) {
        const auto& pattern = constraints_->pattern();
        double largest = 0;
        for (const double component : x) {
            largest = std::max(largest, std::abs(component));
        }
        const double least = least_part * largest;
        for (std::size_t j = 0; j < count(); ++j) {
            // NOTE: a rail y = 0 has nothing at y to compare with; there the size of the whole system counts.
            double sum = std::numeric_limits<double>::min();
            for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
                sum += std::abs(gradient[e]) * std::max(std::abs(x[pattern.column(e)]), least);
            }
            newton_.scale[j] = sum;
        }
    }

    void rate_residual(int iteration, In x, In v, double t) {
        constraints_->rates(x, v, t, clock_, newton_.residual);
        // NOTE: where the constraints move, a velocity of zero says nothing of the size that velocities have.
        for (std::size_t j = 0; iteration == 0 && j < count(); ++j) {
            newton_.scale[j] = std::max(newton_.scale[j], std::abs(newton_.residual[j]));
        }
    }

    template <class Evaluate, class Renew, class Apply>
    Convergence converge(Out total, Evaluate&& evaluate, Renew&& renew, Apply&& apply) {
        return newton_.solve(
            total, evaluate, renew,
            [&](Out correction) {
                matrix_.solve(correction);
                ++iterations_;
            },
            apply);
    }

    std::shared_ptr<const Constraints> constraints_;
    Normals normals_;
    Clock clock_;
    NormalMatrix matrix_;
    std::int64_t iterations_ = 0;
    // Work space.
    SimplifiedNewton<> newton_;
    std::vector<double> curvature_, there_;
};

}  // namespace lento
