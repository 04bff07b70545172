/// Text to expressions:
///
///     sum     = product { ("+" | "-") product }
///     product = signed { ("*" | "/") signed }
///     signed  = ("-" | "+") signed | power
///     power   = atom [ "^" signed ]                       right-associative; -x^2 is -(x^2), 2^-12 is fine
///     atom    = number | name | function "(" sum { "," sum } ")" | "d(" sum "," name ")" | "(" sum ")"
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/graph.hpp"

namespace lento::model {

/// What is wrong with an expression and where: `length` characters from `offset` on.
class ExpressionError : public std::runtime_error {
public:
    ExpressionError(const std::string& message, std::size_t where, std::size_t extent)
        : std::runtime_error(message), offset(where), length(extent) {}

    std::size_t offset, length;
};

/// What names mean where an expression stands.
struct Scope {
    /// The node a name stands for; nothing if it is not known. May throw ExpressionError to say more, without a place.
    std::function<std::optional<Node>(std::string_view name)> lookup;
    /// Every known name, for suggestions.
    std::function<std::vector<std::string>()> names;
};

/// Throws ExpressionError.
Node parse_expression(Graph& graph, std::string_view text, const Scope& scope);

/// Letters, digits and underscores, not starting with a digit.
bool is_name(std::string_view text);

/// The names in an expression, functions and all; for finding out which expressions need which.
std::vector<std::string_view> names_in(std::string_view text);

/// "the time", "a function", ...: of pi, t, d and the functions, which have a meaning of their own. Else empty.
std::string_view meaning_of_reserved(std::string_view name);

}  // namespace lento::model
