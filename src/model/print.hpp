/// Expressions back to text that the reader understands.
#pragma once

#include <string>

#include "model/parsed_model.hpp"

namespace lento::model {

/// Parameters appear as their values.
std::string text_of(const Model& model, Node node);

}  // namespace lento::model
