/// What the names of a model mean, and what an expression made of them depends on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/graph.hpp"
#include "model/parse.hpp"
#include "model/source.hpp"

namespace lento::model {

/// What a symbol of the graph stands for. Each is a bit, so that a set of them is a number.
enum class Kind : std::uint8_t { parameter = 1, time = 2, coordinate = 4, velocity = 8, variable = 16, phase = 32 };
using Kinds = std::uint8_t;
constexpr Kinds operator|(Kind a, Kind b) {
    return static_cast<Kinds>(static_cast<Kinds>(a) | static_cast<Kinds>(b));
}
constexpr Kinds operator|(Kinds a, Kind b) {
    return static_cast<Kinds>(a | static_cast<Kinds>(b));
}
/// "coordinate", "phase", ...
std::string_view name_of(Kind kind);

struct Symbol {
    std::string name;
    Kind kind = Kind::parameter;
    std::uint32_t index = 0;        ///< among those of its kind
    std::optional<double> value{};  ///< of a parameter
};

class Names {
public:
    explicit Names(const Source& source);

    /// Adds a symbol or a definition. Throws ModelError if the name is not one, is reserved or is taken.
    void add_symbol(std::string name, Mark mark, Kind kind, std::optional<double> value = {});
    void add_definition(std::string name, Mark mark, Node node);
    /// Refuse `name` as the two functions above would.
    void require_free(const std::string& name, Mark mark) const;
    void require_name(const std::string& name, Mark mark) const;
    void require_not_reserved(const std::string& name, Mark mark) const;

    /// The expression that `text` stands for. Throws ModelError.
    Node parse(std::string_view text, const Origin& origin);
    /// The same; it must have a finite value. Throws Misuse.
    Node number(std::string_view text, const Origin& origin);

    /// The value of an expression that depends on parameters alone; nothing if it depends on more.
    std::optional<double> value(Node node);
    /// What an expression depends on.
    Kinds kinds(Node node);
    /// The first symbol of one of these kinds in an expression.
    const Symbol* first_of(Node node, Kinds kinds) const;

    /// Says more about a name that is not known here, but elsewhere or later; empty if there is nothing to say.
    std::function<std::string(std::string_view)> hint;

    Graph& graph() { return graph_; }
    const Graph& graph() const { return graph_; }
    std::span<const Symbol> symbols() const { return symbols_; }

private:
    struct Meaning {
        Node node{};
        Mark mark{};
        std::string what;  ///< "parameter", "definition", ...
    };
    struct Facts {
        Kinds kinds = 0;
        double value = 0;  ///< where only parameters are involved
    };

    void learn();

    const Source* source_;
    Graph graph_;
    std::vector<Symbol> symbols_;
    std::map<Kind, std::uint32_t> count_;  // symbols of each kind
    std::map<std::string, Meaning, std::less<>> meanings_;
    std::vector<Facts> facts_;  // of the first nodes of the graph
};

}  // namespace lento::model
