#include "lento/march/map_march.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "lento/base/number.hpp"
#include "lento/step/dense.hpp"
#include "lento/step/map_adams.hpp"
#include "lento/step/map_runge_kutta.hpp"

namespace lento {
namespace {

using State = std::vector<double>;

/// z as a polynomial in s = m/N, m revolutions after the beginning of a step of N.
struct StepPolynomial {
    std::vector<State> coefficients{};

    double value(std::size_t component, double s) const {
        double sum = 0;
        for (std::size_t k = coefficients.size(); k-- > 0;) {
            sum = sum * s + coefficients[k][component];
        }
        return sum;
    }
    double slope(std::size_t component, double s) const {
        double sum = 0;
        for (std::size_t k = coefficients.size(); k-- > 1;) {
            sum = sum * s + static_cast<double>(k) * coefficients[k][component];
        }
        return sum;
    }
};

/// The polynomial through `values` at the Chebyshev points of [0, 1], by powers of s.
void fit(std::span<const double> nodes, std::vector<State> values, DenseStep& dense) {
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
        std::copy(powers[k].begin(), powers[k].end(), dense.coefficient(k).begin());
    }
}

/// Of z = (y, t).
enum class Part { all, state, time };

/// What both kinds of march do around their steps.
class Journey {
public:
    Journey(const MapChange& change, const MapMarchSettings& settings, State& z, const StepListener& listener)
        : change_(change), settings_(settings), listener_(listener), z_(z), d_(z.size() - 1), D_(z.size()) {
        march_.result.reached = t();
        march_.final_y = output(z, 0);
        evaluate(z_, D_);
        if (const auto culprit = first_not_finite(D_)) {
            fail(Outcome::diverged, fmt::format("the map is not finite at the start, t = {:.6g}", t()), culprit);
        }
    }

    const State& z() const { return z_; }
    const State& D() const { return D_; }
    double t() const { return z_[d_]; }
    double revolutions() const { return revolutions_; }
    bool goes_on(const std::stop_token& stop) {
        if (march_.result.outcome != Outcome::completed || march_.result.reached >= settings_.t_end) {
            return false;
        }
        if (stop.stop_requested()) {
            march_.result.outcome = Outcome::interrupted;
            return false;
        }
        if (march_.result.steps + march_.result.rejected >= settings_.budget) {
            fail(Outcome::budget_exhausted,
                 fmt::format("{} steps were not enough: t = {:.6g} of {:.6g} reached; loosen rtol and atol",
                             settings_.budget, t(), settings_.t_end));
            return false;
        }
        return true;
    }
    double revolutions_left() const { return (settings_.t_end - t()) / D_[d_]; }
    /// N, but not farther than the end.
    double within_reach(double N) const {
        const double rest = revolutions_left();
        return std::max(1.0, std::min(N, std::ceil(rest - 1e-9 * std::max(1.0, rest))));
    }
    void evaluate(const State& z, State& D) {
        change_(z, D);
        ++evaluations_;
    }
    /// The larger of how much `difference` exceeds the tolerance in any component; NaN if it is not finite.
    double norm(const State& difference, const State& other, Part part) const {
        double largest = 0;
        for (std::size_t i = 0; i < d_ && part != Part::time; ++i) {
            const double size =
                std::max({std::abs(z_[i]), std::abs(other[i]), settings_.scales.empty() ? 0.0 : settings_.scales[i]});
            const double tolerance = settings_.tolerance.absolute + settings_.tolerance.relative * size;
            largest = larger(largest, std::abs(difference[i]) / tolerance);
        }
        if (settings_.time_tolerance > 0 && part != Part::state) {
            largest = larger(largest, std::abs(difference[d_]) / settings_.time_tolerance);
        }
        return largest;
    }
    void rejected() { ++march_.result.rejected; }
    void fail(Outcome outcome, std::string sentence, std::optional<std::size_t> culprit = {}) {
        march_.result.outcome = outcome;
        march_.result.explanation = std::move(sentence);
        march_.result.culprit = culprit;
    }
    void note_slope(double steepness) { march_.steepest = std::max(march_.steepest, steepness); }

    /// Accepts a step over N revolutions to z, with D there.
    void arrive(double N, State z, State D, const StepPolynomial& polynomial) {
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

    MapMarch finished() && { return std::move(march_); }

private:
    State output(const State& z, double revolutions) const {
        State y(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(d_));
        if (settings_.revolutions) {
            y.push_back(revolutions);
        }
        return y;
    }

    /// Where in the step, as s, the time is t.
    double place_of(const StepPolynomial& polynomial, double t) const {
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
    DenseStep in_time(double N, const StepPolynomial& polynomial, double to) const {
        const std::size_t count = polynomial.coefficients.size();
        const std::size_t width = d_ + (settings_.revolutions ? 1 : 0);
        std::vector<double> nodes(count);
        std::vector<State> values;
        for (std::size_t k = 0; k < count; ++k) {
            nodes[k] = 0.5 - 0.5 * std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(count - 1));
            const double s = place_of(polynomial, t() + nodes[k] * (to - t()));
            State value(width);
            for (std::size_t i = 0; i < d_; ++i) {
                value[i] = polynomial.value(i, s);
            }
            if (settings_.revolutions) {
                value[d_] = revolutions_ + N * s;
            }
            values.push_back(std::move(value));
        }
        DenseStep dense(t(), to, width, count - 1);
        fit(nodes, std::move(values), dense);
        return dense;
    }

    /// Steps that take as many maps as they cover revolutions gain nothing.
    void watch_gain() {
        constexpr std::int64_t patience = 60;  // maps: a start takes some
        if (evaluations_ - watched_ < patience) {
            return;
        }
        constexpr double soon = 2000;  // revolutions that are left may be taken one by one
        if (revolutions_ - revolutions_watched_ < 1.5 * static_cast<double>(evaluations_ - watched_) &&
            settings_.t_end - t() > soon * D_[d_] && !settings_.periods_per_step) {
            fail(Outcome::no_scale_separation,
                 fmt::format(
                     "near t = {:.6g} the map is not near the identity, or not smooth enough: within the tolerance "
                     "steps cover only "
                     "{:.0f} revolutions for {} that are integrated; loosen rtol and atol, or use the method direct",
                     t(), revolutions_ - revolutions_watched_, evaluations_ - watched_));
        }
        watched_ = evaluations_;
        revolutions_watched_ = revolutions_;
    }

    const MapChange& change_;
    const MapMarchSettings& settings_;
    const StepListener& listener_;
    State& z_;
    std::size_t d_;
    State D_;
    MapMarch march_;
    double revolutions_ = 0;
    double revolutions_watched_ = 0;
    std::int64_t evaluations_ = 0;
    std::int64_t watched_ = 0;
};

std::string not_finite_after(double t) {
    return fmt::format("the motion stops being finite within a revolution after t = {:.6g}", t);
}

State plus(const State& z, const State& D) {
    State sum = z;
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += D[i];
    }
    return sum;
}

/// The past of an Adams method.
class AdamsPast {
public:
    struct Entry {
        double revolution;
        State D;
    };

    void add(double revolution, State D) {
        entries_.push_front({revolution, std::move(D)});
        if (entries_.size() > most) {
            entries_.pop_back();
        }
    }
    void clear() { entries_.clear(); }
    std::size_t size() const { return entries_.size(); }

    /// sum_j w_j D_j over `count` points, the newest `ahead` first if there is one.
    State sum(std::size_t count, double N, const State* ahead) const {
        const auto weights = adams_weights(points(count, N, ahead != nullptr), N);
        State result(entries_.front().D.size(), 0.0);
        for (std::size_t j = 0; j < count; ++j) {
            const State& D = value(j, ahead);
            for (std::size_t i = 0; i < result.size(); ++i) {
                result[i] += weights[j] * D[i];
            }
        }
        return result;
    }
    StepPolynomial polynomial(const State& z, std::size_t count, double N, const State* ahead) const {
        const auto weights = adams_polynomials(points(count, N, ahead != nullptr), N);
        StepPolynomial result{std::vector<State>(count + 1, State(z.size(), 0.0))};
        result.coefficients[0] = z;
        for (std::size_t j = 0; j < count; ++j) {
            const State& D = value(j, ahead);
            for (std::size_t k = 0; k < count; ++k) {
                for (std::size_t i = 0; i < z.size(); ++i) {
                    result.coefficients[k + 1][i] += weights[j][k] * D[i];
                }
            }
        }
        return result;
    }

private:
    static constexpr std::size_t most = 10;

    std::vector<double> points(std::size_t count, double N, bool ahead) const {
        std::vector<double> p;
        if (ahead) {
            p.push_back(N);
        }
        for (std::size_t j = 0; p.size() < count; ++j) {
            p.push_back(entries_[j].revolution - entries_.front().revolution);
        }
        return p;
    }
    const State& value(std::size_t j, const State* ahead) const {
        return ahead == nullptr ? entries_[j].D : j == 0 ? *ahead : entries_[j - 1].D;
    }

    std::deque<Entry> entries_;
};

/// Step and order control.
class AdamsMarch {
public:
    AdamsMarch(const MapChange& change, const MapMarchSettings& settings, State& z, const StepListener& listener)
        : settings_(settings), journey_(change, settings, z, listener) {}

    MapMarch run(const std::stop_token& stop) && {
        if (journey_.goes_on(stop)) {
            begin();
        }
        while (journey_.goes_on(stop)) {
            const double N = journey_.within_reach(N_);
            if (N <= 1) {
                single();
            } else {
                step(N);
            }
        }
        return std::move(journey_).finished();
    }

private:
    /// One revolution, which tells how D changes; with that, the first N of a method of order 1, whose error is N^2/2 times the change.
    void begin() {
        past_.add(0, journey_.D());
        const State before = journey_.D();
        if (!single()) {
            return;
        }
        State change = journey_.D();
        for (std::size_t i = 0; i < change.size(); ++i) {
            change[i] -= before[i];
        }
        const double error = journey_.norm(change, journey_.z(), Part::all);
        const double longest = 0.05 * (settings_.t_end - journey_.t()) / journey_.D().back();
        N_ = std::floor(std::max(1.0, std::min(longest, 0.5 * std::sqrt(2 / std::max(error, 1e-30)))));
        if (settings_.periods_per_step) {
            N_ = std::min(N_, static_cast<double>(*settings_.periods_per_step));
        }
        if (N_ > 8) {  // what two neighbouring points tell of a slope is noise on that scale
            past_.clear();
            past_.add(journey_.revolutions(), journey_.D());
            order_ = 1;
        }
    }

    /// The map itself: exact, whatever the order.
    bool single() {
        State z = plus(journey_.z(), journey_.D());
        State D(z.size());
        journey_.evaluate(z, D);
        if (const auto culprit = first_not_finite(D)) {
            journey_.fail(Outcome::diverged, not_finite_after(z.back()), culprit);
            return false;
        }
        const std::size_t points = std::min<std::size_t>(past_.size(), 3) + 1;
        const auto polynomial = past_.polynomial(journey_.z(), points, 1, &D);
        journey_.arrive(1, std::move(z), D, polynomial);
        past_.add(journey_.revolutions(), std::move(D));
        // A past of exact steps is worth its length.
        constexpr std::size_t enough = 4;
        order_ = past_.size();
        N_ = std::max(N_, past_.size() >= enough ? 2.0 : 1.0);
        return true;
    }

    void step(double N) {
        const std::size_t k = std::min({order_, past_.size(), static_cast<std::size_t>(settings_.order)});
        const State predicted = plus(journey_.z(), past_.sum(k, N, nullptr));
        State D(predicted.size());
        journey_.evaluate(predicted, D);
        if (first_not_finite(D)) {
            return reject(0.2 * N, std::max<std::size_t>(1, k - 1));
        }
        State corrected = plus(journey_.z(), past_.sum(k + 1, N, &D));
        State renewed(D.size());
        double error = error_of(k, N, D, Part::state);
        if (!(error <= 1) && !settings_.periods_per_step) {
            const double below = k > 1 ? error_of(k - 1, N, D, Part::state) : HUGE_VAL;
            const std::size_t order = below < error ? k - 1 : k;
            return reject(N * std::clamp(factor_of(std::min(error, below), order), 0.2, 0.9), order);
        }
        journey_.evaluate(corrected, renewed);
        if (first_not_finite(renewed)) {
            return reject(0.2 * N, k);
        }
        // NOTE: how long a revolution takes depends on the state, the state on it not at all: the time is corrected with what is known of D
        // at the corrected point. But what the state is off by makes every revolution from here to the end too long.
        const double drift = journey_.revolutions_left() * std::abs(D.back() - renewed.back()) *
                             std::min(1.0, error / difference(predicted, corrected, Part::state));
        error = std::max(error, settings_.time_tolerance > 0 ? drift / settings_.time_tolerance : 0.0);
        D.back() = renewed.back();
        corrected.back() = journey_.t() + past_.sum(k + 1, N, &D).back();
        if (!(error <= 1) && !settings_.periods_per_step) {
            return reject(N * std::clamp(factor_of(error, k), 0.2, 0.9), best_order(k, N, renewed));
        }
        const auto polynomial = past_.polynomial(journey_.z(), k + 1, N, &D);
        note_slope(N, predicted, D, corrected, renewed);
        order_ = best_order(k, N, renewed);
        journey_.arrive(N, corrected, renewed, polynomial);
        past_.add(journey_.revolutions(), std::move(renewed));
        const double longest = std::exchange(just_rejected_, false) ? 1.0 : 2.0;
        const double factor = std::clamp(factor_of(error, k), order_ > k ? 1.0 : 0.5, longest);
        N_ = factor >= 1.1 || factor < 1 ? std::max(1.0, std::floor(N_ * factor)) : N_;
        if (settings_.periods_per_step) {
            N_ = std::min(2 * N, static_cast<double>(*settings_.periods_per_step));
        }
    }

    /// What the corrector of order q is off, over the tolerance: its difference from the next.
    double error_of(std::size_t q, double N, const State& ahead, Part part) const {
        return difference(past_.sum(q + 1, N, &ahead), past_.sum(q, N, &ahead), part);
    }

    /// The order that would allow the longest step. Judged with D renewed: what the prediction was off would hide what another order is worth.
    std::size_t best_order(std::size_t k, double N, const State& renewed) const {
        const auto most = static_cast<std::size_t>(settings_.order);
        if (past_.size() == k && k < most) {
            return k + 1;  // the past is still short: nothing tells of the next order yet
        }
        const double here = factor_of(error_of(k, N, renewed, Part::state), k);
        if (k < most && factor_of(error_of(k + 1, N, renewed, Part::state), k + 1) > here) {
            return k + 1;
        }
        return k > 1 && factor_of(error_of(k - 1, N, renewed, Part::state), k - 1) > here ? k - 1 : k;
    }

    void reject(double N, std::size_t order) {
        journey_.rejected();
        just_rejected_ = true;
        N_ = std::max(1.0, std::floor(N));
        order_ = order;
    }

    static double factor_of(double error, std::size_t order) {
        return 0.9 * std::pow(std::max(error, 1e-12), -1.0 / static_cast<double>(order + 1));
    }

    double difference(const State& a, const State& b, Part part) const {
        State apart = a;
        for (std::size_t i = 0; i < apart.size(); ++i) {
            apart[i] -= b[i];
        }
        return journey_.norm(apart, plus(journey_.z(), a), part);
    }

    void note_slope(double N, const State& a, const State& Da, const State& b, const State& Db) {
        double apart = 0;
        double change = 0;
        for (std::size_t i = 0; i + 1 < a.size(); ++i) {
            apart = std::max(apart, std::abs(a[i] - b[i]));
            change = std::max(change, std::abs(Da[i] - Db[i]));
        }
        if (apart > 0) {
            journey_.note_slope(N * change / apart);
        }
    }

    const MapMarchSettings& settings_;
    Journey journey_;
    AdamsPast past_;
    double N_ = 1;
    std::size_t order_ = 1;
    bool just_rejected_ = false;
};

/// The cubic P with P(0) = z_0, P(N) = z_1, P(1) - P(0) = D_0, P(N+1) - P(N) = D_1.
StepPolynomial cubic_of_map(double N, const State& z0, const State& D0, const State& z1, const State& D1) {
    StepPolynomial p{std::vector<State>(4, State(z0.size(), 0.0))};
    const double e = 1 / N;
    for (std::size_t i = 0; i < z0.size(); ++i) {
        const double whole = z1[i] - z0[i];
        const double B = (D1[i] - D0[i]) / e;
        const double G = N > 1 ? (D0[i] / e - whole) / (e - 1) : B / 2;
        const double c = (B - 2 * G) / (1 + e);
        const double b = 3 * G - B;
        p.coefficients[0][i] = z0[i];
        p.coefficients[1][i] = whole - b - c;
        p.coefficients[2][i] = b;
        p.coefficients[3][i] = c;
    }
    return p;
}

}  // namespace

MapMarch march_map_adams(const MapChange& change, const MapMarchSettings& settings, std::vector<double>& z,
                         const StepListener& listener, const std::stop_token& stop) {
    return AdamsMarch(change, settings, z, listener).run(stop);
}

MapMarch march_map_runge_kutta(const MapChange& change, const MapMarchSettings& settings, std::vector<double>& z,
                               const StepListener& listener, const std::stop_token& stop) {
    Journey journey(change, settings, z, listener);
    const auto stages = static_cast<std::size_t>(settings.order);
    std::vector<State> Z(stages), D(stages, State(z.size()));
    while (journey.goes_on(stop)) {
        const double N = journey.within_reach(static_cast<double>(settings.periods_per_step.value_or(1)));
        State next = journey.z();
        State there(z.size());
        if (N <= static_cast<double>(stages)) {  // as many maps are exact
            next = plus(next, journey.D());
            for (int m = 1; m < static_cast<int>(N); ++m) {
                journey.evaluate(next, there);
                next = plus(next, there);
            }
        } else {
            const auto tableau = multirevolution_tableau(settings.order, N);
            D[0] = journey.D();
            for (std::size_t s = 0; s < stages; ++s) {
                Z[s] = journey.z();
                for (std::size_t j = 0; j < s; ++j) {
                    for (std::size_t i = 0; i < z.size(); ++i) {
                        Z[s][i] += tableau.a[s][j] * D[j][i];
                    }
                }
                if (s > 0) {
                    journey.evaluate(Z[s], D[s]);
                }
                for (std::size_t i = 0; i < z.size(); ++i) {
                    next[i] += tableau.b[s] * D[s][i];
                }
            }
            if (stages == 4) {  // stages two and three are at the same time
                double apart = 0;
                double slope = 0;
                for (std::size_t i = 0; i + 1 < z.size(); ++i) {
                    apart = larger(apart, std::abs(Z[2][i] - Z[1][i]));
                    slope = larger(slope, std::abs(D[2][i] - D[1][i]));
                }
                journey.note_slope(apart > 0 ? N * slope / apart : 0);
            }
        }
        journey.evaluate(next, there);
        auto culprit = first_not_finite(next);
        culprit = culprit ? culprit : first_not_finite(there);
        if (culprit) {
            journey.fail(Outcome::diverged, not_finite_after(journey.t()), culprit);
            break;
        }
        const auto polynomial = cubic_of_map(N, journey.z(), journey.D(), next, there);
        journey.arrive(N, std::move(next), std::move(there), polynomial);
    }
    return std::move(journey).finished();
}

}  // namespace lento
