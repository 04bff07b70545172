/// Multirevolution Runge-Kutta methods, and Adams methods of variable order and step.
#include <algorithm>
#include <cmath>
#include <deque>

#include "base/number.hpp"
#include "march/map_journey.hpp"
#include "step/map_methods.hpp"

namespace lento {
namespace map_march {
namespace {

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
            add_to(result, weights[j], value(j, ahead));
        }
        return result;
    }
    StepPolynomial polynomial(const State& z, std::size_t count, double N, const State* ahead) const {
        const auto weights = adams_polynomials(points(count, N, ahead != nullptr), N);
        StepPolynomial result{std::vector<State>(count + 1, State(z.size(), 0.0))};
        result.coefficients[0] = z;
        for (std::size_t j = 0; j < count; ++j) {
            for (std::size_t k = 0; k < count; ++k) {
                add_to(result.coefficients[k + 1], weights[j][k], value(j, ahead));
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
            N_ = std::min(N_, longest());
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
    double longest() const {
        return std::min(settings_.longest_stride,
                        settings_.periods_per_step ? static_cast<double>(*settings_.periods_per_step) : HUGE_VAL);
    }

    /// One revolution, which tells how D changes: the first N of a method of order 1, whose error is N^2/2 times that.
    void begin() {
        past_.add(0, journey_.D());
        const State before = journey_.D();
        if (!single()) {
            return;
        }
        State change = journey_.D();
        add_to(change, -1, before);
        const double error = journey_.norm(change, journey_.z(), Part::all);
        const double share = 0.05 * (settings_.t_end - journey_.t()) / journey_.D().back();
        N_ = std::floor(std::max(1.0, std::min(share, 0.5 * std::sqrt(2 / std::max(error, 1e-30)))));
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
            journey_.fail_after(z.back(), *culprit);
            return false;
        }
        const std::size_t points = std::min<std::size_t>(past_.size(), 5) + 1;
        const auto polynomial = past_.polynomial(journey_.z(), points, 1, &D);
        journey_.arrive(1, std::move(z), D, polynomial);
        past_.add(journey_.revolutions(), std::move(D));
        // A past of exact steps is worth its length. Where longer steps have failed, some more of them come first.
        constexpr int enough = 4;
        order_ = past_.size();
        if (++singles_ >= enough) {
            N_ = std::max(N_, 2.0);
        }
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
        double error = error_of(k, N, D);
        if (!(error <= 1)) {
            const double below = k > 1 ? error_of(k - 1, N, D) : HUGE_VAL;
            const std::size_t order = below < error ? k - 1 : k;
            return reject(N * std::clamp(factor_of(std::min(error, below), order), 0.2, 0.9), order);
        }
        journey_.evaluate(corrected, renewed);
        if (first_not_finite(renewed)) {
            return reject(0.2 * N, k);
        }
        // NOTE: how long a revolution takes depends on the state, the state on it not at all: the time is corrected
        // with D at the corrected point. But what the state is off by makes every revolution from here on too long.
        const double drift = journey_.revolutions_left() * std::abs(D.back() - renewed.back()) *
                             std::min(1.0, error / difference(predicted, corrected));
        error = std::max(error, settings_.time_tolerance > 0 ? drift / settings_.time_tolerance : 0.0);
        D.back() = renewed.back();
        corrected.back() = journey_.t() + past_.sum(k + 1, N, &D).back();
        if (!(error <= 1)) {
            return reject(N * std::clamp(factor_of(error, k), 0.2, 0.9), best_order(k, N, renewed));
        }
        const auto polynomial = past_.polynomial(journey_.z(), k + 1, N, &D);
        journey_.note_slope(N, predicted, D, corrected, renewed);
        order_ = best_order(k, N, renewed);
        journey_.arrive(N, corrected, renewed, polynomial);
        past_.add(journey_.revolutions(), std::move(renewed));
        const double most = std::exchange(just_rejected_, false) ? 1.0 : 2.0;
        const double factor = std::clamp(factor_of(error, k), order_ > k ? 1.0 : 0.5, most);
        N_ = factor >= 1.1 || factor < 1 ? std::max(1.0, std::floor(N_ * factor)) : N_;
    }

    /// What the corrector of order q is off, over the tolerance: its difference from the next.
    double error_of(std::size_t q, double N, const State& ahead) const {
        return difference(past_.sum(q + 1, N, &ahead), past_.sum(q, N, &ahead));
    }

    /// The order that would allow the longest step. Judged with D renewed: what the prediction was off would hide what
    /// another order is worth.
    std::size_t best_order(std::size_t k, double N, const State& renewed) const {
        const auto most = static_cast<std::size_t>(settings_.order);
        if (past_.size() == k && k < most) {
            return k + 1;  // the past is still short: nothing tells of the next order yet
        }
        const double here = factor_of(error_of(k, N, renewed), k);
        if (k < most && factor_of(error_of(k + 1, N, renewed), k + 1) > here) {
            return k + 1;
        }
        return k > 1 && factor_of(error_of(k - 1, N, renewed), k - 1) > here ? k - 1 : k;
    }

    void reject(double N, std::size_t order) {
        journey_.rejected();
        just_rejected_ = true;
        N_ = std::max(1.0, std::floor(N));
        order_ = order;
        singles_ = 0;
    }

    static double factor_of(double error, std::size_t order) {
        return 0.9 * std::pow(std::max(error, 1e-12), -1.0 / static_cast<double>(order + 1));
    }

    double difference(const State& a, const State& b) const {
        State apart = a;
        add_to(apart, -1, b);
        return journey_.norm(apart, plus(journey_.z(), a), Part::state);
    }

    const MapMarchSettings& settings_;
    Journey journey_;
    AdamsPast past_;
    double N_ = 1;
    std::size_t order_ = 1;
    int singles_ = 1;  // in a row, the start being one
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
}  // namespace map_march

MapMarch march_map_adams(const MapChange& change, const MapMarchSettings& settings, std::vector<double>& z,
                         const StepListener& listener, const std::stop_token& stop) {
    return map_march::AdamsMarch(change, settings, z, listener).run(stop);
}

MapMarch march_map_runge_kutta(const MapChange& change, const MapMarchSettings& settings, std::vector<double>& z,
                               const StepListener& listener, const std::stop_token& stop) {
    using namespace map_march;
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
                    add_to(Z[s], tableau.a[s][j], D[j]);
                }
                if (s > 0) {
                    journey.evaluate(Z[s], D[s]);
                }
                add_to(next, tableau.b[s], D[s]);
            }
            if (stages > 1) {  // of order 4 they are at the same time
                journey.note_slope(N, Z[stages - 2 - stages / 4], D[stages - 2 - stages / 4],
                                   Z[stages - 1 - stages / 4], D[stages - 1 - stages / 4]);
            }
        }
        journey.evaluate(next, there);
        if (const auto culprit = first_not_finite(next) ? first_not_finite(next) : first_not_finite(there)) {
            journey.fail_after(journey.t(), *culprit);
            break;
        }
        const auto polynomial = cubic_of_map(N, journey.z(), journey.D(), next, there);
        journey.arrive(N, std::move(next), std::move(there), polynomial);
    }
    return std::move(journey).finished();
}

}  // namespace lento
