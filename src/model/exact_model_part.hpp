/// The exactly solvable part of a model with variables: linear, or a Kepler motion.
#pragma once

#include <memory>
#include <optional>

#include "lento/problem/exact_part.hpp"
#include "model/function.hpp"

namespace lento::model {

class ModelExactPart {
public:
    /// Of a model that declares one.
    explicit ModelExactPart(const Model& model);

    std::shared_ptr<const ExactPart> with_values(const Model& model) const;

private:
    std::optional<ModelFunction> time_factor_;  // of a Kepler motion
};

}  // namespace lento::model
