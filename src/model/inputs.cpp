#include "model/inputs.hpp"

#include "model/evaluate.hpp"
#include "model/mapped.hpp"

namespace lento::model {

Inputs::Inputs(std::size_t parameters) {
    for (std::uint32_t k = 0; k < parameters; ++k) {
        nodes_.push_back(graph_.parameter(k));
        of_.emplace(nodes_.back(), k);
    }
}

std::vector<std::uint32_t> Inputs::add(const Graph& graph, std::span<const Node> nodes, std::span<const Place> places) {
    const std::lock_guard lock(mutex_);
    const auto copies = graph_.copies(graph, nodes, [&](Node node) -> std::optional<Node> {
        const auto& entry = graph[node];
        return entry.op == Op::symbol ? std::optional(graph_.parameter(places[entry.symbol].index)) : std::nullopt;
    });
    std::vector<std::uint32_t> numbers;
    for (const Node copy : copies) {
        const auto [known, added] = of_.try_emplace(copy, static_cast<std::uint32_t>(nodes_.size()));
        if (added) {
            nodes_.push_back(copy);
        }
        numbers.push_back(known->second);
    }
    return numbers;
}

std::vector<double> Inputs::values(std::span<const double> parameters) const {
    const std::lock_guard lock(mutex_);
    const auto all = values_of_all(graph_, [&](std::uint32_t k, const auto&) { return parameters[k]; });
    return mapped(nodes_, [&](Node node) { return all[index(node)]; });
}

FunctionGraph hoisted(const Graph& graph, std::span<const Node> results, std::span<const Place> places,
                      Inputs& inputs) {
    FunctionGraph made{.places = {places.begin(), places.end()}};
    std::vector<Node> fixed;
    const auto symbol_of_fixed = [&](Node node) -> std::optional<Node> {
        if (!graph.is_fixed(node) || graph.is_constant(node)) {
            return {};
        }
        fixed.push_back(node);
        return made.graph.parameter(static_cast<std::uint32_t>(places.size() + fixed.size() - 1));
    };
    made.results = made.graph.copies(graph, results, symbol_of_fixed);
    for (const std::uint32_t number : inputs.add(graph, fixed, places)) {
        made.places.push_back({Place::Array::input, number});
    }
    return made;
}

}  // namespace lento::model
