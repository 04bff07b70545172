#include "slow_findings.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "loaded_model.hpp"
#include "method/slow_check.hpp"
#include "model/print.hpp"

namespace lento::app {
std::vector<std::string> slow_texts(const model::Model& model) {
    std::vector<std::string> texts;
    for (const auto& slow : model.slow) {
        const auto variable = model::text_of(model, slow.node);
        texts.push_back(slow.alternative ? fmt::format("{} = {{ variable = \"{}\", alternative = \"{}\" }}", slow.name,
                                                       variable, model::text_of(model, *slow.alternative))
                                         : fmt::format("{} = \"{}\"", slow.name, variable));
    }
    return texts;
}

SlowFindings slow_findings(const LoadedModel& loaded, std::string why_not) {
    SlowFindings findings{.declared = loaded.slow_variables_declared(), .why_not = std::move(why_not)};
    if (loaded.parsed().slow.empty()) {
        return findings;
    }
    findings.texts = slow_texts(loaded.parsed());
    if (loaded.problem().constraints || !std::isfinite(loaded.request().t_end)) {
        return findings;
    }
    Request request = loaded.request();
    request.options = {};
    findings.report = judged_slow_variables(loaded.problem(), request);
    return findings;
}

nlohmann::ordered_json slow_json(const SlowFindings& findings) {
    using Json = nlohmann::ordered_json;
    Json json{{"declared", findings.declared}, {"variables", findings.texts}};
    json["why_not"] = findings.why_not.empty() ? Json(nullptr) : Json(findings.why_not);
    if (findings.report) {
        const auto& report = *findings.report;
        Json rates = Json::array();
        for (const auto& measure : report.outputs) {
            rates.push_back(
                {{"name", measure.name},
                 {"rate", measure.rate},
                 {"rate_in_faster_motion", measure.faster_rate ? Json(*measure.faster_rate) : Json(nullptr)},
                 {"swing", measure.swing},
                 {"swing_in_faster_motion", measure.faster_swing ? Json(*measure.faster_swing) : Json(nullptr)},
                 {"slow", measure.slow}});
        }
        json["rates"] = rates;
        json["needed"] = report.needed;
        json["independence"] = report.independence;
        json["contraction"] = report.contraction ? Json(*report.contraction) : Json(nullptr);
        json["problem"] = report.problem.empty() ? Json(nullptr) : Json(report.problem);
    }
    return json;
}

void print_slow(const SlowFindings& findings) {
    for (const auto& text : findings.texts) {
        fmt::print("  {:<18} {}\n", findings.declared ? "slow variable" : "could be declared", text);
    }
    if (!findings.report) {
        return;
    }
    const auto& report = *findings.report;
    for (const auto& measure : report.outputs) {
        const auto faster = measure.faster_swing
                                ? fmt::format(", {:.2g} in a motion {:g} times faster", *measure.faster_swing, 4.0)
                                : "";
        fmt::print("  {:<18} {}: {:.3g}; within a fast period it moves by {:.2g} of its size{}: {}\n", "rate of",
                   measure.name, measure.rate, measure.swing, faster, measure.slow ? "slow" : "not slow");
    }
    if (!report.outputs.empty()) {
        fmt::print("  {:<18} {}, {} needed; independent by {:.2g}\n", "slow variables", report.declared, report.needed,
                   report.independence);
    }
    if (report.contraction) {
        fmt::print("  {:<18} the fast motion multiplies what they leave open by {:.2g} a period\n", "limit cycle",
                   *report.contraction);
    }
    if (!report.problem.empty()) {
        fmt::print("  {:<18} {}\n", "wrong with them", report.problem);
    }
}

}  // namespace lento::app
