#include "march/ode113.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/compensated_sum.hpp"
#include "base/number.hpp"
#include "march/adams.hpp"
#include "march/ending.hpp"

namespace lento {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Of ode113.
struct Rules {
    double longest = 0.1;                          ///< step, of the interval
    double stretch = 1.1;                          ///< of the last step, at most
    double first = 4;                              ///< 1/h of the start over |y'| / (sqrt(rtol) max(|y|, atol/rtol))
    double clearly_better = 0.5;                   ///< where orders 1 and 2 are compared, whose errors scatter most
    double aim = 0.5;                              ///< of the tolerance
    double least_factor = 0.5, most_factor = 0.9;  ///< of the step, where it falls
    int rejections_to_restart = 3;
};
constexpr Rules rules;

class AdamsMarch {
public:
    AdamsMarch(const FirstOrderRate& rate, Interval interval, const Tolerance& tolerance, std::vector<double>& y,
               const StepListener& listener)
        : rate_(rate),
          interval_(interval),
          tolerance_(tolerance),
          y_(y),
          listener_(listener),
          f_(rate_at_start()),
          formulas_(f_),
          state_(y.size()),
          ahead_(y.size()),
          trial_(y.size()),
          increment_(y.size()),
          weights_(y.size()),
          time_{interval.from},
          result_{.reached = interval.from} {
        state_.add(1, y_);
    }

    MarchResult run(const std::stop_token& stop, std::int64_t budget) {
        if (const auto culprit = first_not_finite(f_)) {
            return not_finite_at_start(interval_.from, culprit);
        }
        weigh();
        step_ = first_step();
        while (result_.reached < interval_.to &&
               goes_on(result_, stop, result_.steps + result_.rejected, budget, interval_.to) && is_possible()) {
            advance();
        }
        return result_;
    }

private:
    /// Of the order of a trial and of those below it: local errors over the tolerance.
    struct Errors {
        double corrected;   // what correcting changes beyond one order less
        double own, below;  // of order k, k - 1
        bool lower;         // whether the order should fall
    };

    std::vector<double> rate_at_start() const {
        std::vector<double> f(y_.size());
        rate_(interval_.from, y_, f);
        return f;
    }

    void weigh() {
        for (std::size_t i = 0; i < y_.size(); ++i) {
            weights_[i] = 1 / std::max(tolerance_.relative * std::abs(y_[i]), tolerance_.absolute_of(i));
        }
    }
    template <class Component>
    double norm(Component&& component) const {
        return largest_of(y_.size(), [&](std::size_t i) { return std::abs(component(i)) * weights_[i]; });
    }

    double longest() const { return rules.longest * interval_.length(); }
    double shortest() const { return 16 * epsilon * std::max(std::abs(result_.reached), interval_.length()); }

    double first_step() const {
        const double speed = norm([&](std::size_t i) { return f_[i]; });
        return std::min(longest(), 1 / (rules.first * std::sqrt(tolerance_.relative) * speed));
    }

    /// No step can be this exact where the rounding of the state itself is half the tolerance.
    bool is_possible() {
        if (epsilon * norm([&](std::size_t i) { return y_[i]; }) <= 0.5) {
            return true;
        }
        result_.outcome = Outcome::not_converged;
        result_.explanation = fmt::format(
            "rtol and atol ask for more digits at t = {:.6g} than numbers have; loosen them", result_.reached);
        return false;
    }

    void advance() {
        step_ = std::clamp(step_, std::min(shortest(), longest()), longest());
        const double left = (interval_.to - time_.sum) - time_.carry;
        const bool last = rules.stretch * step_ >= left;
        const double h = last ? left : step_;
        auto later = time_;
        later.add(h);
        const double next = last ? interval_.to : later.value();
        formulas_.prepare(h, order_);
        evaluate(next, formulas_.prediction());
        formulas_.compare(f_);
        const auto errors = this->errors();
        bool finite = is_finite();
        if (finite && errors.corrected <= 1) {
            for (std::size_t i = 0; i < increment_.size(); ++i) {
                increment_[i] = formulas_.prediction()[i] + formulas_.correction()[i];
            }
            evaluate(next, increment_);
            finite = is_finite();
            if (finite) {
                time_ = later;
                return accept(next, h, errors);
            }
        }
        reject(h, errors, finite ? std::nullopt : culprit());
    }

    /// The rate at y + increment.
    void evaluate(double t, In increment) {
        ahead_ = state_;
        ahead_.add(1, increment);
        ahead_.value(trial_);
        rate_(t, trial_, f_);
    }
    std::optional<std::size_t> culprit() const {
        const auto wrong = first_not_finite(trial_);
        return wrong ? wrong : first_not_finite(f_);
    }
    bool is_finite() const { return !culprit(); }

    Errors errors() const {
        const auto error = [&](std::size_t order) {
            return formulas_.error_factor(order) * norm([&](std::size_t i) { return formulas_.difference(order, i); });
        };
        Errors errors{.corrected = formulas_.correction_factor() *
                                   norm([&](std::size_t i) { return formulas_.difference(order_, i); }),
                      .own = error(order_),
                      .below = order_ > 1 ? error(order_ - 1) : 0,
                      .lower = false};
        if (order_ == 2) {
            errors.lower = errors.below <= rules.clearly_better * errors.own;
        } else if (order_ > 2) {
            errors.lower = larger(errors.below, error(order_ - 2)) <= errors.own;
        }
        return errors;
    }

    void accept(double next, double h, const Errors& errors) {
        if (listener_.wants && listener_.wants(next)) {
            listener_.take(formulas_.dense(result_.reached, next, y_));
        }
        std::swap(state_, ahead_);
        std::swap(y_, trial_);
        formulas_.accept(f_);
        result_.reached = next;
        ++result_.steps;
        rejections_ = 0;
        choose(h, errors);
        weigh();
    }

    /// The order and length of the next step.
    void choose(double h, const Errors& errors) {
        starting_ = starting_ && !errors.lower && order_ < AdamsFormulas::highest_order;
        if (starting_) {
            ++order_;
            step_ = 2 * h;
            return;
        }
        double error = errors.own;
        if (errors.lower) {
            --order_;
            error = errors.below;
        } else if (formulas_.steps_of_this_length() > order_) {
            const double above =
                formulas_.error_factor(order_ + 1) * norm([&](std::size_t i) { return formulas_.next_difference(i); });
            if (order_ > 1 && errors.below <= std::min(errors.own, above)) {
                --order_;
                error = errors.below;
            } else if (order_ < AdamsFormulas::highest_order &&
                       above < (order_ > 1 ? errors.own : rules.clearly_better * errors.own)) {
                ++order_;
                error = above;
            }
        }
        const auto power = static_cast<double>(order_ + 1);
        step_ = h;
        if (error * std::exp2(power) <= rules.aim) {
            step_ = 2 * h;
        } else if (error > rules.aim) {
            step_ = h * std::clamp(std::pow(rules.aim / error, 1 / power), rules.least_factor, rules.most_factor);
        }
    }

    void reject(double h, const Errors& errors, std::optional<std::size_t> culprit) {
        ++result_.rejected;
        ++rejections_;
        starting_ = false;
        formulas_.reject();
        double factor = rules.least_factor;
        if (rejections_ == rules.rejections_to_restart) {
            order_ = 1;
        } else if (errors.lower) {
            --order_;
        }
        if (rejections_ > rules.rejections_to_restart && errors.own > rules.aim) {
            factor = std::min(factor, std::sqrt(rules.aim / errors.own));
        }
        step_ = factor * h;
        if (step_ >= shortest()) {
            return;
        }
        result_.outcome = Outcome::not_converged;
        result_.explanation = fmt::format(
            "the step size fell to {:.2g} at t = {:.6g} without meeting the tolerance; loosen rtol and atol, or look "
            "for a singularity of the force there",
            step_, result_.reached);
        if (culprit) {
            diverge(result_, culprit);
        }
    }

    const FirstOrderRate& rate_;
    Interval interval_;
    Tolerance tolerance_;
    std::vector<double>& y_;
    const StepListener& listener_;
    std::vector<double> f_;
    AdamsFormulas formulas_;
    CompensatedVectorSum<double> state_, ahead_;  // y, and y + increment
    std::vector<double> trial_;                   // the predicted point, then the corrected one
    std::vector<double> increment_, weights_;
    CompensatedSum<double> time_;
    std::size_t order_ = 1;
    double step_ = 0;
    bool starting_ = true;
    int rejections_ = 0;  // of the step under way
    MarchResult result_;
};

}  // namespace

MarchResult march_ode113(const FirstOrderRate& rate, Interval interval, const Tolerance& tolerance,
                         std::vector<double>& y, const StepListener& listener, const std::stop_token& stop,
                         std::int64_t budget) {
    return AdamsMarch(rate, interval, tolerance, y, listener).run(stop, budget);
}

}  // namespace lento
