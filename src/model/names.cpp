#include "model/names.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "model/evaluate.hpp"
#include "model/mapped.hpp"

namespace lento::model {

std::string_view name_of(Kind kind) {
    static constexpr std::string_view names[]{"parameter", "time", "coordinate", "velocity", "variable", "phase"};
    return names[std::countr_zero(static_cast<Kinds>(kind))];
}

Names::Names(const Source& source) : source_(&source) {
    meanings_["t"] = {graph_.symbol(0), {}, "the time"};
    symbols_.push_back({"t", Kind::time});
}

void Names::require_name(const std::string& name, Mark mark) const {
    if (!is_name(name)) {
        source_->fail(mark, "'{}' is not a name: letters, digits and underscores, not starting with a digit", name);
    }
}

void Names::require_not_reserved(const std::string& name, Mark mark) const {
    if (const auto meaning = meaning_of_reserved(name); !meaning.empty()) {
        source_->fail(mark, "'{}' has a meaning of its own ({}); take another name", name, meaning);
    }
}

void Names::require_free(const std::string& name, Mark mark) const {
    require_name(name, mark);
    require_not_reserved(name, mark);
    if (const auto taken = meanings_.find(name); taken != meanings_.end()) {
        source_->fail(mark, "'{}' is {} already{}; take another name", name, taken->second.what,
                      taken->second.mark.line > 0 ? fmt::format(", in line {}", taken->second.mark.line) : "");
    }
}

void Names::add_symbol(std::string name, Mark mark, Kind kind, std::optional<double> value) {
    require_free(name, mark);
    const auto number = static_cast<std::uint32_t>(symbols_.size());
    const Node node = kind == Kind::parameter ? graph_.parameter(number) : graph_.symbol(number);
    meanings_[name] = {node, mark, fmt::format("a {}", name_of(kind))};
    symbols_.push_back({std::move(name), kind, count_[kind]++, value});
}

void Names::add_definition(std::string name, Mark mark, Node node) {
    require_free(name, mark);
    meanings_[std::move(name)] = {node, mark, "a definition"};
}

Node Names::parse(std::string_view text, const Origin& origin) {
    const auto lookup = [this](std::string_view name) -> std::optional<Node> {
        if (const auto known = meanings_.find(name); known != meanings_.end()) {
            return known->second.node;
        }
        if (const std::string more = hint ? hint(name) : std::string(); !more.empty()) {
            throw ExpressionError(more, 0, 0);
        }
        return {};
    };
    const auto names = [this] { return mapped(meanings_, [](const auto& known) { return known.first; }); };
    try {
        return parse_expression(graph_, text, {lookup, names});
    } catch (const ExpressionError& error) {
        if (const auto* mark = std::get_if<Mark>(&origin)) {
            source_->fail(source_->within(*mark, error.offset, error.length), error.what());
        }
        const Source outside(std::get<std::string>(origin), std::string(text));
        outside.fail({1, error.offset + 1, error.length}, error.what());
    }
}

Node Names::number(std::string_view text, const Origin& origin) {
    const Node node = parse(text, origin);
    const auto found = value(node);
    if (!found || !std::isfinite(*found)) {
        const auto message = fmt::format("'{}' is {}; a finite number is needed", text,
                                         found ? fmt::format("{}", *found) : "a function of t");
        if (const auto* mark = std::get_if<Mark>(&origin)) {
            source_->fail(*mark, message);
        }
        throw Misuse(fmt::format("{}: {}", std::get<std::string>(origin), message));
    }
    return node;
}

/// Extends what is known of the nodes to those added since.
void Names::learn() {
    for (std::size_t i = facts_.size(); i < graph_.size(); ++i) {
        const auto& entry = graph_[static_cast<Node>(i)];
        Facts facts;
        if (entry.op == Op::constant) {
            facts.value = entry.value;
        } else if (entry.op == Op::symbol) {
            const Symbol& symbol = symbols_[entry.symbol];
            facts = {static_cast<Kinds>(symbol.kind), symbol.value.value_or(0)};
        } else {
            const Facts& a = facts_[index(entry.a)];
            const Facts& b = facts_[index(entry.b)];
            facts = {static_cast<Kinds>(a.kinds | b.kinds), apply(entry.op, a.value, b.value)};
        }
        facts_.push_back(facts);
    }
}

Kinds Names::kinds(Node node) {
    learn();
    return facts_[index(node)].kinds;
}

std::optional<double> Names::value(Node node) {
    const bool known = (kinds(node) & ~static_cast<Kinds>(Kind::parameter)) == 0;
    return known ? std::optional(facts_[index(node)].value) : std::nullopt;
}

const Symbol* Names::first_of(Node node, Kinds kinds) const {
    for (const Node part : graph_.parts(std::span(&node, 1))) {
        const auto& entry = graph_[part];
        if (entry.op == Op::symbol && (static_cast<Kinds>(symbols_[entry.symbol].kind) & kinds) != 0) {
            return &symbols_[entry.symbol];
        }
    }
    return nullptr;
}

}  // namespace lento::model
