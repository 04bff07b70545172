/// Expressions as a directed acyclic graph with shared subexpressions.
///
/// A node is an operation on earlier nodes; equal nodes are one node. Since operands always come before what uses them,
/// every traversal is a loop over ascending ids and depth does not matter; and it costs what the expression costs,
/// however much else the graph holds. Nodes are simplified as they are made: constants are folded and gathered, neutral
/// elements dropped, integer powers turned into products.
///
/// Some symbols are parameters. What is made of numbers and parameters alone is `fixed`: it is gathered as numbers are,
/// so that it can be computed once for a set of parameter values, but nothing is decided by its value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace lento::model {

enum class Op : std::uint8_t {
    constant,
    symbol,
    // of two operands
    add,
    subtract,
    multiply,
    divide,
    power,
    atan2,
    min,
    max,
    hypot,
    // of one
    negate,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    sinh,
    cosh,
    tanh,
    exp,
    expm1,  // e^a - 1 and log(1 + a): changes need them (difference.hpp), the language does not have them
    log,
    log1p,
    log10,
    sqrt,
    cbrt,
    abs,
    sign,
    floor,
};
constexpr bool is_binary(Op op) {
    return Op::add <= op && op <= Op::hypot;
}
constexpr bool is_leaf(Op op) {
    return op == Op::constant || op == Op::symbol;
}

/// A node of a graph, by its position in it.
enum class Node : std::uint32_t {};
constexpr std::size_t index(Node node) {
    return static_cast<std::size_t>(node);
}

/// The functions of the language.
struct FunctionEntry {
    std::string_view name;
    Op op;
};
std::span<const FunctionEntry> function_catalogue();

/// A partial derivative: by which symbol, and what it is.
struct Partial {
    std::uint32_t symbol;
    Node node;
};

class Graph {
public:
    struct Entry {
        Op op = Op::constant;
        bool fixed = false;        // made of numbers and parameters alone
        Node a{}, b{};             // the operands; the same where there is one
        std::uint32_t symbol = 0;  // the number of a symbol
        double value = 0;          // of a constant

        bool operator==(const Entry& other) const;
    };

    Node constant(double value) { return intern({.op = Op::constant, .fixed = true, .value = value}); }
    /// The symbol with that number: what it stands for is the caller's.
    Node symbol(std::uint32_t number) { return intern({.op = Op::symbol, .symbol = number}); }
    /// The symbol with that number, which is a parameter. Whoever makes a symbol first decides which of the two it is.
    Node parameter(std::uint32_t number) { return intern({.op = Op::symbol, .fixed = true, .symbol = number}); }
    Node unary(Op op, Node a);
    Node binary(Op op, Node a, Node b);

    std::size_t size() const { return nodes_->entries.size(); }
    const Entry& operator[](Node node) const { return nodes_->entries[index(node)]; }
    /// Whether a node is made of numbers and parameters alone.
    bool is_fixed(Node node) const { return (*this)[node].fixed; }
    bool is_constant(Node node) const { return (*this)[node].op == Op::constant; }
    bool is_constant(Node node, double value) const { return is_constant(node) && (*this)[node].value == value; }

    /// The nodes that `roots` are made of, in ascending order, the roots included.
    std::vector<Node> parts(std::span<const Node> roots) const;

    /// The partial derivative of `node` by the symbol with that number.
    Node derivative(Node node, std::uint32_t symbol);

    /// The partial derivatives of `node` that are not zero, all in one backward sweep, by ascending number of the
    /// symbol; those by parameters are left out.
    std::vector<Partial> gradient(Node node);

    /// What stands for a node of another graph; nothing if it is to be copied.
    using Replacement = std::function<std::optional<Node>(Node)>;
    /// `roots` of another graph, copied into this one; what is below a node that is replaced is not looked at.
    std::vector<Node> copies(const Graph& from, std::span<const Node> roots, const Replacement& replacement = {});

private:
    struct Known {
        Node node{~std::uint32_t{0}};
        std::uint32_t hash = 0;  // of its entry, which is far away in memory

        bool is_free() const { return node == Node{~std::uint32_t{0}}; }
    };

    /// What graphs share until one of them grows.
    struct Nodes {
        std::vector<Entry> entries{};
        /// Where the node of an entry is found: by its hash and linear probing, a power of two of places.
        std::vector<Known> known{};

        /// The place of an entry of that hash in `known`, or the one for it.
        std::size_t place(const Entry& entry, std::uint32_t hash) const;
        void grow();
    };

    /// `parts`, but not what is below a node where `stop` says so.
    template <class Stop>
    std::vector<Node> parts_above(std::span<const Node> roots, Stop&& stop) const;
    Node intern(Entry entry);
    Node product(Node a, Node b);
    Node integer_power(Node a, int exponent);

    std::shared_ptr<Nodes> nodes_ = std::make_shared<Nodes>();
};

/// Writes formulas into a graph.
class Formula {
public:
    explicit Formula(Graph& graph) : graph_(graph) {}

    Node number(double value) const { return graph_.constant(value); }
    Node of(Op op, Node a) const { return graph_.unary(op, a); }
    Node plus(Node a, Node b) const { return graph_.binary(Op::add, a, b); }
    Node minus(Node a, Node b) const { return graph_.binary(Op::subtract, a, b); }
    Node times(Node a, Node b) const { return graph_.binary(Op::multiply, a, b); }
    Node over(Node a, Node b) const { return graph_.binary(Op::divide, a, b); }
    Node negative(Node a) const { return graph_.unary(Op::negate, a); }
    Node square(Node a) const { return times(a, a); }
    /// To be divided by: of numbers that are not negative, and zero only where what is divided is zero too.
    Node not_zero(Node a) const;

protected:
    Graph& graph_;
};

}  // namespace lento::model
