#include "model/numbers.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "model/evaluate.hpp"

namespace lento::model {

double finite(const Source& source, Mark mark, const std::string& what, double value) {
    if (!std::isfinite(value)) {
        source.fail(mark, fmt::format("{} is {}; it must be a finite number", what, value));
    }
    return value;
}

double positive(const Source& source, Mark mark, const std::string& what, double value) {
    if (!(finite(source, mark, what, value) > 0)) {
        source.fail(mark, fmt::format("{} is {}; it must be above 0", what, value));
    }
    return value;
}

std::vector<Node> Numbers::copied(const Names& names, std::span<const Node> nodes) {
    return graph_.copies(names.graph(), nodes, [&](Node node) -> std::optional<Node> {
        const auto& entry = names.graph()[node];
        return entry.op == Op::symbol ? std::optional(graph_.parameter(names.symbols()[entry.a].index)) : std::nullopt;
    });
}

void Numbers::add_parameter(const Names& names, Definition definition) {
    definition.node = copied(names, std::span(&definition.node, 1))[0];
    parameter_nodes_.push_back(graph_.parameter(static_cast<std::uint32_t>(definitions_.size())));
    definitions_.push_back(std::move(definition));
}

void Numbers::add_step(const Names& names, std::span<const Node> nodes, Step step) {
    const auto copies = copied(names, nodes);
    parts_.push_back({nodes_.size(), copies.size(), std::move(step)});
    nodes_.insert(nodes_.end(), copies.begin(), copies.end());
}

std::vector<std::string> Numbers::structural() const {
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
                decides[graph_[node].a] = true;
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
    std::vector<double> all(graph_.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& entry = graph_[static_cast<Node>(i)];
        if (entry.op == Op::constant) {
            all[i] = entry.value;
        } else if (entry.op == Op::symbol) {
            all[i] = value_of(entry.a, all[index(definitions_[entry.a].node)]);
        } else {
            all[i] = apply(entry.op, all[entry.a], all[entry.b]);
        }
    }
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
    std::vector<double> values;
    for (const Part& part : parts_) {
        values.clear();
        for (std::size_t i = part.first; i < part.first + part.count; ++i) {
            values.push_back(all[index(nodes_[i])]);
        }
        part.step(model, values);
    }
}

}  // namespace lento::model
