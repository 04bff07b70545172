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

std::size_t looks_between(std::size_t phases) {
    return 2 * phases + 3;
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

void HarmonicStart::sweep(HarmonicAverage& average, int sweeps, const HarmonicPlan& plan) const {
    average.sweep(sweeps, request_->t_start, In(plan.state).first(n()), In(plan.state).subspan(n()));
}

void HarmonicStart::pass(HarmonicAverage& average, int sweeps, HarmonicPlan& plan) const {
    sweep(average, sweeps, plan);
    if (request_->options.initial.value_or("true-state") == "averaged") {
        return;
    }
    plan.state = start();
    add_to(plan.state, -1, at_phase(average, average.response(), field_->phase(request_->t_start)));
}

/// Scales of the unknowns, and with them what a change of the averaged force means.
void HarmonicStart::measure(const HarmonicAverage& average, HarmonicPlan& plan) {
    const double length = request_->t_end - request_->t_start;
    const std::size_t m = average.grid().size();
    plan.scales.assign(plan.state.size(), 0.0);
    plan.noise = 0;
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

double HarmonicStart::change(In a, In b) const {
    return largest_of(a.size(), [&](std::size_t i) { return weights_[i] * std::abs(a[i] - b[i]); });
}

double HarmonicStart::over_tolerance(In a, In b, const HarmonicPlan& plan) const {
    return largest_of(a.size(), [&](std::size_t i) { return std::abs(a[i] - b[i]) / tolerance(i, plan); });
}

double HarmonicStart::difference(const HarmonicAverage& a, const Response& at_a, const HarmonicAverage& b,
                                 const Response& at_b, const HarmonicPlan& plan) const {
    double largest = 0;
    for (const double phi : {0.3, 2.2, 4.5}) {
        const auto first = at_phase(a, at_a, phi);
        const auto second = at_phase(b, at_b, phi);
        largest = larger(largest, over_tolerance(first, second, plan));
    }
    return largest;
}

/// What a at other phases differs by from its interpolation, as it shows in the response: a harmonic may look the same
/// on two grids as a lower one, but hardly at phases that are no fractions of a turn.
double HarmonicStart::off_the_grid(HarmonicAverage& average, const HarmonicPlan& plan) const {
    constexpr double golden = 0.6180339887498949;
    const double t = request_->t_start;
    const auto X = In(plan.state).first(n());
    const auto V = In(plan.state).subspan(n());
    const Response none{std::vector<double>(average.block()),
                        std::vector<double>(field_->second_order() ? average.block() : 0)};
    std::vector<double> a(average.block()), mean(n()), differences(n());
    average.evaluate(t, X, V, none, a, mean);
    const std::size_t looks = looks_between(average.grid().size());
    double largest = 0;
    for (std::size_t j = 0; j < looks && !stopped(); ++j) {
        const auto place = average.between((static_cast<double>(j) + golden) / static_cast<double>(looks));
        average.between_phases(place, t, X, V, none, a, differences);
        for (std::size_t i = 0; i < n(); ++i) {
            largest = larger(largest, std::abs(differences[i]) / field_->frequency() / driven_tolerance(i, plan));
        }
    }
    return largest;
}

/// (F, a at all phases) in slow time, for the first steps, and how long these may be: what a series leaves out is of
/// the size of its last term.
void HarmonicStart::take_series(const HarmonicAverage& average, HarmonicPlan& plan) const {
    const std::size_t length = n() + average.block();
    const auto terms = static_cast<std::size_t>(average.degree() + 1);
    plan.series.resize(terms * length);
    std::vector<double> sizes(terms, 0.0);
    for (std::size_t j = 0; j < terms; ++j) {
        const auto block = average.series().subspan(j * average.block(), average.block());
        for (std::size_t i = 0; i < n(); ++i) {
            const double mean = average.grid().mean(block.subspan(i * plan.phases, plan.phases));
            plan.series[j * length + i] = mean;
            sizes[j] = larger(sizes[j], std::abs(mean) / driven_tolerance(i, plan));
        }
        std::copy(block.begin(), block.end(), plan.series.begin() + static_cast<std::ptrdiff_t>(j * length + n()));
    }
    // Of a motion of frequency W coefficient j is about W^j/j! of the first.
    plan.pace.frequency = sizes[0] > 0 ? larger(sizes[1] / sizes[0], std::sqrt(2 * sizes[2] / sizes[0])) : 0.0;
    const double last = larger(sizes[terms - 1], sizes[terms - 2] * plan.pace.frequency / static_cast<double>(terms));
    plan.pace.step = last > 0 ? std::pow(last, -1 / static_cast<double>(terms)) : HUGE_VAL;
    plan.pace.evaluations_a_step = 2 * static_cast<double>(plan.phases);
}

HarmonicPlan HarmonicStart::plan(std::optional<std::size_t> phases, std::optional<std::size_t> sweeps,
                                 std::int64_t budget) {
    const double fewest = fewest_for(turns_in_common(field_->phases(), field_->period().value()));
    HarmonicPlan plan{.phases = phases.value_or(static_cast<std::size_t>(fewest)), .state = start()};
    const auto finite = [&](const HarmonicAverage& average) {
        return !first_not_finite(average.force()) && !first_not_finite(plan.state);
    };
    const auto too_dear = [&](std::size_t evaluations_a_phase, std::size_t others = 0) {
        plan.affordable =
            field_->evaluations() + static_cast<std::int64_t>(evaluations_a_phase * plan.phases + others) <= budget;
        return !plan.affordable;
    };
    const auto price = [](int sweeps) { return static_cast<std::size_t>(sweeps * (sweeps + 1) / 2 + 1); };
    // Phases: so many that about twice as many, and not a multiple, make no difference. Two sweeps show what one
    // harmonic makes of another.
    while (!stopped() && !too_dear(3 * price(2))) {
        HarmonicAverage average(*field_, plan.phases);
        pass(average, 1, plan);
        measure(average, plan);
        pass(average, 2, plan);
        plan.finite = finite(average);
        if (phases || !plan.finite || stopped() || too_dear(3 * price(2) + 1, looks_between(plan.phases))) {
            break;
        }
        HarmonicAverage finer(*field_, 2 * plan.phases + 1);
        sweep(average, 2, plan);
        sweep(finer, 2, plan);
        plan.defect = {.force = change(average.force(), finer.force()),
                       .response = larger(difference(average, average.response(), finer, finer.response(), plan),
                                          off_the_grid(average, plan))};
        if (plan.defect.worst() <= share + clear_of_noise * plan.noise || plan.phases >= most_phases) {
            break;
        }
        constexpr double far = 100;
        plan.phases = more_phases(plan.phases, plan.defect.worst() > far * share);
    }
    // Sweeps: until the averaged force and the state change by little.
    HarmonicAverage average(*field_, plan.phases);
    average.set_weights(weights_);
    const int most = static_cast<int>(sweeps.value_or(most_sweeps));
    for (plan.sweeps = std::min(2, most); plan.finite && plan.affordable && !stopped(); ++plan.sweeps) {
        const auto before = plan.state;
        pass(average, plan.sweeps, plan);
        plan.finite = finite(average);
        // NOTE: of numbers that overflow the pass before tells how they came to.
        plan.ratio = plan.finite ? mean_ratio(average.changes()) : plan.ratio;
        Defect left{.force = left_by_sweeps(average.changes())};
        left.response = over_tolerance(plan.state, before, plan) * std::min(1.0, std::max(plan.ratio, 0.01));
        const bool settled = left.worst() <= share || (average.changes().back() <= 4 * plan.noise && plan.sweeps > 2);
        const bool hopeless = plan.sweeps >= 5 && plan.ratio > most_ratio;
        if (plan.sweeps == most || too_dear(price(plan.sweeps + 1)) || (!sweeps && (settled || hopeless))) {
            plan.defect.include(left);
            break;
        }
    }
    // One more than the start needs: where it is at rest, slow derivatives vanish.
    if (!sweeps && !stopped() && plan.finite && plan.affordable && plan.sweeps < most &&
        !too_dear(price(plan.sweeps + 1))) {
        raise_sweeps(average, plan);
    }
    // NOTE: with sweeps as they are given, the state is not to add errors of its own; each pass gains a factor 1/omega.
    for (int k = 0; sweeps && !stopped() && plan.finite && k < plan.sweeps; ++k) {
        pass(average, plan.sweeps, plan);
    }
    constexpr int least_for_series = 7;
    if (!stopped() && plan.finite && plan.affordable && !too_dear(price(least_for_series))) {
        sweep(average, std::max(plan.sweeps, least_for_series), plan);
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

void HarmonicStart::raise_sweeps(HarmonicAverage& average, HarmonicPlan& plan) const {
    ++plan.sweeps;
    pass(average, plan.sweeps, plan);
}

/// 5, 7, 9, 13, 17, 25, 33, ...: odd, since an even number tells nothing of its highest harmonic.
std::size_t HarmonicStart::more_phases(std::size_t phases, bool many) {
    const std::size_t intervals = phases - 1;
    const bool power_of_two = (intervals & (intervals - 1)) == 0;
    const std::size_t next = many ? 2 * intervals : power_of_two ? intervals * 3 / 2 : intervals * 4 / 3;
    return std::min(next, most_phases) + 1 - (std::min(next, most_phases) % 2);
}

HarmonicStart::Defects HarmonicStart::defects_at(const HarmonicPlan& plan, double t, In state) {
    HarmonicAverage own(*field_, plan.phases);
    HarmonicAverage finer(*field_, 2 * plan.phases + 1);
    own.set_weights(weights_);
    const auto X = state.first(n());
    const auto V = state.subspan(n());
    // NOTE: with all sweeps: each makes harmonics of its own from those of the one before.
    own.sweep(plan.sweeps, t, X, V);
    finer.sweep(plan.sweeps, t, X, V);
    Defects found{.by_phases = {.force = change(own.force(), finer.force()),
                                .response = difference(own, own.response(), finer, finer.response(), plan)}};
    own.sweep(plan.sweeps + 1, t, X, V);
    // NOTE: the last evaluation after one sweep less was that of the last sweep at degree 0.
    found.by_sweeps = {.force = own.changes().back(),
                       .response = difference(own, own.response(), own, own.response_before(), plan)};
    return found;
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
