#include "model/difference.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "model/mapped.hpp"

namespace lento::model {
namespace {

/// A node at the centre and how it changes; the constant 0 if it does not.
struct Moved {
    Node value{}, change{};
    std::optional<Node> total{};  ///< where there is a better one than value + change
};

/// The change of one operation. In the formulas a and b are operands, d and e their changes, A = a + d and B = b + e.
class Rules : Formula {
public:
    using Formula::Formula;

    /// `node` has one operand, which moves.
    Node unary(Node node, const Moved& a) {
        switch (graph_[node].op) {
            case Op::negate:
                return negative(a.change);
            case Op::sin:
            case Op::cos:
            case Op::tan:
                return circular(node, a);
            case Op::asin:
                return arc_sine(a);
            case Op::acos:
                return negative(arc_sine(a));
            case Op::atan:
                return graph_.binary(Op::atan2, a.change, plus(one_, times(a.value, total(a))));
            case Op::sinh:
            case Op::cosh:
            case Op::tanh:
                return hyperbolic(node, a);
            case Op::exp:
                return times(node, of(Op::expm1, a.change));
            case Op::expm1:
                return times(of(Op::exp, a.value), of(Op::expm1, a.change));
            case Op::log:
                return log_ratio(a);
            case Op::log1p:
                return log_ratio({plus(one_, a.value), a.change});
            case Op::log10:
                return times(number(std::numbers::log10e), log_ratio(a));
            case Op::sqrt:
            case Op::cbrt:
                return root(node, a);
            case Op::abs:
                // max(a, -a)
                return graph_.binary(Op::max, plus(minus(a.value, node), a.change),
                                     negative(plus(plus(a.value, node), a.change)));
            default:
                // sign and floor, whose values are whole numbers
                return minus(of(graph_[node].op, total(a)), node);
        }
    }

    /// `node` has two operands, of which one moves at least.
    Node binary(Node node, const Moved& a, const Moved& b) {
        const Op op = graph_[node].op;
        switch (op) {
            case Op::add:
                return plus(a.change, b.change);
            case Op::subtract:
                return minus(a.change, b.change);
            case Op::multiply:
                return product(a, b);
            case Op::divide:
                return quotient(node, a, b);
            case Op::power:
                return moves(b) ? power_of_moving(node, a, b) : power(a, b.value);
            case Op::hypot:
                return hypotenuse(node, a, b);
            case Op::atan2:
                return angle(node, a, b);
            default:
                // max((a - m) + d, (b - m) + e) with m = max(a, b), and min: exact where the same one is taken
                return graph_.binary(op, plus(minus(a.value, node), a.change), plus(minus(b.value, node), b.change));
        }
    }

    /// The product of what both are now. The sum of its value and its change would lose its digits where a high power
    /// becomes small: x^-12 divides by it.
    Node total_product(const Moved& a, const Moved& b) { return times(total(a), total(b)); }

    bool moves(const Moved& a) const { return !graph_.is_constant(a.change, 0); }

private:
    Node total(const Moved& a) { return a.total ? *a.total : plus(a.value, a.change); }

    /// a e + d B
    Node product(const Moved& a, const Moved& b) {
        if (a.value == b.value) {
            return times(a.change, plus(a.value, total(a)));
        }
        if (!moves(a)) {
            return times(a.value, b.change);
        }
        return plus(times(a.value, b.change), times(a.change, total(b)));
    }

    /// (d - q e) / B with q = a / b
    Node quotient(Node q, const Moved& a, const Moved& b) {
        return over(minus(a.change, times(q, b.change)), total(b));
    }

    /// log(A / a)
    Node log_ratio(const Moved& a) { return of(Op::log1p, over(a.change, a.value)); }

    Node root(Node node, const Moved& a) {
        const Op op = graph_[node].op;
        const Node moved = of(op, total(a));
        const Node sum =
            op == Op::sqrt ? plus(moved, node) : plus(plus(square(moved), times(moved, node)), square(node));
        return over(a.change, not_zero(sum));
    }

    /// d (a + A) / s + e (b + B) / s with s = hypot(A, B) + hypot(a, b)
    Node hypotenuse(Node node, const Moved& a, const Moved& b) {
        const Node sum = not_zero(plus(node, graph_.binary(Op::hypot, total(a), total(b))));
        const auto part = [&](const Moved& x) {
            return moves(x) ? times(x.change, over(plus(x.value, total(x)), sum)) : x.change;
        };
        return plus(part(a), part(b));
    }

    /// The angle between (b, a) and (B, A), and the whole turns by which atan2 jumps at the negative axis.
    Node angle(Node node, const Moved& a, const Moved& b) {
        const Node cross = minus(times(b.value, a.change), times(a.value, b.change));
        const Node dot = plus(times(a.value, total(a)), times(b.value, total(b)));
        const Node turn = graph_.binary(Op::atan2, cross, dot);
        const Node jump = minus(minus(graph_.binary(Op::atan2, total(a), total(b)), node), turn);
        const Node turns = of(Op::floor, plus(times(number(0.5 / std::numbers::pi), jump), number(0.5)));
        return plus(turn, times(number(2 * std::numbers::pi), turns));
    }

    /// 2 sin h (cos a cos h - sin a sin h), -2 sin h (sin a cos h + cos a sin h) with h = d/2;
    /// tan d (1 + tan^2 a) / (1 - tan a tan d)
    Node circular(Node node, const Moved& a) {
        if (graph_[node].op == Op::tan) {
            const Node turn = of(Op::tan, a.change);
            return times(turn, over(plus(one_, square(node)), minus(one_, times(node, turn))));
        }
        const Node half = times(number(0.5), a.change);
        const Node sine = of(Op::sin, half);
        const Node cosine = of(Op::cos, half);
        const Node twice = times(number(2), sine);
        if (graph_[node].op == Op::sin) {
            return times(twice, minus(times(of(Op::cos, a.value), cosine), times(node, sine)));
        }
        return negative(times(twice, plus(times(of(Op::sin, a.value), cosine), times(node, sine))));
    }

    /// 2 cosh(a + h) sinh h, 2 sinh(a + h) sinh h, sinh d / (cosh a cosh A)
    Node hyperbolic(Node node, const Moved& a) {
        const Op op = graph_[node].op;
        if (op == Op::tanh) {
            return over(over(of(Op::sinh, a.change), of(Op::cosh, a.value)), of(Op::cosh, total(a)));
        }
        const Node half = times(number(0.5), a.change);
        const Node middle = of(op == Op::sinh ? Op::cosh : Op::sinh, plus(a.value, half));
        return times(times(number(2), of(Op::sinh, half)), middle);
    }

    /// The angle with the sine d c + a (c - C) and the cosine c C + a A, where c = sqrt(1 - a^2), C = sqrt(1 - A^2).
    Node arc_sine(const Moved& a) {
        const Node below = minus(one_, a.value);
        const Node above = plus(one_, a.value);
        const Node c = of(Op::sqrt, times(below, above));
        // NOTE: not 1 - (a + d): near 1 the sum has lost its digits.
        const Node moved = of(Op::sqrt, times(minus(below, a.change), plus(above, a.change)));
        const Node fall = over(times(plus(a.value, total(a)), a.change), not_zero(plus(c, moved)));
        const Node sine = plus(times(a.change, c), times(a.value, fall));
        return graph_.binary(Op::atan2, sine, plus(times(c, moved), times(a.value, total(a))));
    }

    /// A^p - a^p for an exponent that stays: -sign(d) m^p expm1(p log1p(-|d| / m)) from the larger m of a and A, which
    /// is right if the other one is zero. A NaN is never hidden: the power of a negative m is none.
    Node power(const Moved& a, Node exponent) {
        if (graph_.is_constant(exponent)) {
            const double p = graph_[exponent].value;
            if (p == std::round(p) && std::abs(p) <= std::numeric_limits<int>::max()) {
                return integer_power(a, static_cast<int>(p));
            }
        }
        const Node larger = graph_.binary(Op::max, a.value, total(a));
        const Node share = negative(over(of(Op::abs, a.change), not_zero(larger)));
        const Node fall = of(Op::expm1, times(exponent, of(Op::log1p, share)));
        return negative(times(times(of(Op::sign, a.change), graph_.binary(Op::power, larger, exponent)), fall));
    }

    /// a^b expm1(b log(A / a) + e log A)
    Node power_of_moving(Node node, const Moved& a, const Moved& b) {
        const Node by_exponent = times(b.change, of(Op::log, total(a)));
        const Node exponent = moves(a) ? plus(times(b.value, log_ratio(a)), by_exponent) : by_exponent;
        return times(node, of(Op::expm1, exponent));
    }

    /// Powers too large for the graph to have made products of them: products, since bases may be negative.
    Node integer_power(const Moved& a, int exponent) {
        Moved result{one_, number(0)};
        Moved repeated = a;
        for (int n = std::abs(exponent); n > 0; n /= 2) {
            if (n % 2 == 1) {
                result = {times(result.value, repeated.value), product(result, repeated),
                          total_product(result, repeated)};
            }
            if (n > 1) {
                repeated = {square(repeated.value), product(repeated, repeated), total_product(repeated, repeated)};
            }
        }
        const Moved one{one_, number(0)};
        return exponent < 0 ? quotient(over(one_, result.value), one, result) : result.change;
    }

    const Node one_ = number(1);
};

}  // namespace

std::vector<Node> differences(Graph& graph, std::span<const Node> nodes, std::span<const std::optional<Node>> changes) {
    Rules rules(graph);
    const Node zero = graph.constant(0);
    std::unordered_map<Node, Moved> found;  // what moves
    const auto moved = [&](Node node) {
        const auto known = found.find(node);
        return known == found.end() ? Moved{node, zero} : known->second;
    };
    for (const Node each : graph.parts(nodes)) {
        const Graph::Entry entry = graph[each];
        Moved result{each, zero};
        if (entry.op == Op::symbol) {
            result.change = entry.symbol < changes.size() ? changes[entry.symbol].value_or(zero) : zero;
        } else if (entry.op != Op::constant) {
            const Moved a = moved(entry.a);
            const Moved b = is_binary(entry.op) ? moved(entry.b) : Moved{a.value, zero};
            if (rules.moves(a) || rules.moves(b)) {
                result.change = is_binary(entry.op) ? rules.binary(each, a, b) : rules.unary(each, a);
            }
            if (entry.op == Op::multiply && rules.moves(result)) {
                result.total = rules.total_product(a, b);
            }
        }
        if (rules.moves(result)) {
            found.emplace(each, result);
        }
    }
    return mapped(nodes, [&](Node node) { return moved(node).change; });
}

}  // namespace lento::model
