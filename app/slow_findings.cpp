#include "slow_findings.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "lento/average/slow_problem.hpp"
#include "lento/method/reversible.hpp"
#include "lento/model/find_slow.hpp"
#include "lento/model/print.hpp"
#include "lento/model/slow.hpp"
#include "loaded_model.hpp"

namespace lento::app {
namespace {

constexpr double factor = 4;

/// The model with its small parameter divided by the factor.
model::Model faster_model(const ModelArguments& arguments, const model::Model& model, double divisor) {
    auto overrides = overrides_of(arguments.set);
    std::erase_if(overrides, [&](const auto& given) { return given.name == *model.small; });
    for (const auto& [name, value] : model.parameters) {
        if (name == *model.small) {
            overrides.push_back({name, fmt::format("{}", value / divisor)});
        }
    }
    return model::read_model(model.source, overrides);
}

}  // namespace

std::vector<model::Override> overrides_of(const std::vector<std::string>& assignments) {
    std::vector<model::Override> overrides;
    for (const auto& assignment : assignments) {
        auto [name, expression] = name_and_value(assignment, "--set");
        overrides.push_back({std::move(name), std::move(expression)});
    }
    return overrides;
}

std::optional<std::string> complete_slow_variables(const ModelArguments& arguments, model::Model& model) {
    if (!model.slow.empty()) {
        return std::nullopt;
    }
    auto found = model::find_slow(model, model.small ? faster_model(arguments, model, factor) : model);
    if (!found.why_not.empty()) {
        return found.why_not;
    }
    model.slow = std::move(found.variables);
    return std::nullopt;
}

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

SharedSlow slow_problem_of(const model::Model& model) {
    return model.is_first_order() ? slow_problem(model::slow_first_order_system(model))
                                  : slow_problem(model::slow_second_order_system(model));
}

FasterMotion faster_motion(const ModelArguments& arguments, const model::Model& model) {
    if (!model.small) {
        return {};
    }
    auto faster = faster_model(arguments, model, factor);
    if (faster.slow.empty()) {
        faster.slow = model::find_slow(faster, faster_model(arguments, model, factor * factor)).variables;
    }
    if (faster.slow.size() != model.slow.size()) {
        return {};
    }
    auto start = model::start_of(faster);
    const auto velocity = model::velocity_of(faster);
    start.insert(start.end(), velocity.begin(), velocity.end());
    return {slow_problem_of(faster), std::move(start), factor};
}

SlowFindings slow_findings(const LoadedModel& loaded, std::string why_not) {
    SlowFindings findings{.declared = loaded.slow_variables_declared(), .why_not = std::move(why_not)};
    if (loaded.model().slow.empty()) {
        return findings;
    }
    findings.texts = slow_texts(loaded.model());
    if (!loaded.model().constraints.empty() || !std::isfinite(loaded.request().t_end)) {
        return findings;
    }
    Request request = loaded.request();
    request.method = "reversible";
    request.options = {};
    findings.report = judged_slow_variables(*slow_problem_of(loaded.model()), request,
                                            faster_motion(loaded.arguments(), loaded.model()));
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
                                ? fmt::format(", {:.2g} in a motion {:g} times faster", *measure.faster_swing, factor)
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
