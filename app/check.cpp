/// `lento check`: reads, differentiates, compiles, probes; says which methods apply and which is recommended.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "average/fast_part.hpp"
#include "base/eigenvalues.hpp"
#include "findings.hpp"
#include "judge/price.hpp"
#include "judge/undeclared.hpp"
#include "lento/base/misuse.hpp"
#include "method/slow_check.hpp"
#include "model/derive.hpp"
#include "model/parts.hpp"
#include "problem/spring_spectrum.hpp"
#include "terminal.hpp"

namespace lento::app {
namespace {

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

/// The linear part of the rates, if it oscillates and nobody has declared an exact part.
std::vector<std::pair<std::string, std::string>> exact_proposal(model::Model model) {
    if (!model.is_first_order() || model::has_exact_part(model)) {
        return {};
    }
    const Eigen::MatrixXd matrix = model::linear_terms(model);
    double frequency = 0;
    double growth = 0;
    for (const auto& value : eigenvalues(matrix)) {
        frequency = std::max(frequency, std::abs(value.imag()));
        growth = std::max(growth, std::abs(value.real()));
    }
    constexpr double hardly = 0.1;
    if (!(frequency > 0) || growth > hardly * frequency) {
        return {};
    }
    std::vector<std::pair<std::string, std::string>> parts;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        std::string part;
        for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
            if (const double factor = matrix(i, j); factor != 0) {
                const auto& name = model.variables[static_cast<std::size_t>(j)].name;
                const std::string size = std::abs(factor) == 1 ? name : fmt::format("{}*{}", std::abs(factor), name);
                part += part.empty() ? (factor < 0 ? "-" : "") + size : (factor < 0 ? " - " : " + ") + size;
            }
        }
        if (!part.empty()) {
            parts.emplace_back(model.variables[static_cast<std::size_t>(i)].name, part);
        }
    }
    return parts;
}

struct Interrupted {};

/// What a trial showed: the length of its macro-steps, and the period that was found where none is declared.
struct Trial {
    double slow_time = 0, period = 0;
};

/// Tries an averaging method on the first stretch of the run, loosely: whether it gets going, and what it takes.
Trial try_method(const LoadedModel& loaded, Findings::Judged& entry) {
    Request request = loaded.request_for(*entry.method);
    request.rtol = 1e-3;
    request.atol = 1e-6;
    request.most_steps = 50;
    if (entry.method->estimate != Method::Estimate::own) {
        request.options.estimate = "none";  // a second opinion is not what is tried
    }
    Progress progress(fmt::format("trying {}", entry.method->name), request.t_start, request.t_end);
    request.progress = std::ref(progress);
    request.stop = progress.token();
    const auto does_not_apply = [&](std::string why) {
        entry.applies = false;
        entry.why = std::move(why);
        return Trial();
    };
    std::optional<Solution> tried;
    try {
        tried = solve(loaded.problem, request);
    } catch (const Misuse& misuse) {
        return does_not_apply(misuse.what());
    }
    const Solution& trial = *tried;
    const auto outcome = trial.outcome();
    if (outcome == Outcome::interrupted) {
        throw Interrupted();
    }
    if (!has_result(outcome) && outcome != Outcome::budget_exhausted) {
        return does_not_apply(fmt::format("{}: {}", name_of(outcome), trial.explanation()));
    }
    const double reached = trial.record().t_end - request.t_start;
    // Steps become shorter by the root of the tolerance that belongs to the order of the macro-solver.
    const double order = entry.method == &method::multirevolution ? 8 : 4;
    const double finer = std::pow(request.rtol / loaded.request.rtol, 1 / (order + 1));
    const double length = request.t_end - request.t_start;
    entry.evaluations = all_evaluations(trial.statistics()) * finer * length / reached;
    Trial result{reached / static_cast<double>(std::max<std::int64_t>(1, trial.statistics().macro_steps))};
    if (const auto revolutions = trial.final_state().revolutions) {
        result.period = reached / *revolutions;
        entry.why = fmt::format("the motion returns near its start after {:.6g}", result.period);
    }
    entry.why += fmt::format("; about {:.2g} force evaluations{}", *entry.evaluations,
                             entry.method->estimate == Method::Estimate::own ? "" : ", without those for an estimate");
    return result;
}

/// What a direct run takes where no phase ties the motion down, from its first periods: errors of all oscillations add
/// up along the orbit, so each has to be resolved that much better.
double direct_evaluations(const LoadedModel& loaded, double period) {
    constexpr double periods = 20;
    constexpr double tightest = 1e-13;
    Request request = loaded.request_for(method::direct);
    const double count = (request.t_end - request.t_start) / period;
    request.rtol = std::max(tightest, request.rtol / count);
    request.atol = std::max(tightest * request.atol / loaded.request.rtol, request.atol / count);
    request.t_end = std::min(request.t_end, request.t_start + periods * period);
    const double share = (request.t_end - request.t_start) / (count * period);
    return all_evaluations(solve(loaded.problem, request).statistics()) / share;
}

/// A resonance of the motion itself that averaged methods cannot know of.
std::optional<std::string> parametric_resonance(const LoadedModel& loaded) {
    constexpr std::size_t most = 400;
    const Problem& problem = loaded.problem;
    const Request& request = loaded.request;
    if (!problem.second_order || problem.phases.empty()) {
        return std::nullopt;
    }
    if (problem.dimension() > most) {
        return fmt::format("{} coordinates are too many to look for parametric resonance", problem.dimension());
    }
    Acceleration acceleration(problem);
    const double strength = parametric_strength(acceleration, request.start, request.velocity, request.t_start);
    if (!(strength > largest_parametric_strength)) {
        return std::nullopt;
    }
    return fmt::format(
        "the vibration is so strong that the motion about the start may resonate with it parametrically: the "
        "derivative of the fast displacement is {:.3g}, where {} is the limit near an equilibrium. Averaged methods "
        "cannot see this; trust only `{}`, or make the vibration faster at the same velocity",
        strength, largest_parametric_strength, method::direct.name);
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

/// A method that takes less than the recommended one, by trials, and knows its own error; empty if there is none.
std::string advice_of(const LoadedModel& loaded, const Findings& findings, double found_period) {
    const double length = loaded.request.t_end - loaded.request.t_start;
    const double period = loaded.fastest_period().value_or(found_period > 0 ? found_period : length);
    const bool undriven = loaded.problem.phases.empty() && !loaded.problem.springs && period < length;
    const double direct = undriven ? direct_evaluations(loaded, period)
                                   : price_of_direct(loaded.problem, length / period, loaded.request.rtol);
    const auto price_of = [](const Findings::Judged& entry) {
        return entry.method->estimate == Method::Estimate::own ? entry.evaluations.value_or(HUGE_VAL) : HUGE_VAL;
    };
    const auto name = [](const Findings::Judged& entry) { return entry.method->name; };
    const auto mine = std::ranges::find(findings.methods, findings.recommended, name);
    const double price = mine->evaluations.value_or(direct);
    constexpr double clearly = 0.5;
    if (mine->evaluations && direct < clearly * price) {
        return fmt::format("resolving every vibration takes about {:.2g} force evaluations, {} {:.2g}: --method {}",
                           direct, findings.recommended, price, method::direct.name);
    }
    const auto cheapest = std::ranges::min_element(findings.methods, {}, price_of);
    if (cheapest != mine && price_of(*cheapest) < clearly * price) {
        return fmt::format("{} takes about {:.2g} force evaluations by a trial, {} {:.2g}: --method {}",
                           cheapest->method->name, price_of(*cheapest), findings.recommended, price,
                           cheapest->method->name);
    }
    return {};
}

/// What a direct run would say that nobody has declared, as far as the start tells.
std::optional<std::string> undeclared(const LoadedModel& loaded) {
    const auto& request = loaded.request;
    const Outset outset{request.start, request.velocity, request.t_start, request.t_end, request.rtol, request.atol};
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

Findings findings_of(const LoadedModel& loaded, const Choice& choice) {
    const bool has_end = std::isfinite(loaded.request.t_end);
    Findings findings;
    find_periods(loaded, findings);
    if (const auto resonance = parametric_resonance(loaded)) {
        findings.warnings.push_back(*resonance);
    }
    findings.residuals = residuals_of(loaded.model.parsed());
    findings.exact = exact_proposal(loaded.model.parsed());
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
            const Trial trial = try_method(loaded, entry);
            found_period = std::max(found_period, trial.period);
            if (entry.evaluations) {
                findings.slow_time = std::max(findings.slow_time.value_or(0), trial.slow_time);
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
    if (!own->applies) {
        findings.why +=
            fmt::format("; but a trial ended as said above: then `{}` goes on with another", method::automatic);
    }
    if (has_end) {
        findings.advice = advice_of(loaded, findings, found_period);
        if (auto sentence = undeclared(loaded)) {
            findings.warnings.push_back(std::move(*sentence));
        }
    }
    return findings;
}

}  // namespace

Exit check(const ModelArguments& arguments) {
    LoadedModel loaded = load(arguments, Model::End::optional);
    Model::Asked automatically = arguments;
    automatically.method = method::automatic;
    const auto choice = automatic_choice(loaded.problem, loaded.model.request(automatically, Model::End::optional));
    const auto why_not = loaded.model.find_slow_variables();
    loaded.problem = loaded.model.problem();
    try {
        Findings findings = findings_of(loaded, choice);
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
