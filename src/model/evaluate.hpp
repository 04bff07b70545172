/// The plain evaluator of a graph: the reference for compiled code, what serves until code repays, and the way for
/// every scalar type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "lento/base/increment.hpp"
#include "lento/base/jet.hpp"
#include "lento/base/scratch.hpp"
#include "model/graph.hpp"

namespace lento::model {

/// Calls `use` with the function of two operands that an operation is; those of one operand leave the other.
template <class S, class Use>
void with_operation(Op op, Use&& use) {
    switch (op) {
        case Op::add:
            return use([](const S& a, const S& b) { return a + b; });
        case Op::subtract:
            return use([](const S& a, const S& b) { return a - b; });
        case Op::multiply:
            return use([](const S& a, const S& b) { return a * b; });
        case Op::divide:
            return use([](const S& a, const S& b) { return a / b; });
        case Op::negate:
            return use([](const S& a, const S&) { return -a; });
        case Op::power:
            return use([](const S& a, const S& b) { return lento::pow(a, b); });
        case Op::sin:
            return use([](const S& a, const S&) { return lento::sin(a); });
        case Op::cos:
            return use([](const S& a, const S&) { return lento::cos(a); });
        case Op::tan:
            return use([](const S& a, const S&) { return lento::tan(a); });
        case Op::asin:
            return use([](const S& a, const S&) { return lento::asin(a); });
        case Op::acos:
            return use([](const S& a, const S&) { return lento::acos(a); });
        case Op::atan:
            return use([](const S& a, const S&) { return lento::atan(a); });
        case Op::sinh:
            return use([](const S& a, const S&) { return lento::sinh(a); });
        case Op::cosh:
            return use([](const S& a, const S&) { return lento::cosh(a); });
        case Op::tanh:
            return use([](const S& a, const S&) { return lento::tanh(a); });
        case Op::exp:
            return use([](const S& a, const S&) { return lento::exp(a); });
        case Op::expm1:
            return use([](const S& a, const S&) { return lento::expm1(a); });
        case Op::log:
            return use([](const S& a, const S&) { return lento::log(a); });
        case Op::log1p:
            return use([](const S& a, const S&) { return lento::log1p(a); });
        case Op::log10:
            return use([](const S& a, const S&) { return lento::log10(a); });
        case Op::sqrt:
            return use([](const S& a, const S&) { return lento::sqrt(a); });
        case Op::cbrt:
            return use([](const S& a, const S&) { return lento::cbrt(a); });
        case Op::abs:
            return use([](const S& a, const S&) { return lento::abs(a); });
        case Op::sign:
            return use([](const S& a, const S&) { return lento::sign(a); });
        case Op::floor:
            return use([](const S& a, const S&) { return lento::floor(a); });
        case Op::atan2:
            return use([](const S& a, const S& b) { return lento::atan2(a, b); });
        case Op::min:
            return use([](const S& a, const S& b) { return lento::least(a, b); });
        case Op::max:
            return use([](const S& a, const S& b) { return lento::greatest(a, b); });
        case Op::hypot:
            return use([](const S& a, const S& b) { return lento::hypot(a, b); });
        case Op::constant:
        case Op::symbol:
            break;
    }
}

/// One operation, on any scalar type.
template <class S>
S apply(Op op, const S& a, const S& b) {
    S result = a;
    with_operation<S>(op, [&](auto&& operation) { result = operation(a, b); });
    return result;
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

/// Evaluates some nodes of a graph again and again: numbers, symbols, and then operations in an order in which equal
/// ones that do not need each other stand together, so that a long graph with few patterns is a few long loops.
class Evaluator {
public:
    Evaluator(const Graph& graph, const std::vector<Node>& roots);

    /// `symbol(k)` is the value of symbol k; `result[i]` will be that of root i.
    template <class S, class Symbol>
    void operator()(Symbol&& symbol, std::span<S> result) const {
        if constexpr (std::is_trivially_destructible_v<S>) {
            Scratch<S, 64> values(size());
            evaluate<S>(symbol, values.data(), result);
        } else {
            std::vector<S> values(size());
            evaluate<S>(symbol, values.data(), result);
        }
    }

    std::size_t operations() const { return steps_.size(); }

private:
    struct Step {
        std::uint32_t a, b;  // places of the operands
    };
    /// Steps up to `last`, from where the run before ends.
    struct Run {
        Op op;
        std::uint32_t last;
    };

    std::size_t size() const { return constants_.size() + symbols_.size() + steps_.size(); }

    template <class S, class Symbol>
    void evaluate(Symbol& symbol, S* values, std::span<S> result) const {
        S* next = values;
        for (const double constant : constants_) {
            *next++ = S(constant);
        }
        for (const std::uint32_t k : symbols_) {
            *next++ = symbol(k);
        }
        const Step* step = steps_.data();
        for (const Run& run : runs_) {
            with_operation<S>(run.op, [&](auto&& operation) {
                for (const Step* const last = steps_.data() + run.last; step != last; ++step) {
                    *next++ = operation(values[step->a], values[step->b]);
                }
            });
        }
        for (std::size_t i = 0; i < roots_.size(); ++i) {
            result[i] = values[roots_[i]];
        }
    }

    std::vector<double> constants_;
    std::vector<std::uint32_t> symbols_;  // their numbers
    std::vector<Step> steps_;
    std::vector<Run> runs_;
    std::vector<std::uint32_t> roots_;  // places
};

}  // namespace lento::model
