/// What the functions of a model read besides the state: numbers that follow from its parameters, computed once for a
/// set of values.
///
///     inputs = (p_1, ..., p_m, e_1(p), e_2(p), ...)
///
/// The parameters come first, then every largest expression of parameters alone that some function needs (`hoisted`).
/// Functions register what they need when they are made: then one evaluation of the inputs is all that new values cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/compile.hpp"
#include "model/graph.hpp"

namespace lento::model {

/// The values of all inputs for one set of parameters, shared by all who use it.
using InputValues = std::shared_ptr<const std::vector<double>>;

/// Any thread may call it. It only grows: a number once given stays.
class Inputs {
public:
    explicit Inputs(std::size_t parameters);

    /// The numbers of `nodes`, which are fixed; `places` tells which parameter a symbol of `graph` is. Equal
    /// expressions have one number.
    std::vector<std::uint32_t> add(const Graph& graph, std::span<const Node> nodes, std::span<const Place> places);

    /// By the plain evaluator, operation by operation as the expressions stand.
    std::vector<double> values(std::span<const double> parameters) const;

private:
    mutable std::mutex mutex_;
    Graph graph_;                                 // symbol k is parameter k
    std::vector<Node> nodes_;                     // of the inputs
    std::unordered_map<Node, std::uint32_t> of_;  // the number of an input, by node
};

/// Copies `results` of `graph`; what depends on parameters alone, and is no number, becomes an input: in what is made
/// nothing depends on parameters but symbols whose place is among the inputs.
FunctionGraph hoisted(const Graph& graph, std::span<const Node> results, std::span<const Place> places, Inputs& inputs);

}  // namespace lento::model
