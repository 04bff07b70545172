#include "average/slow_average.hpp"

#include "average/stepped_flow.hpp"
#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "step/catalogue.hpp"
#include "step/partitioned_verlet.hpp"

namespace lento {
namespace {

template <class Flow>
class SlowAverageOf final : public SlowAverage {
public:
    template <class... Stepper>
    explicit SlowAverageOf(const Problem& problem, double t_start, Stepper... stepper)
        : SlowAverage(problem, t_start), flow_(problem, t_start, std::move(stepper)...) {}

    MicroFlow& flow() override { return flow_; }

    void mean_rates(const SlowWindow& window, In x, Out rates) override {
        const auto& weights = *window.weights;
        const auto half = static_cast<std::int64_t>(weights.each_side());
        std::ranges::fill(rates, 0.0);
        const auto add = [&](double weight, const Stretch& stretch, std::int64_t k, auto y, auto y_rate) {
            add_to(rates, weight, rates_at(stretch, k, y, y_rate));
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
        flow_.each(stretch, x,
                   [&](std::int64_t k, auto y, auto y_rate) { look(k, y, y_rate, rates_at(stretch, k, y, y_rate)); });
    }

private:
    Flow flow_;
};

template <class Flow, class... Given>
std::unique_ptr<SlowAverage> along(const Problem& problem, double t_start, Given... stepper) {
    return std::make_unique<SlowAverageOf<Flow>>(problem, t_start, std::move(stepper)...);
}

}  // namespace

SlowAverage::SlowAverage(const Problem& problem, double t_start)
    : slow_(problem.slow), clock_(problem, t_start), rates_(slow_->outputs()) {
    for (const auto& phase : problem.phases) {
        theta_rate_.push_back(phase.frequency);
    }
}

In SlowAverage::rates_at(const Stretch& stretch, std::int64_t k, In y, In y_rate) {
    const auto steps = static_cast<double>(k);
    slow_->rates(y, y_rate, stretch.t + steps * stretch.h, 1, clock_.at(steps * stretch.turns), theta_rate_, rates_);
    return rates_;
}

void SlowAverage::time_derivatives(double t, In x, Out result) {
    const std::vector<double> at_rest(x.size()), resting(theta_rate_.size());
    slow_->rates(x, at_rest, t, 1, clock_.at(0), resting, result);
}

std::vector<std::string> slow_micro_steppers() {
    return {"verlet", "rk4", "dopri8"};
}

std::unique_ptr<SlowAverage> slow_average(const Problem& problem, std::string_view micro, double t_start, In start) {
    require_one_of("micro", micro, slow_micro_steppers());
    if (problem.second_order) {
        return micro == "verlet" ? along<MotionFlow<Verlet<double>>>(problem, t_start)
               : micro == "rk4"  ? along<MotionFlow<OnMotion<RungeKutta4, double>>>(problem, t_start)
                                 : along<MotionFlow<OnMotion<PrinceDormand, double>>>(problem, t_start);
    }
    if (micro == "rk4") {
        return along<RateFlow<RungeKutta4<double>>>(problem, t_start);
    }
    if (micro == "dopri8") {
        return along<RateFlow<PrinceDormand<double>>>(problem, t_start);
    }
    auto parts = partition_of(problem, t_start, start);
    if (!parts) {
        throw Misuse(
            "micro = verlet needs variables that are positions and momenta, q' = B p with B constant and p' = g(q, t), "
            "and these are not; take rk4 or dopri8");
    }
    return along<RateFlow<PartitionedVerlet>>(problem, t_start, PartitionedVerlet(std::move(*parts)));
}

}  // namespace lento
