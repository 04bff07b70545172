#include "lento/model/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <utility>

#include "lento/model/evaluate.hpp"

namespace lento::model {
namespace {

/// Powers up to this are products.
constexpr int largest_product = 64;

constexpr bool commutes(Op op) {
    return op == Op::add || op == Op::multiply || op == Op::hypot;
}

}  // namespace

std::span<const FunctionEntry> function_catalogue() {
    static constexpr FunctionEntry catalogue[] = {
        {"sin", Op::sin, 1},     {"cos", Op::cos, 1},     {"tan", Op::tan, 1},     {"asin", Op::asin, 1},
        {"acos", Op::acos, 1},   {"atan", Op::atan, 1},   {"atan2", Op::atan2, 2}, {"sinh", Op::sinh, 1},
        {"cosh", Op::cosh, 1},   {"tanh", Op::tanh, 1},   {"exp", Op::exp, 1},     {"log", Op::log, 1},
        {"log10", Op::log10, 1}, {"sqrt", Op::sqrt, 1},   {"cbrt", Op::cbrt, 1},   {"abs", Op::abs, 1},
        {"min", Op::min, 2},     {"max", Op::max, 2},     {"hypot", Op::hypot, 2}, {"pow", Op::power, 2},
        {"sign", Op::sign, 1},   {"floor", Op::floor, 1},
    };
    return catalogue;
}

bool Graph::Entry::operator==(const Entry& other) const {
    // NOTE: by bits, so that 0 and -0 stay apart and a NaN equals itself.
    return op == other.op && a == other.a && b == other.b &&
           std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(other.value);
}

std::size_t Graph::Hash::operator()(const Entry& entry) const {
    std::uint64_t hash = std::bit_cast<std::uint64_t>(entry.value);
    hash ^= (static_cast<std::uint64_t>(entry.a) << 32) | entry.b;
    hash = (hash ^ static_cast<std::uint64_t>(entry.op)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
    return hash * 0xbf58476d1ce4e5b9ULL;
}

Node Graph::intern(Entry entry) {
    const auto [found, added] = known_.try_emplace(entry, static_cast<Node>(entries_.size()));
    if (added) {
        entries_.push_back(entry);
    }
    return found->second;
}

Node Graph::constant(double value) {
    return intern({.op = Op::constant, .value = value});
}

Node Graph::symbol(std::uint32_t number) {
    return intern({.op = Op::symbol, .a = number});
}

Node Graph::unary(Op op, Node a) {
    if (is_constant(a)) {
        const double value = (*this)[a].value;
        return constant(apply(op, value, value));
    }
    const Entry& operand = (*this)[a];
    if (op == Op::negate && operand.op == Op::negate) {
        return static_cast<Node>(operand.a);
    }
    if (op == Op::negate && operand.op == Op::subtract) {
        return binary(Op::subtract, static_cast<Node>(operand.b), static_cast<Node>(operand.a));
    }
    return intern({.op = op, .a = static_cast<std::uint32_t>(a)});
}

Node Graph::binary(Op op, Node a, Node b) {
    if (is_constant(a) && is_constant(b)) {
        return constant(apply(op, (*this)[a].value, (*this)[b].value));
    }
    if (commutes(op) && index(b) < index(a)) {
        std::swap(a, b);
    }
    switch (op) {
        case Op::add:
            if (is_constant(a, 0)) {
                return b;
            }
            if (is_constant(b, 0)) {
                return a;
            }
            if (a == b) {
                return binary(Op::multiply, constant(2), a);
            }
            if ((*this)[b].op == Op::negate) {
                return binary(Op::subtract, a, static_cast<Node>((*this)[b].a));
            }
            if ((*this)[a].op == Op::negate) {
                return binary(Op::subtract, b, static_cast<Node>((*this)[a].a));
            }
            break;
        case Op::subtract:
            if (is_constant(b, 0)) {
                return a;
            }
            if (is_constant(a, 0)) {
                return unary(Op::negate, b);
            }
            if ((*this)[b].op == Op::negate) {
                return binary(Op::add, a, static_cast<Node>((*this)[b].a));
            }
            if (a == b) {
                return constant(0);
            }
            break;
        case Op::multiply:
            if (is_constant(a, 0) || is_constant(b, 0)) {
                return constant(0);
            }
            if (is_constant(a, 1)) {
                return b;
            }
            if (is_constant(b, 1)) {
                return a;
            }
            if (is_constant(a, -1)) {
                return unary(Op::negate, b);
            }
            if (is_constant(b, -1)) {
                return unary(Op::negate, a);
            }
            if (is_constant(b)) {
                std::swap(a, b);
            }
            if (is_constant(a)) {
                // c (d x) = (c d) x,  c (-x) = (-c) x
                const Entry inner = (*this)[b];
                if (inner.op == Op::multiply && is_constant(static_cast<Node>(inner.a))) {
                    const double product = (*this)[a].value * (*this)[static_cast<Node>(inner.a)].value;
                    if (std::isnormal(product)) {
                        return binary(Op::multiply, constant(product), static_cast<Node>(inner.b));
                    }
                }
                if (inner.op == Op::negate) {
                    return binary(Op::multiply, constant(-(*this)[a].value), static_cast<Node>(inner.a));
                }
            }
            break;
        case Op::divide:
            if (is_constant(b, 1)) {
                return a;
            }
            if (is_constant(b, -1)) {
                return unary(Op::negate, a);
            }
            if (is_constant(a, 0) && !is_constant(b)) {
                return constant(0);
            }
            break;
        case Op::power:
            if (is_constant(b)) {
                const double exponent = (*this)[b].value;
                if (exponent == std::round(exponent) && std::abs(exponent) <= largest_product) {
                    return integer_power(a, static_cast<int>(exponent));
                }
                if (exponent == 0.5) {
                    return unary(Op::sqrt, a);
                }
            }
            break;
        default:
            break;
    }
    return intern({.op = op, .a = static_cast<std::uint32_t>(a), .b = static_cast<std::uint32_t>(b)});
}

Node Graph::integer_power(Node a, int exponent) {
    if (exponent < 0) {
        return binary(Op::divide, constant(1), integer_power(a, -exponent));
    }
    Node result = constant(1);
    Node square = a;
    for (int n = exponent; n > 0; n /= 2) {
        if (n % 2 == 1) {
            result = binary(Op::multiply, result, square);
        }
        if (n > 1) {
            square = binary(Op::multiply, square, square);
        }
    }
    return result;
}

std::vector<Node> Graph::parts(std::span<const Node> roots) const {
    std::unordered_set<std::uint32_t> met;
    std::vector<std::uint32_t> waiting;
    const auto meet = [&](std::uint32_t node) {
        if (met.insert(node).second) {
            waiting.push_back(node);
        }
    };
    for (const Node root : roots) {
        meet(static_cast<std::uint32_t>(root));
    }
    std::vector<Node> nodes;
    while (!waiting.empty()) {
        const std::uint32_t node = waiting.back();
        waiting.pop_back();
        nodes.push_back(static_cast<Node>(node));
        const Entry& entry = entries_[node];
        if (!is_leaf(entry.op)) {
            meet(entry.a);
            if (is_binary(entry.op)) {
                meet(entry.b);
            }
        }
    }
    std::sort(nodes.begin(), nodes.end());
    return nodes;
}

Graph::ByOperand Graph::by_operands(Node node) {
    const Entry entry = (*this)[node];
    const auto a = static_cast<Node>(entry.a);
    const auto b = static_cast<Node>(entry.b);
    const Node zero = constant(0);
    const Node one = constant(1);
    const auto times = [this](Node x, Node y) { return binary(Op::multiply, x, y); };
    const auto over = [this](Node x, Node y) { return binary(Op::divide, x, y); };
    const auto plus = [this](Node x, Node y) { return binary(Op::add, x, y); };
    const auto minus = [this](Node x, Node y) { return binary(Op::subtract, x, y); };
    const auto negative = [this](Node x) { return unary(Op::negate, x); };
    const auto square = [&](Node x) { return times(x, x); };
    switch (entry.op) {
        case Op::add:
            return {one, one};
        case Op::subtract:
            return {one, constant(-1)};
        case Op::multiply:
            return {b, a};
        case Op::divide:
            return {over(one, b), negative(over(node, b))};
        case Op::negate:
            return {constant(-1), zero};
        case Op::power:
            // d(a^b) = b a^(b-1) da + a^b log(a) db
            return {times(b, binary(Op::power, a, minus(b, one))),
                    is_constant(b) ? zero : times(node, unary(Op::log, a))};
        case Op::sin:
            return {unary(Op::cos, a), zero};
        case Op::cos:
            return {negative(unary(Op::sin, a)), zero};
        case Op::tan:
            return {plus(one, square(node)), zero};
        case Op::asin:
            return {over(one, unary(Op::sqrt, minus(one, square(a)))), zero};
        case Op::acos:
            return {over(constant(-1), unary(Op::sqrt, minus(one, square(a)))), zero};
        case Op::atan:
            return {over(one, plus(one, square(a))), zero};
        case Op::sinh:
            return {unary(Op::cosh, a), zero};
        case Op::cosh:
            return {unary(Op::sinh, a), zero};
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
            return {over(constant(1 / std::log(10.0)), a), zero};
        case Op::sqrt:
            return {over(constant(0.5), node), zero};
        case Op::cbrt:
            return {over(one, times(constant(3), square(node))), zero};
        case Op::abs:
            return {unary(Op::sign, a), zero};
        case Op::atan2: {
            const Node r2 = plus(square(a), square(b));
            return {over(b, r2), negative(over(a, r2))};
        }
        case Op::min:
        case Op::max: {
            // 1 where the operand is the one taken, 1/2 at a tie: (1 +- sign(a - b)) / 2.
            const Node half = times(constant(entry.op == Op::max ? 0.5 : -0.5), unary(Op::sign, minus(a, b)));
            return {plus(constant(0.5), half), minus(constant(0.5), half)};
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

Node Graph::derivative(Node node, std::uint32_t symbol) {
    const Node zero = constant(0);
    std::unordered_map<std::uint32_t, Node> found;  // the derivatives that are not zero
    const auto of = [&](std::uint32_t operand) {
        const auto known = found.find(operand);
        return known == found.end() ? zero : known->second;
    };
    for (const Node each : parts(std::span(&node, 1))) {
        const Entry entry = (*this)[each];
        Node sum = zero;
        if (entry.op == Op::symbol) {
            sum = constant(entry.a == symbol ? 1 : 0);
        } else if (entry.op != Op::constant) {
            const Node a = of(entry.a);
            const Node b = is_binary(entry.op) ? of(entry.b) : zero;
            if (a != zero || b != zero) {
                const ByOperand by = by_operands(each);
                sum = binary(Op::add, binary(Op::multiply, by.a, a), binary(Op::multiply, by.b, b));
            }
        }
        if (sum != zero) {
            found.emplace(static_cast<std::uint32_t>(each), sum);
        }
    }
    return of(static_cast<std::uint32_t>(node));
}

std::vector<Partial> Graph::gradient(Node node) {
    const Node zero = constant(0);
    std::unordered_map<std::uint32_t, Node> adjoint{{static_cast<std::uint32_t>(node), constant(1)}};
    const auto accumulate = [&](std::uint32_t operand, Node term) {
        const auto [known, added] = adjoint.try_emplace(operand, term);
        if (!added) {
            known->second = binary(Op::add, known->second, term);
        }
    };
    std::vector<Partial> result;
    const std::vector<Node> order = parts(std::span(&node, 1));
    for (auto each = order.rbegin(); each != order.rend(); ++each) {
        const Entry entry = (*this)[*each];
        const Node seen = adjoint.at(static_cast<std::uint32_t>(*each));
        if (entry.op == Op::symbol && seen != zero) {
            result.push_back({entry.a, seen});
        } else if (!is_leaf(entry.op)) {
            const ByOperand by = by_operands(*each);
            accumulate(entry.a, binary(Op::multiply, seen, by.a));
            if (is_binary(entry.op)) {
                accumulate(entry.b, binary(Op::multiply, seen, by.b));
            }
        }
    }
    std::sort(result.begin(), result.end(), [](const Partial& a, const Partial& b) { return a.symbol < b.symbol; });
    return result;
}

std::vector<Node> Graph::copies(const Graph& from, std::span<const Node> roots,
                                std::span<const std::optional<double>> values) {
    std::unordered_map<std::uint32_t, Node> image;
    for (const Node each : from.parts(roots)) {
        const Entry entry = from[each];
        Node copy{};
        if (entry.op == Op::constant) {
            copy = constant(entry.value);
        } else if (entry.op == Op::symbol) {
            const bool known = entry.a < values.size() && values[entry.a].has_value();
            copy = known ? constant(*values[entry.a]) : symbol(entry.a);
        } else {
            const Node a = image.at(entry.a);
            copy = is_binary(entry.op) ? binary(entry.op, a, image.at(entry.b)) : unary(entry.op, a);
        }
        image.emplace(static_cast<std::uint32_t>(each), copy);
    }
    std::vector<Node> result;
    for (const Node root : roots) {
        result.push_back(image.at(static_cast<std::uint32_t>(root)));
    }
    return result;
}

Evaluator::Evaluator(const Graph& graph, std::vector<Node> roots) {
    const std::vector<Node> order = graph.parts(roots);
    std::unordered_map<std::uint32_t, std::uint32_t> place;
    for (const Node node : order) {
        Graph::Entry step = graph[node];
        if (!is_leaf(step.op)) {
            step.a = place.at(step.a);
            step.b = is_binary(step.op) ? place.at(step.b) : step.a;
        }
        place.emplace(static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(steps_.size()));
        steps_.push_back(step);
    }
    for (const Node root : roots) {
        roots_.push_back(place.at(static_cast<std::uint32_t>(root)));
    }
}

}  // namespace lento::model
