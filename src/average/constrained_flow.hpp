/// The true motion of a constrained system over short stretches, as increments (`average/micro_flow.hpp`): with a
/// half-explicit Runge-Kutta method in the Gear-Gupta-Leimkuhler form (stroboscopic, section 6.1), or with an explicit
/// one of order 8 for the system without multipliers (`problem/acceleration.hpp`), put back on the constraints at the
/// marks.
#pragma once

#include <fmt/format.h>

#include "average/stepped_flow.hpp"
#include "problem/ground.hpp"
#include "step/catalogue.hpp"
#include "step/half_explicit.hpp"

namespace lento {

/// What both have in common: rates and multipliers of the constrained motion.
class ConstrainedFlow : public MicroFlow {
public:
    ConstrainedFlow(const Problem& problem, double t_start)
        : active_(problem.free()),
          clock_(problem, t_start),
          ground_(problem),
          y_(2 * problem.dimension()),
          rate_(2 * problem.dimension()),
          zero_(2 * problem.dimension(), 0.0),
          multipliers_(problem.constraints->count()),
          gradient_(ground_.manifold().entries()) {}

    std::size_t dimension() const override { return y_.size(); }
    std::optional<std::string> failure() const override { return failure_; }
    std::int64_t newton_iterations() const override { return ground_.iterations(); }

    void rate(double t, In y, Out rate) override { constrained_rate({.t = t}, 0, y, rate, multipliers_); }
    void multipliers(double t, double turns, In y, Out lambda) override {
        constrained_rate({.t = t, .turns = turns}, 1, y, rate_, lambda);
    }
    /// By the trapezoidal rule: over a period it is as good as the motion is smooth.
    void mean_multipliers(const Stretch& stretch, In y, Out mean) override {
        Stretch part = stretch;
        part.steps = 1;
        part.marks = static_cast<std::size_t>(stretch.steps);
        std::vector<double> increments(part.marks * y.size());
        std::vector<double> point(y.begin(), y.end());
        follow(part, y, increments);
        std::ranges::fill(mean, 0.0);
        for (std::size_t k = 0; k < part.marks; ++k) {
            constrained_rate(stretch, static_cast<double>(k), point, rate_, multipliers_);
            for (std::size_t j = 0; j < mean.size(); ++j) {
                mean[j] += multipliers_[j] / static_cast<double>(part.marks);
            }
            std::ranges::transform(y, In(increments).subspan(k * y.size(), y.size()), point.begin(), std::plus<>());
        }
    }

protected:
    void evaluate(const Stretch& stretch, In base, double steps, In u, Out rate) {
        const std::size_t d = u.size() / 2;
        std::ranges::transform(u, base, y_.begin(), std::plus<>());
        const In y(y_);
        std::ranges::copy(y.last(d), rate.begin());
        active_.uncounted(y.first(d), y.last(d), stretch.t + steps * stretch.h, clock_.at(steps * stretch.turns),
                          rate.last(d));
    }

    /// Moves base + u by `move(y)`, as an increment.
    template <class Move>
    Convergence moved(In base, Out u, Move&& move) {
        std::ranges::transform(u, base, y_.begin(), std::plus<>());
        moved_ = y_;
        const auto reached = move(Out(moved_));
        for (std::size_t i = 0; i < u.size(); ++i) {
            u[i] += moved_[i] - y_[i];
        }
        return reached;
    }

    void fail(double t, const Convergence& reached, Out increments) {
        std::ranges::fill(increments, NAN);
        failure_ =
            reached.independent
                ? fmt::format(
                      "a micro-step near t = {:.6g} does not reach the constraints: the residual of {} stays at "
                      "{:.2g}; take more micro_steps_per_period, unless the constraints cannot all hold there",
                      t, ground_.names()[reached.worst], reached.residual)
                : fmt::format("the constraints become dependent near t = {:.6g}, as where a mechanism locks or folds",
                              t);
    }

    Ground& ground() { return ground_; }

    std::optional<std::string> failure_;

private:
    void constrained_rate(const Stretch& stretch, double steps, In y, Out rate, Out lambda) {
        const std::size_t d = y.size() / 2;
        const double t = stretch.t + steps * stretch.h;
        evaluate(stretch, y, steps, zero_, rate);
        auto& manifold = ground_.manifold();
        manifold.gradient(y.first(d), t, gradient_);
        if (manifold.factorise(gradient_)) {
            manifold.constrain_acceleration(gradient_, y.first(d), y.last(d), t, rate.last(d), lambda);
        } else {
            std::ranges::fill(lambda, NAN);
        }
        ++evaluations_;
    }

    Acceleration active_;
    PhaseClock clock_;
    Ground ground_;
    std::vector<double> y_, rate_, zero_, moved_, multipliers_, gradient_;
};

template <class Stepper>
class HalfExplicitFlow final : public ConstrainedFlow {
public:
    HalfExplicitFlow(const Problem& problem, double t_start)
        : ConstrainedFlow(problem, t_start), stepper_(2 * problem.dimension()), state_(2 * problem.dimension()) {}

    int order() const override { return Stepper::order; }

    void follow(const Stretch& stretch, In y, Out increments) override {
        failure_.reset();
        std::fill(state_.y.begin(), state_.y.end(), 0.0);
        evaluate(stretch, y, 0.0, state_.y, state_.rate);
        ground().begin(stretch.t, y);
        Convergence reached;
        auto out = increments.begin();
        std::int64_t k = 0;
        for (std::size_t mark = 0; mark < stretch.marks && reached.converged; ++mark) {
            for (const std::int64_t end = k + stretch.steps; k < end && reached.converged; ++k) {
                const auto steps = static_cast<double>(k);
                reached = stepper_.step([&](double c, In u, Out rate) { evaluate(stretch, y, steps + c, u, rate); },
                                        [&](double c, Out u) {
                                            return moved(y, u, [&](Out point) {
                                                return ground().along(stretch.t + (steps + c) * stretch.h, point);
                                            });
                                        },
                                        stretch.h, state_);
            }
            out = std::copy(state_.y.begin(), state_.y.end(), out);
        }
        if (!reached.converged) {
            fail(stretch.t, reached, increments);
        }
        micro_steps_ += k;
        evaluations_ += 1 + k * Stepper::evaluations;
    }

private:
    Stepper stepper_;
    FirstOrderState<double> state_;
};

class ReducedFlow final : public ConstrainedFlow {
public:
    ReducedFlow(const Problem& problem, double t_start) : ConstrainedFlow(problem, t_start), flow_(problem, t_start) {}

    int order() const override { return flow_.order(); }

    void follow(const Stretch& stretch, In y, Out increments) override {
        failure_.reset();
        const auto evaluations = flow_.evaluations();
        flow_.follow(stretch, y, increments);
        for (std::size_t mark = 0; mark < stretch.marks; ++mark) {
            const double t =
                stretch.t + static_cast<double>(static_cast<std::int64_t>(mark + 1) * stretch.steps) * stretch.h;
            const auto reached = moved(y, increments.subspan(mark * y.size(), y.size()),
                                       [&](Out point) { return ground().settle(t, point); });
            if (!reached.converged) {
                fail(t, reached, increments);
                break;
            }
        }
        micro_steps_ += stretch.steps * static_cast<std::int64_t>(stretch.marks);
        evaluations_ += flow_.evaluations() - evaluations;
    }

private:
    MotionFlow<OnMotion<PrinceDormand, double>> flow_;
};

}  // namespace lento
