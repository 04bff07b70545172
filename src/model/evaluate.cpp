#include "model/evaluate.hpp"

#include <algorithm>
#include <utility>

#include "model/node_map.hpp"

namespace lento::model {

Evaluator::Evaluator(const Graph& graph, const std::vector<Node>& roots) {
    const std::vector<Node> parts = graph.parts(roots);
    NodeMap<std::uint32_t> at(parts.size());  // first the level, one above those of the operands; then the place
    struct Operation {
        std::uint32_t level;
        Op op;
        Node node;
    };
    std::vector<Operation> operations;
    for (const Node node : parts) {
        const auto& entry = graph[node];
        const std::uint32_t level = is_leaf(entry.op) ? 0 : 1 + std::max(at.at(entry.a), at.at(entry.b));
        at.try_emplace(node, level);
        if (level > 0) {
            operations.push_back({level, entry.op, node});
        }
    }
    std::ranges::stable_sort(operations, {}, [](const Operation& each) { return std::pair(each.level, each.op); });

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
    for (const auto& [level, op, node] : operations) {
        const auto& entry = graph[node];
        steps_.push_back({at.at(entry.a), at.at(entry.b)});
        at[node] = place++;
        if (runs_.empty() || runs_.back().op != op) {
            runs_.push_back({op, 0});
        }
        runs_.back().last = static_cast<std::uint32_t>(steps_.size());
    }
    for (const Node root : roots) {
        roots_.push_back(at.at(root));
    }
}

}  // namespace lento::model
