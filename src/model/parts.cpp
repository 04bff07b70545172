#include "model/parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lento/problem/systems.hpp"
#include "model/constraint_part.hpp"
#include "model/exact_model_part.hpp"
#include "model/force_part.hpp"
#include "model/slow_part.hpp"
#include "model/spring_part.hpp"

namespace lento::model {
namespace {

std::vector<Node> right_hand_side(const Model& model) {
    if (!model.is_first_order()) {
        return model.forces;
    }
    std::vector<Node> rates;
    for (const auto& variable : model.variables) {
        rates.push_back(variable.rate);
    }
    return rates;
}

std::vector<std::string> names_of(const Model& model) {
    std::vector<std::string> names;
    for (const auto& coordinate : model.coordinates) {
        names.push_back(coordinate.name);
    }
    for (const auto& variable : model.variables) {
        names.push_back(variable.name);
    }
    return names;
}

void require_room_to_move(const Model& model) {
    if (!model.constraints.empty() && model.constraints.size() >= model.coordinates.size()) {
        model.source.fail(model.constraints.back().mark,
                          fmt::format("{} constraints on {} coordinates leave nothing to move, if they are independent",
                                      model.constraints.size(), model.coordinates.size()));
    }
}

template <class Part>
std::optional<Part> part_if(bool declared, const Model& model) {
    return declared ? std::optional<Part>(std::in_place, model) : std::nullopt;
}

}  // namespace

struct ModelParts::Shared {
    Model model;
    ModelForces forces;
    std::optional<ModelForces> slow_forces;
    std::optional<ModelConstraints> constraints;
    std::optional<ModelSprings> springs;
    std::optional<ModelExactPart> exact;
    std::optional<ModelSlow> slow;
    std::optional<ModelFunction> fast_velocity;

    explicit Shared(Model given)
        : model(std::move(given)),
          forces(model, right_hand_side(model), ModelForces::Compile::at_once),
          constraints(part_if<ModelConstraints>(!model.constraints.empty(), model)),
          springs(part_if<ModelSprings>(has_stiff_springs(model), model)),
          exact(part_if<ModelExactPart>(has_exact_part(model), model)),
          slow(part_if<ModelSlow>(!model.slow.empty(), model)) {
        if (springs) {
            slow_forces.emplace(model, model.slow_forces, ModelForces::Compile::on_demand);
        }
        if (!model.fast_velocity.empty()) {
            fast_velocity.emplace(model, model.fast_velocity);
        }
    }
};

ModelParts::ModelParts(Model model) {
    require_room_to_move(model);
    shared_ = std::make_shared<const Shared>(std::move(model));
}

const Model& ModelParts::model() const {
    return shared_->model;
}

std::size_t ModelParts::operations() const {
    return shared_->forces.operations();
}

Problem ModelParts::problem(const Model& values) const {
    const auto inputs = input_values(values);
    auto problem = values.is_first_order()
                       ? variables_problem(values.dimension(), values.phases, shared_->forces.forces())
                       : coordinates_problem(values.dimension(), values.phases, shared_->forces.forces());
    problem.names = names_of(values);
    problem.parameters = *inputs;
    problem.period = values.period;
    if (!values.is_first_order()) {
        problem.mass = values.mass;
    }
    if (shared_->constraints) {
        problem.constraints = shared_->constraints->with_inputs(inputs);
        problem.relaxed = [values](double, const std::vector<double>& strengths) {
            return ModelParts(model::relaxed(values, strengths)).problem();
        };
    }
    if (shared_->springs) {
        problem.springs = shared_->springs->with_values(values, shared_->slow_forces->forces());
    }
    if (shared_->exact) {
        problem.exact = shared_->exact->with_values(values);
    }
    if (shared_->slow) {
        problem.slow = shared_->slow->with_inputs(inputs);
    }
    if (shared_->fast_velocity) {
        problem.fast_velocity = [formula = shared_->fast_velocity->with_inputs(inputs),
                                 rest = std::vector<double>(values.dimension(), 0.0)](In x, double t, In theta, Out w) {
            formula.operator()<double>(x, rest, t, theta, w);
        };
    }
    return problem;
}

bool has_exact_part(const Model& model) {
    return model.kepler || std::any_of(model.variables.begin(), model.variables.end(),
                                       [](const Variable& variable) { return variable.exact.has_value(); });
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

std::vector<double> velocity_of(const Model& model) {
    std::vector<double> velocity;
    for (const auto& coordinate : model.coordinates) {
        velocity.push_back(coordinate.velocity);
    }
    return velocity;
}

std::vector<double> values_at_start(const Model& model, const std::vector<Node>& nodes) {
    const auto x = start_of(model);
    const auto v = velocity_of(model);
    std::vector<double> theta;
    for (const auto& phase : model.phases) {
        theta.push_back(phase.at(model.run.t_start));
    }
    const auto inputs = parameter_values(model);
    const auto value = [&](std::size_t symbol) {
        return value_at<double>(model.places[symbol], x, v, model.run.t_start, theta, inputs.data());
    };
    std::vector<double> result(nodes.size());
    Evaluator(model.graph, nodes).operator()<double>(value, std::span(result));
    return result;
}

}  // namespace lento::model
