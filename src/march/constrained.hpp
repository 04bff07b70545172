/// Carries a constrained right-hand side over an interval: M^-1 f given, g(x, t) = 0 kept.
///
/// The right-hand side is callable as `rhs(t, x, v, result)`. It fills the active acceleration M^-1 f and behind it,
/// one a constraint, what is to be added to the multipliers for the total constraint force: in an averaged system the
/// mean of the fast ones, else zero. Observers are given y = (x, v, multipliers, total multipliers).
///
/// Fixed steps are taken by the steppers of `step/catalogue.hpp`. With a tolerance it is a half-explicit Dormand-Prince
/// 5(4): positions and velocities are explicit, the multipliers of each stage follow from the constraint on the
/// acceleration, and stages and steps are projected onto positions and velocities that satisfy theirs. That keeps the
/// order (Hairer, Lubich, Wanner, Geometric Numerical Integration, 2nd ed., section IV.4).
#pragma once

#include "march/adaptive.hpp"
#include "step/rattle.hpp"

namespace lento {

/// What is known at a point of the march.
struct ConstrainedPoint {
    double t = 0;
    std::vector<double> y;             ///< (x, v, multipliers, total multipliers)
    std::vector<double> acceleration;  ///< of the constrained motion
};

/// Between two points: x and v from values and accelerations at both ends, multipliers from the last three points.
DenseStep constrained_dense(const std::optional<ConstrainedPoint>& earlier, const ConstrainedPoint& from,
                            const ConstrainedPoint& to);

/// Why a step failed, as a sentence.
std::string sentence_of(const Convergence& failure, const std::vector<std::string>& constraints);

template <class RightHandSide>
class ConstrainedMarch {
public:
    ConstrainedMarch(Manifold& manifold, RightHandSide rhs)
        : manifold_(&manifold),
          rhs_(std::move(rhs)),
          gradient_(manifold.entries()),
          result_(manifold.dimension() + manifold.count()),
          lambda_(manifold.count()) {}

    /// The point at (x, v): one evaluation. Its values are not finite where the constraints are dependent.
    ConstrainedPoint point_at(double t, In x, In v) {
        rhs_(t, x, v, Out(result_));
        if (!linearises(t, x)) {
            std::ranges::fill(result_, NAN);
        }
        return completed(t, x, v, std::span(result_).first(d()), gradient_);
    }

    /// Fixed steps from `start` with a stepper. `start` becomes the last good point.
    template <class Stepper, class Observer>
    MarchResult fixed(Stepper& stepper, Interval interval, double step, ConstrainedPoint& start, Observer&& observer,
                      const std::stop_token& stop) {
        ConstrainedState state(*manifold_);
        std::copy_n(start.y.begin(), 2 * d(), state.y.begin());
        std::copy_n(result_.begin(), d(), state.a().begin());
        state.gradient = gradient_;
        std::optional<ConstrainedPoint> earlier;
        return march_steps(interval, step, stop, [&](double t, double h, double next, MarchResult& march) {
            const auto taken = stepper.step(
                [&](double c, In x, In v, Out a) {
                    rhs_(t + c * h, x, v, Out(result_));
                    std::copy_n(result_.begin(), a.size(), a.begin());
                },
                [&](double c) { return c == 1 ? next : t + c * h; }, h, state);
            if (!is_finite(state.y, state.a(), t, next, march)) {
                return;
            }
            if (!taken.converged) {
                march.outcome = Outcome::not_converged;
                march.explanation = fmt::format("the step from t = {:.6g} to {:.6g} does not reach the constraints: {}",
                                                t, next, sentence_of(taken, manifold_->constraints().names()));
                return;
            }
            auto reached = completed(next, state.x(), state.v(), state.a(), state.gradient);
            if (observer.wants(next)) {
                observer.take(constrained_dense(earlier, start, reached));
            }
            earlier = std::move(start);
            start = std::move(reached);
        });
    }

    /// Steps by tolerance from `start`, which becomes the last good point.
    template <class Controller, class Observer>
    MarchResult adaptive(Controller controller, Interval interval, ConstrainedPoint& start, Observer&& observer,
                         const std::stop_token& stop, std::int64_t budget) {
        // NOTE: stages leave the manifold by a little. Windows must start on it, or the first micro-step throws them
        // back with a force that grows with the frequency; so the right-hand side is that at the point below.
        std::vector<double> below(2 * d());
        const auto rate = [&](double t, In y, Out derivative) {
            std::copy_n(y.begin(), below.size(), below.begin());
            const auto x = std::span(below).first(d());
            const auto v = std::span(below).last(d());
            if (const auto reached = project(t, x, v); !reached.converged) {
                off_ = reached;
                std::ranges::fill(derivative, NAN);
                return;
            }
            const auto point = point_at(t, x, v);
            std::ranges::copy(v, derivative.begin());
            std::ranges::copy(point.acceleration, derivative.subspan(d()).begin());
            std::ranges::copy(In(point.y).subspan(2 * d()), derivative.subspan(2 * d()).begin());
        };
        // NOTE: the integrals of the multipliers ride along; the derivative of their dense output is the multipliers'.
        std::vector<double> y = start.y;
        std::ranges::fill(Out(y).subspan(2 * d()), 0.0);
        off_ = {};
        Projection projection{this};
        auto march = march_adaptive(controller, rate, interval, y, WithMultipliers<Observer>{&observer, 2 * d()}, stop,
                                    budget, projection);
        const bool stuck = march.outcome == Outcome::diverged || march.outcome == Outcome::not_converged;
        if (stuck && !off_.converged) {
            march.outcome = Outcome::not_converged;
            march.culprit.reset();
            march.explanation =
                fmt::format("steps from t = {:.6g} do not reach the constraints however short they are: {}",
                            march.reached, sentence_of(off_, manifold_->constraints().names()));
        }
        if (stuck && off_.converged && march.outcome == Outcome::not_converged) {
            march.explanation +=
                "; or for a place where the constraints lock, become dependent or can no longer all hold";
        }
        if (march.steps > 0) {
            start = point_at(march.reached, std::span(y).first(d()), std::span(y).subspan(d(), d()));
        }
        return march;
    }

    /// Moves (x, v) at time t onto the manifold.
    Convergence project(double t, Out x, Out v) {
        const Convergence dependent{.converged = false, .independent = false};
        if (!linearises(t, x)) {
            return dependent;
        }
        if (auto position = manifold_->to_position(gradient_, t, x, lambda_); !position.converged) {
            return position;
        }
        return linearises(t, x) ? manifold_->to_velocity(gradient_, x, t, v, lambda_) : dependent;
    }

private:
    /// After an accepted step.
    struct Projection {
        ConstrainedMarch* march;

        std::size_t controlled(std::size_t) const { return 2 * march->d(); }
        void begin() const {}
        In base() const { return {}; }
        bool operator()(double t, Out y) {
            march->off_ = march->project(t, y.first(march->d()), y.subspan(march->d(), march->d()));
            return march->off_.converged;
        }
    };

    /// Hands on the dense output with multipliers in place of their integrals.
    template <class Observer>
    struct WithMultipliers {
        std::remove_reference_t<Observer>* observer;
        std::size_t first;

        bool wants(double to) { return observer->wants(to); }
        void take(DenseStep dense) {
            dense.differentiate_from(first);
            observer->take(std::move(dense));
        }
    };

    std::size_t d() const { return manifold_->dimension(); }
    /// Renews the gradient and its matrix; false where the constraints are dependent.
    bool linearises(double t, In x) {
        manifold_->gradient(x, t, gradient_);
        return manifold_->factorise(gradient_);
    }

    /// Multipliers and constrained acceleration from the active one; the matrix is that of the gradient.
    ConstrainedPoint completed(double t, In x, In v, In active, In gradient) {
        ConstrainedPoint point{t, {x.begin(), x.end()}, {active.begin(), active.end()}};
        point.y.insert(point.y.end(), v.begin(), v.end());
        manifold_->constrain_acceleration(gradient, x, v, t, point.acceleration, lambda_);
        point.y.insert(point.y.end(), lambda_.begin(), lambda_.end());
        for (std::size_t j = 0; j < lambda_.size(); ++j) {
            point.y.push_back(lambda_[j] + result_[d() + j]);
        }
        return point;
    }

    Manifold* manifold_;
    RightHandSide rhs_;
    Convergence off_;  // why the last projection of an adaptive march failed, if it did
    std::vector<double> gradient_, result_, lambda_;
};

}  // namespace lento
