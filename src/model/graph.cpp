#include "model/graph.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <utility>

#include "model/evaluate.hpp"
#include "model/mapped.hpp"

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
    return op == other.op && a == other.a && b == other.b && symbol == other.symbol &&
           std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(other.value);
}

std::size_t Graph::Hash::operator()(const Entry& entry) const {
    std::uint64_t hash = std::bit_cast<std::uint64_t>(entry.value);
    hash ^= (index(entry.a) << 32) | (index(entry.b) ^ entry.symbol);
    hash = (hash ^ static_cast<std::uint64_t>(entry.op)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
    return hash * 0xbf58476d1ce4e5b9ULL;
}

Node Graph::intern(Entry entry) {
    if (const auto known = nodes_->known.find(entry); known != nodes_->known.end()) {
        return known->second;
    }
    if (nodes_.use_count() > 1) {
        nodes_ = std::make_shared<Nodes>(*nodes_);
    } else {
        // NOTE: another thread may just have let go of its copy; what it read comes before what is written here.
        std::atomic_thread_fence(std::memory_order_acquire);
    }
    const auto node = static_cast<Node>(nodes_->entries.size());
    nodes_->known.emplace(entry, node);
    nodes_->entries.push_back(entry);
    return node;
}

Node Graph::constant(double value) {
    return intern({.op = Op::constant, .fixed = true, .value = value});
}

Node Graph::symbol(std::uint32_t number) {
    return intern({.op = Op::symbol, .symbol = number});
}

Node Graph::parameter(std::uint32_t number) {
    return intern({.op = Op::symbol, .fixed = true, .symbol = number});
}

Node Graph::unary(Op op, Node a) {
    if (is_constant(a)) {
        const double value = (*this)[a].value;
        return constant(apply(op, value, value));
    }
    const Entry& operand = (*this)[a];
    if (op == Op::negate && operand.op == Op::negate) {
        return operand.a;
    }
    if (op == Op::negate && operand.op == Op::subtract) {
        return binary(Op::subtract, operand.b, operand.a);
    }
    return intern({.op = op, .fixed = is_fixed(a), .a = a, .b = a});
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
                return binary(Op::subtract, a, (*this)[b].a);
            }
            if ((*this)[a].op == Op::negate) {
                return binary(Op::subtract, b, (*this)[a].a);
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
                return binary(Op::add, a, (*this)[b].a);
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
            return product(a, b);
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
    return intern({.op = op, .fixed = is_fixed(a) && is_fixed(b), .a = a, .b = b});
}

/// Of two nodes of which neither is 0, 1 or -1: fixed factors come first and are gathered, c (d x) = (c d) x and c (-x)
/// = (-c) x.
Node Graph::product(Node a, Node b) {
    if (is_constant(b) || (is_fixed(b) && !is_fixed(a))) {
        std::swap(a, b);
    }
    const Entry inner = (*this)[b];
    const Node first = inner.a;
    const Node second = inner.b;
    if (is_constant(a) && inner.op == Op::multiply && is_constant(first)) {
        const double gathered = (*this)[a].value * (*this)[first].value;
        if (std::isnormal(gathered)) {
            return binary(Op::multiply, constant(gathered), second);
        }
    } else if (is_fixed(a) && !inner.fixed && inner.op == Op::multiply && is_fixed(first)) {
        // NOTE: the range of parameters is not known here. Those beyond 1e150 may overflow in a product that is then
        // multiplied by something small; numbers, above, do not. What is fixed as a whole keeps the order in which it
        // was written.
        return binary(Op::multiply, binary(Op::multiply, a, first), second);
    }
    if ((is_constant(a) || (is_fixed(a) && !inner.fixed)) && inner.op == Op::negate) {
        return binary(Op::multiply, unary(Op::negate, a), first);
    }
    return intern({.op = Op::multiply, .fixed = is_fixed(a) && is_fixed(b), .a = a, .b = b});
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

template <class Stop>
std::vector<Node> Graph::parts_above(std::span<const Node> roots, Stop&& stop) const {
    std::unordered_set<Node> met;
    std::vector<Node> waiting;
    const auto meet = [&](Node node) {
        if (met.insert(node).second) {
            waiting.push_back(node);
        }
    };
    std::ranges::for_each(roots, meet);
    std::vector<Node> nodes;
    while (!waiting.empty()) {
        const Node node = waiting.back();
        waiting.pop_back();
        nodes.push_back(node);
        const Entry& entry = (*this)[node];
        if (!stop(node) && !is_leaf(entry.op)) {
            meet(entry.a);
            meet(entry.b);
        }
    }
    std::ranges::sort(nodes);
    return nodes;
}

std::vector<Node> Graph::parts(std::span<const Node> roots) const {
    return parts_above(roots, [](Node) { return false; });
}

std::vector<Node> Graph::copies(const Graph& from, std::span<const Node> roots, const Replacement& replacement) {
    std::unordered_map<Node, Node> image;
    const auto order = from.parts_above(roots, [&](Node node) {
        const auto replaced = replacement ? replacement(node) : std::nullopt;
        if (replaced) {
            image.emplace(node, *replaced);
        }
        return replaced.has_value();
    });
    for (const Node each : order) {
        const Entry entry = from[each];
        Node copy{};
        if (image.contains(each)) {
            continue;
        }
        if (entry.op == Op::constant) {
            copy = constant(entry.value);
        } else if (entry.op == Op::symbol) {
            copy = entry.fixed ? parameter(entry.symbol) : symbol(entry.symbol);
        } else {
            const Node a = image.at(entry.a);
            copy = is_binary(entry.op) ? binary(entry.op, a, image.at(entry.b)) : unary(entry.op, a);
        }
        image.emplace(each, copy);
    }
    return mapped(roots, [&](Node root) { return image.at(root); });
}

Evaluator::Evaluator(const Graph& graph, std::vector<Node> roots) {
    std::unordered_map<Node, std::size_t> place;
    for (const Node node : graph.parts(roots)) {
        const auto& entry = graph[node];
        place.emplace(node, steps_.size());
        if (is_leaf(entry.op)) {
            steps_.push_back({entry.op, entry.symbol, 0, entry.value});
        } else {
            steps_.push_back({entry.op, place.at(entry.a), place.at(entry.b), 0});
        }
    }
    roots_ = mapped(roots, [&](Node root) { return place.at(root); });
}

}  // namespace lento::model
