#include "lento/run/run.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"
#include "judge/coarse_tolerance.hpp"
#include "judge/constrained_start.hpp"
#include "judge/definite.hpp"
#include "judge/late_times.hpp"
#include "lento/base/misuse.hpp"
#include "run/second_opinion.hpp"

namespace lento {
namespace {

void require_options_apply(const Options& options, const Method& method) {
    std::vector<std::string> known;
    for (const auto& option : method.options) {
        known.emplace_back(option.name);
    }
    for (const auto& name : names_of_set(options)) {
        if (!method.takes(name)) {
            throw Misuse(fmt::format("option '{}' does not apply to the method {}; it takes {}", name, method.name,
                                     known.empty() ? "no options" : listed(known)));
        }
    }
}

/// Whether a march that ended so may have met masses that are none. Where it has not begun, other reasons hold.
bool may_have_lost_masses(const MarchResult& result, double start) {
    switch (result.outcome) {
        case Outcome::diverged:
        case Outcome::unstable:
        case Outcome::not_converged:
        case Outcome::off_constraints:
        case Outcome::budget_exhausted:
            return true;
        case Outcome::refused:
        case Outcome::no_scale_separation:
            return result.reached > start;
        default:
            return false;
    }
}

}  // namespace

void end_as(MarchResult& result, Outcome outcome, std::string explanation) {
    result.outcome = outcome;
    result.explanation = std::move(explanation);
    result.culprit.reset();
}

Run::Run(const Problem& problem, const Request& request, const Method& method, ChosenBy by)
    : began_(std::chrono::steady_clock::now()),
      problem_(problem),
      method_(&method),
      by_(by),
      request_(checked(request, problem)),
      asked_(request_.tolerance()),
      passed_on_(request.stop, [this] { stop_.request_stop(); }) {
    request_.stop = stop_.get_token();
    require_options_apply(request_.options, method);
    require_one_of("estimate", request_.options.estimate.value_or("yes"), {"yes", "none"});
    record_.method = method.name;
    record_.requested_method = by == ChosenBy::name ? method.name : method::automatic;
    record_.slow_is = name_of(method.slow_is);
    record_.t_end = request_.t_start;
    record_.warnings = request_.notes;
    if (problem_.constraints) {
        violation_ = put_on_constraints(problem_, interval(), request_.start, request_.velocity, record_.warnings);
    }
}

void Run::estimate(std::vector<double> errors, std::span<const double> sizes, std::string why,
                   std::vector<double> rates) {
    if (rates.empty()) {
        rates = rates_at_late_times(problem_, outset());
    }
    if (!errors.empty() && !rates.empty()) {
        add_to(errors, rounding_of_times(outset()), rates);
    }
    missed_ = missed_tolerance(problem_, errors, sizes, asked_, why);
    coarse_ = coarse_tolerance(problem_, sizes, asked_, length());
    record_.error_estimate = std::move(errors);
}

std::vector<double> Run::start() const {
    return problem_.second_order ? put_together(request_.start, request_.velocity) : request_.start;
}

void Run::note(const MacroChoice& macro) {
    note("macro", macro.name);
    if (macro.step) {
        note("macro_step", fmt::format("{}", *macro.step));
    }
}

std::string Run::sentence_of(const Violation& violation) {
    return violation.remedy == Remedy::resolve
               ? fmt::format("{}; use the method {}", violation.sentence, method::direct.name)
               : violation.sentence;
}

void Run::refuse(const Violation& violation) {
    if (!violation_) {
        // NOTE: what `auto` has tried already is no remedy.
        violation_ = Violation{violation.outcome,
                               by_ == ChosenBy::automatic_at_last ? violation.sentence : sentence_of(violation)};
    }
    stop_.request_stop();
}

Solution Run::finished(Ending ending) {
    auto& result = ending.result;
    auto& statistics = record_.statistics;
    if (count_) {
        count_();
    }
    if (violation_) {
        end_as(result, violation_->outcome, violation_->sentence);
    }
    if (problem_.mass.varies() && may_have_lost_masses(result, request_.t_start)) {
        explain_by_masses(ending);
    }
    if (const auto& price = ending.price_of_direct;
        price && result.outcome == Outcome::completed && static_cast<double>(statistics.force_evaluations) > *price) {
        warn(
            fmt::format("{} force evaluations, where resolving every vibration would take about {:.0f}: the method {} "
                        "is the better choice here",
                        statistics.force_evaluations, *price, method::direct.name));
    }
    if (result.outcome != Outcome::completed) {
        record_.error_estimate.clear();
    } else {
        if (coarse_) {
            warn(*coarse_);
        }
        if (missed_) {
            warn(*missed_);
            end_as(result, Outcome::tolerance_missed, *missed_);
        }
    }
    record_.outcome = result.outcome;
    record_.explanation = std::move(result.explanation);
    if (result.culprit) {
        record_.explanation +=
            fmt::format(" (first in {}){}", problem_.names[*result.culprit % problem_.dimension()], ending.advice);
    }
    record_.t_end = result.reached;
    statistics.macro_steps += result.steps;
    statistics.rejected_steps += result.rejected;
    statistics.newton_iterations += result.newton_iterations;
    statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    return Solution(std::move(record_), std::move(ending.trajectory), std::move(ending.final_state),
                    std::move(ending.reconstruction), std::move(ending.settling), std::move(ending.vibration));
}

void Run::explain_by_masses(Ending& ending) const {
    constexpr double share = 1.0 / 64;  // of the run, that a first step may be
    auto& result = ending.result;
    const double step =
        result.steps > 0 ? (result.reached - request_.t_start) / static_cast<double>(result.steps) : share * length();
    const auto state = ending.reconstruction ? ending.reconstruction(ending.final_state) : ending.final_state;
    for (const auto& seen : {state, ending.final_state}) {
        const auto masses = masses_at_end(problem_, outset(), {seen.t, seen.position, seen.velocity, 2 * step});
        if (masses && masses->lost) {
            return end_as(result, Outcome::diverged, masses->sentence);
        }
        if (masses) {
            result.explanation += "; " + masses->sentence;
            return;
        }
    }
}

Solution Run::not_started() {
    Snapshot state{.t = request_.t_start, .position = request_.start};
    if (problem_.second_order) {
        state.velocity = request_.velocity;
    }
    record_.error_estimate.clear();
    return finished({.result = {.reached = request_.t_start}, .final_state = std::move(state)});
}

Solution Run::leave_to(const Method& other, std::string why) {
    record_.better_by = other.name;
    return not_started({Outcome::refused, std::move(why)});
}

Tolerance tolerance_of(const Problem& problem, const Request& request) {
    return {request.rtol, request.atol, request.scales.empty() ? problem.scales : request.scales};
}

Request checked(Request request, const Problem& problem) {
    const std::size_t dimension = problem.dimension();
    if (request.velocity.empty()) {
        request.velocity.assign(dimension, 0.0);
    }
    if (!problem.forces) {
        throw Misuse(
            "the problem has no forces: make it by vibrated_system, plain_system or one of their kin, or give it "
            "Forces::of a function");
    }
    for (const auto& phase : problem.phases) {
        require_positive(phase.frequency, fmt::format("the frequency of phase '{}'", phase.name));
    }
    if (request.start.size() != dimension || request.velocity.size() != dimension) {
        const auto counted = [](std::size_t count, const char* one, const char* many) {
            return fmt::format("{} {}", count, count == 1 ? one : many);
        };
        throw Misuse(problem.second_order
                         ? fmt::format("the system has {}; the request gives {} and {}",
                                       counted(dimension, "coordinate", "coordinates"),
                                       counted(request.start.size(), "starting position", "starting positions"),
                                       counted(request.velocity.size(), "velocity", "velocities"))
                         : fmt::format("the system has {}; the request gives {}",
                                       counted(dimension, "variable", "variables"),
                                       counted(request.start.size(), "starting value", "starting values")));
    }
    if (first_not_finite(request.start) || first_not_finite(request.velocity)) {
        throw Misuse("a starting position or velocity is not a finite number");
    }
    if (!std::isfinite(request.t_start) || !std::isfinite(request.t_end) || !(request.t_end > request.t_start)) {
        throw Misuse(fmt::format("t_end is {} and t_start is {}; t_end must be later", request.t_end, request.t_start));
    }
    require_definite_masses(problem, request.start, request.t_start);
    require_positive(request.rtol, "rtol");
    require_positive(request.atol, "atol");
    request.scales = tolerance_of(problem, request).scales;
    require_scales(problem, request.scales);
    if (request.samples < 2) {
        throw Misuse(
            fmt::format("samples is {}; both ends of the run are samples, so at least 2 are needed", request.samples));
    }
    return request;
}

}  // namespace lento
