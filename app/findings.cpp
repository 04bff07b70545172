#include "findings.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace lento::app {
namespace {

Json slow_json(const LoadedModel& loaded, const Findings& findings) {
    Json json{{"declared", loaded.slow_declared},
              {"variables", slow_texts(loaded.model.parsed())},
              {"why_not", or_null(findings.no_slow_variables)}};
    if (findings.slow) {
        json["rates"] = model::mapped(findings.slow->outputs, [](const auto& measure) {
            return Json{{"name", measure.name},
                        {"rate", measure.rate},
                        {"rate_in_faster_motion", or_null(measure.faster_rate)},
                        {"swing", measure.swing},
                        {"swing_in_faster_motion", or_null(measure.faster_swing)},
                        {"slow", measure.slow}};
        });
        json["needed"] = findings.slow->needed;
        json["independence"] = findings.slow->independence;
        json["contraction"] = or_null(findings.slow->contraction);
        json["problem"] = or_null(findings.slow->problem);
    }
    return json;
}

/// What the method says of the model, and how a trial failed.
std::string why_of(const Findings::Judged& entry) {
    return entry.failure ? fmt::format("{}; but a short trial ended as {}: {}", entry.why, entry.failure->outcome,
                                       entry.failure->explanation)
                         : entry.why;
}

void line(std::string_view name, const std::string& words) {
    fmt::print("  {:<18} {}\n", name, words);
}

void print_slow(const SlowReport& report) {
    for (const auto& measure : report.outputs) {
        const auto faster = measure.faster_swing
                                ? fmt::format(", {:.2g} in a motion {:g} times faster", *measure.faster_swing, 4.0)
                                : "";
        line("rate of",
             fmt::format("{}: {:.3g}; within a fast period it moves by {:.2g} of its size{}: {}", measure.name,
                         measure.rate, measure.swing, faster, measure.slow ? "slow" : "not slow"));
    }
    if (!report.outputs.empty()) {
        line("slow variables",
             fmt::format("{}, {} needed; independent by {:.2g}", report.declared, report.needed, report.independence));
    }
    if (report.contraction) {
        line("limit cycle",
             fmt::format("the fast motion multiplies what they leave open by {:.2g} a period", *report.contraction));
    }
    if (!report.problem.empty()) {
        line("wrong with them", report.problem);
    }
}

}  // namespace

Json findings_json(const LoadedModel& loaded, const Findings& findings) {
    const auto periods = model::mapped(findings.periods, [](const Findings::Period& each) {
        return Json{{"name", each.name}, {"period", each.period}, {"source", each.source}};
    });
    const auto methods = model::mapped(findings.methods, [](const Findings::Judged& entry) {
        return Json{{"name", entry.method->name},
                    {"applies", entry.applies},
                    {"why", why_of(entry)},
                    {"evaluations", or_null(entry.evaluations)},
                    {"trial_failed", entry.failure ? Json(entry.failure->outcome) : Json()}};
    });
    return {{"periods", periods},
            {"separation", or_null(findings.separation)},
            {"residuals", by_name(findings.residuals)},
            {"exact", Json::object_t(findings.exact.begin(), findings.exact.end())},
            {"slow", slow_json(loaded, findings)},
            {"methods", methods},
            {"recommended", or_null(findings.recommended)},
            {"why", findings.why},
            {"advice", or_null(findings.advice)},
            {"warnings", findings.warnings}};
}

void print_findings(const LoadedModel& loaded, const Findings& findings) {
    const auto& model = loaded.model.parsed();
    fmt::print("{}\n", model.title);
    fmt::print("  {} {}{}, {} operations a {}\n", model.dimension(), model.is_first_order() ? "variable" : "coordinate",
               model.dimension() == 1 ? "" : "s", loaded.model.operations(), model.is_first_order() ? "rate" : "force");
    line("read", fmt::format("{:.1f} ms", 1e3 * loaded.model.seconds().read));
    line("compile", fmt::format("{:.1f} ms", 1e3 * loaded.model.seconds().compile));
    for (const auto& [name, period, source] : findings.periods) {
        line("fast period " + name, fmt::format("{:.6g}, from {}", period, source));
    }
    if (findings.separation) {
        line("separation",
             fmt::format("{:.3g}: the slow motion changes in about {:.3g}", *findings.separation, *findings.slow_time));
    }
    constexpr std::size_t most_residuals = 12;
    for (std::size_t k = 0; k < std::min(most_residuals, findings.residuals.size()); ++k) {
        line("residual " + findings.residuals[k].first, fmt::format("{:.3g}", findings.residuals[k].second));
    }
    if (findings.residuals.size() > most_residuals) {
        fmt::print("  and {} more residuals, see --json\n", findings.residuals.size() - most_residuals);
    }
    for (const auto& [name, part] : findings.exact) {
        line("could be declared",
             fmt::format("exact = \"{}\" beside the rate of {}: micro-steps are then exact in it", part, name));
    }
    for (const auto& text : slow_texts(model)) {
        line(loaded.slow_declared ? "slow variable" : "could be declared", text);
    }
    if (findings.slow) {
        print_slow(*findings.slow);
    }
    for (const auto& entry : findings.methods) {
        line(entry.method->name, fmt::format("{}: {}", entry.applies ? "applies" : "does not apply", why_of(entry)));
    }
    line("recommended",
         fmt::format("{}: {}", findings.recommended.empty() ? "none" : findings.recommended, findings.why));
    if (!findings.advice.empty()) {
        line("cheaper", findings.advice);
    }
    for (const auto& warning : findings.warnings) {
        fmt::print("  warning: {}\n", warning);
    }
}

}  // namespace lento::app
