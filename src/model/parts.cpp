#include "model/parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "lento/problem/exact_flow.hpp"
#include "lento/problem/systems.hpp"
#include "model/problem_parts.hpp"
#include "problem/divided_forces.hpp"

namespace lento::model {
namespace {

template <class Part, class... Results>
std::optional<Part> part_if(bool declared, const Model& model, const Results&... results) {
    return declared ? std::optional<Part>(std::in_place, model, results...) : std::nullopt;
}

/// How much faster the time of a Kepler motion runs, a function of the variables.
struct TimeFactor {
    std::optional<ModelFunction> function{};
    InputValues inputs{};

    template <class S>
    S operator()(std::span<const S> y) const {
        S factor = 1;
        if (function) {
            (*function)(y, {}, S(0), {}, inputs->data(), std::span(&factor, 1));
        }
        return factor;
    }
};

KeplerFlow<TimeFactor> kepler_part(const Model& model, TimeFactor factor) {
    const auto place = [&](const std::string& name) {
        const auto found = std::ranges::find(model.variables, name, &Variable::name);
        return static_cast<std::size_t>(found - model.variables.begin());
    };
    return {mapped(model.kepler->position, place), mapped(model.kepler->velocity, place), model.kepler->mu,
            std::move(factor)};
}

LinearFlow linear_part(const Model& model) {
    const std::size_t d = model.variables.size();
    Rows matrix(d, d);
    for (std::size_t i = 0; i < d; ++i) {
        const auto& variable = model.variables[i];
        if (!variable.exact) {
            continue;
        }
        // The parts are linear: their values at the unit vectors are the columns.
        std::vector<double> y(d, 0.0);
        const auto at_y = [&] { return values_at(model, {*variable.exact}, y, {}, 0.0, {})[0]; };
        if (const double at_zero = at_y(); at_zero != 0) {
            model.source.fail(variable.mark,
                              "the exact part of the rate of {} must be linear; it is {} "
                              "where all variables are zero: leave that to the rate",
                              variable.name, at_zero);
        }
        for (std::size_t j = 0; j < d; ++j) {
            y[j] = 1;
            matrix(i, j) = at_y();
            y[j] = 0;
        }
    }
    return LinearFlow(std::move(matrix));
}

/// Forces, divided by masses that vary where the graph can do it. NOTE: the model is a copy, whose graph grows.
ModelForces accelerating(Model model, const std::vector<Node>& forces) {
    const auto divided = divided_by_masses(model, forces);
    return {model, divided};
}

}  // namespace

struct ModelParts::Shared {
    Model model;
    ModelForces forces;
    std::optional<ModelForces> slow_forces;
    std::optional<ModelMass> mass;  // where it varies
    std::optional<ModelConstraints> constraints;
    std::optional<ModelSprings> springs;
    std::optional<ModelFunction> time_factor;  // of a Kepler motion
    std::optional<ModelSlow> slow;
    std::optional<ModelFunction> fast_velocity;

    explicit Shared(Model given)
        : model(std::move(given)),
          forces(model.is_first_order() ? ModelForces(model, mapped(model.variables, &Variable::rate))
                                        : accelerating(model, model.forces)),
          mass(part_if<ModelMass>(!model.masses.empty(), model)),
          constraints(part_if<ModelConstraints>(!model.constraints.empty(), model)),
          springs(part_if<ModelSprings>(has_stiff_springs(model), model)),
          slow(part_if<ModelSlow>(!model.slow.empty(), model)),
          fast_velocity(part_if<ModelFunction>(!model.fast_velocity.empty(), model, model.fast_velocity)) {
        if (springs) {
            slow_forces = accelerating(model, model.slow_forces);
        }
        if (model.kepler && model.kepler->time_factor) {
            time_factor.emplace(model, std::vector{*model.kepler->time_factor});
        }
    }
};

ModelParts::ModelParts(Model model) {
    if (!model.constraints.empty() && model.constraints.size() >= model.coordinates.size()) {
        model.source.fail(model.constraints.back().mark,
                          "{} constraints on {} coordinates leave nothing to move, if they are independent",
                          model.constraints.size(), model.coordinates.size());
    }
    shared_ = std::make_shared<const Shared>(std::move(model));
}

std::size_t ModelParts::operations() const {
    return shared_->forces.operations;
}

Problem ModelParts::problem() const {
    return problem(shared_->model);
}

Problem ModelParts::problem(const Model& values) const {
    const auto inputs = input_values(values);
    auto problem = values.is_first_order()
                       ? variables_problem(values.dimension(), values.phases, shared_->forces.forces)
                       : coordinates_problem(values.dimension(), values.phases, shared_->forces.forces);
    problem.time_dependent = sees(values, {Place::Array::time});
    problem.names = values.is_first_order() ? mapped(values.variables, &Variable::name)
                                            : mapped(values.coordinates, &Coordinate::name);
    problem.scales = scales_of(values);
    problem.parameters = *inputs;
    problem.period = values.period;
    if (!values.is_first_order()) {
        problem.mass = shared_->mass ? shared_->mass->with_inputs(values.dimension(), inputs) : values.mass;
    }
    const auto divided = [&](const ModelForces& given) {
        return shared_->mass && !divides_in_graph(values) ? divided_by(problem.mass, given.forces) : given.forces;
    };
    problem.forces = divided(shared_->forces);
    if (shared_->constraints) {
        problem.constraints = shared_->constraints->with_inputs(inputs);
        problem.relaxed = [values](double, const std::vector<double>& strengths) {
            return ModelParts(model::relaxed(values, strengths)).problem();
        };
    }
    if (shared_->springs) {
        problem.springs = shared_->springs->with_values(values, problem.mass, divided(*shared_->slow_forces));
    }
    if (values.kepler) {
        problem.exact = exact_part(kepler_part(values, {shared_->time_factor, inputs}));
    } else if (has_exact_part(values)) {
        problem.exact = exact_part(linear_part(values));
    }
    if (shared_->slow) {
        problem.slow = shared_->slow->with_inputs(inputs);
    }
    if (shared_->fast_velocity) {
        problem.fast_velocity = [formula = *shared_->fast_velocity, inputs,
                                 rest = std::vector<double>(values.dimension(), 0.0)](In x, double t, In theta, Out w) {
            formula(x, rest, t, theta, inputs->data(), w);
        };
    }
    return problem;
}

bool sees(const Model& model, Place place) {
    auto nodes = model.is_first_order() ? mapped(model.variables, &Variable::rate) : model.forces;
    nodes.insert(nodes.end(), model.masses.begin(), model.masses.end());
    return std::ranges::any_of(model.graph.parts(nodes), [&](Node node) {
        const auto& entry = model.graph[node];
        return entry.op == Op::symbol && model.places[entry.symbol] == place;
    });
}

bool has_exact_part(const Model& model) {
    return model.kepler ||
           std::ranges::any_of(model.variables, [](const Variable& variable) { return variable.exact.has_value(); });
}

std::vector<double> start_of(const Model& model) {
    return model.is_first_order() ? mapped(model.variables, &Variable::start)
                                  : mapped(model.coordinates, &Coordinate::start);
}

std::vector<double> velocity_of(const Model& model) {
    return mapped(model.coordinates, &Coordinate::velocity);
}

std::vector<double> scales_of(const Model& model) {
    const auto declares = [](const auto& quantity) {
        if constexpr (requires { quantity.velocity_scale; }) {
            return quantity.scale || quantity.velocity_scale;
        } else {
            return quantity.scale.has_value();
        }
    };
    if (std::ranges::none_of(model.coordinates, declares) && std::ranges::none_of(model.variables, declares)) {
        return {};
    }
    if (model.is_first_order()) {
        return mapped(model.variables, [](const Variable& variable) { return variable.scale.value_or(1); });
    }
    auto scales = mapped(model.coordinates, [](const Coordinate& x) { return x.scale.value_or(1); });
    for (const auto& x : model.coordinates) {
        scales.push_back(x.velocity_scale.value_or(x.scale.value_or(1)));
    }
    return scales;
}

std::vector<double> values_at(const Model& model, const std::vector<Node>& nodes, In x, In v, double t, In theta) {
    const auto inputs = parameter_values(model);
    const auto value = [&](std::size_t symbol) {
        return value_at<double>(model.places[symbol], x, v, t, theta, inputs.data());
    };
    std::vector<double> result(nodes.size());
    Evaluator(model.graph, nodes).operator()<double>(value, std::span(result));
    return result;
}

std::vector<double> values_at_start(const Model& model, const std::vector<Node>& nodes) {
    const double t = model.run.t_start;
    const auto theta = mapped(model.phases, [t](const Phase& phase) { return phase.at(t); });
    return values_at(model, nodes, start_of(model), velocity_of(model), t, theta);
}

Mass mass_at_start(const Model& model) {
    return model.masses.empty() ? model.mass
                                : ModelMass(model)
                                      .with_inputs(model.dimension(), input_values(model))
                                      .at(start_of(model), model.run.t_start);
}

}  // namespace lento::model
