/// The mean rate of slow variables over a short window around a point (reversible (2.3), (2.11)):
///
///     <xi'>(t) = int K(tau) d xi/dt (x(t + tau)) d tau,     d xi/dt = xi_x x' + xi_t + xi_theta theta'
///
/// The true motion is followed by micro-steps forward and backward from x; the rates at all of them are weighed by a filter. Where the fast motion
/// falls onto a limit cycle it cannot be followed backward: two windows then lie ahead, after a stretch in which the motion settles, and the
/// mean at the point is extrapolated from theirs.
/// One indirect call a window, none a micro-step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "average/filter.hpp"
#include "average/micro_flow.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

struct SlowWindow {
    double t = 0;
    double h = 0;      ///< of a micro-step
    double turns = 0;  ///< what h is in periods; phases follow it
    const FilterWeights* weights = nullptr;
    std::optional<std::int64_t> settling{};  ///< micro-steps before a window that lies ahead; none: around the point
};

class SlowAverage {
public:
    virtual ~SlowAverage() = default;

    virtual const std::vector<SlowName>& names() const = 0;
    std::size_t outputs() const { return outputs_of(names()); }
    virtual MicroFlow& flow() = 0;

    /// The means of all outputs.
    virtual void mean_rates(const SlowWindow& window, In x, Out rates) = 0;

    /// See the motion and the rates of all outputs along a stretch: for looks before the start, not for averages.
    using Look = std::function<void(std::int64_t k, In x, In x_rate, In rates)>;
    virtual void look(const Stretch& stretch, In x, const Look& look) = 0;

    /// At the phases of the start: the outputs, their partial derivatives by time, by x, and twice by x.
    virtual void values(double t, In x, Out xi) = 0;
    virtual void time_derivatives(double t, In x, Out result) = 0;
    virtual void gradients(double t, In x, Out result) = 0;
    virtual std::vector<HessianEntry> hessians(double t, In x) = 0;
};

template <class Flow>
class SlowAverageOf final : public SlowAverage {
public:
    template <class... FlowArguments>
    SlowAverageOf(const Problem& problem, double t_start, FlowArguments&&... arguments)
        : slow_(problem.slow),
          clock_(problem, t_start),
          flow_(problem, t_start, std::forward<FlowArguments>(arguments)...),
          rates_(slow_->outputs()),
          at_rest_(flow_.dimension(), 0.0) {
        for (const auto& phase : problem.phases) {
            theta_rate_.push_back(phase.frequency);
        }
    }

    const std::vector<SlowName>& names() const override { return slow_->names(); }
    MicroFlow& flow() override { return flow_; }

    void mean_rates(const SlowWindow& window, In x, Out rates) override {
        const auto& weights = *window.weights;
        const auto half = static_cast<std::int64_t>(weights.each_side());
        std::fill(rates.begin(), rates.end(), 0.0);
        const auto add = [&](double weight, const Stretch& stretch, std::int64_t k, auto y, auto y_rate) {
            rates_at(stretch, k, y, y_rate);
            for (std::size_t i = 0; i < rates.size(); ++i) {
                rates[i] += weight * rates_[i];
            }
        };
        if (window.settling) {
            // Two windows, one after the other; from their middles a straight line leads back to the point.
            const auto near = static_cast<double>(*window.settling + half) / static_cast<double>(2 * half);
            const Stretch ahead{window.t, window.h, window.turns, *window.settling + 4 * half};
            flow_.each(ahead, x, [&](std::int64_t k, auto y, auto y_rate) {
                const auto first = std::abs(k - *window.settling - half);
                const auto second = std::abs(k - *window.settling - 3 * half);
                const double weight = (first <= half ? (1 + near) * weights[static_cast<std::size_t>(first)] : 0.0) -
                                      (second <= half ? near * weights[static_cast<std::size_t>(second)] : 0.0);
                if (weight != 0) {
                    add(weight, ahead, k, y, y_rate);
                }
            });
            return;
        }
        for (const double side : {1.0, -1.0}) {
            const Stretch away{window.t, side * window.h, side * window.turns, half};
            flow_.each(away, x, [&](std::int64_t k, auto y, auto y_rate) {
                if (k > 0 || side > 0) {
                    add(weights[static_cast<std::size_t>(k)], away, k, y, y_rate);
                }
            });
        }
    }

    void look(const Stretch& stretch, In x, const Look& look) override {
        flow_.each(stretch, x, [&](std::int64_t k, auto y, auto y_rate) {
            rates_at(stretch, k, y, y_rate);
            look(k, y, y_rate, rates_);
        });
    }

    void values(double t, In x, Out xi) override { slow_->values(x, t, clock_.at(0), xi); }
    void time_derivatives(double t, In x, Out result) override {
        slow_->rates(x, at_rest_, t, 1, clock_.at(0), std::span(no_rate()), result);
    }
    void gradients(double t, In x, Out result) override { slow_->gradients(x, t, clock_.at(0), result); }
    std::vector<HessianEntry> hessians(double t, In x) override { return slow_->hessians(x, t, clock_.at(0)); }

private:
    void rates_at(const Stretch& stretch, std::int64_t k, In y, In y_rate) {
        const auto steps = static_cast<double>(k);
        slow_->rates(y, y_rate, stretch.t + steps * stretch.h, 1, clock_.at(steps * stretch.turns), theta_rate_,
                     rates_);
    }
    const std::vector<double>& no_rate() {
        resting_.assign(theta_rate_.size(), 0.0);
        return resting_;
    }

    std::shared_ptr<const SlowFunctions> slow_;
    PhaseClock clock_;
    Flow flow_;
    std::vector<double> theta_rate_, rates_, at_rest_, resting_;
};

}  // namespace lento
