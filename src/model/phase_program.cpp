#include "model/phase_program.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_set>

#include "model/taylor.hpp"

namespace lento::model {
namespace {

/// How many inputs, from the first, results are computed from.
std::size_t inputs_of(const FunctionGraph& source, std::span<const Node> results) {
    std::size_t count = 0;
    for (const Node node : source.graph.parts(results)) {
        const auto& entry = source.graph[node];
        if (entry.op == Op::symbol && source.places[entry.symbol].array == Place::Array::input) {
            count = std::max<std::size_t>(count, source.places[entry.symbol].index + 1);
        }
    }
    return count;
}

}  // namespace

PhaseProgram::PhaseProgram(const FunctionGraph& function, std::size_t dimension, int degree)
    : source(taylor(function, dimension, degree)) {
    const Graph& graph = source.graph;
    std::unordered_set<Node> alone, in_table;  // on phases
    const auto need = [&](Node node) {
        if (alone.contains(node) && in_table.insert(node).second) {
            table.push_back(node);
        }
    };
    const auto belongs = [&](Node node) { return alone.contains(node) || graph.is_fixed(node); };
    for (const Node node : graph.parts(source.results)) {
        const auto& entry = graph[node];
        if (entry.fixed) {
            continue;
        }
        if (entry.op == Op::symbol ? source.places[entry.symbol].array == Place::Array::phase
                                   : belongs(entry.a) && belongs(entry.b)) {
            alone.insert(node);
            if (!is_leaf(entry.op)) {
                inside.push_back(node);
            }
        } else if (!is_leaf(entry.op)) {
            rest.push_back(node);
            need(entry.a);
            need(entry.b);
        }
    }
    std::ranges::for_each(source.results, need);
    table_inputs = inputs_of(source, table);

    for (const auto* operations : {&inside, &rest}) {
        std::unordered_map<Node, Node> waiting;  // by argument
        for (const Node node : *operations) {
            const auto& entry = graph[node];
            if (entry.op != Op::sin && entry.op != Op::cos) {
                continue;
            }
            if (const auto [other, alone_so_far] = waiting.try_emplace(entry.a, node); !alone_so_far) {
                partners.emplace(node, other->second);
                partners.emplace(other->second, node);
            }
        }
    }
}

}  // namespace lento::model
