/// Partial derivatives as further nodes of a graph.
#include <algorithm>
#include <cmath>

#include "model/graph.hpp"
#include "model/node_map.hpp"

namespace lento::model {
namespace {

/// The derivative of a node by its first and second operand.
struct ByOperand {
    Node a, b;
};

class Slopes : Formula {
public:
    using Formula::Formula;

    ByOperand operator()(Node node) const {
        const Graph::Entry entry = graph_[node];
        const Node a = entry.a;
        const Node b = entry.b;
        const Node zero = number(0);
        const Node one = number(1);
        switch (entry.op) {
            case Op::add:
                return {one, one};
            case Op::subtract:
                return {one, number(-1)};
            case Op::multiply:
                return {b, a};
            case Op::divide:
                return {over(one, b), negative(over(node, b))};
            case Op::negate:
                return {number(-1), zero};
            case Op::power:
                // d(a^b) = b a^(b-1) da + a^b log(a) db
                return {times(b, graph_.binary(Op::power, a, minus(b, one))),
                        graph_.is_constant(b) ? zero : times(node, of(Op::log, a))};
            case Op::sin:
                return {of(Op::cos, a), zero};
            case Op::cos:
                return {negative(of(Op::sin, a)), zero};
            case Op::tan:
                return {plus(one, square(node)), zero};
            case Op::asin:
                return {over(one, of(Op::sqrt, minus(one, square(a)))), zero};
            case Op::acos:
                return {over(number(-1), of(Op::sqrt, minus(one, square(a)))), zero};
            case Op::atan:
                return {over(one, plus(one, square(a))), zero};
            case Op::sinh:
                return {of(Op::cosh, a), zero};
            case Op::cosh:
                return {of(Op::sinh, a), zero};
            case Op::tanh:
                return {minus(one, square(node)), zero};
            case Op::exp:
                return {node, zero};
            case Op::expm1:
                return {plus(node, one), zero};
            case Op::log:
                return {over(one, a), zero};
            case Op::log1p:
                return {over(one, plus(one, a)), zero};
            case Op::log10:
                return {over(number(1 / std::log(10.0)), a), zero};
            case Op::sqrt:
                return {over(number(0.5), node), zero};
            case Op::cbrt:
                return {over(one, times(number(3), square(node))), zero};
            case Op::abs:
                return {of(Op::sign, a), zero};
            case Op::atan2: {
                const Node r2 = plus(square(a), square(b));
                return {over(b, r2), negative(over(a, r2))};
            }
            case Op::min:
            case Op::max: {
                // 1 where the operand is the one taken, 1/2 at a tie: (1 +- sign(a - b)) / 2.
                const Node half = times(number(entry.op == Op::max ? 0.5 : -0.5), of(Op::sign, minus(a, b)));
                return {plus(number(0.5), half), minus(number(0.5), half)};
            }
            case Op::hypot:
                return {over(a, node), over(b, node)};
            case Op::sign:
            case Op::floor:
            case Op::constant:
            case Op::symbol:
                break;
        }
        return {zero, zero};
    }
};

}  // namespace

Node Graph::derivative(Node node, std::uint32_t symbol) {
    const Node zero = constant(0);
    NodeMap<Node> found;  // the derivatives that are not zero
    const auto of = [&](Node operand) {
        const Node* known = found.find(operand);
        return known == nullptr ? zero : *known;
    };
    for (const Node each : parts(std::span(&node, 1))) {
        const Entry entry = (*this)[each];
        Node sum = zero;
        if (entry.op == Op::symbol) {
            sum = constant(entry.symbol == symbol ? 1 : 0);
        } else if (entry.op != Op::constant) {
            const Node a = of(entry.a);
            const Node b = is_binary(entry.op) ? of(entry.b) : zero;
            if (a != zero || b != zero) {
                const ByOperand by = Slopes(*this)(each);
                sum = binary(Op::add, binary(Op::multiply, by.a, a), binary(Op::multiply, by.b, b));
            }
        }
        if (sum != zero) {
            found.try_emplace(each, sum);
        }
    }
    return of(node);
}

std::vector<Partial> Graph::gradient(Node node) {
    const Node zero = constant(0);
    NodeMap<Node> adjoint;
    adjoint.try_emplace(node, constant(1));
    const auto accumulate = [&](Node operand, Node term) {
        if (is_fixed(operand)) {
            return;
        }
        const auto [sum, added] = adjoint.try_emplace(operand, term);
        if (!added) {
            sum = binary(Op::add, sum, term);
        }
    };
    std::vector<Partial> result;
    const std::vector<Node> order = parts(std::span(&node, 1));
    for (auto each = order.rbegin(); each != order.rend(); ++each) {
        const Entry entry = (*this)[*each];
        if (entry.fixed) {
            continue;
        }
        const Node seen = adjoint.at(*each);
        if (entry.op == Op::symbol && seen != zero) {
            result.push_back({entry.symbol, seen});
        } else if (!is_leaf(entry.op)) {
            const ByOperand by = Slopes(*this)(*each);
            accumulate(entry.a, binary(Op::multiply, seen, by.a));
            if (is_binary(entry.op)) {
                accumulate(entry.b, binary(Op::multiply, seen, by.b));
            }
        }
    }
    std::ranges::sort(result, {}, &Partial::symbol);
    return result;
}

}  // namespace lento::model
