/// A model made a problem that every method takes, like one written in C++.
#pragma once

#include <memory>
#include <vector>

#include "lento/problem/problem.hpp"
#include "model/parsed_model.hpp"

namespace lento::model {

/// Everything that is compiled of a model, once. Other values of its parameters compile nothing again.
class ModelParts {
public:
    /// Throws ModelError for what makes no system.
    explicit ModelParts(Model model);

    /// Of one evaluation of the right-hand side.
    std::size_t operations() const;

    Problem problem() const;
    /// With the values that another form of the same model has (`with_parameters`).
    Problem problem(const Model& values) const;

private:
    struct Shared;
    std::shared_ptr<const Shared> shared_;
};

/// Whether a force or a rate depends on what stands there.
bool sees(const Model& model, Place place);
/// Whether a part is declared to be exactly solvable.
bool has_exact_part(const Model& model);

std::vector<double> start_of(const Model& model);
std::vector<double> velocity_of(const Model& model);
/// Of (x, v) or the variables, where a quantity says its scale; else none.
std::vector<double> scales_of(const Model& model);

/// Expressions of the model at a state, or at its start, by the plain evaluator.
std::vector<double> values_at(const Model& model, const std::vector<Node>& nodes, In x, In v, double t, In theta);
std::vector<double> values_at_start(const Model& model, const std::vector<Node>& nodes);
/// The mass matrix there.
Mass mass_at_start(const Model& model);

}  // namespace lento::model
