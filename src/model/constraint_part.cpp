#include "model/constraint_part.hpp"

#include <utility>
#include <vector>

namespace lento::model {
namespace {

std::vector<std::string> names_of(const Model& model) {
    std::vector<std::string> names;
    for (const auto& constraint : model.constraints) {
        names.push_back(constraint.name);
    }
    return names;
}

SparsePattern pattern_of(const Model& model, const std::vector<MatrixEntry>& jacobian) {
    std::vector<std::vector<std::size_t>> rows(model.constraints.size());
    for (const auto& entry : jacobian) {
        rows[entry.row].push_back(entry.column);
    }
    return SparsePattern(rows);
}

std::vector<Node> nodes_of(const std::vector<MatrixEntry>& entries) {
    std::vector<Node> nodes;
    for (const auto& entry : entries) {
        nodes.push_back(entry.node);
    }
    return nodes;
}

}  // namespace

// NOTE: the model is a copy, to whose graph the derivatives are added.
ModelConstraints::ModelConstraints(Model model) : ModelConstraints(model, constraint_terms(model)) {}

ModelConstraints::ModelConstraints(const Model& model, const ConstraintTerms& terms)
    : Constraints(names_of(model), pattern_of(model, terms.jacobian)),
      values_(model, terms.values),
      gradient_(model, nodes_of(terms.jacobian)),
      rates_(model, terms.velocity_residuals),
      curvature_(model, terms.curvature),
      rates_at_rest_(terms.moving ? ModelFunctionOnDemand(model, terms.rates_at_rest) : rates_),
      curvature_at_rest_(terms.moving ? ModelFunctionOnDemand(model, terms.curvature_at_rest) : curvature_) {}

std::shared_ptr<const ModelConstraints> ModelConstraints::with_inputs(const InputValues& inputs) const {
    auto other = std::make_shared<ModelConstraints>(*this);
    for (auto* function : {&other->values_, &other->gradient_, &other->rates_, &other->curvature_,
                           &other->rates_at_rest_, &other->curvature_at_rest_}) {
        *function = function->with_inputs(inputs);
    }
    return other;
}

void ModelConstraints::change(In x, double t, In d, double s, Out result) const {
    using Number = Increment<double>;
    Scratch<Number> moved(x.size()), changed(count());
    for (std::size_t i = 0; i < x.size(); ++i) {
        moved[i] = Number::at(x[i], d[i]);
    }
    values_(moved.span(), Number::at(t, s), changed.span());
    for (std::size_t j = 0; j < result.size(); ++j) {
        result[j] = changed[j].change();
    }
}

}  // namespace lento::model
