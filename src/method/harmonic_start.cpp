#include "harmonic_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lento/base/number.hpp"

namespace lento {
namespace {

constexpr double share = 0.1;           // of the tolerance, for the averaged force
constexpr double no_convergence = 0.5;  // between sweeps

std::span<const double> head(const std::vector<double>& y, std::size_t n) {
    return std::span(y).first(n);
}
std::span<const double> tail(const std::vector<double>& y, std::size_t n) {
    return std::span(y).subspan(n);
}

/// From the second change on: what the first sweep finds is the averaged force itself.
double mean_ratio(std::span<const double> changes) {
    if (changes.size() < 3 || !(changes[1] > 0)) {
        return 0;
    }
    return std::pow(changes.back() / changes[1], 1 / static_cast<double>(changes.size() - 2));
}

/// What one more sweep would change: the last change, made smaller as it was smaller than the one before.
double left_by_sweeps(std::span<const double> changes) {
    const double last = changes.back();
    const double before = changes[changes.size() - 2];
    return last > 0 ? last * std::clamp(last / before, 0.01, 1.0) : last;
}

}  // namespace

HarmonicStart::HarmonicStart(PhaseField& field, const Request& request)
    : field_(&field), request_(&request), weights_(field.dimension(), 1.0) {}

std::vector<double> HarmonicStart::start() const {
    auto y = request_->start;
    if (field_->second_order()) {
        y.insert(y.end(), request_->velocity.begin(), request_->velocity.end());
    }
    return y;
}

void HarmonicStart::pass(HarmonicAverage& average, int sweeps, HarmonicPlan& plan) const {
    const double t = request_->t_start;
    average.sweep(sweeps, t, head(plan.state, n()), tail(plan.state, n()));
    if (request_->options.initial.value_or("true-state") == "averaged") {
        return;
    }
    std::vector<double> response(plan.state.size());
    average.at_phase(average.response(), field_->phase(t), std::span(response).first(n()),
                     std::span(response).subspan(n()));
    const auto y = start();
    for (std::size_t i = 0; i < y.size(); ++i) {
        plan.state[i] = y[i] - response[i];
    }
}

/// Scales of the unknowns, and with them what a change of the averaged force means.
void HarmonicStart::measure(const HarmonicAverage& average, HarmonicPlan& plan) {
    const double length = request_->t_end - request_->t_start;
    const std::size_t m = average.grid().size();
    plan.scales.assign(plan.state.size(), 0.0);
    double noise = 0;
    plan.slow_frequency = 0;
    for (std::size_t i = 0; i < n(); ++i) {
        double fast = 0;
        double swing = 0;
        for (std::size_t k = i * m; k < (i + 1) * m; ++k) {
            fast = std::max(fast, std::abs(average.rates()[k]));
            swing = std::max(swing, std::abs(field_->second_order() ? average.response().velocity[k]
                                                                    : average.response().displacement[k]));
        }
        const double force = std::abs(average.force()[i]);
        if (field_->second_order()) {
            // An oscillation of amplitude X under a force F has a frequency of sqrt(F/X), and a velocity of sqrt(X F).
            const double x = std::abs(plan.state[i]);
            plan.scales[i] = x;
            plan.scales[n() + i] =
                std::max({std::abs(plan.state[n() + i]), swing, std::min(std::sqrt(x * force), force * length)});
            plan.slow_frequency = std::max(plan.slow_frequency, x > 0 ? std::sqrt(force / x) : 0.0);
        } else {
            plan.scales[i] = std::max({std::abs(plan.state[i]), swing});
            plan.slow_frequency = std::max(plan.slow_frequency, plan.scales[i] > 0 ? force / plan.scales[i] : 0.0);
        }
        const double scale = plan.scales[field_->second_order() ? n() + i : i];
        weights_[i] = length / (request_->atol + request_->rtol * scale);
        noise = larger(noise,
                       weights_[i] * fast * std::numeric_limits<double>::epsilon() / std::sqrt(static_cast<double>(m)));
    }
    plan.noise = noise;
}

double HarmonicStart::change(std::span<const double> a, std::span<const double> b) const {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = larger(largest, weights_[i] * std::abs(a[i] - b[i]));
    }
    return largest;
}

HarmonicPlan HarmonicStart::plan(std::optional<std::size_t> phases, std::optional<std::size_t> sweeps) {
    HarmonicPlan plan{.phases = phases.value_or(4), .state = start()};
    const auto finite = [](std::span<const double> values) {
        return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
    };
    // Phases: so many that about twice as many, and not a multiple, change the averaged force by little.
    for (;;) {
        HarmonicAverage average(*field_, plan.phases);
        pass(average, 1, plan);
        measure(average, plan);
        plan.finite = finite(average.force()) && finite(plan.state);
        if (phases || !plan.finite || 2 * plan.phases > most_phases) {
            break;
        }
        HarmonicAverage finer(*field_, 2 * plan.phases + 1);
        average.sweep(1, request_->t_start, head(plan.state, n()), tail(plan.state, n()));
        finer.sweep(1, request_->t_start, head(plan.state, n()), tail(plan.state, n()));
        plan.defect = change(average.force(), finer.force());
        if (plan.defect <= share) {
            break;
        }
        plan.phases *= 2;
    }
    // Sweeps: until the averaged force changes by little.
    HarmonicAverage average(*field_, plan.phases);
    average.set_weights(weights_);
    const int most = static_cast<int>(sweeps.value_or(most_sweeps));
    for (plan.sweeps = std::min(2, most); plan.finite; ++plan.sweeps) {
        pass(average, plan.sweeps, plan);
        const auto changes = average.changes();
        plan.ratio = mean_ratio(changes);
        plan.finite = finite(average.force()) && finite(plan.state);
        const double next = left_by_sweeps(changes);
        const bool settled = next <= share || changes.back() <= 4 * plan.noise;
        const bool hopeless = plan.sweeps >= 5 && plan.ratio > no_convergence;
        if (plan.sweeps == most || (!sweeps && (settled || hopeless))) {
            plan.defect = std::max(plan.defect, next);
            break;
        }
    }
    if (!plan.finite) {
        return plan;
    }
    // Once more at the state that came out, for the series of the first steps.
    average.sweep(plan.sweeps, request_->t_start, head(plan.state, n()), tail(plan.state, n()));
    const std::size_t length = n() + average.block();
    plan.series.resize(static_cast<std::size_t>(average.degree() + 1) * length);
    for (std::size_t j = 0; j <= static_cast<std::size_t>(average.degree()); ++j) {
        const auto block = average.series().subspan(j * average.block(), average.block());
        for (std::size_t i = 0; i < n(); ++i) {
            plan.series[j * length + i] = average.grid().mean(block.subspan(i * plan.phases, plan.phases));
        }
        std::copy(block.begin(), block.end(), plan.series.begin() + static_cast<std::ptrdiff_t>(j * length + n()));
    }
    return plan;
}

double HarmonicStart::defect_at(const HarmonicPlan& plan, double t, std::span<const double> state) {
    HarmonicAverage own(*field_, plan.phases);
    HarmonicAverage finer(*field_, 2 * plan.phases + 1);
    own.set_weights(weights_);
    const auto X = state.first(n());
    const auto V = state.subspan(n());
    own.sweep(plan.sweeps, t, X, V);
    const double by_sweeps = left_by_sweeps(own.changes());
    own.sweep(1, t, X, V);
    finer.sweep(1, t, X, V);
    return larger(by_sweeps, change(own.force(), finer.force()));
}

}  // namespace lento
