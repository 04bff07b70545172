/// The fast motion by a stepper (`average/micro_flow.hpp`): variables by Runge-Kutta steppers, coordinates by any for
/// such. Templates on the stepper; whoever averages along the motion looks at it without an indirect call.
#pragma once

#include "average/micro_flow.hpp"
#include "base/vector.hpp"
#include "problem/acceleration.hpp"
#include "step/state.hpp"

namespace lento {

/// Of a first-order system, with a Runge-Kutta stepper.
template <class Method>
class RateFlow final : public MicroFlow {
public:
    RateFlow(const Problem& problem, double t_start) : RateFlow(problem, t_start, Method(problem.dimension())) {}
    /// With a stepper that knows the problem.
    RateFlow(const Problem& problem, double t_start, Method stepper)
        : problem_(problem),
          clock_(problem, t_start),
          stepper_(std::move(stepper)),
          state_(problem.dimension()),
          y_(problem.dimension()) {}

    std::size_t dimension() const override { return y_.size(); }
    int order() const override { return Method::order; }

    void follow(const Stretch& stretch, In y, Out increments) override {
        auto out = increments.begin();
        std::int64_t mark = stretch.steps;
        advance(stretch, y, [&](std::int64_t k) {
            if (k == mark) {
                out = std::copy(state_.y.begin(), state_.y.end(), out);
                mark += stretch.steps;
            }
        });
    }

    /// visit(k, y, y') at the start, k = 0, and after each micro-step.
    template <class Visit>
    void each(const Stretch& stretch, In y, Visit&& visit) {
        advance(stretch, y, [&](std::int64_t k) {
            std::transform(y.begin(), y.end(), state_.y.begin(), y_.begin(), std::plus<>());
            visit(k, In(y_), In(state_.rate));
        });
    }

    void rate(double t, In y, Out rate) override {
        problem_.forces.at(y.data(), nullptr, t, clock_.at(0).data(), problem_.parameters.data(), rate.data());
        ++evaluations_;
    }

private:
    /// Takes all micro-steps; after(k) before the first and after each.
    template <class After>
    void advance(const Stretch& stretch, In y, After&& after) {
        std::fill(state_.y.begin(), state_.y.end(), 0.0);
        evaluate(stretch, y, 0.0, state_.y, state_.rate);
        after(std::int64_t{0});
        const auto total = static_cast<std::int64_t>(stretch.marks) * stretch.steps;
        for (std::int64_t k = 0; k < total; ++k) {
            stepper_.step(
                [&](double c, auto u, auto rate) { evaluate(stretch, y, static_cast<double>(k) + c, u, rate); },
                stretch.h, state_);
            after(k + 1);
        }
        micro_steps_ += total;
        evaluations_ += 1 + total * Method::evaluations;
    }

    void evaluate(const Stretch& stretch, In base, double steps, In u, Out rate) {
        std::transform(u.begin(), u.end(), base.begin(), y_.begin(), std::plus<>());
        problem_.forces.at(y_.data(), nullptr, stretch.t + steps * stretch.h, clock_.at(steps * stretch.turns).data(),
                           problem_.parameters.data(), rate.data());
    }

    Problem problem_;
    PhaseClock clock_;
    Method stepper_;
    FirstOrderState<double> state_;
    std::vector<double> y_;
};

/// Of a system with coordinates, with any stepper for such.
template <class Method, std::size_t extent = dynamic>
class MotionFlow final : public MicroFlow {
    using View = std::span<const double, extent>;

public:
    MotionFlow(const Problem& problem, double t_start)
        : acceleration_(problem),
          clock_(problem, t_start),
          stepper_(problem.dimension()),
          state_(problem.dimension()),
          x_(make_vector<double, extent>(problem.dimension())),
          v_(make_vector<double, extent>(problem.dimension())) {}

    std::size_t dimension() const override { return 2 * x_.size(); }
    int order() const override { return Method::order; }

    void follow(const Stretch& stretch, In y, Out increments) override {
        const std::size_t d = x_.size();
        auto out = increments.begin();
        std::int64_t mark = stretch.steps;
        advance(stretch, y, [&](std::int64_t k) {
            if (k != mark) {
                return;
            }
            mark += stretch.steps;
            std::copy(state_.y.begin(), state_.y.end(), out);
            const double passed = static_cast<double>(k) * stretch.h;
            for (std::size_t i = 0; i < d; ++i) {
                out[static_cast<std::ptrdiff_t>(i)] += passed * y[d + i];
            }
            out += static_cast<std::ptrdiff_t>(2 * d);
        });
    }

    /// visit(k, y, y') at the start, k = 0, and after each micro-step.
    template <class Visit>
    void each(const Stretch& stretch, In y, Visit&& visit) {
        const std::size_t d = x_.size();
        std::vector<double> point(2 * d), rate(2 * d);
        advance(stretch, y, [&](std::int64_t k) {
            const double passed = static_cast<double>(k) * stretch.h;
            for (std::size_t i = 0; i < d; ++i) {
                point[i] = y[i] + (passed * y[d + i] + state_.x()[i]);
                point[d + i] = y[d + i] + state_.v()[i];
                rate[i] = point[d + i];
                rate[d + i] = state_.a()[i];
            }
            visit(k, In(point), In(rate));
        });
    }

    void rate(double t, In y, Out rate) override {
        const std::size_t d = x_.size();
        std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(d), d, rate.begin());
        acceleration_.uncounted<extent>(view<extent>(y.first(d)), view<extent>(y.last(d)), t, clock_.at(0),
                                        view<extent>(rate.last(d)));
        ++evaluations_;
    }

private:
    /// Takes all micro-steps; after(k) before the first and after each.
    template <class After>
    void advance(const Stretch& stretch, In y, After&& after) {
        std::fill(state_.y.begin(), state_.y.end(), 0.0);
        std::fill(state_.rate.begin(), state_.rate.end(), 0.0);
        evaluate(stretch, y, 0.0, View(state_.x()), View(state_.v()), state_.a());
        after(std::int64_t{0});
        const auto total = static_cast<std::int64_t>(stretch.marks) * stretch.steps;
        std::int64_t k = 0;
        const auto walk = [&](const auto& acceleration) {
            while (k < total) {
                stepper_.step(acceleration, stretch.h, state_);
                after(++k);
            }
        };
        const auto one = [&](double c, View x, View v, std::span<double, extent> a) {
            evaluate(stretch, y, static_cast<double>(k) + c, x, v, a);
        };
        if constexpr (extent == 1) {
            if (const auto single = acceleration_.single()) {
                walk(Rates{one, [&](double c, View x, View v, auto at_x, View other_x, View from, auto other_v,
                                    double factor, auto at_other) {
                               const double steps = static_cast<double>(k) + c;
                               const double passed = steps * stretch.h;
                               const auto at = [&](double u) { return y[0] + (passed * y[1] + u); };
                               const In theta = clock_.at(steps * stretch.turns);
                               const auto both =
                                   single->two(at(x[0]), y[1] + v[0], at(other_x[0]), y[1] + from[0], other_v[0],
                                               factor, stretch.t + passed, theta.empty() ? 0.0 : theta[0]);
                               at_x[0] = both.first;
                               other_v[0] = from[0] + (other_v[0] + factor * both.first);
                               at_other[0] = both.second;
                           }});
            }
        }
        walk(one);  // nothing is left of one coordinate
        micro_steps_ += total;
        evaluations_ += 1 + total * Method::evaluations;
    }

    void evaluate(const Stretch& stretch, In base, double steps, View x, View v, std::span<double, extent> a) {
        const std::size_t d = x_.size();
        const double passed = steps * stretch.h;
        for (std::size_t i = 0; i < d; ++i) {
            x_[i] = base[i] + (passed * base[d + i] + x[i]);
            v_[i] = base[d + i] + v[i];
        }
        acceleration_.uncounted<extent>(View(x_), View(v_), stretch.t + passed, clock_.at(steps * stretch.turns), a);
    }

    Acceleration acceleration_;
    PhaseClock clock_;
    Method stepper_;
    MotionState<double, extent> state_;
    Vector<double, extent> x_, v_;
};

}  // namespace lento
