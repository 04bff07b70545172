#include "lento/run/run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "judge/constrained_start.hpp"
#include "lento/base/misuse.hpp"

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

}  // namespace

Run::Run(const Problem& problem, const Request& request, const Method& method, ChosenBy by)
    : began_(std::chrono::steady_clock::now()),
      problem_(problem),
      method_(&method),
      by_(by),
      request_(checked(request, problem.dimension())),
      passed_on_(request.stop, [this] { stop_.request_stop(); }) {
    request_.stop = stop_.get_token();
    require_options_apply(request_.options, method);
    record_.method = method.name;
    record_.requested_method = by == ChosenBy::automatic ? method::automatic : method.name;
    record_.slow_is = name_of(method.slow_is);
    record_.t_end = request_.t_start;
    record_.warnings = request_.notes;
    if (problem_.constraints) {
        violation_ = put_on_constraints(problem_, request_.t_start, request_.t_end, request_.start, request_.velocity,
                                        record_.warnings);
    }
}

std::vector<double> Run::start() const {
    auto y = request_.start;
    if (problem_.second_order) {
        y.insert(y.end(), request_.velocity.begin(), request_.velocity.end());
    }
    return y;
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
        violation_ = Violation{violation.outcome, sentence_of(violation)};
    }
    stop_.request_stop();
}

void Run::compare_with_direct(double evaluations_of_direct) {
    if (static_cast<double>(record_.statistics.force_evaluations) > evaluations_of_direct) {
        warn(
            fmt::format("{} force evaluations, where resolving every vibration would take about {:.0f}: the method {} "
                        "is the better choice here",
                        record_.statistics.force_evaluations, evaluations_of_direct, method::direct.name));
    }
}

Solution Run::finished(Ending ending) {
    auto& result = ending.result;
    record_.outcome = result.outcome;
    record_.explanation = std::move(result.explanation);
    if (result.culprit) {
        record_.explanation +=
            fmt::format(" (first in {}){}", problem_.names[*result.culprit % problem_.dimension()], ending.advice);
    }
    record_.t_end = result.reached;
    auto& statistics = record_.statistics;
    statistics.macro_steps += result.steps;
    statistics.rejected_steps += result.rejected;
    statistics.newton_iterations += result.newton_iterations;
    statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    return Solution(std::move(record_), std::move(ending.trajectory), std::move(ending.final_state),
                    std::move(ending.reconstruction), std::move(ending.settling));
}

Solution Run::not_started() {
    Snapshot state{.t = request_.t_start, .position = request_.start};
    if (problem_.second_order) {
        state.velocity = request_.velocity;
    }
    record_.error_estimate.clear();
    return finished(
        {.result = {.outcome = violation_->outcome, .reached = request_.t_start, .explanation = violation_->sentence},
         .final_state = std::move(state)});
}

Solution Run::leave_to(const Method& other, std::string why) {
    record_.better_by = other.name;
    return not_started(Outcome::refused, std::move(why));
}

}  // namespace lento
