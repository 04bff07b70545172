/// The exact change of expressions when their symbols move, as further nodes of the graph.
///
///     g(c + d) - g(c) from (c, d) and without cancellation
///
/// The rules are those of lento::Increment (base/increment.hpp, which says why), written once per operation: what does
/// not move costs nothing, and values at the centre are the nodes that are there already.
///
/// NOTE: a graph has no branches, so these limits come on top. An argument of exp, sinh, cosh or tanh may not move by
/// more than 700, and the base of a power may not be negative unless the exponent is a constant, nor zero if the
/// exponent moves. What is zero and stays zero (a root, a length) has the change 0.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/graph.hpp"

namespace lento::model {

/// The change of each of `nodes` when every symbol k moves by `changes[k]` (nothing, or beyond the end: it stays). A
/// change may be any node of the graph; a node without a moving symbol has the constant change 0.
std::vector<Node> differences(Graph& graph, std::span<const Node> nodes, std::span<const std::optional<Node>> changes);

}  // namespace lento::model
