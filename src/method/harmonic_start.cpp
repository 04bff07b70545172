#include "method/harmonic_start.hpp"

#include <fmt/format.h>

#include "lento/run/macro.hpp"
#include "problem/time_scales.hpp"

namespace lento {
namespace {

constexpr double share = 0.1;       // of the tolerance, for the averaged force
constexpr double most_ratio = 0.5;  // of the changes by one sweep and the one before

/// From the second change on: what the first sweep finds is the averaged force itself.
double mean_ratio(In changes) {
    if (changes.size() < 3 || !(changes[1] > 0)) {
        return 0;
    }
    return std::pow(changes.back() / changes[1], 1 / static_cast<double>(changes.size() - 2));
}

/// What one more sweep would change: the last change, made smaller as it was smaller than the one before.
double left_by_sweeps(In changes) {
    const double last = changes.back();
    const double before = changes[changes.size() - 2];
    return last > 0 ? last * std::clamp(last / before, 0.01, 1.0) : last;
}

}  // namespace

std::vector<double> at_phase(const HarmonicAverage& average, const Response& response, double phi) {
    const std::size_t n = average.dimension();
    std::vector<double> found(average.field().second_order() ? 2 * n : n);
    average.at_phase(response, phi, std::span(found).first(n), std::span(found).subspan(n));
    return found;
}

HarmonicStart::HarmonicStart(PhaseField& field, const Request& request)
    : field_(&field), request_(&request), tolerance_(request.tolerance()), weights_(field.dimension(), 1.0) {}

bool HarmonicStart::stopped() const {
    if (request_->progress) {
        request_->progress(request_->t_start);
    }
    return request_->stop.stop_requested();
}

std::vector<double> HarmonicStart::start() const {
    auto y = field_->second_order() ? put_together(request_->start, request_->velocity) : request_->start;
    field_->enter(request_->t_start, y);
    return y;
}

void HarmonicStart::sweep(HarmonicAverage& average, HarmonicPlan& plan) const {
    average.sweep(X(plan.state), V(plan.state));
    convert(average, plan);
}

/// The slow state that goes with the response.
void HarmonicStart::convert(const HarmonicAverage& average, HarmonicPlan& plan) const {
    if (!converts()) {
        return;
    }
    plan.state = start();
    add_to(plan.state, -1, at_phase(average, average.response(), field_->phase(request_->t_start)));
    add_to(plan.state, -1, plan.beyond);
}

/// Scales of the unknowns, and with them what a change of the averaged force means.
void HarmonicStart::measure(const HarmonicAverage& average, HarmonicPlan& plan) {
    const double length = request_->t_end - request_->t_start;
    const std::size_t m = average.grid().size();
    const std::size_t highest = average.grid().highest();
    plan.scales.assign(plan.state.size(), 0.0);
    plan.noise = 0;
    const auto& swings = field_->second_order() ? average.response().velocity : average.response().displacement;
    for (std::size_t i = 0; i < n(); ++i) {
        const double fast = largest_of(m, [&](std::size_t k) { return std::abs(average.rates()[i * m + k]); });
        double swing = 0;  // at most
        for (std::size_t c = 2 * i * highest; c < 2 * (i + 1) * highest; c += 2) {
            swing += std::hypot(swings[c], swings[c + 1]);
        }
        const double force = std::abs(average.force()[i]);
        if (field_->second_order()) {
            // An oscillation of amplitude X under a force F has a velocity of sqrt(X F).
            const double x = std::abs(plan.state[i]);
            plan.scales[i] = x;
            plan.scales[n() + i] =
                std::max({std::abs(plan.state[n() + i]), swing, std::min(std::sqrt(x * force), force * length)});
        } else {
            plan.scales[i] = std::max(std::abs(plan.state[i]), swing);
        }
        weigh(i, plan);
        plan.noise = larger(plan.noise, weights_[i] * fast * std::numeric_limits<double>::epsilon() /
                                            std::sqrt(static_cast<double>(m)));
    }
}

/// A change of F_i matters by what it makes of the velocity over the run.
void HarmonicStart::weigh(std::size_t i, const HarmonicPlan& plan) {
    weights_[i] = (request_->t_end - request_->t_start) / driven_tolerance(i, plan);
}

void HarmonicStart::know_scales(In scales, HarmonicPlan& plan) {
    plan.scales.assign(scales.begin(), scales.end());
    for (std::size_t i = 0; i < n(); ++i) {
        weigh(i, plan);
    }
}

/// By how much each sweep changed F.
std::vector<double> HarmonicStart::changes(const HarmonicAverage& average) const {
    std::vector<double> found;
    std::vector<double> before(n());
    for (const auto& force : average.forces()) {
        found.push_back(change(force, before));
        before = force;
    }
    return found;
}

double HarmonicStart::change(In a, In b) const {
    return largest_of(a.size(), [&](std::size_t i) { return weights_[i] * std::abs(a[i] - b[i]); });
}

double HarmonicStart::over_tolerance(In a, In b, const HarmonicPlan& plan) const {
    return largest_of(a.size(), [&](std::size_t i) { return std::abs(a[i] - b[i]) / tolerance(i, plan); });
}

double HarmonicStart::over_tolerance(const Response& response, const HarmonicPlan& plan) const {
    // NOTE: its harmonics have one phase at most at which all are largest.
    const auto of = [&](In harmonics, std::size_t first) {
        return largest_of(n(), [&](std::size_t i) {
            const auto own = harmonics.subspan(i * harmonics.size() / n(), harmonics.size() / n());
            double sum = 0;
            for (std::size_t c = 0; c < own.size(); c += 2) {
                sum += std::hypot(own[c], own[c + 1]);
            }
            return sum / tolerance(first + i, plan);
        });
    };
    return larger(of(response.displacement, 0), field_->second_order() ? of(response.velocity, n()) : 0.0);
}

HarmonicStart::MorePhases HarmonicStart::more_phases_at(const HarmonicSpot& spot, std::size_t phases) {
    // NOTE: two harmonics may look the same on both grids, but hardly from a phase that is no fraction of a turn.
    constexpr double golden = 0.6180339887498949;
    const std::size_t m = 2 * phases + 1;
    MorePhases found{HarmonicAverage(*field_, m, golden / static_cast<double>(m))};
    auto& finer = found.average;
    const auto widened = [&](In harmonics) {
        return harmonics.empty() ? std::vector<double>() : finer.widened(harmonics);
    };
    const Response known{widened(spot.response.displacement), widened(spot.response.velocity)};
    const auto rates_known = widened(spot.rates);
    Response with_change = known;
    std::vector<double> rates(finer.harmonics());
    found.force.resize(n());
    for (int k = 0; k < 2; ++k) {
        finer.evaluate(spot.t, X(spot.state), V(spot.state), with_change, rates, found.force);
        add_to(rates, -1, rates_known);
        finer.respond(0, 1, rates.data(), rates.size(), found.change);
        with_change = known;
        add_to(with_change.displacement, 1, found.change.displacement);
        add_to(with_change.velocity, 1, found.change.velocity);
    }
    return found;
}

Defect HarmonicStart::by_phases(const HarmonicSpot& spot, const HarmonicPlan& plan) {
    const auto found = more_phases_at(spot, plan.phases);
    return {.force = change(found.force, spot.force), .response = over_tolerance(found.change, plan)};
}

Defect HarmonicStart::by_sweeps(const HarmonicSpot& spot, const HarmonicPlan& plan) {
    HarmonicAverage average(*field_, plan.phases);
    Response without = spot.response;
    add_to(without.displacement, -1, spot.last_term.displacement);
    add_to(without.velocity, -1, spot.last_term.velocity);
    std::vector<double> rates(average.harmonics()), force(n());
    average.evaluate(spot.t, X(spot.state), V(spot.state), without, rates, force);
    return {.force = change(force, spot.force), .response = over_tolerance(spot.last_term, plan)};
}

/// (F, harmonics of a) in slow time, for the first steps, and how long these may be: what a series leaves out is of the
/// size of its last term.
void HarmonicStart::take_series(const HarmonicAverage& average, HarmonicPlan& plan) const {
    const auto terms = static_cast<std::size_t>(average.sweeps());
    plan.series.clear();
    std::vector<double> sizes(terms, 0.0);
    for (std::size_t j = 0; j < terms; ++j) {
        const In means = average.force_series().subspan(j * n(), n());
        const In rates = average.rate_series().subspan(j * average.harmonics(), average.harmonics());
        plan.series.insert(plan.series.end(), means.begin(), means.end());
        plan.series.insert(plan.series.end(), rates.begin(), rates.end());
        sizes[j] = largest_of(n(), [&](std::size_t i) { return std::abs(means[i]) / driven_tolerance(i, plan); });
    }
    // Of a motion of frequency W coefficient j is about W^j/j! of the first.
    plan.pace.frequency = sizes[0] > 0 ? larger(sizes[1] / sizes[0], std::sqrt(2 * sizes[2] / sizes[0])) : 0.0;
    const double last = larger(sizes[terms - 1], sizes[terms - 2] * plan.pace.frequency / static_cast<double>(terms));
    plan.pace.step = last > 0 ? std::pow(last, -1 / static_cast<double>(terms)) : HUGE_VAL;
    plan.pace.evaluations_a_step = 2 * static_cast<double>(plan.phases);
}

bool HarmonicStart::finite(const HarmonicAverage& average, const HarmonicPlan& plan) const {
    return !first_not_finite(average.force()) && !first_not_finite(plan.state);
}

bool HarmonicStart::affordable(std::size_t evaluations, std::int64_t budget, HarmonicPlan& plan) const {
    plan.affordable = field_->evaluations() + static_cast<std::int64_t>(evaluations) <= budget;
    return plan.affordable;
}

/// So many phases that about twice as many, and not a multiple, make no difference. Two sweeps show what one harmonic
/// makes of another.
HarmonicAverage HarmonicStart::with_phases(HarmonicPlan& plan, bool given, std::int64_t budget) {
    for (;;) {
        HarmonicAverage average(*field_, plan.phases);
        average.begin(request_->t_start);
        for (int k = 0; k < 2 && !stopped() && affordable((k + 1) * plan.phases, budget, plan); ++k) {
            sweep(average, plan);
        }
        if (average.sweeps() < 2) {
            return average;
        }
        measure(average, plan);
        plan.finite = finite(average, plan);
        if (given || !plan.finite || stopped() || !affordable(5 * plan.phases + 2, budget, plan)) {
            return average;
        }
        HarmonicSpot spot{.t = request_->t_start, .state = plan.state, .response = average.response()};
        average.evaluate(spot);
        const auto finer = more_phases_at(spot, plan.phases);
        plan.defect = {.force = change(finer.force, spot.force), .response = over_tolerance(finer.change, plan)};
        if (plan.defect.worst() <= share + clear_of_noise * plan.noise || plan.phases >= most_phases) {
            plan.beyond = at_phase(finer.average, finer.change, field_->phase(request_->t_start));
            return average;
        }
        constexpr double far = 100;
        plan.phases = more_phases(plan.phases, plan.defect.worst() > far * share);
    }
}

/// So many sweeps that the averaged force and the state change by little, and one more than the start needs: where it
/// is at rest, slow derivatives vanish.
void HarmonicStart::with_sweeps(HarmonicAverage& average, HarmonicPlan& plan, std::int64_t budget) {
    while (plan.sweeps < most_sweeps && !stopped() &&
           affordable(static_cast<std::size_t>(average.sweeps() + 1) * plan.phases, budget, plan)) {
        const auto before = plan.state;
        sweep(average, plan);
        plan.finite = finite(average, plan);
        plan.sweeps = average.sweeps();
        if (!plan.finite) {
            return;
        }
        const auto found = changes(average);
        plan.ratio = mean_ratio(found);
        Defect left{.force = left_by_sweeps(found)};
        left.response = over_tolerance(plan.state, before, plan) * std::min(1.0, std::max(plan.ratio, 0.01));
        const bool settled = left.worst() <= share || (found.back() <= 4 * plan.noise && plan.sweeps > 3);
        const bool hopeless = plan.sweeps > 5 && plan.ratio > most_ratio;
        if (settled || hopeless || plan.sweeps == most_sweeps) {
            plan.defect.include(left);
            return;
        }
    }
}

/// With sweeps as they are given the state is not to add errors of its own: each round gains a factor 1/omega.
void HarmonicStart::with_given_sweeps(HarmonicAverage& average, HarmonicPlan& plan, int sweeps) const {
    plan.sweeps = sweeps;
    for (int round = 0; round <= sweeps && plan.finite && !stopped(); ++round) {
        average.sweep(sweeps, request_->t_start, X(plan.state), V(plan.state));
        convert(average, plan);
        plan.finite = finite(average, plan);
        const auto found = changes(average);
        plan.ratio = mean_ratio(found);
        plan.defect.force = found.back();
    }
}

HarmonicPlan HarmonicStart::plan(std::optional<std::size_t> phases, std::optional<std::size_t> sweeps,
                                 std::int64_t budget) {
    const double fewest = fewest_for(turns_in_common(field_->phases(), field_->period().value()));
    HarmonicPlan plan{.phases = phases.value_or(static_cast<std::size_t>(fewest)), .state = start()};
    const auto goes_on = [&] { return !stopped() && plan.finite && plan.affordable; };
    auto average = with_phases(plan, phases.has_value(), budget);
    if (goes_on() && sweeps) {
        with_given_sweeps(average, plan, static_cast<int>(*sweeps));
        average.begin(request_->t_start);
    } else if (goes_on()) {
        with_sweeps(average, plan, budget);
    }
    const int least_for_series = std::max(plan.sweeps, 7);
    double last_change = HUGE_VAL;  // of the state
    while (goes_on() && average.sweeps() < least_for_series &&
           affordable(static_cast<std::size_t>(average.sweeps() + 1) * plan.phases, budget, plan)) {
        if (sweeps) {
            average.sweep(X(plan.state), V(plan.state));
            continue;
        }
        // NOTE: where sweeps diverge in the end, the state stays at the best of them.
        auto next = plan;
        sweep(average, next);
        const double change = over_tolerance(next.state, plan.state, plan);
        if (change < last_change) {
            plan.state = std::move(next.state);
        }
        last_change = std::min(last_change, change);
    }
    if (average.sweeps() >= least_for_series) {
        take_series(average, plan);
    }
    plan.stopped = stopped();
    return plan;
}

bool HarmonicStart::finite_force(std::size_t phases) const {
    // NOTE: along a straight line on which every unknown moves, an infinite derivative by any of them shows.
    const std::size_t block = n() * phases;
    const auto y = start();
    std::vector<double> x(2 * block, 1.0);
    std::vector<double> v(field_->second_order() ? 2 * block : 0, 1.0);
    std::vector<double> a(2 * block);
    for (std::size_t i = 0; i < n(); ++i) {
        std::fill_n(x.begin() + static_cast<std::ptrdiff_t>(i * phases), phases, y[i]);
        if (field_->second_order()) {
            std::fill_n(v.begin() + static_cast<std::ptrdiff_t>(i * phases), phases, y[n() + i]);
        }
    }
    field_->evaluate(1, phases, request_->t_start, x, v, a);
    return !first_not_finite(a);
}

/// 5, 7, 9, 13, 17, 25, 33, ...: odd, since an even number tells nothing of its highest harmonic.
std::size_t HarmonicStart::more_phases(std::size_t phases, bool many) {
    const std::size_t intervals = phases - 1;
    const bool power_of_two = (intervals & (intervals - 1)) == 0;
    const std::size_t next = many ? 2 * intervals : power_of_two ? intervals * 3 / 2 : intervals * 4 / 3;
    return std::min(next, most_phases) + 1 - (std::min(next, most_phases) % 2);
}

std::optional<NoConvergence> no_convergence(const HarmonicPlan& plan) {
    const double left = plan.defect.worst();
    if (left <= 1) {
        return std::nullopt;
    }
    if (plan.ratio > most_ratio) {
        return NoConvergence{
            Outcome::no_scale_separation,
            fmt::format("each sweep changes the averaged force by {:.2g} of what the one before did, where less than "
                        "{} is needed: a stiffness near the square of the frequency (resonance), or forces in "
                        "proportion to the velocity with a factor near the frequency",
                        plan.ratio, most_ratio),
            "; put such a part into an exactly solved flow, or loosen rtol and atol"};
    }
    if (plan.noise > 1 || left < 1e3) {
        return std::nullopt;  // the estimate of the error will tell
    }
    if (plan.phases >= HarmonicStart::most_phases) {
        return NoConvergence{
            Outcome::refused,
            fmt::format("{} phases leave {:.2g} times the tolerance: the force is not smooth enough in the phase",
                        plan.phases, left),
            "; loosen rtol and atol"};
    }
    return NoConvergence{
        Outcome::no_scale_separation,
        fmt::format("{} sweeps over {} phases leave {:.2g} times the tolerance, the last ones each {:.2g} of what the "
                    "one before did",
                    plan.sweeps, plan.phases, left, plan.ratio),
        ": the vibration is too strong for its frequency, or the force has kinks; loosen rtol and atol"};
}

}  // namespace lento
