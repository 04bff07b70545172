/// What could be declared as the exact part of the rates.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/parsed_model.hpp"

namespace lento::model {

/// The linear part of the rates, as a text for each variable, where it oscillates and hardly grows or decays; nothing
/// where an exact part is declared already.
std::vector<std::pair<std::string, std::string>> exact_proposal(Model model);

}  // namespace lento::model
