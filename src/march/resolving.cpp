#include "march/resolving.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"
#include "march/constrained.hpp"
#include "march/ending.hpp"
#include "march/resolving_course.hpp"
#include "march/resolving_sides.hpp"
#include "march/traveller.hpp"
#include "problem/time_scales.hpp"
#include "step/dop853.hpp"
#include "step/nystroem.hpp"

namespace lento {
namespace {

DenseStep left(const MechanicalForm& form, DenseStep motion) {
    for (std::size_t k = 0; k < motion.terms(); ++k) {
        form.leave(motion.coefficient(k));
    }
    return motion;
}

/// From the state and its first two derivatives, as for methods of order q (Hairer, Norsett, Wanner, Solving ODEs I,
/// section II.4).
template <class Side>
double first_step(Side& side, double t, double longest, In y, In weights, double q) {
    const auto norm = [&](In values) {
        double worst = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            worst = std::max(worst, std::abs(values[i]) * weights[i]);
        }
        return worst;
    };
    std::vector<double> rate(y.size()), later(y.begin(), y.end()), change(y.size());
    side.begin(t, 0);
    side.rate(y, rate);
    const double size = norm(y);
    const double speed = norm(rate);
    const double guess = std::min(size < 1e-5 || speed < 1e-5 ? 1e-6 * longest : 0.01 * size / speed, longest);
    add_to(later, guess, rate);
    side.begin(t + guess, 0);
    side.rate(later, change);
    add_to(change, -1, rate);
    const double steepest = std::max(speed, norm(change) / guess);
    const double wanted = steepest <= 1e-15 ? 1e-3 * guess : std::pow(0.01 / steepest, 1 / q);
    return std::min({std::isfinite(wanted) ? wanted : guess, 100 * guess, longest});
}

void off_constraints(MarchResult& result, double from, double to) {
    result.outcome = Outcome::off_constraints;
    result.explanation = fmt::format(
        "the step from t = {:.6g} to {:.6g} cannot be put back onto the constraints: they lock, become dependent or "
        "can no longer all hold there",
        from, to);
}

}  // namespace

ResolvingMarch::ResolvingMarch(const Problem& problem, Stepper stepper, std::optional<MechanicalForm> form)
    : problem_(problem), stepper_(stepper), form_(std::move(form)) {
    if (problem.second_order) {
        acceleration_ = std::make_unique<Acceleration>(problem);
    }
    if (problem.constraints) {
        manifold_ = std::make_unique<Manifold>(problem);
    }
}

std::int64_t ResolvingMarch::evaluations() const {
    return evaluations_ + (acceleration_ ? acceleration_->evaluations() : 0);
}

In ResolvingMarch::force(double t, In y) {
    const auto theta = problem_.phases_at(t);
    force_.resize(problem_.dimension());
    if (acceleration_) {
        (*acceleration_)(y.first(force_.size()), y.last(force_.size()), t, theta, force_);
    } else {
        problem_.forces.at(y.data(), nullptr, t, theta.data(), problem_.parameters.data(), force_.data());
        ++evaluations_;
    }
    return force_;
}

bool ResolvingMarch::settle(double t, Out y) {
    const std::size_t d = y.size() / 2;
    return ConstrainedMarch(*manifold_, [](auto&&...) {}).project(t, y.first(d), y.last(d)).converged;
}

void ResolvingMarch::too_short(MarchResult& result, double step, double t) const {
    result.outcome = Outcome::not_converged;
    result.explanation = fmt::format(
        "the step size fell to {:.2g} at t = {:.6g} without meeting the tolerance; loosen rtol and atol, or look for a "
        "singularity of the force there{}",
        step, t, manifold_ ? ", or for constraints that lock or can no longer all hold" : "");
}

template <class Pair, class Side, std::size_t Extent>
void ResolvingMarch::march(Course& course, Side& side) {
    auto& [interval, tolerance, limits, y, recorder, result, hands_over, sees_velocity] = course;
    constexpr double safety = 0.9, shrink = 0.2, grow = 5;
    Traveller<Extent> traveller(y, scales_, tolerance);
    keep_largest(scales_, traveller.scales());
    Pair pair(stepper_ == Stepper::nystroem ? y.size() / 2 : y.size());
    double t = result.reached;
    std::vector<double> rate(y.size());
    side.begin(t, 0);
    side.rate(y, rate);
    if (const auto culprit = first_not_finite(rate)) {
        result = not_finite_at_start(t, culprit);
        return;
    }
    // NOTE: a declared vibration that does not show at the start is met by a step that resolves it.
    const double longest = course.longest();
    const double first = std::min(longest / 4, fastest_period(problem_).value_or(HUGE_VAL) / 4);
    const double shortest = course.shortest();
    const std::int64_t enough = series_ ? series_->after - evaluations() : std::numeric_limits<std::int64_t>::max();
    double step = std::max(shortest, first_step(side, t, first, y, traveller.weights(), Pair::error_order));
    bool rejected = false;
    while (t < interval.to &&
           goes_on(result, limits.stop, result.steps + result.rejected, limits.most_steps, interval.to)) {
        if (side.evaluations >= enough) {
            hands_over = true;
            break;
        }
        const bool last = 1.0001 * step >= interval.to - t;
        // NOTE: the length is that between two times as they are stored: over a million steps the difference to the one
        // that was wanted adds up to a phase.
        const double next = last ? interval.to : t + step;
        const double h = next - t;
        side.begin(t, h);
        pair.attempt(side, h, traveller.y());
        const auto increment = pair.increment();
        const bool sums_finite = traveller.propose(increment);
        const double error = pair.error(traveller.weights());
        const bool finite = sums_finite && pair.stages_finite() && std::isfinite(error);
        if (!finite || error > 1) {
            if (!finite && side.sees_velocity(traveller.y())) {
                hands_over = sees_velocity = true;
                break;
            }
            ++result.rejected;
            rejected = true;
            step = finite ? h * std::max(shrink, safety * std::pow(error, -1 / Pair::error_order)) : shrink * h;
            if (!(step >= shortest)) {
                too_short(result, step, t);
                if (!finite) {
                    diverge(result, first_not_finite(traveller.next()));
                }
            }
            continue;
        }
        if (!side.holds(traveller.next())) {
            hands_over = sees_velocity = true;
            break;
        }
        if (recorder.wants(next)) {
            auto dense = pair.dense(side, t, next, traveller.y(), traveller.next());
            recorder.take(form_ ? left(*form_, std::move(dense)) : std::move(dense));
        }
        traveller.accept(increment, h);
        pair.accept();
        if (manifold_) {
            if (!traveller.change([&](Out state) { return settle(next, state); })) {
                off_constraints(result, t, next);
                break;
            }
            pair.forget();
        }
        traveller.measure();
        ++result.steps;
        result.reached = t = next;
        const double factor =
            error > 0 ? std::min(rejected ? 1.0 : grow, safety * std::pow(error, -1 / Pair::error_order)) : grow;
        step = std::max(shortest, std::min(longest, h * std::max(shrink, factor)));
        rejected = false;
    }
    std::ranges::copy(traveller.y(), y.begin());
    keep_largest(scales_, traveller.scales());
    keep_largest(rates_, traveller.rates());
}

template <std::size_t Extent>
void ResolvingMarch::by_nystroem(Course& course) {
    PositionSide<Extent> side(*acceleration_, problem_.phases);
    march<Nystroem12<Extent>, PositionSide<Extent>, twice(Extent)>(course, side);
    acceleration_->count(side.evaluations);
}

template <std::size_t Extent>
void ResolvingMarch::by_dop853(Course& course) {
    MotionSide<Extent> side(*acceleration_, problem_.phases);
    march<Dop853<twice(Extent)>, MotionSide<Extent>, twice(Extent)>(course, side);
    acceleration_->count(side.evaluations);
}

void ResolvingMarch::in_form(Course& course) {
    FormSide side(problem_, *form_);
    form_->enter(course.y);
    const auto tolerance = std::exchange(course.tolerance, form_->entered(course.tolerance));
    march<Nystroem12<dynamic>, FormSide, dynamic>(course, side);
    evaluations_ += side.evaluations;
    course.tolerance = tolerance;
    form_->leave(course.y);
    form_->leave_sizes(scales_);
    form_->leave_sizes(rates_);
}

template <std::size_t Extent>
void ResolvingMarch::variables(Course& course) {
    VariableSide<Extent> side(problem_);
    march<Dop853<Extent>, VariableSide<Extent>, Extent>(course, side);
    evaluations_ += side.evaluations;
}

/// Steps with stages: Nystroem's as long as these suit the force.
void ResolvingMarch::by_stages(Course& course) {
    const std::size_t unknowns = course.y.size();
    if (form_) {
        in_form(course);
        if (course.hands_over) {
            form_.reset();
            stepper_ = Stepper::dop853;
        }
    } else if (stepper_ == Stepper::nystroem) {
        switch (unknowns) {
            case 2:
                by_nystroem<1>(course);
                break;
            case 4:
                by_nystroem<2>(course);
                break;
            case 6:
                by_nystroem<3>(course);
                break;
            default:
                by_nystroem<dynamic>(course);
        }
        if (course.sees_velocity) {
            stepper_ = Stepper::dop853;
        }
    } else if (acceleration_) {
        switch (unknowns) {
            case 2:
                by_dop853<1>(course);
                break;
            case 4:
                by_dop853<2>(course);
                break;
            default:
                by_dop853<dynamic>(course);
        }
    } else {
        switch (unknowns) {
            case 2:
                variables<2>(course);
                break;
            case 4:
                variables<4>(course);
                break;
            default:
                variables<dynamic>(course);
        }
    }
}

MarchResult ResolvingMarch::run(Interval interval, const Tolerance& tolerance, const Limits& limits,
                                std::vector<double>& y, Recorder& recorder) {
    scales_.assign(y.size(), 0.0);
    rates_.assign(y.size(), 0.0);
    Course course{interval, tolerance, limits, y, recorder, {.reached = interval.from}};
    do {
        course.hands_over = false;
        if (series_due()) {
            by_series(course);
        } else {
            by_stages(course);
        }
    } while (course.hands_over);
    return course.result;
}

}  // namespace lento
