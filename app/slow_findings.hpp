/// The slow variables of a model: declared, or found where none are, and judged by measuring them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "lento/method/slow_check.hpp"
#include "lento/model/model.hpp"

namespace lento::app {

/// `--set NAME=EXPRESSION` as the reader takes it.
std::vector<model::Override> overrides_of(const std::vector<std::string>& assignments);

/// Puts slow variables into a model that declares none; says why not if none can be found.
std::optional<std::string> complete_slow_variables(const ModelArguments& arguments, model::Model& model);

/// "xi = EXPRESSION", as it would stand in [slow].
std::vector<std::string> slow_texts(const model::Model& model);

/// For the method reversible. Misuse if there are none, or constraints.
SharedSlow slow_problem_of(const model::Model& model);

/// The same with a fast motion that is faster, where the model says which parameter makes it so.
FasterMotion faster_motion(const ModelArguments& arguments, const model::Model& model);

class LoadedModel;

/// What `lento check` says of slow variables.
struct SlowFindings {
    std::vector<std::string> texts{};
    bool declared = false;
    std::string why_not{};               ///< why none were found
    std::optional<SlowReport> report{};  ///< none where it could not be made
};

SlowFindings slow_findings(const LoadedModel& loaded, std::string why_not);
nlohmann::ordered_json slow_json(const SlowFindings& findings);
void print_slow(const SlowFindings& findings);

}  // namespace lento::app
