#include "run/second_opinion.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "judge/coarse_tolerance.hpp"
#include "judge/price.hpp"
#include "lento/run/solve.hpp"

namespace lento {
namespace {

/// The samples of a run. There are more of them than were asked for where these are few; a sink gets those.
class Samples {
public:
    Request collecting(Request request) {
        constexpr std::size_t fewest = 32;
        const std::size_t intervals = request.samples - 1;
        const std::size_t every = (fewest + intervals - 1) / intervals;
        request.samples = intervals * every + 1;
        request.sink = [this, every, given = request.sink](double t, In y) {
            if (given && taken_.size() % every == 0) {
                given(t, y);
            }
            taken_.emplace_back(t, std::vector<double>(y.begin(), y.end()));
        };
        return request;
    }
    std::size_t count() const { return taken_.size(); }
    /// y = (position, velocity) of the true motion where there is one.
    std::vector<double> true_state(const Solution& solution, std::size_t k) const {
        auto state = solution.snapshot(taken_[k].first, taken_[k].second);
        if (solution.has_fast()) {
            state = solution.reconstruct(state);
        }
        auto y = std::move(state.position);
        y.insert(y.end(), state.velocity.begin(), state.velocity.end());
        return y;
    }

private:
    std::vector<std::pair<double, std::vector<double>>> taken_;
};

struct Difference {
    std::vector<double> errors, sizes;
};

/// The largest over the run, at no more than some sixty times: a reconstruction may cost a vibration.
Difference difference(const Samples& samples, const Solution& found, const Samples& others, const Solution& other) {
    constexpr std::size_t most = 64;
    const std::size_t count = std::min(samples.count(), others.count());
    const std::size_t stride = (count + most - 1) / most;
    Difference result;
    for (std::size_t k = (count - 1) % stride; k < count; k += stride) {
        const auto a = samples.true_state(found, k);
        const auto b = others.true_state(other, k);
        result.errors.resize(b.size());
        result.sizes.resize(b.size());
        for (std::size_t i = 0; i < b.size(); ++i) {
            result.errors[i] = larger(result.errors[i], std::abs(a[i] - b[i]));
            result.sizes[i] = larger(result.sizes[i], std::abs(b[i]));
        }
    }
    return result;
}

}  // namespace

std::optional<std::string> missed_tolerance(const Problem& problem, In errors, In sizes, const Tolerance& tolerance,
                                            const std::string& why) {
    double excess = 1;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < std::min(sizes.size(), errors.size()); ++i) {
        const double factor = errors[i] / tolerance.of(i, sizes[i]);
        if (!(factor <= excess)) {
            excess = factor;
            worst = i;
        }
    }
    if (excess == 1) {
        return std::nullopt;
    }
    return fmt::format("the estimate of the error is {:.2g} times the tolerance, in {}{}", excess,
                       problem.name_of_unknown(worst), why);
}

Opinion second_opinion(const Problem& problem, const Request& request) {
    const bool averaged_start = request.options.initial.value_or("true-state") != "true-state";
    Opinion opinion{nullptr, "no method that knows its own error starts from averaged data here"};
    double least = HUGE_VAL;
    for (const Method* method : methods()) {
        const bool resolves = method->slow_is == SlowMeaning::true_motion;
        if (method->estimate != Method::Estimate::own || method->slow_is == SlowMeaning::slow_manifold ||
            (averaged_start && !method->takes("initial"))) {
            continue;
        }
        const auto verdict = method->judge(problem, request);
        const double price = resolves && verdict.evaluations == HUGE_VAL ? 0.0 : verdict.evaluations;
        if (verdict.applies && price > most_for_opinion(problem) && price < HUGE_VAL) {
            opinion.why = fmt::format("resolving every vibration beside it would take about {:.1g} evaluations", price);
        } else if (verdict.applies && price < least) {
            least = price;
            opinion.method = method;
        }
    }
    return opinion;
}

Solution with_second_opinion(const Problem& problem, const Request& request,
                             const std::function<Solution(const Request&)>& run) {
    Samples samples;
    auto found = run(samples.collecting(request));
    if (found.outcome() != Outcome::completed || !found.record().error_estimate.empty()) {
        return found;
    }
    auto opinion = second_opinion(problem, request);
    while (opinion.method != nullptr) {
        Request again = request;
        again.sink = {};
        again.keep = Recorder::Keep::nothing;
        again.most_steps = std::min(request.most_steps, most_steps_for_resolving(problem));
        again.options = only(request.options, opinion.method->takes("initial") ? std::vector<std::string>{"initial"}
                                                                               : std::vector<std::string>{});
        Samples others;
        auto other = solve(problem, others.collecting(again), *opinion.method);
        const auto spent = other.statistics().force_evaluations + other.statistics().estimate_evaluations;
        if (other.record().error_estimate.empty() && opinion.method != &method::direct &&
            method::direct.judge(problem, request).evaluations <= most_for_opinion(problem)) {
            opinion.method = &method::direct;
            continue;
        }
        if (other.record().error_estimate.empty()) {
            opinion.why =
                fmt::format("the method {} beside it ended as {}", opinion.method->name, name_of(other.outcome()));
            break;
        }
        auto [errors, sizes] = difference(samples, found, others, other);
        add_to(errors, 1, other.record().error_estimate);
        const Tolerance tolerance = tolerance_of(problem, request);
        auto missed = missed_tolerance(problem, errors, sizes, tolerance,
                                       fmt::format(", beside the method {}", opinion.method->name));
        return std::move(found).with_estimate(
            std::move(errors), spent, std::move(missed),
            coarse_tolerance(problem, sizes, tolerance, request.t_end - request.t_start));
    }
    return std::move(found).with_estimate(
        {}, 0, fmt::format("nothing tells how wrong this is: {}; estimate=none asks for no more", opinion.why));
}

}  // namespace lento
