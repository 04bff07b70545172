#include "march/stoermer_cowell.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"
#include "march/ending.hpp"

namespace lento {
namespace {

constexpr double safety = 0.8;
constexpr double clearly_wrong = 1.5;  // an error after the first evaluation that makes the second a waste
constexpr double shortest_change = 0.2;
constexpr double longest_change = 2;
// A step that changes little costs more by its unequal history.
constexpr double worth_it = 1.2;
constexpr double needed = 0.9;

/// Binary logarithm of the factor to the next step, but for the safety. NOTE: of orders that allow the longest change
/// the lowest is taken.
double step_power(double error, std::size_t k) {
    static const double most = std::log2(longest_change / safety);
    return std::min(-std::log2(std::max(error, 1e-14)) / static_cast<double>(k + 1), most);
}

double step_factor(double power) {
    return std::isfinite(power) ? std::max(safety * std::exp2(power), shortest_change) : shortest_change;
}

}  // namespace

MultistepMarch::MultistepMarch(MultistepForce& force, Tolerance tolerance, MultistepLimits limits)
    : force_(&force),
      tolerance_(std::move(tolerance)),
      limits_(limits),
      history_(force.dimension() + force.auxiliary()),
      n_(force.dimension()),
      length_(history_.length()),
      stride_(history_.stride()),
      z_(stride_),
      deviation_(stride_),
      other_(n_) {
    limits_.highest_order = std::min(limits_.highest_order, History::most);
}

/// The history begins with values of the series behind the start: the polynomial through them is the series itself.
void MultistepMarch::begin(const MultistepStart& start, double to) {
    y_ = predicted_ = corrected_ = start.y;
    weights_.resize(y_.size());
    scales_ = start.scales.empty() ? std::vector<double>(y_.size()) : start.scales;
    for (std::size_t i = 0; i < y_.size(); ++i) {
        scales_[i] = std::max(scales_[i], std::abs(y_[i]));
    }
    errors_ = 0;
    learned_.assign(stride_, 0.0);
    k_ = std::min(start.series.size() / length_, limits_.highest_order - 1);
    // What the series leaves out is of the size of its last term, h^k |F_{k-1}|.
    double largest = 0;
    for (std::size_t i = 0; i < n_; ++i) {
        const std::size_t driven = force_->second_order() ? n_ + i : i;
        largest =
            larger(largest, std::abs(start.series[(k_ - 1) * length_ + i]) / tolerance_.of(driven, scales_[driven]));
    }
    const double length = to - start.t;
    const double by_series = largest > 0 ? std::pow(largest, -1 / static_cast<double>(k_)) : length;
    step_ = std::min({limits_.longest, by_series, length});
    // NOTE: the true past is not that of the series. Close values keep the difference small.
    constexpr double close = 0.5;
    history_.fill(close * step_, std::span(start.series).first(k_ * length_), k_);
}

MultistepMarch::Formulas MultistepMarch::formulas(double h) {
    history_.set_step(h);
    const In nodes = history_.nodes(std::min(k_ + 1, history_.size()));
    Formulas found{.h = h, .k = k_, .integrals = NewtonIntegrals(nodes)};
    with_known(degree() + 1, [&](auto terms) {
        found.last[0] = 1 / found.at_end(k_);
        multiply_out(nodes.first(k_), 1, terms, found.last.data());
    });
    return found;
}

void MultistepMarch::predict(const Formulas& formulas) {
    const double h = formulas.h;
    for (std::size_t i = 0; i < n_; ++i) {
        double once = 0;
        double twice = 0;
        for (std::size_t j = formulas.k; j-- > 0;) {
            once += history_.difference(j)[i] * formulas.integrals.once[j];
            twice += history_.difference(j)[i] * formulas.integrals.twice[j];
        }
        if (force_->second_order()) {
            predicted_[i] = y_[i] + h * (y_[n_ + i] + h * twice);
            predicted_[n_ + i] = y_[n_ + i] + h * once;
        } else {
            predicted_[i] = y_[i] + h * once;
        }
    }
}

/// By the deviation of F from its extrapolation; the series goes through the new values then.
void MultistepMarch::correct(const Formulas& formulas) {
    correction_ = deviation_;
    for (std::size_t j = 0; j <= degree(); ++j) {
        for (std::size_t c = 0; c < stride_; c += 2) {
            double* const term = &series_[j * stride_ + c];
            store(term, load<Two>(term) + formulas.last[j] * load<Two>(&correction_[c]));
        }
    }
    const double h = formulas.h;
    const double once = formulas.once(formulas.k);
    const double twice = formulas.twice(formulas.k);
    corrected_ = predicted_;
    if (force_->second_order()) {
        add_to(corrected_, h * h * twice, In(correction_).first(n_));
    }
    add_to(Out(corrected_).last(n_), h * once, In(correction_).first(n_));
    for (std::size_t i = 0; i < corrected_.size(); ++i) {
        weights_[i] = 1 / tolerance_.of(i, std::max(scales_[i], std::abs(corrected_[i])));
    }
}

/// Of the series that the force wants.
std::size_t MultistepMarch::degree() const {
    return std::min(k_, static_cast<std::size_t>(force_->auxiliary_degree()));
}

/// The polynomial through the last k values about s = 1.
void MultistepMarch::extrapolate(const Formulas& formulas) {
    series_.resize((degree() + 1) * stride_);
    history_.expand_about_one(formulas.k, degree() + 1, series_);
    extrapolated_.assign(series_.begin(), series_.begin() + static_cast<std::ptrdiff_t>(stride_));
}

AuxiliarySeries MultistepMarch::past(const Formulas& formulas) const {
    return {static_cast<int>(degree()), formulas.h, series_.data() + n_, stride_};
}

/// (F, auxiliary) at t, and how it deviates from its extrapolation.
void MultistepMarch::evaluate(double t, const Formulas& formulas, In y) {
    force_->evaluate(t, y, past(formulas), std::span(z_).first(n_), std::span(z_).subspan(n_, length_ - n_));
    for (std::size_t c = 0; c < stride_; c += 2) {
        store(&deviation_[c], load<Two>(&z_[c]) - load<Two>(&extrapolated_[c]));
    }
}

/// Adds to the deviation of F, after the first evaluation, what the second will change; its share of the last change.
double MultistepMarch::foresee() {
    constexpr double most = 2;
    double product = 0;
    double square = 0;
    for (std::size_t c = n_; c < stride_; ++c) {
        product += deviation_[c] * learned_[c];
        square += learned_[c] * learned_[c];
    }
    const double share = square > 0 && std::isfinite(product) ? std::clamp(product / square, -most, most) : 0.0;
    add_to(deviation_, share, In(learned_).first(n_));
    return share;
}

/// After the second evaluation; `correction_` holds the deviations of the first.
void MultistepMarch::learn(double foreseen) {
    for (std::size_t i = 0; i < n_; ++i) {
        learned_[i] = deviation_[i] - (correction_[i] - foreseen * learned_[i]);
    }
    std::copy(correction_.begin() + static_cast<std::ptrdiff_t>(n_), correction_.end(),
              learned_.begin() + static_cast<std::ptrdiff_t>(n_));
}

double MultistepMarch::error_of(const Formulas& formulas, std::size_t k, In deviation) const {
    const double once = formulas.h * std::abs(formulas.once(k) - formulas.once(k - 1));
    const double twice = formulas.h * formulas.h * std::abs(formulas.twice(k) - formulas.twice(k - 1));
    const bool second_order = force_->second_order();
    return largest_of(n_, [&](std::size_t i) {
        const double size = std::abs(deviation[i]);
        return second_order ? larger(twice * size * weights_[i], once * size * weights_[n_ + i])
                            : once * size * weights_[i];
    });
}

MultistepMarch::Errors MultistepMarch::errors(const Formulas& formulas) {
    const std::size_t k = formulas.k;
    Errors found{HUGE_VAL, error_of(formulas, k, deviation_), HUGE_VAL};
    if (k + 1 > limits_.lowest_order) {
        for (std::size_t i = 0; i < n_; ++i) {
            other_[i] = deviation_[i] + history_.difference(k - 1)[i] * formulas.at_end(k - 1);
        }
        found.below = error_of(formulas, k - 1, other_);
    }
    if (k < history_.size() && k + 1 < limits_.highest_order) {
        for (std::size_t i = 0; i < n_; ++i) {
            other_[i] = deviation_[i] - history_.difference(k)[i] * formulas.at_end(k);
        }
        found.above = error_of(formulas, k + 1, other_);
    }
    return found;
}

/// The order with the longest next step, and that step.
void MultistepMarch::choose(const Formulas& formulas, const Errors& errors) {
    double power = step_power(errors.own, formulas.k);
    const auto try_order = [&](double error, std::size_t k, double better_by) {
        if (const double other = step_power(error, k); error < HUGE_VAL && other - power >= better_by) {
            k_ = k;
            power = other;
        }
    };
    try_order(errors.below, formulas.k - 1, 0);
    try_order(errors.above, formulas.k + 1, std::numeric_limits<double>::min());
    const double factor = step_factor(power);
    if (k_ + 1 < limits_.lowest_order) {
        k_ = std::min(limits_.lowest_order - 1, history_.size());
    }
    const double next = factor >= needed && factor < worth_it ? formulas.h : factor * formulas.h;
    step_ = std::min(next, limits_.longest);
}

void MultistepMarch::accept(double t, const Formulas& formulas, double error) {
    force_->accepted(t, corrected_, past(formulas), In(z_).first(n_), In(z_).subspan(n_, length_ - n_));
    errors_ += error;
    y_ = corrected_;
    for (std::size_t i = 0; i < y_.size(); ++i) {
        scales_[i] = std::max(scales_[i], std::abs(y_[i]));
    }
    history_.push(z_, formulas.k + 3);  // the order rises by one a step at most
}

/// The corrected polynomial of F, integrated: in s from 0 to 1.
DenseStep MultistepMarch::dense(double from, double to, const Formulas& formulas) const {
    const std::size_t k = formulas.k;
    const double h = formulas.h;
    const bool second_order = force_->second_order();
    DenseStep step(from, to, y_.size(), k + 2);
    std::array<double, most_of_newton_basis> coefficients;
    for (std::size_t i = 0; i < n_; ++i) {
        expand(history_.nodes(k), k + 1, 0, k + 1, coefficients.data(), [&](std::size_t basis) {
            return basis < k ? history_.difference(basis)[i] : correction_[i] / formulas.at_end(k);
        });
        step.coefficient(0)[i] = y_[i];
        if (second_order) {
            step.coefficient(0)[n_ + i] = y_[n_ + i];
            step.coefficient(1)[i] = h * y_[n_ + i];
        }
        for (std::size_t j = 0; j <= k; ++j) {
            const double once = h * coefficients[j] / static_cast<double>(j + 1);
            if (second_order) {
                step.coefficient(j + 1)[n_ + i] = once;
                step.coefficient(j + 2)[i] = h * once / static_cast<double>(j + 2);
            } else {
                step.coefficient(j + 1)[i] = once;
            }
        }
    }
    return step;
}

MarchResult MultistepMarch::run(const MultistepStart& start, double to, const StepListener& observer,
                                const std::stop_token& stop) {
    MarchResult result{.reached = start.t};
    begin(start, to);
    double t = start.t;
    while (t < to && goes_on(result, stop, result.steps + result.rejected, limits_.most_steps, to)) {
        // The last steps are of equal length, so that none is short.
        const double left = to - t;
        const double h = left / std::ceil(left / step_ * (1 - 1e-10));
        const Formulas step = formulas(history_.nearly(std::min(h, left)));
        const bool last = step.h >= left * (1 - 1e-10);
        const double next = last ? to : t + step.h;
        predict(step);
        extrapolate(step);
        evaluate(next, step, predicted_);
        const double foreseen = foresee();
        correct(step);
        if (error_of(step, step.k, deviation_) <= clearly_wrong) {
            evaluate(next, step, corrected_);
            learn(foreseen);
        }
        const auto found = errors(step);
        const auto culprit = first_not_finite(corrected_) ? first_not_finite(corrected_) : first_not_finite(z_);
        if (found.own <= 1 && !culprit) {
            ++result.steps;
            if (observer.take && observer.wants(next)) {
                observer.take(dense(t, next, step));
            }
            accept(next, step, found.own);
            choose(step, found);
            result.reached = t = next;
            continue;
        }
        ++result.rejected;
        choose(step, found);
        step_ = std::min(step_, 0.8 * step.h);
        if (step_ < limits_.shortest ||
            step_ < 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), to - start.t)) {
            result.outcome = Outcome::not_converged;
            result.explanation =
                fmt::format("the step size fell to {:.2g} at t = {:.6g} without meeting the tolerance", step_, t);
            if (culprit) {
                diverge(result, *culprit % n_);
            }
            break;
        }
    }
    return result;
}

}  // namespace lento
