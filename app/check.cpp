/// `lento check`: reads, differentiates, compiles, probes; says which methods apply and which is recommended.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "findings.hpp"
#include "judge/definite.hpp"
#include "judge/parametric.hpp"
#include "judge/price.hpp"
#include "judge/undeclared.hpp"
#include "lento/base/misuse.hpp"
#include "method/slow_check.hpp"
#include "model/derive.hpp"
#include "model/exact_proposal.hpp"
#include "model/parts.hpp"
#include "problem/spring_spectrum.hpp"
#include "run/trial.hpp"
#include "terminal.hpp"

namespace lento::app {
namespace {

Outset outset_of(const Request& request) {
    return {request.start, request.velocity, request.t_start, request.t_end, request.rtol, request.atol};
}

/// The period of the difference of each pair of phases of different frequencies. Averaging windows have to cover it, so
/// there is a warning where it is much longer than those of the phases themselves.
void find_beats(const std::vector<Phase>& phases, Findings& findings) {
    constexpr double slow = 10;
    const auto slowest = std::ranges::max_element(phases, {}, &Phase::period);
    for (std::size_t i = 0; i < phases.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double difference = std::abs(phases[i].frequency - phases[j].frequency);
            if (!(difference > 1e-9 * phases[i].frequency)) {
                continue;
            }
            const double period = 2 * M_PI / difference;
            const auto source = fmt::format("beat of vibration.{} and vibration.{}", phases[j].name, phases[i].name);
            findings.periods.push_back({fmt::format("{}-{}", phases[j].name, phases[i].name), period, source});
            if (period > slow * slowest->period()) {
                findings.warnings.push_back(fmt::format(
                    "the {} is slow: its period {:.4g} is {:.3g} times that of the slowest phase, and averaging "
                    "windows have to cover it. If the beat is part of the slow motion, use one phase and write the "
                    "other as that phase plus a multiple of t",
                    source, period, period / slowest->period()));
            }
        }
    }
}

void find_periods(const LoadedModel& loaded, Findings& findings) {
    const Problem& problem = loaded.problem;
    auto& periods = findings.periods;
    for (const auto& phase : problem.phases) {
        periods.push_back({phase.name, phase.period(), fmt::format("vibration.{}", phase.name)});
    }
    find_beats(problem.phases, findings);
    if (problem.period) {
        periods.push_back({"oscillation", *problem.period, "oscillation.period"});
    }
    if (!problem.springs) {
        return;
    }
    for (const auto& spring : problem.springs->entries) {
        periods.push_back({spring.name, 2 * M_PI / spring.frequency, fmt::format("springs.{}", spring.name)});
    }
    // Springs that act on each other are slower and faster together than each by itself.
    const auto spectrum = spring_spectrum(problem, loaded.request.start, loaded.request.t_start);
    if (spectrum.vanishing || problem.springs->entries.size() < 2) {
        return;
    }
    const char* source = "all springs together, at the start";
    periods.push_back({"fastest", 2 * M_PI / spectrum.fastest, source});
    if (spectrum.known) {
        periods.push_back({"slowest", 2 * M_PI / spectrum.slowest, source});
    }
}

RunOutput::Named residuals_of(model::Model model) {
    const auto terms = model::constraint_terms(model);
    const auto values = model::values_at_start(model, terms.values);
    const auto rates = model::values_at_start(model, terms.velocity_residuals);
    RunOutput::Named residuals;
    for (std::size_t j = 0; j < values.size(); ++j) {
        residuals.emplace_back(model.constraints[j].name, values[j]);
        residuals.emplace_back(model.constraints[j].name + "_dot", rates[j]);
    }
    return residuals;
}

struct Interrupted {};

/// Tries an averaging method on the first stretch of the run, loosely.
std::optional<Trial> try_method(const LoadedModel& loaded, Findings::Judged& entry) {
    const Request asked = loaded.request_for(*entry.method);
    Request request = trial_request(*entry.method, asked);
    Progress progress(fmt::format("trying {}", entry.method->name), request.t_start, request.t_end);
    request.progress = std::ref(progress);
    request.stop = progress.token();
    std::optional<Solution> tried;
    try {
        tried = solve(loaded.problem, request);
    } catch (const Misuse& misuse) {
        entry.failure = {"misuse", misuse.what()};
        return std::nullopt;
    }
    if (tried->outcome() == Outcome::interrupted) {
        throw Interrupted();
    }
    const auto trial = trial_of(*tried, *entry.method, asked);
    if (!trial) {
        entry.failure = {std::string(name_of(tried->outcome())), tried->explanation()};
        return std::nullopt;
    }
    entry.evaluations = trial->evaluations;
    if (trial->period) {
        entry.why = fmt::format("the motion returns near its start after {:.6g}", *trial->period);
    }
    entry.why += fmt::format("; about {:.2g} force evaluations{}", trial->evaluations,
                             entry.method->estimate == Method::Estimate::own ? "" : ", without those for an estimate");
    return trial;
}

/// Why no method can start, constraints being what they are: off them, or dependent.
std::optional<std::string> start_problem(const LoadedModel& loaded) {
    if (!loaded.problem.constraints || !std::isfinite(loaded.request.t_end)) {
        return std::nullopt;
    }
    Request request = loaded.request_for(method::direct);
    request.most_steps = 1;
    const Solution started = solve(loaded.problem, request);
    const auto outcome = started.outcome();
    if (outcome == Outcome::off_constraints || outcome == Outcome::refused || outcome == Outcome::diverged) {
        return fmt::format("{}: {}", name_of(outcome), started.explanation());
    }
    return std::nullopt;
}

/// Why `auto` begins with `chosen` and not with `other`, though a trial found that to be cheaper.
std::string why_not_chosen(const Problem& problem, const Request& request, const Method& other, const Method& chosen) {
    const auto given = names_of_set(request.options);
    const auto missing = std::ranges::find_if(given, [&](const auto& name) { return !other.takes(name); });
    if (missing != given.end()) {
        return fmt::format("it does not take the option {} that is given", *missing);
    }
    const auto verdict = other.judge(problem, request);
    if (verdict.evaluations == HUGE_VAL) {
        return "its price is not known before it begins";
    }
    if (verdict.expected_error > 1) {
        return fmt::format("{} {:.2g} tolerances, as far as the start tells",
                           other.slow_is == SlowMeaning::slow_manifold ? "it leaves out fast oscillations of about"
                                                                       : "its error would be about",
                           verdict.expected_error);
    }
    if (&other == &method::direct && verdict.evaluations > most_for_resolving(problem)) {
        return fmt::format("{:.1g} evaluations are the most that it spends on resolving vibrations unasked",
                           most_for_resolving(problem));
    }
    return fmt::format("by what methods say before they begin it takes {:.2g}, {} {:.2g}", verdict.evaluations,
                       chosen.name, chosen.judge(problem, request).evaluations);
}

/// A method that takes less than the recommended one, by trials, and knows its own error; empty if there is none.
std::string advice_of(const LoadedModel& loaded, const Request& automatically, const Findings& findings,
                      const Method& recommended, double found_period) {
    const double length = loaded.request.t_end - loaded.request.t_start;
    const double period = loaded.fastest_period().value_or(found_period > 0 ? found_period : length);
    const bool undriven = loaded.problem.phases.empty() && !loaded.problem.springs && period < length;
    const double direct = undriven ? direct_by_trial(loaded.problem, loaded.request_for(method::direct), period)
                                   : price_of_direct(loaded.problem, length / period, loaded.request.rtol);
    const auto price_of = [](const Findings::Judged& entry) {
        return entry.method->estimate == Method::Estimate::own ? entry.evaluations.value_or(HUGE_VAL) : HUGE_VAL;
    };
    const auto mine = std::ranges::find(findings.methods, &recommended, &Findings::Judged::method);
    const auto cheapest = std::ranges::min_element(findings.methods, {}, price_of);
    const double price = mine->evaluations.value_or(direct);
    constexpr double clearly = 0.5;
    const auto sentence = [&](const Method& other, const std::string& takes) {
        const auto& compared = mine->evaluations ? recommended : method::direct;
        return fmt::format("{} force evaluations{}, {} {:.2g}: --method {}. `{}` does not begin with it: {}", takes,
                           &other == &method::direct ? "" : " by a trial", compared.name, price, other.name,
                           method::automatic, why_not_chosen(loaded.problem, automatically, other, recommended));
    };
    if (mine->evaluations && direct < clearly * price) {
        return sentence(method::direct, fmt::format("resolving every vibration takes about {:.2g}", direct));
    }
    if (cheapest != mine && price_of(*cheapest) < clearly * price) {
        return sentence(*cheapest->method,
                        fmt::format("{} takes about {:.2g}", cheapest->method->name, price_of(*cheapest)));
    }
    return {};
}

/// What `run` does where its choice ends as the trial of it did.
std::string then_goes_on(const Problem& problem, const Request& request, const Choice& choice) {
    std::vector<std::string> next;
    const double price = method::direct.judge(problem, request).evaluations;
    if (price <= most_for_resolving(problem) || price == HUGE_VAL) {
        next.emplace_back(method::direct.name);
    }
    if (choice.otherwise != nullptr) {
        next.emplace_back(choice.otherwise->name);
    }
    return next.empty() ? "there is no other that it could go on with"
                        : fmt::format("it goes on with {}", fmt::join(next, " or "));
}

/// What a direct run would say that nobody has declared, as far as the start tells.
std::optional<std::string> undeclared(const LoadedModel& loaded) {
    const auto& request = loaded.request;
    const Outset outset = outset_of(request);
    if (const auto frequency = undeclared_frequency(loaded.problem, outset)) {
        return advice_on_frequency(*frequency, outset);
    }
    auto y = request.start;
    if (loaded.problem.second_order) {
        y.insert(y.end(), request.velocity.begin(), request.velocity.end());
    }
    const auto period = undeclared_phase(loaded.problem, outset, {{request.t_start, std::move(y)}}).period;
    constexpr double long_run = 1e6;  // evaluations; shorter ones need no other method
    return period && price_of_direct(loaded.problem, outset.length() / *period, request.rtol) > long_run
               ? std::optional(advice_on_period(*period, outset, method::multirevolution.name))
               : std::nullopt;
}

Findings findings_of(const LoadedModel& loaded, const Choice& choice, const Request& automatically) {
    const bool has_end = std::isfinite(loaded.request.t_end);
    Findings findings;
    find_periods(loaded, findings);
    if (auto resonance = parametric_resonance(loaded.problem, outset_of(loaded.request), method::direct.name)) {
        findings.warnings.push_back(*std::move(resonance));
    }
    findings.residuals = residuals_of(loaded.model.parsed());
    findings.exact = model::exact_proposal(loaded.model.parsed());
    Request request = loaded.request;
    request.options = {};
    if (has_end && method::reversible.judge(loaded.problem, request).applies) {
        findings.slow = judged_slow_variables(loaded.problem, request);
    }
    for (const Method* method : lento::methods()) {
        auto verdict = method->judge(loaded.problem, loaded.request);
        findings.methods.push_back({method, verdict.applies, std::move(verdict.why)});
    }
    if (const auto problem = start_problem(loaded)) {
        for (auto& entry : findings.methods) {
            if (entry.applies) {
                entry = {entry.method, false, *problem};
            }
        }
        findings.why = "no method can start: see the reasons above";
        return findings;
    }
    double found_period = 0;
    for (auto& entry : findings.methods) {
        if (entry.applies && entry.method != &method::direct && has_end) {
            if (const auto trial = try_method(loaded, entry)) {
                found_period = std::max(found_period, trial->period.value_or(0));
                findings.slow_time = std::max(findings.slow_time.value_or(0), trial->slow_time);
            }
        }
    }
    const auto slowest = std::ranges::max_element(findings.periods, {}, &Findings::Period::period);
    if (findings.slow_time && slowest != findings.periods.end() && slowest->period > 0) {
        findings.separation = *findings.slow_time / slowest->period;
    }
    findings.recommended = choice.method->name;
    findings.why = choice.why;
    const auto own = std::ranges::find(findings.methods, choice.method, &Findings::Judged::method);
    if (own->failure) {
        findings.why += fmt::format("; but a short trial of it ended as {}: where the run does too, {}",
                                    own->failure->outcome, then_goes_on(loaded.problem, automatically, choice));
    }
    if (has_end) {
        findings.advice = advice_of(loaded, automatically, findings, *choice.method, found_period);
        if (auto sentence = undeclared(loaded)) {
            findings.warnings.push_back(std::move(*sentence));
        }
    }
    return findings;
}

}  // namespace

Exit check(const ModelArguments& arguments) {
    LoadedModel loaded = load(arguments, Model::End::optional);
    require_definite_masses(loaded.problem, loaded.request.start, loaded.request.t_start);
    Model::Asked asked = arguments;
    asked.method = method::automatic;
    const Request automatically = loaded.model.request(asked, Model::End::optional);
    const auto choice = automatic_choice(loaded.problem, automatically);
    const auto why_not = loaded.model.find_slow_variables();
    loaded.problem = loaded.model.problem();
    try {
        Findings findings = findings_of(loaded, choice, automatically);
        findings.no_slow_variables = why_not.value_or("");
        if (arguments.json) {
            fmt::print("{}\n", json_text(findings_json(loaded, findings)));
        } else if (!arguments.quiet) {
            print_findings(loaded, findings);
        }
        return Exit::done;
    } catch (const Interrupted&) {
        fmt::print(stderr, "lento: interrupted\n");
        return Exit::interrupted;
    }
}

}  // namespace lento::app
