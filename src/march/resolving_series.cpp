#include <algorithm>
#include <cmath>

#include "march/ending.hpp"
#include "march/resolving_course.hpp"
#include "march/traveller.hpp"
#include "problem/time_scales.hpp"
#include "step/taylor.hpp"

namespace lento {
namespace {

/// Whether a series still is the motion where a step ends: y' there as the series has it, and as the rates are. NOTE:
/// sqrt(x^2) is |x|, and its series at x < 0 is -x, whatever lies ahead: no coefficient tells of such a kink.
class Agreement {
public:
    explicit Agreement(std::size_t components) : largest_(components) {}

    /// Of the last components of a motion, those that have rates to be compared, after a step of length h.
    bool holds(In slope, double unit, double h, In rates, In weights) {
        constexpr double truncation = 10;  // terms left out make less than one of what a step may err by
        constexpr double rounding = 1e-6;  // of the largest rate: of forces that cancel
        bool all = true;
        for (std::size_t i = 0; i < rates.size(); ++i) {
            largest_[i] = std::max(largest_[i], std::abs(rates[i]));
            const double gap = std::abs(slope[i] / unit - rates[i]);
            all = all && (gap * h * weights[i] <= truncation || gap <= rounding * largest_[i]);
        }
        return all;
    }

private:
    std::vector<double> largest_;
};

std::vector<double> inverse_masses_of(const Problem& problem) {
    const std::size_t d = problem.second_order ? problem.dimension() : 0;
    if (problem.mass.varies()) {
        return std::vector<double>(d, 1.0);  // forces are divided by them
    }
    std::vector<double> inverse;
    for (std::size_t i = 0; i < d; ++i) {
        for (std::size_t j = 0; j < d; ++j) {
            if (i == j || problem.forces.motion_series()->masses_are_coupled()) {
                inverse.push_back(problem.mass.inverse_entry(i, j));
            }
        }
    }
    return inverse;
}

}  // namespace

bool ResolvingMarch::has_series(const Problem& problem) {
    const auto& series = problem.forces.motion_series();
    const auto fits = [&](const Mass& mass) {
        return mass.varies() ? !series->masses_are_coupled() : mass.is_diagonal() || series->masses_are_coupled();
    };
    return series && !problem.constraints && (!problem.second_order || fits(problem.mass));
}

void ResolvingMarch::take_series(Series series) {
    if (has_series(problem_)) {
        series_ = series;
    }
}

/// Steps by Taylor series, until one of them is not finite or not the motion.
void ResolvingMarch::by_series(Course& course) {
    auto& [interval, tolerance, limits, y, recorder, result, hands_over, sees_velocity] = course;
    constexpr double grow = 5, retreat = 1e-3;
    Traveller<dynamic> traveller(y, scales_, tolerance);
    keep_largest(scales_, traveller.scales());
    TaylorStep taylor(*problem_.forces.motion_series(), y.size(), series_->order);
    std::vector<double> theta(problem_.phases.size()), turns(problem_.phases.size());
    const auto inverse_masses = inverse_masses_of(problem_);
    MotionSeries::Point point{.theta = theta.data(),
                              .turns = turns.data(),
                              .parameters = problem_.parameters.data(),
                              .inverse_masses = inverse_masses.data()};
    const auto expand = [&](double t, double unit) {
        point.t = t;
        point.h = unit;
        for (std::size_t j = 0; j < theta.size(); ++j) {
            theta[j] = problem_.phases[j].at(t);
            turns[j] = problem_.phases[j].frequency * unit;
        }
        evaluations_ += taylor.order();
        return taylor.expand(point, traveller.y());
    };

    const std::size_t compared = problem_.dimension();
    Agreement agreement(compared);
    double t = result.reached;
    const double longest = course.longest(), shortest = course.shortest();
    double unit = std::min(longest / 4, fastest_period(problem_).value_or(HUGE_VAL) / 4);
    bool first = true;
    while (t < interval.to &&
           goes_on(result, limits.stop, result.steps + result.rejected, limits.most_steps, interval.to)) {
        // NOTE: coefficients in units of far too long a step overflow.
        while (!expand(t, unit)) {
            unit *= retreat;
            if (unit < shortest) {
                hands_over = true;
                series_.reset();
                break;
            }
        }
        if (hands_over) {
            break;
        }
        const double wanted =
            std::min({longest, taylor.longest(traveller.weights()) * unit, first ? unit : grow * unit});
        if (!(wanted >= shortest)) {
            too_short(result, wanted, t);
            break;
        }
        // NOTE: the length is that between two times as they are stored.
        const double next = 1.0001 * wanted >= interval.to - t ? interval.to : t + wanted;
        const double h = next - t, sigma = h / unit;
        const auto increment = taylor.increment(sigma);
        if (!traveller.propose(increment) ||
            !agreement.holds(taylor.slope(sigma).last(compared), unit, h, force(next, traveller.next()),
                             traveller.weights().last(compared))) {
            hands_over = true;
            series_.reset();
            break;
        }
        if (recorder.wants(next)) {
            recorder.take(taylor.dense(t, next, sigma));
        }
        traveller.accept(increment, h);
        traveller.measure();
        ++result.steps;
        result.reached = t = next;
        unit = std::max(h, shortest);
        first = false;
    }
    std::ranges::copy(traveller.y(), y.begin());
    keep_largest(scales_, traveller.scales());
    keep_largest(rates_, traveller.rates());
}

}  // namespace lento
