#include "run/second_opinion.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "judge/coarse_tolerance.hpp"
#include "judge/price.hpp"
#include "lento/run/solve.hpp"
#include "march/sample_store.hpp"

namespace lento {
namespace {

enum class Compared { true_motion, slow_variables, slow_motion };

/// The samples of a run, held until it is known whether they are the answer. There are more of them than were asked for
/// where these are few; a sink gets those.
class Samples {
public:
    Request collecting(Request request) {
        constexpr std::size_t fewest = 32;
        if (request.samples < 2) {
            return request;  // which no run accepts
        }
        const std::size_t intervals = request.samples - 1;
        every_ = (fewest + intervals - 1) / intervals;
        request.samples = intervals * every_ + 1;
        request.sink = [this](double t, In y) { taken_.append(t, y); };
        return request;
    }
    void send(const SampleSink& sink) const {
        SampleStore::Reader taken(taken_);
        for (std::size_t k = 0; sink && k < taken.size(); k += every_) {
            sink(taken.t(k), taken[k]);
        }
    }
    std::size_t count() const { return taken_.size(); }
    double time(std::size_t k) const { return SampleStore::Reader(taken_).t(k); }
    /// y = (position, velocity), of the true motion where there is one and it is what is compared.
    std::vector<double> state(const Solution& solution, std::size_t k, Compared compared) const {
        SampleStore::Reader taken(taken_);
        auto state = solution.snapshot(taken.t(k), taken[k]);
        if (solution.has_fast() && compared != Compared::slow_motion) {
            state = solution.reconstruct(state);
        }
        auto y = std::move(state.position);
        y.insert(y.end(), state.velocity.begin(), state.velocity.end());
        return y;
    }

private:
    std::size_t every_ = 1;
    SampleStore taken_;
};

/// A run, with its samples.
struct Sampled {
    Samples samples{};
    std::optional<Solution> solution{};
};

struct Difference {
    std::vector<double> errors, sizes;
};

/// Slow variables at a state, and what errors of the state make of them: sum_i |d xi/d y_i| error_i.
struct SlowValues {
    std::vector<double> values, uncertain;
};

SlowValues slow_values(const Problem& problem, double t, In y, In errors) {
    const auto theta = problem.phases_at(t);
    const std::size_t count = problem.slow->outputs();
    SlowValues slow{std::vector<double>(count), std::vector<double>(count)};
    problem.slow->values(y, t, theta, slow.values);
    std::vector<double> gradients(errors.empty() ? 0 : count * y.size());
    if (!errors.empty()) {
        problem.slow->gradients(y, t, theta, gradients);
    }
    for (std::size_t k = 0; k < gradients.size(); ++k) {
        slow.uncertain[k / y.size()] += std::abs(gradients[k]) * errors[k % y.size()];
    }
    return slow;
}

/// The largest over the run, at no more than some sixty times: a reconstruction may cost a vibration.
Difference difference(const Problem& problem, Compared compared, const Sampled& found, const Sampled& other) {
    constexpr std::size_t most = 64;
    const std::size_t count = std::min(found.samples.count(), other.samples.count());
    const std::size_t stride = (count + most - 1) / most;
    Difference result;
    for (std::size_t k = (count - 1) % stride; k < count; k += stride) {
        const double t = found.samples.time(k);
        auto a = found.samples.state(*found.solution, k, compared);
        auto b = other.samples.state(*other.solution, k, compared);
        auto uncertain = other.solution->record().error_estimate;
        if (compared == Compared::slow_variables) {
            a = slow_values(problem, t, a, {}).values;
            auto slow = slow_values(problem, t, b, uncertain);
            b = std::move(slow.values);
            uncertain = std::move(slow.uncertain);
        }
        result.errors.resize(b.size());
        result.sizes.resize(b.size());
        for (std::size_t i = 0; i < b.size(); ++i) {
            result.errors[i] = larger(result.errors[i], std::abs(a[i] - b[i]) + uncertain[i]);
            result.sizes[i] = larger(result.sizes[i], std::abs(b[i]));
        }
    }
    return result;
}

/// By which factor, and where, errors are farthest above the tolerance; none where all are within.
struct Excess {
    double factor;
    std::size_t worst;
};

std::optional<Excess> excess(In errors, In sizes, const Tolerance& tolerance) {
    Excess found{1, 0};
    for (std::size_t i = 0; i < std::min(sizes.size(), errors.size()) && !std::isnan(found.factor); ++i) {
        const double factor = errors[i] / tolerance.of(i, sizes[i]);
        if (!(factor <= found.factor)) {
            found = {factor, i};
        }
    }
    return found.factor == 1 ? std::nullopt : std::optional(found);
}

std::string missed_sentence(const Excess& excess, const std::string& where, const std::string& why) {
    return fmt::format("the estimate of the error is {:.2g} times the tolerance, in {}{}", excess.factor, where, why);
}

/// The name of an output of the slow variables.
std::string output_name(const SlowFunctions& slow, std::size_t output) {
    for (const auto& [name, alternative] : slow.names()) {
        if (output-- == 0) {
            return name;
        }
        if (!alternative.empty() && output-- == 0) {
            return alternative;
        }
    }
    return {};
}

Compared compared_by(const Problem& problem, const Method& method, const Solution& found) {
    if (method.slow_is == SlowMeaning::slow_variables && problem.slow) {
        return Compared::slow_variables;
    }
    return problem.springs && !found.has_fast() ? Compared::slow_motion : Compared::true_motion;
}

/// The methods that know their own error here, the cheapest first, but slow motions of springs before true ones where
/// these are compared; without those that are too dear, of which `why` tells.
struct Opinions {
    std::vector<const Method*> methods{};
    std::string why;
};

Opinions opinions(const Problem& problem, const Request& request, Compared compared) {
    const bool averaged_start = request.options.initial.value_or("true-state") != "true-state";
    Opinions found{.why = "no method that knows its own error starts from averaged data here"};
    std::vector<std::pair<double, const Method*>> priced;
    for (const Method* method : methods()) {
        const bool resolves = method->slow_is == SlowMeaning::true_motion;
        const bool on_manifold = method->slow_is == SlowMeaning::slow_manifold;
        if (method->estimate != Method::Estimate::own || (on_manifold && compared != Compared::slow_motion) ||
            (averaged_start && !method->takes("initial"))) {
            continue;
        }
        Request asked = request;
        asked.options = {};
        const auto verdict = method->judge(problem, asked);
        const double price = resolves && verdict.evaluations == HUGE_VAL ? 0.0 : verdict.evaluations;
        if (verdict.applies && price > most_for_opinion(problem)) {
            found.why = fmt::format("resolving every vibration beside it would take about {:.1g} evaluations", price);
        } else if (verdict.applies) {
            priced.emplace_back(on_manifold ? -1.0 : price, method);
        }
    }
    std::ranges::stable_sort(priced, {}, &std::pair<double, const Method*>::first);
    for (const auto& [price, method] : priced) {
        found.methods.push_back(method);
    }
    return found;
}

/// What a second opinion is asked for. NOTE: what the other is uncertain by counts as an error of the first. Slow
/// variables get all of it by the chain rule, though most of it is an error of the phase, which they do not see.
Request request_beside(const Problem& problem, const Request& request, const Method& other, Compared compared) {
    constexpr double tightest = 1e-13;  // below it there is only rounding
    const double share = compared == Compared::slow_variables ? 0.01 : 0.1;
    Request beside = request;
    beside.sink = {};
    beside.keep = Recorder::Keep::nothing;
    beside.rtol = std::max(share * request.rtol, std::min(request.rtol, tightest));
    beside.atol = beside.rtol / request.rtol * request.atol;
    beside.most_steps = std::min(request.most_steps, most_steps_for_resolving(problem));
    beside.options = only(request.options,
                          other.takes("initial") ? std::vector<std::string>{"initial"} : std::vector<std::string>{});
    return beside;
}

/// Of runs whose results are not kept.
struct Cost {
    std::int64_t evaluations = 0;
    double seconds = 0;

    void add(const Statistics& statistics) {
        evaluations += statistics.force_evaluations + statistics.estimate_evaluations;
        seconds += statistics.wall_seconds;
    }
};

}  // namespace

std::optional<std::string> missed_tolerance(const Problem& problem, In errors, In sizes, const Tolerance& tolerance,
                                            const std::string& why) {
    const auto found = excess(errors, sizes, tolerance);
    if (!found) {
        return std::nullopt;
    }
    return missed_sentence(*found, problem.name_of_unknown(found->worst), why);
}

bool has_settings(const Request& request) {
    return std::ranges::any_of(names_of_set(request.options),
                               [](const auto& name) { return name != "estimate" && name != "initial"; });
}

Solution with_second_opinion(const Problem& problem, const Request& request, const Method& method,
                             const std::function<Solution(const Request&)>& run) {
    const auto sampled = [&](const Request& asked, const auto& solver) {
        Sampled result;
        result.solution = solver(result.samples.collecting(asked));
        return result;
    };
    auto found = sampled(request, run);
    const auto answered = [&](Estimated estimated) {
        found.samples.send(request.sink);
        return (*std::move(found.solution)).with_estimate(std::move(estimated));
    };
    if (found.solution->outcome() != Outcome::completed || !found.solution->record().error_estimate.empty()) {
        found.samples.send(request.sink);
        return *std::move(found.solution);
    }
    const auto compared = compared_by(problem, method, *found.solution);
    auto [candidates, why] = opinions(problem, request, compared);
    Cost spent;
    for (const Method* candidate : candidates) {
        const auto other = sampled(request_beside(problem, request, *candidate, compared),
                                   [&](const Request& asked) { return solve(problem, asked, *candidate); });
        spent.add(other.solution->statistics());
        if (other.solution->record().error_estimate.empty()) {
            why =
                fmt::format("the method {} beside it ended as {}", candidate->name, name_of(other.solution->outcome()));
            continue;
        }
        const bool slow_variables = compared == Compared::slow_variables;
        const auto tolerance = slow_variables ? Tolerance{request.rtol, request.atol} : tolerance_of(problem, request);
        auto best = difference(problem, compared, found, other);
        auto above = excess(best.errors, best.sizes, tolerance);
        // NOTE: a step within the tolerance is not yet a motion within it. What the method neglects stays, however
        // short its steps: what is far off, or takes many more steps, is not a matter of them.
        constexpr double margin = 0.3, better = 0.5, far = 1e4;
        constexpr std::int64_t times = 4, few = 200;
        Request tighter = request;
        for (int again = 0; above && above->factor < far && again < 5 && !has_settings(request); ++again) {
            tighter.most_steps = std::min(request.most_steps, times * found.solution->statistics().macro_steps + few);
            constexpr double most_tighter = 0.1;  // a try whether it helps at all costs half a run more
            const double tightening = std::max(most_tighter, margin / above->factor);
            tighter.rtol *= tightening;
            tighter.atol *= tightening;
            auto next = sampled(tighter, run);
            const bool ended = next.solution->outcome() == Outcome::completed;
            auto closer = ended ? difference(problem, compared, next, other) : best;
            const auto left = excess(closer.errors, closer.sizes, tolerance);
            if (left && !(left->factor < better * above->factor)) {
                spent.add(next.solution->statistics());
                break;
            }
            spent.add(found.solution->statistics());
            found = std::move(next);
            best = std::move(closer);
            above = left;
        }
        Estimated estimated{.evaluations = spent.evaluations, .seconds = spent.seconds};
        if (above) {
            estimated.missed = missed_sentence(
                *above,
                slow_variables ? output_name(*problem.slow, above->worst) : problem.name_of_unknown(above->worst),
                fmt::format(", beside the method {}", candidate->name));
        }
        if (!slow_variables) {
            estimated.coarse = coarse_tolerance(problem, best.sizes, tolerance, request.t_end - request.t_start);
        }
        (slow_variables ? estimated.slow_errors : estimated.errors) = std::move(best.errors);
        estimated.left_out = other.solution->record().left_out;
        return answered(std::move(estimated));
    }
    return answered({.missed = fmt::format("nothing tells how wrong this is: {}; estimate=none asks for no more", why),
                     .evaluations = spent.evaluations,
                     .seconds = spent.seconds});
}

}  // namespace lento
