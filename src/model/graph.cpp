#include "model/graph.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "model/evaluate.hpp"
#include "model/mapped.hpp"
#include "model/node_map.hpp"

namespace lento::model {
namespace {

/// Powers up to this are products.
constexpr int largest_product = 64;

constexpr bool commutes(Op op) {
    return op == Op::add || op == Op::multiply || op == Op::hypot;
}

std::uint32_t hash_of(const Graph::Entry& entry) {
    std::uint64_t hash = std::bit_cast<std::uint64_t>(entry.value);
    hash ^= (index(entry.a) << 32) | (index(entry.b) ^ entry.symbol);
    hash = (hash ^ static_cast<std::uint64_t>(entry.op)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
    return static_cast<std::uint32_t>((hash * 0xbf58476d1ce4e5b9ULL) >> 32);
}

}  // namespace

std::span<const FunctionEntry> function_catalogue() {
    static constexpr FunctionEntry catalogue[] = {
        {"sin", Op::sin},   {"cos", Op::cos},     {"tan", Op::tan},     {"asin", Op::asin},   {"acos", Op::acos},
        {"atan", Op::atan}, {"atan2", Op::atan2}, {"sinh", Op::sinh},   {"cosh", Op::cosh},   {"tanh", Op::tanh},
        {"exp", Op::exp},   {"log", Op::log},     {"log10", Op::log10}, {"sqrt", Op::sqrt},   {"cbrt", Op::cbrt},
        {"abs", Op::abs},   {"min", Op::min},     {"max", Op::max},     {"hypot", Op::hypot}, {"pow", Op::power},
        {"sign", Op::sign}, {"floor", Op::floor},
    };
    return catalogue;
}

bool Graph::Entry::operator==(const Entry& other) const {
    // NOTE: by bits, so that 0 and -0 stay apart and a NaN equals itself.
    return op == other.op && a == other.a && b == other.b && symbol == other.symbol &&
           std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(other.value);
}

std::size_t Graph::Nodes::place(const Entry& entry, std::uint32_t hash) const {
    const std::size_t mask = known.size() - 1;
    std::size_t at = hash & mask;
    while (!known[at].is_free() && (known[at].hash != hash || !(entries[index(known[at].node)] == entry))) {
        at = (at + 1) & mask;
    }
    return at;
}

void Graph::Nodes::grow() {
    constexpr std::size_t least = 64;
    std::vector<Known> before(std::max(least, 2 * known.size()));
    std::swap(before, known);
    const std::size_t mask = known.size() - 1;
    for (const Known& each : before) {
        if (!each.is_free()) {
            std::size_t at = each.hash & mask;
            while (!known[at].is_free()) {
                at = (at + 1) & mask;
            }
            known[at] = each;
        }
    }
}

Node Graph::intern(Entry entry) {
    const std::uint32_t hash = hash_of(entry);
    if (!nodes_->known.empty()) {
        if (const Known& known = nodes_->known[nodes_->place(entry, hash)]; !known.is_free()) {
            return known.node;
        }
    }
    if (nodes_.use_count() > 1) {
        nodes_ = std::make_shared<Nodes>(*nodes_);
    } else {
        // NOTE: another thread may just have let go of its copy; what it read comes before what is written here.
        std::atomic_thread_fence(std::memory_order_acquire);
    }
    auto& [entries, known] = *nodes_;
    if (2 * (entries.size() + 1) > known.size()) {
        nodes_->grow();
    }
    const auto node = static_cast<Node>(entries.size());
    known[nodes_->place(entry, hash)] = {node, hash};
    entries.push_back(entry);
    return node;
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
    const auto [number, other] = is_constant(a) ? std::pair(a, b) : std::pair(b, a);
    switch (op) {
        case Op::add:
            if (is_constant(number, 0)) {
                return other;
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
            if (is_constant(number, 0)) {
                return constant(0);
            }
            if (is_constant(number, 1)) {
                return other;
            }
            if (is_constant(number, -1)) {
                return unary(Op::negate, other);
            }
            return product(a, b);
        case Op::divide:
            if (is_constant(b, 1)) {
                return a;
            }
            if (is_constant(b, -1)) {
                return unary(Op::negate, a);
            }
            if (is_constant(a, 0)) {
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
    struct Nothing {};
    NodeMap<Nothing> met(roots.size());
    std::vector<Node> waiting;
    const auto meet = [&](Node node) {
        if (met.try_emplace(node, {}).second) {
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
    NodeMap<Node> image(roots.size());
    const auto order = from.parts_above(roots, [&](Node node) {
        const auto replaced = replacement ? replacement(node) : std::nullopt;
        if (replaced) {
            image.try_emplace(node, *replaced);
        }
        return replaced.has_value();
    });
    for (const Node each : order) {
        const Entry entry = from[each];
        if (image.contains(each)) {
            continue;
        }
        image.try_emplace(each, is_leaf(entry.op)     ? intern(entry)
                                : is_binary(entry.op) ? binary(entry.op, image.at(entry.a), image.at(entry.b))
                                                      : unary(entry.op, image.at(entry.a)));
    }
    return mapped(roots, [&](Node root) { return image.at(root); });
}

Node Formula::not_zero(Node a) const {
    return graph_.binary(Op::max, a, number(std::numeric_limits<double>::denorm_min()));
}

}  // namespace lento::model
