#include <utility>
#include <vector>

#include "model/problem_parts.hpp"

namespace lento::model {
namespace {

SparsePattern pattern_of(const Model& model, const std::vector<MatrixEntry>& jacobian) {
    std::vector<std::vector<std::size_t>> rows(model.constraints.size());
    for (const auto& entry : jacobian) {
        rows[entry.row].push_back(entry.column);
    }
    return SparsePattern(rows);
}

}  // namespace

// NOTE: the model is a copy, to whose graph the derivatives are added.
ModelConstraints::ModelConstraints(Model model) : ModelConstraints(model, constraint_terms(model)) {}

ModelConstraints::ModelConstraints(const Model& model, const ConstraintTerms& terms)
    : Constraints(mapped(model.constraints, &NamedExpression::name), pattern_of(model, terms.jacobian)),
      values_(model, terms.values, Compile::on_demand),
      gradient_(model, mapped(terms.jacobian, &MatrixEntry::node), Compile::on_demand),
      rates_(model, terms.velocity_residuals, Compile::on_demand),
      curvature_(model, terms.curvature, Compile::on_demand),
      rates_at_rest_(terms.moving ? ModelFunction(model, terms.rates_at_rest, Compile::on_demand) : rates_),
      curvature_at_rest_(terms.moving ? ModelFunction(model, terms.curvature_at_rest, Compile::on_demand) : curvature_),
      inputs_(input_values(model)) {}

std::shared_ptr<const ModelConstraints> ModelConstraints::with_inputs(const InputValues& inputs) const {
    auto other = std::make_shared<ModelConstraints>(*this);
    other->inputs_ = inputs;
    return other;
}

void ModelConstraints::change(In x, double t, In d, double s, Out result) const {
    using Number = Increment<double>;
    Scratch<Number> moved(x.size()), changed(count());
    for (std::size_t i = 0; i < x.size(); ++i) {
        moved[i] = Number::at(x[i], d[i]);
    }
    values_.operator()<Number>(moved.span(), {}, Number::at(t, s), {}, inputs_->data(), changed.span());
    for (std::size_t j = 0; j < result.size(); ++j) {
        result[j] = changed[j].change();
    }
}

}  // namespace lento::model
