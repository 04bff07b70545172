#include "model/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "model/evaluate.hpp"

namespace lento::model {

double finite(const Source& source, Mark mark, const std::string& what, double value) {
    if (!std::isfinite(value)) {
        source.fail(mark, "{} is {}; it must be a finite number", what, value);
    }
    return value;
}

double positive(const Source& source, Mark mark, const std::string& what, double value) {
    if (!(finite(source, mark, what, value) > 0)) {
        source.fail(mark, "{} is {}; it must be above 0", what, value);
    }
    return value;
}

std::size_t samples_of(double number) {
    constexpr double most = 1e7;
    if (!(number >= 2) || number > most || number != std::floor(number)) {
        throw Misuse(
            fmt::format("samples is {}; it must be a whole number from 2, both ends, to {:.0f}", number, most));
    }
    return static_cast<std::size_t>(number);
}

std::vector<Node> Numbers::copied(const Names& names, std::span<const Node> nodes) {
    return graph_.copies(names.graph(), nodes, [&](Node node) -> std::optional<Node> {
        const auto& entry = names.graph()[node];
        return entry.op == Op::symbol ? std::optional(graph_.parameter(names.symbols()[entry.symbol].index))
                                      : std::nullopt;
    });
}

void Numbers::add_parameter(const Names& names, Definition definition) {
    definition.node = copied(names, std::span(&definition.node, 1))[0];
    parameter_nodes_.push_back(graph_.parameter(static_cast<std::uint32_t>(definitions_.size())));
    definitions_.push_back(std::move(definition));
}

void Numbers::add_step(const Names& names, std::span<const Node> nodes, Step step) {
    parts_.push_back({copied(names, nodes), std::move(step)});
}

std::vector<std::string> Numbers::fold(std::vector<std::uint32_t> parameters) {
    folded_ = std::move(parameters);
    std::vector<bool> decides(definitions_.size(), false);
    for (const std::uint32_t k : folded_) {
        decides[k] = true;
    }
    for (std::size_t k = definitions_.size(); k-- > 0;) {
        if (!decides[k]) {
            continue;
        }
        for (const Node node : graph_.parts(std::span(&definitions_[k].node, 1))) {
            if (graph_[node].op == Op::symbol) {
                decides[graph_[node].symbol] = true;
            }
        }
    }
    std::vector<std::string> names;
    for (std::size_t k = 0; k < decides.size(); ++k) {
        if (decides[k]) {
            names.push_back(definitions_[k].name);
        }
    }
    return names;
}

void Numbers::put(Model& model, std::span<const std::optional<double>> given) const {
    const auto value_of = [&](std::uint32_t k, double defined) {
        const Definition& definition = definitions_[k];
        const double value = given[k].value_or(defined);
        if (std::isfinite(value)) {
            return value;
        }
        if (given[k] || definition.outside) {
            throw Misuse(fmt::format("--set {}: '{}' is {}; a finite number is needed", definition.name,
                                     given[k] ? fmt::format("{}", value) : *definition.outside, value));
        }
        return finite(model.source, definition.mark, fmt::format("the parameter {}", definition.name), value);
    };
    const auto all = values_of_all(graph_, [&](std::uint32_t k, const std::vector<double>& before) {
        return value_of(k, before[index(definitions_[k].node)]);
    });
    for (const std::uint32_t k : folded_) {
        const double value = all[index(parameter_nodes_[k])];
        if (value != model.parameters[k].value) {
            throw Misuse(
                fmt::format("the parameter {} stands in an exponent, so that the expressions depend on its value: the "
                            "model has to be read anew with --set {}={}",
                            definitions_[k].name, definitions_[k].name, value));
        }
    }
    for (std::size_t k = 0; k < definitions_.size(); ++k) {
        model.parameters[k].value = all[index(parameter_nodes_[k])];
    }
    for (const Part& part : parts_) {
        part.step(model, mapped(part.nodes, [&](Node node) { return all[index(node)]; }));
    }
}

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
    const auto maybe = [&](std::optional<Node>& node) {
        if (node) {
            nodes.push_back(&*node);
        }
    };
    maybe(model.potential);
    for (auto* list : {&model.forces, &model.slow_forces, &model.stiff_forces, &model.masses, &model.fast_velocity}) {
        for (auto& node : *list) {
            nodes.push_back(&node);
        }
    }
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
        return is_parameter
                   ? std::optional(simpler.graph.constant(model.parameters[model.places[entry.symbol].index].value))
                   : std::nullopt;
    });
    return simpler;
}

}  // namespace lento::model
