#include "march/map_journey.hpp"

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "base/number.hpp"
#include "march/ending.hpp"

namespace lento::map_march {
namespace {

/// The polynomial through `values` at the Chebyshev points of [0, 1], by powers of s.
void fit(In nodes, std::vector<State> values, DenseStep& dense) {
    const std::size_t count = nodes.size();
    for (std::size_t level = 1; level < count; ++level) {
        for (std::size_t k = count; k-- > level;) {
            for (std::size_t i = 0; i < values[k].size(); ++i) {
                values[k][i] = (values[k][i] - values[k - 1][i]) / (nodes[k] - nodes[k - level]);
            }
        }
    }
    std::vector<State> powers(count, State(values[0].size(), 0.0));
    powers[0] = values[count - 1];
    for (std::size_t j = count - 1; j-- > 0;) {  // p = p (s - nodes[j]) + values[j]
        for (std::size_t k = count; k-- > 0;) {
            for (std::size_t i = 0; i < values[0].size(); ++i) {
                powers[k][i] = (k > 0 ? powers[k - 1][i] : values[j][i]) - nodes[j] * powers[k][i];
            }
        }
    }
    for (std::size_t k = 0; k < count; ++k) {
        std::ranges::copy(powers[k], dense.coefficient(k).begin());
    }
}

}  // namespace

State plus(const State& z, const State& D) {
    State sum = z;
    add_to(sum, 1, D);
    return sum;
}

Journey::Journey(const MapChange& change, const MapMarchSettings& settings, State& z, const StepListener& listener)
    : change_(change), settings_(settings), listener_(listener), z_(z), d_(z.size() - 1), D_(z.size()) {
    march_.result.reached = t();
    march_.final_y = output(z, 0);
    evaluate(z_, D_);
    if (const auto culprit = first_not_finite(D_)) {
        fail(Outcome::diverged, fmt::format("the map is not finite at the start, t = {:.6g}", t()), culprit);
    }
}

bool Journey::goes_on(const std::stop_token& stop) {
    auto& march = march_.result;
    return march.reached < settings_.t_end &&
           lento::goes_on(march, stop, march.steps + march.rejected, settings_.budget, settings_.t_end);
}

double Journey::within_reach(double N) const {
    const double rest = revolutions_left();
    return std::max(1.0, std::min(N, std::ceil(rest - 1e-9 * std::max(1.0, rest))));
}

double Journey::norm(const State& difference, const State& other, Part part) const {
    double largest = 0;
    for (std::size_t i = 0; i < d_; ++i) {
        const double size =
            std::max({std::abs(z_[i]), std::abs(other[i]), settings_.scales.empty() ? 0.0 : settings_.scales[i]});
        largest = larger(largest, std::abs(difference[i]) / settings_.tolerance.of(i, size));
    }
    if (settings_.time_tolerance > 0 && part == Part::all) {
        largest = larger(largest, std::abs(difference[d_]) / settings_.time_tolerance);
    }
    return largest;
}

void Journey::fail(Outcome outcome, std::string sentence, std::optional<std::size_t> culprit) {
    march_.result.outcome = outcome;
    march_.result.explanation = std::move(sentence);
    march_.result.culprit = culprit;
}

void Journey::arrive(double N, State z, State D, const StepPolynomial& polynomial) {
    const double end = z[d_];
    // NOTE: the end of the run need not be a whole number of revolutions away; the last step reaches beyond it.
    const bool last = end >= settings_.t_end - 1e-9 * N * D_[d_];
    const double to = last ? settings_.t_end : end;
    ++march_.result.steps;
    if (last || listener_.wants(to)) {
        auto dense = in_time(N, polynomial, to);
        if (last) {
            march_.final_y.resize(dense.dimension());
            dense.value(to, march_.final_y);
            march_.revolutions = revolutions_ + N * place_of(polynomial, to);
        }
        if (listener_.wants(to)) {
            listener_.take(std::move(dense));
        }
    }
    revolutions_ += N;
    march_.result.reached = to;
    z_ = std::move(z);
    D_ = std::move(D);
    if (!last) {
        march_.final_y = output(z_, revolutions_);
        march_.revolutions = revolutions_;
    }
    watch_gain();
}

State Journey::output(const State& z, double revolutions) const {
    State y(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(d_));
    if (settings_.revolutions) {
        y.push_back(revolutions);
    }
    return y;
}

/// Where in the step, as s, the time is t.
double Journey::place_of(const StepPolynomial& polynomial, double t) const {
    const double whole = polynomial.value(d_, 1) - polynomial.value(d_, 0);
    double s = (t - polynomial.value(d_, 0)) / whole;
    for (int k = 0; k < 20; ++k) {
        const double correction = (t - polynomial.value(d_, s)) / polynomial.slope(d_, s);
        s += correction;
        if (!(std::abs(correction) > 1e-15)) {
            break;
        }
    }
    return s;
}

/// From the beginning of the step to the time `to`.
DenseStep Journey::in_time(double N, const StepPolynomial& polynomial, double to) const {
    const std::size_t count = polynomial.coefficients.size();
    std::vector<double> nodes(count);
    std::vector<State> values;
    for (std::size_t k = 0; k < count; ++k) {
        nodes[k] = 0.5 - 0.5 * std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(count - 1));
        const double s = place_of(polynomial, t() + nodes[k] * (to - t()));
        State z(d_);
        for (std::size_t i = 0; i < d_; ++i) {
            z[i] = polynomial.value(i, s);
        }
        values.push_back(output(z, revolutions_ + N * s));
    }
    DenseStep dense(t(), to, values[0].size(), count - 1);
    fit(nodes, std::move(values), dense);
    return dense;
}

/// Steps that take as many maps as they cover revolutions gain nothing.
void Journey::watch_gain() {
    constexpr std::int64_t patience = 60;  // maps: a start takes some
    constexpr double soon = 2000;          // revolutions that are left may be taken one by one
    const auto maps = evaluations_ - watched_;
    const double covered = revolutions_ - revolutions_watched_;
    if (maps < patience) {
        return;
    }
    if (covered < 1.5 * static_cast<double>(maps) && settings_.t_end - t() > soon * D_[d_] &&
        !settings_.periods_per_step) {
        fail(Outcome::no_scale_separation,
             fmt::format(
                 "near t = {:.6g} the map is not near the identity, or not smooth enough: within the tolerance steps "
                 "cover only {:.0f} revolutions for {} that are integrated; loosen rtol and atol, or resolve every one",
                 t(), covered, maps));
    }
    watched_ = evaluations_;
    revolutions_watched_ = revolutions_;
}

void Journey::fail_after(double t, std::size_t culprit) {
    fail(Outcome::diverged, fmt::format("the motion stops being finite within a revolution after t = {:.6g}", t),
         culprit);
}

void Journey::note_slope(double N, const State& a, const State& Da, const State& b, const State& Db) {
    const std::size_t half = settings_.pairs ? d_ / 2 : d_;
    const double apart = largest_change(In(a).first(half), b);
    const double change = largest_change(In(Da).subspan(d_ - half, half), In(Db).subspan(d_ - half));
    // NOTE: short moves tell more of noise than of the slope.
    if (apart > 0.1 * longest_move_) {
        march_.steepest =
            std::max(march_.steepest, settings_.pairs ? N * std::sqrt(D_[d_] * change / apart) : N * change / apart);
    }
    longest_move_ = std::max(longest_move_, apart);
}

}  // namespace lento::map_march
