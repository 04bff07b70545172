/// The true motion over short stretches, followed with fixed micro-steps from a point y:
///
///     y' = f(y, t, theta),   y = (x, v) for systems with coordinates
///
/// as its *increment* u = y(t) - y(t_0), which starts from zero: what is left of it after a period is small, and keeps its digits. A
/// system with coordinates is followed in a frame that moves along with v_0, x = x_0 + v_0 (t - t_0) + u_x: its steppers see u'' = a.
///
/// Phases start where they stand at the start of the run, whatever the time t; they are fractions of a period from there (stroboscopic,
/// section 3.2). One indirect call a stretch, none a micro-step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lento/base/vector.hpp"
#include "lento/problem/first_order_system.hpp"
#include "lento/problem/vibrated_system.hpp"
#include "lento/step/state.hpp"

namespace lento {

/// `marks` times `steps` micro-steps of length h, from time t on.
struct Stretch {
    double t = 0;
    double h = 0;      ///< negative backwards
    double turns = 0;  ///< what h is in periods; phases follow it
    std::int64_t steps = 0;
    std::size_t marks = 1;
};

class MicroFlow {
public:
    virtual ~MicroFlow() = default;

    /// Of y.
    virtual std::size_t dimension() const = 0;
    /// Of the stepper.
    virtual int order() const = 0;

    /// Follows the motion from y; `increments` are those at the marks, one after the other. They are not finite where it could not be
    /// followed.
    virtual void follow(const Stretch& stretch, std::span<const double> y, std::span<double> increments) = 0;

    /// y' at y, at the phases of the start.
    virtual void rate(double t, std::span<const double> y, std::span<double> rate) = 0;

    /// The multipliers of constraints at y, `turns` periods after the phases of the start; and their mean over a stretch from y.
    virtual void multipliers(double, double, std::span<const double>, std::span<double>) {}
    virtual void mean_multipliers(const Stretch&, std::span<const double>, std::span<double>) {}

    /// Why the last stretch ended early, as a sentence; nothing if it did not, or if nobody knows more than that numbers are not finite.
    virtual std::optional<std::string> failure() const { return std::nullopt; }

    std::int64_t micro_steps() const { return micro_steps_; }
    std::int64_t evaluations() const { return evaluations_; }
    virtual std::int64_t newton_iterations() const { return 0; }

protected:
    std::int64_t micro_steps_ = 0;
    std::int64_t evaluations_ = 0;
};

/// Phases as whole numbers of turns in the common period, so that they return to where they started.
class PhaseClock {
public:
    PhaseClock(const std::vector<Phase>& phases, std::optional<double> period, double t_start) : theta_(phases.size()) {
        for (const auto& phase : phases) {
            start_.push_back(phase.at(t_start));
            turns_.push_back(period ? std::round(*period / phase.period()) : 0.0);
        }
    }

    /// The phases `periods` common periods from the start.
    std::span<const double> at(double periods) {
        for (std::size_t j = 0; j < theta_.size(); ++j) {
            const double turns = turns_[j] * periods;
            theta_[j] = start_[j] + 2 * std::numbers::pi * (turns - std::floor(turns + 0.5));
        }
        return theta_;
    }

private:
    std::vector<double> start_, turns_, theta_;
};

/// Of a first-order system, with a Runge-Kutta stepper.
template <class System, template <class, std::size_t> class Stepper>
class RateFlow final : public MicroFlow {
    using Method = Stepper<double, dynamic>;

public:
    RateFlow(System system, PhaseClock clock)
        : system_(std::move(system)),
          clock_(std::move(clock)),
          stepper_(system_.dimension()),
          state_(system_.dimension()),
          y_(system_.dimension()) {}
    /// With a stepper that knows the system.
    RateFlow(System system, PhaseClock clock, Method stepper)
        : system_(std::move(system)),
          clock_(std::move(clock)),
          stepper_(std::move(stepper)),
          state_(system_.dimension()),
          y_(system_.dimension()) {}

    std::size_t dimension() const override { return y_.size(); }
    int order() const override { return Method::order; }

    void follow(const Stretch& stretch, std::span<const double> y, std::span<double> increments) override {
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
    void each(const Stretch& stretch, std::span<const double> y, Visit&& visit) {
        advance(stretch, y, [&](std::int64_t k) {
            for (std::size_t i = 0; i < y_.size(); ++i) {
                y_[i] = y[i] + state_.y[i];
            }
            visit(k, std::span<const double>(y_), std::span<const double>(state_.rate));
        });
    }

    void rate(double t, std::span<const double> y, std::span<double> rate) override {
        system_.template rate<double>(y, t, clock_.at(0), rate);
        ++evaluations_;
    }

private:
    /// Takes all micro-steps; after(k) before the first and after each.
    template <class After>
    void advance(const Stretch& stretch, std::span<const double> y, After&& after) {
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

    void evaluate(const Stretch& stretch, std::span<const double> base, double steps, std::span<const double> u,
                  std::span<double> rate) {
        for (std::size_t i = 0; i < u.size(); ++i) {
            y_[i] = base[i] + u[i];
        }
        system_.template rate<double>(std::span<const double>(y_), stretch.t + steps * stretch.h,
                                      clock_.at(steps * stretch.turns), rate);
    }

    System system_;
    PhaseClock clock_;
    Method stepper_;
    FirstOrderState<double> state_;
    std::vector<double> y_;
};

/// Of a system with coordinates, with any stepper for such.
template <class System, template <class, std::size_t> class Stepper>
class MotionFlow final : public MicroFlow {
    static constexpr std::size_t extent = System::extent;
    using Method = Stepper<double, extent>;
    using View = std::span<const double, extent>;

public:
    MotionFlow(System system, PhaseClock clock)
        : system_(std::move(system)),
          acceleration_(system_),
          clock_(std::move(clock)),
          stepper_(system_.dimension()),
          state_(system_.dimension()),
          x_(make_vector<double, extent>(system_.dimension())),
          v_(make_vector<double, extent>(system_.dimension())) {}
    MotionFlow(const MotionFlow&) = delete;  // the acceleration looks at the system
    MotionFlow& operator=(const MotionFlow&) = delete;

    std::size_t dimension() const override { return 2 * x_.size(); }
    int order() const override { return Method::order; }

    void follow(const Stretch& stretch, std::span<const double> y, std::span<double> increments) override {
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
    void each(const Stretch& stretch, std::span<const double> y, Visit&& visit) {
        const std::size_t d = x_.size();
        std::vector<double> point(2 * d);
        std::vector<double> rate(2 * d);
        advance(stretch, y, [&](std::int64_t k) {
            const double passed = static_cast<double>(k) * stretch.h;
            for (std::size_t i = 0; i < d; ++i) {
                point[i] = y[i] + (passed * y[d + i] + state_.x()[i]);
                point[d + i] = y[d + i] + state_.v()[i];
                rate[i] = point[d + i];
                rate[d + i] = state_.a()[i];
            }
            visit(k, std::span<const double>(point), std::span<const double>(rate));
        });
    }

    void rate(double t, std::span<const double> y, std::span<double> rate) override {
        const std::size_t d = x_.size();
        std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(d), d, rate.begin());
        acceleration_.template uncounted<extent>(view<extent>(y.first(d)), view<extent>(y.last(d)), t, clock_.at(0),
                                                 view<extent>(rate.last(d)));
        ++evaluations_;
    }

private:
    /// Takes all micro-steps; after(k) before the first and after each.
    template <class After>
    void advance(const Stretch& stretch, std::span<const double> y, After&& after) {
        std::fill(state_.y.begin(), state_.y.end(), 0.0);
        std::fill(state_.rate.begin(), state_.rate.end(), 0.0);
        evaluate(stretch, y, 0.0, View(state_.x()), View(state_.v()), state_.a());
        after(std::int64_t{0});
        const auto total = static_cast<std::int64_t>(stretch.marks) * stretch.steps;
        for (std::int64_t k = 0; k < total; ++k) {
            stepper_.step(
                [&](double c, View x, View v, std::span<double, extent> a) {
                    evaluate(stretch, y, static_cast<double>(k) + c, x, v, a);
                },
                stretch.h, state_);
            after(k + 1);
        }
        micro_steps_ += total;
        evaluations_ += 1 + total * Method::evaluations;
    }

    void evaluate(const Stretch& stretch, std::span<const double> base, double steps, View x, View v,
                  std::span<double, extent> a) {
        const std::size_t d = x_.size();
        const double passed = steps * stretch.h;
        for (std::size_t i = 0; i < d; ++i) {
            x_[i] = base[i] + (passed * base[d + i] + x[i]);
            v_[i] = base[d + i] + v[i];
        }
        acceleration_.template uncounted<extent>(View(x_), View(v_), stretch.t + passed,
                                                 clock_.at(steps * stretch.turns), a);
    }

    System system_;
    Acceleration<System> acceleration_;
    PhaseClock clock_;
    Method stepper_;
    MotionState<double, extent> state_;
    Vector<double, extent> x_, v_;
};

}  // namespace lento
