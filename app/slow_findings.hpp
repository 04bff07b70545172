/// The slow variables of a model: declared, or found where none are, and judged by measuring them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "method/slow_check.hpp"
#include "model/parsed_model.hpp"

namespace lento::app {

/// "xi = EXPRESSION", as it would stand in [slow].
std::vector<std::string> slow_texts(const model::Model& model);

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
