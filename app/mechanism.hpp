/// What can be drawn of a model: points of two coordinates each, and the rods and springs between them.
#pragma once

#include <optional>

#include "model/parsed_model.hpp"
#include "output/run_view.hpp"

namespace lento::app {

/// Coordinates whose names differ by an x in place of a y (x1, y1; px, py) make a point. A constraint or elongation of one point joins it to a place that does not
/// move, one of two points joins these. None where there are no points, too many, or points in space.
std::optional<Mechanism> mechanism_of(const model::Model& model);

}  // namespace lento::app
