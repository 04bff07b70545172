#include "lento/model/system.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace lento::model {
namespace {

std::vector<Node> rates_of(const Model& model) {
    std::vector<Node> rates;
    for (const auto& variable : model.variables) {
        rates.push_back(variable.rate);
    }
    return rates;
}

std::vector<std::string> names_of(const auto& unknowns) {
    std::vector<std::string> names;
    for (const auto& unknown : unknowns) {
        names.push_back(unknown.name);
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

ModelFunction::ModelFunction(const Model& model, const std::vector<Node>& results)
    : shared_(std::make_shared<const Shared>(
          Shared{CompiledFunction(model.graph, results, model.places), Evaluator(model.graph, results), model.places})),
      compiled_(&shared_->compiled) {}

struct ModelFunctionOnDemand::Shared {
    std::shared_ptr<const Model> model;
    std::vector<Node> results;
    Evaluator evaluator;
    std::atomic<int> calls = 0;
    std::once_flag once{};
    std::optional<ModelFunction> compiled{};

    Shared(std::shared_ptr<const Model> from, std::vector<Node> nodes)
        : model(std::move(from)), results(std::move(nodes)), evaluator(model->graph, results) {}
};

ModelFunctionOnDemand::ModelFunctionOnDemand(const std::shared_ptr<const Model>& model, std::vector<Node> results)
    : shared_(std::make_shared<Shared>(model, std::move(results))) {}

void ModelFunctionOnDemand::operator()(std::span<const double> x, std::span<const double> v, double t,
                                       std::span<const double> theta, std::span<double> result) const {
    constexpr int often = 2000;  // by then interpreting has taken about as long as compiling would
    if (shared_->calls < often) {
        ++shared_->calls;
        shared_->evaluator.operator()<double>(
            [&](std::size_t symbol) { return value_at<double>(shared_->model->places[symbol], x, v, t, theta); },
            result);
        return;
    }
    std::call_once(shared_->once, [&] { shared_->compiled.emplace(*shared_->model, shared_->results); });
    shared_->compiled->operator()<double>(x, v, t, theta, result);
}

void ModelFunctionOnDemand::operator()(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                                       std::span<const Taylor> theta, std::span<Taylor> result) const {
    shared_->evaluator.operator()<Taylor>(
        [&](std::size_t symbol) { return value_at<Taylor>(shared_->model->places[symbol], x, v, t, theta); }, result);
}

ModelRate::ModelRate(const Model& model) : function_(model, rates_of(model)), phases_(model, rates_of(model)) {}

VibratedSystem<ModelForce> second_order_system(const Model& model) {
    if (model.is_first_order()) {
        throw Misuse(fmt::format("{} has [variables]: it is a first-order system", model.source.name()));
    }
    auto system = VibratedSystem<ModelForce>(model.coordinates.size(), model.phases, ModelForce(model))
                      .with_names(names_of(model.coordinates))
                      .with_mass(model.mass);
    if (model.period) {
        system = system.with_period(*model.period);
    }
    if (!model.fast_velocity.empty()) {
        const ModelFunction formula(model, model.fast_velocity);
        system =
            system.with_fast_velocity([formula, zero = std::vector<double>(model.coordinates.size(), 0.0)](
                                          std::span<const double> x, double t, std::span<const double> theta,
                                          std::span<double> w) { formula.operator()<double>(x, zero, t, theta, w); });
    }
    return system;
}

FirstOrderSystem<ModelRate> first_order_system(const Model& model) {
    if (!model.is_first_order()) {
        throw Misuse(fmt::format("{} has [coordinates]: it is a second-order system", model.source.name()));
    }
    auto system = FirstOrderSystem<ModelRate>(model.variables.size(), model.phases, ModelRate(model))
                      .with_names(names_of(model.variables));
    return model.period ? system.with_period(*model.period) : system;
}

bool has_exact_part(const Model& model) {
    return model.kepler || std::any_of(model.variables.begin(), model.variables.end(),
                                       [](const Variable& variable) { return variable.exact.has_value(); });
}

ModelFlow::ModelFlow(const Model& model) : flow_(flow_of(model)) {}

ModelFlow::Flow ModelFlow::flow_of(const Model& model) {
    if (!model.kepler) {
        return linear_part(model);
    }
    const auto names = names_of(model.variables);
    const auto places = [&](const std::vector<std::string>& wanted) {
        std::vector<std::size_t> indices;
        for (const auto& name : wanted) {
            indices.push_back(static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
        }
        return indices;
    };
    TimeFactor factor;
    if (model.kepler->time_factor) {
        factor.function.emplace(model, std::vector<Node>{*model.kepler->time_factor});
    }
    return KeplerFlow<TimeFactor>(places(model.kepler->position), places(model.kepler->velocity), model.kepler->mu,
                                  std::move(factor));
}

LinearFlow ModelFlow::linear_part(const Model& model) {
    const std::size_t d = model.variables.size();
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(d));
    for (std::size_t i = 0; i < d; ++i) {
        const auto& variable = model.variables[i];
        if (!variable.exact) {
            continue;
        }
        // The parts are linear: their values at the unit vectors are the columns.
        const Evaluator part(model.graph, {*variable.exact});
        const auto at = [&](std::size_t j) {
            std::vector<double> y(d, 0.0);
            if (j < d) {
                y[j] = 1;
            }
            double value = 0;
            part.operator()<double>(
                [&](std::size_t symbol) { return value_at<double>(model.places[symbol], y, {}, 0.0, {}); },
                std::span(&value, 1));
            return value;
        };
        if (at(d) != 0) {
            model.source.fail(variable.mark,
                              fmt::format("the exact part of the rate of {} must be linear; it is {} where "
                                          "all variables are zero: leave that to the rate",
                                          variable.name, at(d)));
        }
        for (std::size_t j = 0; j < d; ++j) {
            matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = at(j);
        }
    }
    return LinearFlow(std::move(matrix));
}

SplitModel split_system(const Model& model) {
    return {first_order_system(model), ModelFlow(model)};
}

// NOTE: the model is a copy, to whose graph the derivatives are added.
ModelConstraints::ModelConstraints(Model model) : ModelConstraints(model, constraint_terms(model)) {}

ModelConstraints::ModelConstraints(const Model& model, const ConstraintTerms& terms)
    : model_(std::make_shared<const Model>(model)),
      names_(names_of(model.constraints)),
      pattern_(pattern_of(model, terms.jacobian)),
      values_(model_, terms.values),
      gradient_(model_, nodes_of(terms.jacobian)),
      rates_(model_, terms.velocity_residuals),
      curvature_(model_, terms.curvature),
      rates_at_rest_(terms.moving ? ModelFunctionOnDemand(model_, terms.rates_at_rest) : rates_),
      curvature_at_rest_(terms.moving ? ModelFunctionOnDemand(model_, terms.curvature_at_rest) : curvature_) {}

ConstrainedModel constrained_system(const Model& model) {
    if (model.constraints.empty()) {
        throw Misuse(fmt::format("{} has no [constraints]", model.source.name()));
    }
    if (model.constraints.size() >= model.coordinates.size()) {
        model.source.fail(model.constraints.back().mark,
                          fmt::format("{} constraints on {} coordinates leave nothing to move, if they are independent",
                                      model.constraints.size(), model.coordinates.size()));
    }
    return {second_order_system(model), ModelConstraints(model)};
}

std::vector<double> start_of(const Model& model) {
    std::vector<double> start;
    for (const auto& coordinate : model.coordinates) {
        start.push_back(coordinate.start);
    }
    for (const auto& variable : model.variables) {
        start.push_back(variable.start);
    }
    return start;
}

std::vector<double> values_at_start(const Model& model, const std::vector<Node>& nodes) {
    const auto x = start_of(model);
    const auto v = velocity_of(model);
    std::vector<double> theta;
    for (const auto& phase : model.phases) {
        theta.push_back(phase.at(model.run.t_start));
    }
    std::vector<double> result(nodes.size());
    Evaluator(model.graph, nodes)
        .
        operator()<double>(
            [&](std::size_t symbol) { return value_at<double>(model.places[symbol], x, v, model.run.t_start, theta); },
            std::span(result));
    return result;
}

std::vector<double> velocity_of(const Model& model) {
    std::vector<double> velocity;
    for (const auto& coordinate : model.coordinates) {
        velocity.push_back(coordinate.velocity);
    }
    return velocity;
}

}  // namespace lento::model
