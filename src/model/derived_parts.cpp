/// Constraints and slow variables, with what is derived from them.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

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

/// What blocks of points are asked for.
std::vector<Node> gradient_and_curvature(const ConstraintTerms& terms) {
    auto nodes = mapped(terms.jacobian, &MatrixEntry::node);
    nodes.insert(nodes.end(), terms.curvature.begin(), terms.curvature.end());
    return nodes;
}

class ModelConstraintBlocks final : public BlockConstraints {
public:
    ModelConstraintBlocks(PhaseEvaluator at_phases, InputValues inputs)
        : at_phases_(std::move(at_phases)), inputs_(std::move(inputs)) {}

    void operator()(const Block& block, Out numbers) override {
        Block with_inputs = block;
        with_inputs.theta = {};
        with_inputs.parameters = *inputs_;
        at_phases_(with_inputs, numbers);
    }

private:
    PhaseEvaluator at_phases_;  // of this caller
    InputValues inputs_;
};

}  // namespace

// NOTE: the model is a copy, to whose graph the derivatives are added.
ModelConstraints::ModelConstraints(Model model) : ModelConstraints(model, constraint_terms(model)) {}

ModelConstraints::ModelConstraints(const Model& model, const ConstraintTerms& terms)
    : Constraints(mapped(model.constraints, &NamedExpression::name), pattern_of(model, terms.jacobian)),
      values_(model, terms.values),
      gradient_(model, mapped(terms.jacobian, &MatrixEntry::node)),
      rates_(model, terms.velocity_residuals),
      curvature_(model, terms.curvature),
      rates_at_rest_(terms.rates_at_rest == terms.velocity_residuals ? rates_
                                                                     : ModelFunction(model, terms.rates_at_rest)),
      curvature_at_rest_(terms.curvature_at_rest == terms.curvature ? curvature_
                                                                    : ModelFunction(model, terms.curvature_at_rest)),
      at_phases_(model, gradient_and_curvature(terms)),
      inputs_(input_values(model)) {}

std::unique_ptr<BlockConstraints> ModelConstraints::blocks() const {
    return std::make_unique<ModelConstraintBlocks>(at_phases_, inputs_);
}

std::shared_ptr<const ModelConstraints> ModelConstraints::with_inputs(const InputValues& inputs) const {
    auto other = std::make_shared<ModelConstraints>(*this);
    other->inputs_ = inputs;
    return other;
}

Mass ModelMass::with_inputs(std::size_t dimension, const InputValues& inputs) const {
    auto other = std::make_shared<ModelMass>(*this);
    other->inputs_ = inputs;
    return Mass::function(dimension, std::move(other));
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

/// The expressions of all outputs, with symbols for the rates of what they depend on.
struct ModelSlow::Terms {
    Model model;
    std::vector<Node> rates{};
    SlowTerms slow{};

    explicit Terms(Model given) : model(std::move(given)), slow(slow_terms(model)) {
        const std::size_t velocities = model.coordinates.size();
        const std::size_t unknowns = model.dimension() + velocities;
        const auto rate_symbol = [&](std::size_t k) {
            model.places.push_back({Place::Array::velocity, static_cast<std::uint32_t>(velocities + k)});
            return model.graph.symbol(static_cast<std::uint32_t>(model.places.size() - 1));
        };
        for (const Node value : slow.values) {
            Node sum = model.graph.constant(0);
            for (const auto& partial : model.graph.gradient(value)) {
                const Place place = model.places[partial.symbol];
                const std::size_t other = place.array == Place::Array::time ? unknowns : unknowns + 1 + place.index;
                const Node rate = rate_symbol(unknown_of(model, partial.symbol).value_or(other));
                sum = model.graph.binary(Op::add, sum, model.graph.binary(Op::multiply, partial.node, rate));
            }
            rates.push_back(sum);
        }
    }
};

ModelSlow::ModelSlow(const Model& model) : ModelSlow(model, Terms(model)) {}

ModelSlow::ModelSlow(const Model& model, const Terms& terms)
    : SlowFunctions(
          mapped(model.slow,
                 [](const SlowVariable& slow) {
                     return SlowName{slow.name, slow.alternative ? fmt::format("alternative of {}", slow.name) : ""};
                 })),
      positions_(model.dimension()),
      beyond_(2 * model.coordinates.size() + model.dimension() + 1 + model.phases.size()),
      values_(terms.model, terms.slow.values),
      rates_(terms.model, terms.rates),
      gradient_(terms.model, mapped(terms.slow.gradient, &MatrixEntry::node)),
      hessian_(terms.model, mapped(terms.slow.hessian, &SecondDerivative::node)),
      inputs_(input_values(terms.model)),
      places_(terms.slow.gradient),
      second_places_(mapped(terms.slow.hessian, [](const SecondDerivative& entry) {
          return HessianEntry{entry.value, entry.row, entry.column, 0};
      })) {}

std::shared_ptr<const ModelSlow> ModelSlow::with_inputs(const InputValues& inputs) const {
    auto other = std::make_shared<ModelSlow>(*this);
    other->inputs_ = inputs;
    return other;
}

void ModelSlow::rates(In x, In x_rate, double t, double t_rate, In theta, In theta_rate, Out result) const {
    Scratch<double, 64> beyond(beyond_);
    auto out = std::copy(x.begin() + static_cast<std::ptrdiff_t>(positions_), x.end(), beyond.data());
    out = std::copy(x_rate.begin(), x_rate.end(), out);
    *out++ = t_rate;
    std::copy(theta_rate.begin(), theta_rate.end(), out);
    rates_(x.first(positions_), beyond.span(), t, theta, inputs_->data(), result);
}

void ModelSlow::gradients(In x, double t, In theta, Out result) const {
    std::vector<double> entries(places_.size());
    at(gradient_, x, t, theta, entries);
    std::fill(result.begin(), result.end(), 0.0);
    for (std::size_t e = 0; e < entries.size(); ++e) {
        result[places_[e].row * x.size() + places_[e].column] = entries[e];
    }
}

std::vector<HessianEntry> ModelSlow::hessians(In x, double t, In theta) const {
    std::vector<double> values(second_places_.size());
    at(hessian_, x, t, theta, values);
    auto entries = second_places_;
    for (std::size_t e = 0; e < entries.size(); ++e) {
        entries[e].value = values[e];
    }
    return entries;
}

}  // namespace lento::model
