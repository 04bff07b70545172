/// The stiff springs of a model as a part of a problem.
#pragma once

#include <memory>
#include <vector>

#include "lento/problem/problem.hpp"
#include "model/constraint_part.hpp"
#include "model/function.hpp"
#include "model/parsed_model.hpp"

namespace lento::model {

/// Whether a model has springs that are not soft.
bool has_stiff_springs(const Model& model);

/// The code of the springs of a model, made once; the springs for values of its parameters.
class ModelSprings {
public:
    explicit ModelSprings(const Model& model);

    /// `slow` are the forces beside them. The frequency of a spring given by its stiffness is that at the start.
    Springs with_values(const Model& model, Forces slow) const;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

/// The model with all stiff springs stiffer: their frequencies times `factor`.
Model stiffened(Model model, double factor);

/// The model with springs of stiffness strengths[j] in place of its constraints, beside the springs that are there; the frequency follows from it.
Model relaxed(Model model, const std::vector<double>& strengths);

}  // namespace lento::model
