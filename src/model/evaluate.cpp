#include "model/evaluate.hpp"

#include <algorithm>
#include <utility>

#include "model/node_map.hpp"

namespace lento::model {

Evaluator::Evaluator(const Graph& graph, const std::vector<Node>& roots) {
    const std::vector<Node> parts = graph.parts(roots);
    NodeMap<std::uint32_t> at(parts.size());             // first the number among `parts`, then the place
    std::vector<std::uint32_t> levels(parts.size(), 0);  // one above those of the operands
    std::vector<Node> operations;
    for (std::uint32_t k = 0; k < parts.size(); ++k) {
        at.try_emplace(parts[k], k);
        const auto& entry = graph[parts[k]];
        if (!is_leaf(entry.op)) {
            levels[k] = 1 + std::max(levels[at.at(entry.a)], levels[at.at(entry.b)]);
            operations.push_back(parts[k]);
        }
    }
    std::ranges::stable_sort(operations, {}, [&](Node node) { return std::pair(levels[at.at(node)], graph[node].op); });

    std::uint32_t place = 0;
    for (const Op leaf : {Op::constant, Op::symbol}) {
        for (const Node node : parts) {
            const auto& entry = graph[node];
            if (entry.op == leaf) {
                leaf == Op::constant ? constants_.push_back(entry.value) : symbols_.push_back(entry.symbol);
                at[node] = place++;
            }
        }
    }
    for (const Node node : operations) {
        const auto& entry = graph[node];
        steps_.push_back({at.at(entry.a), at.at(entry.b)});
        at[node] = place++;
        if (runs_.empty() || runs_.back().op != entry.op) {
            runs_.push_back({entry.op, 0});
        }
        runs_.back().last = static_cast<std::uint32_t>(steps_.size());
    }
    for (const Node root : roots) {
        roots_.push_back(at.at(root));
    }
}

}  // namespace lento::model
