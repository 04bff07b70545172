/// Taylor coefficients in slow time of what a graph computes, as a graph of their own.
///
///     x(s) = x_0 + x_1 s + ... + x_D s^D,    the same for v,    t(s) = t + s,    theta(s) = theta
///
/// Every node becomes D + 1 nodes by the recurrences of `base/jet.hpp`, written out: with y = phi(a) and y' = g a' the coefficients obey
/// k y_k = sum_{j=1..k} j a_j g_{k-j}. Equal sums are one node, and a coefficient that is zero whatever the arguments costs nothing, so
/// that what depends on phases alone stays as it was. At a kink (of abs, sign, floor; where both arguments of min, max are equal) a
/// coefficient is that of one side or zero.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/compile.hpp"
#include "model/graph.hpp"

namespace lento::model {

struct TaylorGraph {
    Graph graph{};
    std::vector<Node>
        results{};  ///< coefficient after coefficient: that of degree j of result i is number j*(results) + i
    std::vector<Place>
        places{};  ///< of its symbols: coefficient j of coordinate i has index j*dimension + i in its array
};

/// The coefficients up to `degree` of `results`, where `places[k]` tells what symbol k of `graph` is; positions and velocities have
/// `dimension` components each.
TaylorGraph taylor(const Graph& graph, std::span<const Node> results, std::span<const Place> places,
                   std::size_t dimension, int degree);

}  // namespace lento::model
