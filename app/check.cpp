/// `lento check`: reads, differentiates, compiles, probes; says which methods apply and which is recommended.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "average/fast_part.hpp"
#include "base/eigenvalues.hpp"
#include "judge/price.hpp"
#include "lento/base/misuse.hpp"
#include "loaded_model.hpp"
#include "model/derive.hpp"
#include "model/parts.hpp"
#include "progress.hpp"
#include "slow_findings.hpp"

namespace lento::app {
namespace {

using Json = nlohmann::ordered_json;

struct Period {
    std::string name;
    double period = 0;
    std::string source;
};

struct Residual {
    std::string name;
    double value = 0;
};

/// What a method says of the model, and what a first stretch with it showed.
struct Suitable {
    const Method* method = nullptr;
    bool applies = false;
    std::string why;
};

struct Findings {
    std::vector<Period> periods;
    std::optional<double> slow_time, separation;
    std::vector<Residual> residuals;
    std::vector<Suitable> methods;
    std::string recommended;  ///< what `run` begins with; empty if nothing can start
    std::string why;
    std::string advice;                                      ///< another one that a trial found to be cheaper
    std::vector<std::pair<std::string, std::string>> exact;  ///< parts of rates that could be declared exactly solvable
    SlowFindings slow;
    std::vector<std::string> warnings;
};

/// Each pair of phases of different frequencies, and the period of their difference.
std::vector<Period> beats_of(const std::vector<Phase>& phases) {
    std::vector<Period> beats;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double difference = std::abs(phases[i].frequency - phases[j].frequency);
            if (difference > 1e-9 * phases[i].frequency) {
                beats.push_back({fmt::format("{}-{}", phases[j].name, phases[i].name), 2 * M_PI / difference,
                                 fmt::format("beat of vibration.{} and vibration.{}", phases[j].name, phases[i].name)});
            }
        }
    }
    return beats;
}

/// Beats much slower than the phases themselves: windows have to cover them.
std::vector<std::string> slow_beats(const std::vector<Phase>& phases) {
    constexpr double slow = 10;
    double slowest = 0;
    for (const auto& phase : phases) {
        slowest = std::max(slowest, phase.period());
    }
    std::vector<std::string> warnings;
    for (const auto& beat : beats_of(phases)) {
        if (beat.period > slow * slowest) {
            warnings.push_back(
                fmt::format("the {} is slow: its period {:.4g} is {:.3g} times that of the slowest phase, and "
                            "averaging windows have to cover it. If the beat is part of the slow motion, use one phase "
                            "and write the other as that phase plus a multiple of t",
                            beat.source, beat.period, beat.period / slowest));
        }
    }
    return warnings;
}

std::vector<Period> periods_of(const Problem& problem) {
    std::vector<Period> periods;
    for (const auto& phase : problem.phases) {
        periods.push_back({phase.name, phase.period(), fmt::format("vibration.{}", phase.name)});
    }
    const auto beats = beats_of(problem.phases);
    periods.insert(periods.end(), beats.begin(), beats.end());
    if (problem.period) {
        periods.push_back({"oscillation", *problem.period, "oscillation.period"});
    }
    for (const auto& spring : problem.springs ? problem.springs->entries : std::vector<SpringEntry>()) {
        periods.push_back({spring.name, 2 * M_PI / spring.frequency, fmt::format("springs.{}", spring.name)});
    }
    return periods;
}

/// Springs that act on each other are slower and faster together than each by itself.
std::vector<Period> periods_together(const LoadedModel& loaded) {
    const auto spectrum = loaded.spring_spectrum();
    if (!spectrum || spectrum->vanishing || loaded.problem().springs->entries.size() < 2) {
        return {};
    }
    const std::string source = "all springs together, at the start";
    std::vector<Period> periods{{"fastest", 2 * M_PI / spectrum->fastest, source}};
    if (spectrum->known) {
        periods.push_back({"slowest", 2 * M_PI / spectrum->slowest, source});
    }
    return periods;
}

std::vector<Residual> residuals_of(model::Model model) {
    const auto terms = model::constraint_terms(model);
    const auto values = model::values_at_start(model, terms.values);
    const auto rates = model::values_at_start(model, terms.velocity_residuals);
    std::vector<Residual> residuals;
    for (std::size_t j = 0; j < values.size(); ++j) {
        residuals.push_back({model.constraints[j].name, values[j]});
        residuals.push_back({model.constraints[j].name + "_dot", rates[j]});
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

struct Trial {
    double slow_time = 0;    ///< the length of its macro-steps: the time in which the slow motion changes
    double evaluations = 0;  ///< of the whole run with its own tolerance
    double period = 0;       ///< that was found, where none is declared
};
struct Interrupted {};

/// Tries an averaging method on the first stretch of the run with a loose tolerance: whether it gets going, and what it takes.
std::optional<Trial> try_method(const LoadedModel& loaded, Suitable& entry) {
    Request request = loaded.request();
    request.method = entry.method->name;
    request.options = {};
    request.rtol = 1e-3;
    request.atol = 1e-6;
    request.most_steps = 50;
    Progress progress(fmt::format("trying {}", entry.method->name), request.t_start, request.t_end);
    request.progress = std::ref(progress);
    request.stop = progress.token();
    std::optional<Solution> tried;
    try {
        tried = loaded.solve(request);
    } catch (const Misuse& misuse) {
        entry.applies = false;
        entry.why = misuse.what();
        return {};
    }
    const Solution& trial = *tried;
    const auto outcome = trial.outcome();
    if (outcome == Outcome::interrupted) {
        throw Interrupted();
    }
    if (outcome != Outcome::completed && outcome != Outcome::budget_exhausted) {
        entry.applies = false;
        entry.why = fmt::format("{}: {}", name_of(outcome), trial.explanation());
        return {};
    }
    const double reached = trial.record().t_end - request.t_start;
    // Steps become shorter by the root of the tolerance that belongs to the order of the macro-solver.
    const double order = entry.method == &method::multirevolution ? 8 : 4;
    const double finer = std::pow(request.rtol / loaded.request().rtol, 1 / (order + 1));
    const double length = request.t_end - request.t_start;
    Trial result{reached / static_cast<double>(std::max<std::int64_t>(1, trial.statistics().macro_steps)),
                 static_cast<double>(trial.statistics().force_evaluations) * finer * length / reached};
    entry.why += fmt::format("; about {:.2g} force evaluations", result.evaluations);
    if (const auto revolutions = trial.final_state().revolutions) {
        result.period = reached / *revolutions;
        entry.why = fmt::format("the motion returns near its start after {:.6g}; about {:.2g} force evaluations",
                                result.period, result.evaluations);
    }
    return result;
}

/// What a direct run takes where no phase ties the motion down, from its first periods: errors of all oscillations add up along the orbit, so each
/// has to be resolved that much better.
double direct_evaluations(const LoadedModel& loaded, double period) {
    constexpr double periods = 20;
    constexpr double tightest = 1e-13;
    Request request = loaded.request();
    const double count = (request.t_end - request.t_start) / period;
    request.method = method::direct.name;
    request.options = {};
    request.rtol = std::max(tightest, request.rtol / count);
    request.atol = std::max(tightest * request.atol / loaded.request().rtol, request.atol / count);
    request.t_end = std::min(request.t_end, request.t_start + periods * period);
    const double share = (request.t_end - request.t_start) / (count * period);
    return static_cast<double>(loaded.solve(request).statistics().force_evaluations) / share;
}

/// A resonance of the motion itself that averaged methods cannot know of.
std::optional<std::string> parametric_resonance(const LoadedModel& loaded) {
    const auto strength = loaded.parametric_strength();
    if (!strength && !loaded.problem().phases.empty() && loaded.problem().second_order) {
        return fmt::format("{} coordinates are too many to look for parametric resonance",
                           loaded.problem().dimension());
    }
    if (!strength || !(*strength > largest_parametric_strength)) {
        return std::nullopt;
    }
    return fmt::format(
        "the vibration is so strong that the motion about the start may resonate with it parametrically: the "
        "derivative of the fast displacement is {:.3g}, where {} is the limit near an equilibrium. Averaged methods "
        "cannot see this; trust only `{}`, or make the vibration faster at the same velocity",
        *strength, largest_parametric_strength, method::direct.name);
}

/// Why no method can start, constraints being what they are: off them, or dependent.
std::optional<std::string> start_problem(const LoadedModel& loaded) {
    if (!loaded.problem().constraints || !std::isfinite(loaded.request().t_end)) {
        return std::nullopt;
    }
    Request request = loaded.request();
    request.method = method::direct.name;
    request.options = {};
    request.most_steps = 1;
    const Solution started = loaded.solve(request);
    const auto outcome = started.outcome();
    if (outcome == Outcome::off_constraints || outcome == Outcome::refused || outcome == Outcome::diverged) {
        return fmt::format("{}: {}", name_of(outcome), started.explanation());
    }
    return std::nullopt;
}

/// A method that takes less than the recommended one, by trials; empty if there is none.
std::string advice_of(const LoadedModel& loaded, const std::string& recommended,
                      const std::map<std::string, double>& evaluations, double found_period) {
    const double length = loaded.request().t_end - loaded.request().t_start;
    const double period = loaded.fastest_period().value_or(found_period > 0 ? found_period : length);
    const bool undriven = loaded.problem().phases.empty() && !loaded.problem().springs && period < length;
    const double direct =
        undriven ? direct_evaluations(loaded, period) : price_of_direct(length / period, loaded.request().rtol);
    const auto mine = evaluations.find(recommended);
    const double price = mine == evaluations.end() ? direct : mine->second;
    constexpr double clearly = 0.5;
    if (mine != evaluations.end() && direct < clearly * price) {
        return fmt::format("resolving every vibration takes about {:.2g} force evaluations, {} {:.2g}: --method {}",
                           direct, recommended, price, method::direct.name);
    }
    const auto cheapest = std::ranges::min_element(evaluations, {}, [](const auto& entry) { return entry.second; });
    if (cheapest != evaluations.end() && cheapest->first != recommended && cheapest->second < clearly * price) {
        return fmt::format("{} takes about {:.2g} force evaluations by a trial, {} {:.2g}: --method {}",
                           cheapest->first, cheapest->second, recommended, price, cheapest->first);
    }
    return {};
}

Findings findings_of(const LoadedModel& loaded, SlowFindings slow) {
    Findings findings;
    findings.slow = std::move(slow);
    findings.warnings = slow_beats(loaded.problem().phases);
    if (const auto resonance = parametric_resonance(loaded)) {
        findings.warnings.push_back(*resonance);
    }
    findings.periods = periods_of(loaded.problem());
    const auto together = periods_together(loaded);
    findings.periods.insert(findings.periods.end(), together.begin(), together.end());
    findings.residuals = residuals_of(loaded.parsed());
    findings.exact = exact_proposal(loaded.parsed());
    for (const Method* method : lento::methods()) {
        auto verdict = method->judge(loaded.problem(), loaded.request());
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
    std::map<std::string, double> evaluations;
    double found_period = 0;
    for (auto& entry : findings.methods) {
        if (entry.applies && entry.method != &method::direct && std::isfinite(loaded.request().t_end)) {
            if (const auto trial = try_method(loaded, entry)) {
                findings.slow_time = std::max(findings.slow_time.value_or(0), trial->slow_time);
                evaluations[std::string(entry.method->name)] = trial->evaluations;
                found_period = std::max(found_period, trial->period);
            }
        }
    }
    double slowest = 0;
    for (const auto& period : findings.periods) {
        slowest = std::max(slowest, period.period);
    }
    if (findings.slow_time && slowest > 0) {
        findings.separation = *findings.slow_time / slowest;
    }
    const auto choice = automatic_choice(loaded.problem(), loaded.automatic_request());
    findings.recommended = choice.method->name;
    findings.why = choice.why;
    if (std::isfinite(loaded.request().t_end)) {
        findings.advice = advice_of(loaded, findings.recommended, evaluations, found_period);
    }
    return findings;
}

void print_json(const Findings& findings) {
    Json periods = Json::array();
    for (const auto& period : findings.periods) {
        periods.push_back({{"name", period.name}, {"period", period.period}, {"source", period.source}});
    }
    Json residuals = Json::object();
    for (const auto& residual : findings.residuals) {
        residuals[residual.name] = std::isfinite(residual.value) ? Json(residual.value) : Json(nullptr);
    }
    Json methods = Json::array();
    for (const auto& entry : findings.methods) {
        methods.push_back({{"name", entry.method->name}, {"applies", entry.applies}, {"why", entry.why}});
    }
    Json exact = Json::object();
    for (const auto& [name, part] : findings.exact) {
        exact[name] = part;
    }
    const Json report{{"periods", periods},
                      {"separation", findings.separation ? Json(*findings.separation) : Json(nullptr)},
                      {"residuals", residuals},
                      {"exact", exact},
                      {"slow", slow_json(findings.slow)},
                      {"methods", methods},
                      {"recommended", findings.recommended.empty() ? Json(nullptr) : Json(findings.recommended)},
                      {"why", findings.why},
                      {"advice", findings.advice.empty() ? Json(nullptr) : Json(findings.advice)},
                      {"warnings", findings.warnings}};
    fmt::print("{}\n", json_text(report));
}

void print_text(const LoadedModel& loaded, const Findings& findings) {
    const auto& model = loaded.parsed();
    fmt::print("{}\n", model.title);
    fmt::print("  {} {}{}, {} operations a {}\n", model.dimension(), model.is_first_order() ? "variable" : "coordinate",
               model.dimension() == 1 ? "" : "s", loaded.model().operations(),
               model.is_first_order() ? "rate" : "force");
    for (const auto& [stage, seconds] : loaded.output().seconds) {
        fmt::print("  {:<18} {:.1f} ms\n", stage, 1e3 * seconds);
    }
    for (const auto& period : findings.periods) {
        fmt::print("  {:<18} {:.6g}, from {}\n", "fast period " + period.name, period.period, period.source);
    }
    if (findings.separation) {
        fmt::print("  {:<18} {:.3g}: the slow motion changes in about {:.3g}\n", "separation", *findings.separation,
                   *findings.slow_time);
    }
    constexpr std::size_t most_residuals = 12;
    for (std::size_t k = 0; k < std::min(most_residuals, findings.residuals.size()); ++k) {
        fmt::print("  {:<18} {:.3g}\n", "residual " + findings.residuals[k].name, findings.residuals[k].value);
    }
    if (findings.residuals.size() > most_residuals) {
        fmt::print("  and {} more residuals, see --json\n", findings.residuals.size() - most_residuals);
    }
    for (const auto& [name, part] : findings.exact) {
        fmt::print("  {:<18} exact = \"{}\" beside the rate of {}: micro-steps are then exact in it\n",
                   "could be declared", part, name);
    }
    print_slow(findings.slow);
    for (const auto& entry : findings.methods) {
        fmt::print("  {:<18} {}: {}\n", entry.method->name, entry.applies ? "applies" : "does not apply", entry.why);
    }
    fmt::print("  {:<18} {}: {}\n", "recommended", findings.recommended.empty() ? "none" : findings.recommended,
               findings.why);
    if (!findings.advice.empty()) {
        fmt::print("  {:<18} {}\n", "cheaper", findings.advice);
    }
    for (const auto& warning : findings.warnings) {
        fmt::print("  warning: {}\n", warning);
    }
}

}  // namespace

Exit check(const ModelArguments& arguments) {
    LoadedModel loaded(arguments, Model::End::optional);
    const auto why_not = loaded.find_slow_variables();
    std::optional<Findings> found;
    try {
        found = findings_of(loaded, slow_findings(loaded, why_not.value_or("")));
    } catch (const Interrupted&) {
        fmt::print(stderr, "lento: interrupted\n");
        return Exit::interrupted;
    }
    const Findings& findings = *found;
    if (arguments.json) {
        print_json(findings);
    } else if (!arguments.quiet) {
        print_text(loaded, findings);
    }
    return Exit::done;
}

}  // namespace lento::app
