#include "model/parse.hpp"

#include <algorithm>
#include <charconv>
#include <numbers>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "model/mapped.hpp"

namespace lento::model {
namespace {

/// Deeper nesting is refused: it would exhaust the stack long before it meant anything.
constexpr int deepest = 1000;

/// Derivatives of derivatives grow without end; more than this in one expression is refused.
constexpr std::size_t most_derived = 100'000;

constexpr bool starts_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Where a word or a number that begins at `i` ends; `i` itself where there is none.
std::size_t end_of_word(std::string_view text, std::size_t i) {
    while (i < text.size() && (starts_name(text[i]) || is_digit(text[i]))) {
        ++i;
    }
    return i;
}

const FunctionEntry* find_function(std::string_view name) {
    return found(function_catalogue(), name, &FunctionEntry::name);
}

class Parser {
public:
    Parser(Graph& graph, std::string_view text, const Scope& scope) : graph_(graph), text_(text), scope_(scope) {}

    Node whole() {
        skip_blanks();
        if (at_end()) {
            fail("the expression is empty", 0, 1);
        }
        const Node node = sum();
        if (peek() == ')') {
            fail("this ')' closes nothing", position_, 1);
        }
        if (!at_end()) {
            fail_here("expected an operator before '{}'");
        }
        return node;
    }

private:
    [[noreturn]] static void fail(const std::string& message, std::size_t offset, std::size_t length) {
        throw ExpressionError(message, offset, std::max<std::size_t>(1, length));
    }

    /// With what stands here in the message.
    [[noreturn]] void fail_here(fmt::format_string<std::string_view> message) const {
        fail(fmt::format(message, here()), position_, here().size());
    }

    bool at_end() const { return position_ >= text_.size(); }
    char peek() const { return at_end() ? '\0' : text_[position_]; }
    void skip_blanks() {
        while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) {
            ++position_;
        }
    }
    bool take(char c) {
        if (peek() != c || at_end()) {
            return false;
        }
        ++position_;
        skip_blanks();
        return true;
    }
    /// The name or the character at the current position, for messages.
    std::string_view here() const {
        std::size_t end = end_of_word(text_, position_);
        if (end == position_ && end < text_.size()) {
            ++end;
            while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0U) == 0x80U) {
                ++end;  // the rest of a character
            }
        }
        return text_.substr(position_, std::max<std::size_t>(1, end - position_));
    }

    Node sum() {
        Node left = product();
        while (peek() == '+' || peek() == '-') {
            const Op op = peek() == '+' ? Op::add : Op::subtract;
            take(peek());
            left = graph_.binary(op, left, product());
        }
        return left;
    }

    Node product() {
        Node left = with_sign();
        while (peek() == '*' || peek() == '/') {
            if (peek() == '*' && position_ + 1 < text_.size() && text_[position_ + 1] == '*') {
                fail("'**' is not an operator; write a power as ^", position_, 2);
            }
            const Op op = peek() == '*' ? Op::multiply : Op::divide;
            take(peek());
            left = graph_.binary(op, left, with_sign());
        }
        return left;
    }

    Node with_sign() {
        if (++depth_ > deepest) {
            fail(fmt::format("the expression is nested more than {} deep", deepest), position_, 1);
        }
        const Node node = take('-') ? graph_.unary(Op::negate, with_sign()) : take('+') ? with_sign() : power();
        --depth_;
        return node;
    }

    Node power() {
        const Node base = atom();
        return take('^') ? graph_.binary(Op::power, base, with_sign()) : base;
    }

    Node atom() {
        if (at_end()) {
            fail("the expression ends where a value is expected", text_.size() - 1, 1);
        }
        if (is_digit(peek()) || peek() == '.') {
            return number();
        }
        if (starts_name(peek())) {
            return name();
        }
        const std::size_t opened = position_;
        if (take('(')) {
            const Node inside = sum();
            close("this '('", opened, 1, "expected ')' before '{}'");
            return inside;
        }
        fail_here("expected a value, found '{}'");
    }

    Node number() {
        double value = 0;
        const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
        const auto length = static_cast<std::size_t>(end - (text_.data() + position_));
        if (error == std::errc::result_out_of_range) {
            fail("this number is too large or too small", position_, length);
        }
        if (error != std::errc() || length == 0) {
            fail("this is not a number", position_, 1);
        }
        position_ += length;
        if (starts_name(peek())) {
            fail_here("expected an operator before '{}'");
        }
        skip_blanks();
        return graph_.constant(value);
    }

    Node name() {
        const std::size_t start = position_;
        const std::string_view word = here();
        position_ += word.size();
        skip_blanks();
        if (peek() == '(') {
            return call(word, start);
        }
        if (word == "pi") {
            return graph_.constant(std::numbers::pi);
        }
        if (find_function(word) != nullptr) {
            fail(fmt::format("{0} is a function: write {0}(...)", word), start, word.size());
        }
        try {
            if (const auto node = scope_.lookup(word)) {
                return *node;
            }
        } catch (const ExpressionError& error) {
            fail(error.what(), start, word.size());
        }
        fail(fmt::format("'{}' is not known{}", word, suggestion(word, scope_.names())), start, word.size());
    }

    Node call(std::string_view word, std::size_t start) {
        if (word == "d") {
            return partial_derivative(start);
        }
        const FunctionEntry* function = find_function(word);
        if (function == nullptr) {
            const auto known =
                mapped(function_catalogue(), [](const FunctionEntry& entry) { return std::string(entry.name); });
            fail(fmt::format("'{}' is not a function{}", word, suggestion(word, known)), start, word.size());
        }
        take('(');
        std::vector<Node> arguments;
        if (peek() != ')') {
            do {
                arguments.push_back(sum());
            } while (take(','));
        }
        close_call(word, start);
        const bool two = is_binary(function->op);
        if (arguments.size() != (two ? 2 : 1)) {
            fail(fmt::format("{} takes {}, not {}", word, two ? "2 arguments" : "1 argument", arguments.size()), start,
                 word.size());
        }
        return two ? graph_.binary(function->op, arguments[0], arguments[1]) : graph_.unary(function->op, arguments[0]);
    }

    /// d(expression, name)
    Node partial_derivative(std::size_t start) {
        take('(');
        const Node expression = sum();
        if (!take(',')) {
            fail("d takes an expression and a name: d(expression, name)", start, 1);
        }
        const std::size_t at = position_;
        const std::string_view word = starts_name(peek()) ? here() : std::string_view();
        const Node variable = sum();
        close_call("d", start);
        if (word.empty() || graph_[variable].op != Op::symbol) {
            fail("the second argument of d must be the name of a coordinate, velocity, phase, parameter or t", at,
                 std::max<std::size_t>(1, word.size()));
        }
        const std::size_t before = graph_.size();
        const Node derivative = graph_.derivative(expression, graph_[variable].symbol);
        derived_ += graph_.size() - before;
        if (derived_ > most_derived) {
            fail(fmt::format("the derivatives in this expression have more than {} operations", most_derived), start,
                 1);
        }
        return derivative;
    }

    void close_call(std::string_view word, std::size_t start) {
        close(fmt::format("the '(' of {}", word), start, word.size(), "expected ',' or ')' before '{}'");
    }
    void close(std::string_view what, std::size_t opened, std::size_t length,
               fmt::format_string<std::string_view> expected) {
        if (at_end()) {
            fail(fmt::format("{} is never closed", what), opened, length);
        }
        if (!take(')')) {
            fail_here(expected);
        }
    }

    Graph& graph_;
    std::string_view text_;
    const Scope& scope_;
    std::size_t position_ = 0;
    int depth_ = 0;
    std::size_t derived_ = 0;  // nodes made by derivatives
};

}  // namespace

Node parse_expression(Graph& graph, std::string_view text, const Scope& scope) {
    return Parser(graph, text, scope).whole();
}

bool is_name(std::string_view text) {
    return !text.empty() && starts_name(text[0]) && end_of_word(text, 0) == text.size();
}

std::vector<std::string_view> names_in(std::string_view text) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = end_of_word(text, i);
        // NOTE: a number may hold an e; what starts with a digit is one, whole.
        if (end > i && starts_name(text[i])) {
            names.push_back(text.substr(i, end - i));
        }
        i = std::max(end, i + 1);
        // NOTE: what follows a number's point is still the number: 1.e5.
        if (text[i - 1] == '.') {
            i = end_of_word(text, i);
        }
    }
    return names;
}

std::string_view meaning_of_reserved(std::string_view name) {
    return name == "t"                      ? "the time"
           : name == "pi"                   ? "3.14159..."
           : name == "d"                    ? "the partial derivative"
           : find_function(name) != nullptr ? "a function"
                                            : "";
}

}  // namespace lento::model
