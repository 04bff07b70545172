/// Models with other values of their parameters.
#include <algorithm>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "model/numbers.hpp"
#include "model/parsed_model.hpp"

namespace lento::model {

Model with_parameters(const Model& model, std::span<const Parameter> values) {
    Model changed = model;
    for (const auto& [name, value] : values) {
        const auto found = std::ranges::find(model.parameters, name, &Parameter::name);
        if (found == model.parameters.end()) {
            refuse_parameter(model.source, {name, fmt::format("{}", value)},
                             mapped(model.parameters, &Parameter::name));
        }
        changed.given[static_cast<std::size_t>(found - model.parameters.begin())] = value;
    }
    model.numbers->put(changed, changed.given);
    return changed;
}

void refuse_parameter(const Source& source, const Assignment& given, const std::vector<std::string>& known) {
    throw Misuse(fmt::format("--set {}={}: {} has no parameter '{}'{}; it has {}", given.name, given.expression,
                             source.name(), given.name, suggestion(given.name, known),
                             known.empty() ? std::string("none") : listed(known)));
}

std::vector<double> parameter_values(const Model& model) {
    return mapped(model.parameters, &Parameter::value);
}

InputValues input_values(const Model& model) {
    return std::make_shared<const std::vector<double>>(model.inputs->values(parameter_values(model)));
}

std::vector<Node*> expressions_of(Model& model) {
    std::vector<Node*> nodes;
    const auto all = [&](std::vector<Node>& list) {
        for (auto& node : list) {
            nodes.push_back(&node);
        }
    };
    const auto maybe = [&](std::optional<Node>& node) {
        if (node) {
            nodes.push_back(&*node);
        }
    };
    maybe(model.potential);
    all(model.forces);
    all(model.slow_forces);
    all(model.stiff_forces);
    for (auto& variable : model.variables) {
        nodes.push_back(&variable.rate);
        maybe(variable.exact);
    }
    for (auto& spring : model.springs) {
        nodes.push_back(&spring.potential);
        maybe(spring.elongation);
        maybe(spring.strength);
    }
    for (auto* list : {&model.constraints, &model.observed}) {
        for (auto& named : *list) {
            nodes.push_back(&named.node);
        }
    }
    all(model.fast_velocity);
    for (auto& slow : model.slow) {
        nodes.push_back(&slow.node);
        maybe(slow.alternative);
    }
    if (model.kepler) {
        maybe(model.kepler->time_factor);
    }
    return nodes;
}

void copy_expressions(const Graph& from, Model& model, const Graph::Replacement& replacement) {
    const auto expressions = expressions_of(model);
    const auto nodes = mapped(expressions, [](const Node* node) { return *node; });
    const auto copies = model.graph.copies(from, nodes, replacement);
    for (std::size_t i = 0; i < copies.size(); ++i) {
        *expressions[i] = copies[i];
    }
}

Model folded(const Model& model) {
    Model simpler = model;
    simpler.graph = Graph();
    copy_expressions(model.graph, simpler, [&](Node node) -> std::optional<Node> {
        const auto& entry = model.graph[node];
        const bool is_parameter = entry.op == Op::symbol && entry.fixed;
        return is_parameter ? std::optional(simpler.graph.constant(model.parameters[model.places[entry.a].index].value))
                            : std::nullopt;
    });
    return simpler;
}

}  // namespace lento::model
