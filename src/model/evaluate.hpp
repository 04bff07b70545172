/// The plain evaluator of a graph: the reference for compiled code, and the way for every scalar type.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lento/base/increment.hpp"
#include "lento/base/jet.hpp"
#include "model/graph.hpp"

namespace lento::model {

/// One operation, on any scalar type.
template <class S>
S apply(Op op, const S& a, const S& b) {
    switch (op) {
        case Op::add:
            return a + b;
        case Op::subtract:
            return a - b;
        case Op::multiply:
            return a * b;
        case Op::divide:
            return a / b;
        case Op::negate:
            return -a;
        case Op::power:
            return lento::pow(a, b);
        case Op::sin:
            return lento::sin(a);
        case Op::cos:
            return lento::cos(a);
        case Op::tan:
            return lento::tan(a);
        case Op::asin:
            return lento::asin(a);
        case Op::acos:
            return lento::acos(a);
        case Op::atan:
            return lento::atan(a);
        case Op::sinh:
            return lento::sinh(a);
        case Op::cosh:
            return lento::cosh(a);
        case Op::tanh:
            return lento::tanh(a);
        case Op::exp:
            return lento::exp(a);
        case Op::expm1:
            return lento::expm1(a);
        case Op::log:
            return lento::log(a);
        case Op::log1p:
            return lento::log1p(a);
        case Op::log10:
            return lento::log10(a);
        case Op::sqrt:
            return lento::sqrt(a);
        case Op::cbrt:
            return lento::cbrt(a);
        case Op::abs:
            return lento::abs(a);
        case Op::sign:
            return lento::sign(a);
        case Op::floor:
            return lento::floor(a);
        case Op::atan2:
            return lento::atan2(a, b);
        case Op::min:
            return lento::least(a, b);
        case Op::max:
            return lento::greatest(a, b);
        case Op::hypot:
            return lento::hypot(a, b);
        case Op::constant:
        case Op::symbol:
            break;
    }
    return a;
}

/// The values of all nodes of a graph; `symbol(k, before)` is that of symbol k, given those of the nodes before it.
template <class Symbol>
std::vector<double> values_of_all(const Graph& graph, Symbol&& symbol) {
    std::vector<double> all;
    all.reserve(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const auto& entry = graph[static_cast<Node>(i)];
        all.push_back(entry.op == Op::constant ? entry.value
                      : entry.op == Op::symbol ? symbol(entry.symbol, all)
                                               : apply(entry.op, all[index(entry.a)], all[index(entry.b)]));
    }
    return all;
}

/// Evaluates some nodes of a graph again and again.
class Evaluator {
public:
    Evaluator(const Graph& graph, std::vector<Node> roots);

    /// `symbol(k)` is the value of symbol k; `result[i]` will be that of root i.
    template <class S, class Symbol>
    void operator()(Symbol&& symbol, std::span<S> result) const {
        std::vector<S> value(steps_.size());
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const auto& step = steps_[i];
            value[i] = step.op == Op::constant ? S(step.value)
                       : step.op == Op::symbol ? symbol(step.a)
                                               : apply(step.op, value[step.a], value[step.b]);
        }
        for (std::size_t i = 0; i < roots_.size(); ++i) {
            result[i] = value[roots_[i]];
        }
    }

private:
    struct Step {
        Op op;
        std::size_t a, b;  // earlier steps; or the number of a symbol
        double value;      // of a constant
    };

    std::vector<Step> steps_;
    std::vector<std::size_t> roots_;
};

}  // namespace lento::model
