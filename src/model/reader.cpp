#include "model/reader.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace lento::model {
namespace {

/// Keys that belong at the top of the file, where the first section header swallows them if they come later.
bool is_top_level_only(std::string_view key) {
    return key == "potential" || key == "title" || key == "lento";
}

/// The text with a question mark in place of each control character: a terminal would obey them.
std::string printable(std::string text) {
    constexpr unsigned char space = 0x20, deleted = 0x7F, first_of_two = 0xC2, high_control = 0xA0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        // NOTE: in UTF-8 the control characters from 0x80 to 0x9F are two bytes, 0xC2 and themselves.
        const bool high =
            byte == first_of_two && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < high_control;
        if (byte < space || byte == deleted || high) {
            text.replace(i, high ? 2 : 1, "?");
        }
    }
    return text;
}

}  // namespace

Reader::Reader(Source source, const std::vector<Assignment>& assignments)
    : model_{.source = std::move(source)},
      document_(read_document(model_.source)),
      names_(model_.source),
      assignments_(assignments) {}

Model Reader::read() {
    check_top_level();
    read_parameters();
    read_coordinates();
    read_variable_starts();
    read_phases();
    read_definitions();
    read_potential();
    read_forces();
    read_rates();
    read_mass();
    read_springs();
    read_constraints();
    read_fast_velocity();
    read_oscillation();
    read_slow();
    read_splitting();
    read_observed();
    read_run();
    check_outputs();
    place_expressions();
    add_gradients();
    model_.numbers = std::make_shared<const Numbers>(std::move(numbers_));
    return std::move(model_);
}

const Value& Reader::section(std::string_view name) const {
    static const Value absent{.kind = Value::Kind::table, .text = {}, .items = {}, .entries = {}};
    const Entry* entry = document_.find(name);
    return entry == nullptr ? absent : entry->value;
}

void Reader::expect_table(const Value& value, std::string_view what) const {
    if (value.kind != Value::Kind::table) {
        fail(value.mark, "{} must be a section, not {}", what, value.kind_name());
    }
}

void Reader::expect_keys(const Value& table, std::string_view what, const std::vector<std::string>& known) const {
    for (const auto& entry : table.entries) {
        if (found(known, entry.key) == nullptr) {
            fail(entry.mark, "{} has no key '{}'{}; it takes {}", what, entry.key, suggestion(entry.key, known),
                 listed(known));
        }
    }
}

Node Reader::expression(const Value& value, const std::string& what) {
    if (value.kind == Value::Kind::number) {
        return names_.graph().constant(value.number);
    }
    if (value.kind != Value::Kind::text) {
        fail(value.mark, "{} must be an expression in quotes or a number, not {}", what, value.kind_name());
    }
    return names_.parse(value.text, value.mark);
}

/// Where a name stands in an expression; the whole of it where the name comes in by a definition.
Mark Reader::mark_of_name(const Value& value, std::string_view name) const {
    const auto words = names_in(value.text);
    const auto* word = found(words, name);
    return word == nullptr ? value.mark
                           : model_.source.within(
                                 value.mark, static_cast<std::size_t>(word->data() - value.text.data()), word->size());
}

Node Reader::expression_of(const Value& value, const std::string& what, Kinds allowed) {
    const Node node = expression(value, what);
    const auto forbidden = static_cast<Kinds>(~(allowed | Kind::parameter));
    if ((names_.kinds(node) & forbidden) != 0) {
        const Symbol* symbol = names_.first_of(node, forbidden);
        std::vector<std::string> may;
        for (const Kind kind : {Kind::coordinate, Kind::velocity, Kind::variable, Kind::time, Kind::phase}) {
            if ((allowed & static_cast<Kinds>(kind)) != 0) {
                may.push_back(kind == Kind::time       ? "t"
                              : kind == Kind::velocity ? "velocities"
                                                       : fmt::format("{}s", name_of(kind)));
            }
        }
        fail(mark_of_name(value, symbol->name), "{} may use {} and parameters; this uses the {} {}", what,
             may.empty() ? "none" : listed(may), name_of(symbol->kind), symbol->name);
    }
    return node;
}

Node Reader::number(const Value& value, const std::string& what) {
    const Node node = expression(value, what);
    if (!names_.value(node)) {
        const Symbol* symbol = names_.first_of(node, static_cast<Kinds>(~static_cast<Kinds>(Kind::parameter)));
        fail(mark_of_name(value, symbol->name), "{} must be a number; this depends on the {} {}", what,
             name_of(symbol->kind), symbol->name);
    }
    return node;
}

void Reader::put(std::span<const Node> nodes, Numbers::Step step) {
    step(model_, mapped(nodes, [&](Node node) { return *names_.value(node); }));
    if (!std::ranges::all_of(nodes, [&](Node node) { return names_.graph().is_constant(node); })) {
        numbers_.add_step(names_, nodes, std::move(step));
    }
}

Node Reader::put_number(const Value& value, const std::string& what, Check check, const Put& into) {
    const Node node = number(value, what);
    put(std::span(&node, 1), [mark = value.mark, what, check, into](Model& model, std::span<const double> values) {
        into(model, check(model.source, mark, what, values[0]));
    });
    return node;
}

void Reader::put_if_given(const Value& table, std::string_view key, const std::string& what, Check check,
                          const Put& into) {
    if (const Entry* entry = table.find(key)) {
        put_number(entry->value, what, check, into);
    }
}

const std::string& Reader::text(const Value& value, const std::string& what) const {
    if (value.kind != Value::Kind::text) {
        fail(value.mark, "{} must be text in quotes, not {}", what, value.kind_name());
    }
    return value.text;
}

std::size_t Reader::coordinate_of(const Entry& entry, std::string_view section) const {
    if (const auto found = coordinate_.find(entry.key); found != coordinate_.end()) {
        return found->second;
    }
    const auto known = mapped(model_.coordinates, &Coordinate::name);
    fail(entry.mark, "[{}] names '{}', which is not a coordinate{}", section, entry.key, suggestion(entry.key, known));
}

/// In `table`, which is [section], or in the sections below it.
void Reader::refuse_top_level_keys_in(const Value& table, const std::string& section) const {
    for (const auto& entry : table.entries) {
        const bool of_a_spring = section.starts_with("springs.") && entry.key == "potential";
        if (is_top_level_only(entry.key) && !of_a_spring) {
            fail(entry.mark,
                 "this line belongs to the section [{}] above it; '{}' is for the top of the "
                 "file, before the first section",
                 section, entry.key);
        }
        refuse_top_level_keys_in(entry.value, fmt::format("{}.{}", section, entry.key));
    }
}

void Reader::check_top_level() {
    for (const auto& entry : document_.entries) {
        refuse_top_level_keys_in(entry.value, entry.key);
    }
    static const std::vector<std::string> known{"lento",       "title",     "potential", "parameters",  "definitions",
                                                "coordinates", "forces",    "mass",      "constraints", "springs",
                                                "variables",   "splitting", "vibration", "oscillation", "fast_velocity",
                                                "slow",        "observe",   "run"};
    for (const auto& entry : document_.entries) {
        if (found(known, entry.key) == nullptr) {
            fail(entry.mark, "there is no section or key '{}'{}; there are {}", entry.key, suggestion(entry.key, known),
                 listed(known));
        }
        if (!is_top_level_only(entry.key)) {
            expect_table(entry.value, fmt::format("[{}]", entry.key));
        }
    }
    const Entry* version = document_.find("lento");
    if (version == nullptr) {
        fail({1, 1, 1}, "a model begins with the version of its format: lento = 1");
    }
    if (version->value.kind != Value::Kind::number || version->value.number != 1) {
        const std::string given = version->value.kind == Value::Kind::number ? fmt::format("{}", version->value.number)
                                                                             : std::string(version->value.kind_name());
        fail(version->value.mark, "the format of this model is {}; this program reads format 1: lento = 1", given);
    }
    const Entry* title = document_.find("title");
    model_.title = title != nullptr ? text(title->value, "title")
                                    : printable(std::filesystem::path(model_.source.name()).stem().string());
    if (model_.title != printable(model_.title)) {
        fail(title->value.mark, "a title has no control characters, such as the end of a line or an escape");
    }
    const Entry* coordinates = document_.find("coordinates");
    const Entry* variables = document_.find("variables");
    if (coordinates == nullptr && variables == nullptr) {
        fail({},
             "there is nothing to solve for: a model has a section [coordinates], or [variables] for first-order "
             "systems");
    }
    if (coordinates != nullptr && variables != nullptr) {
        fail(variables->mark, "[variables] are instead of [coordinates]; a model has one of the two");
    }
    if (variables != nullptr) {
        for (const auto* name : {"forces", "mass", "springs", "constraints", "fast_velocity", "potential"}) {
            if (const Entry* entry = document_.find(name)) {
                fail(entry->mark,
                     "'{}' is for systems with [coordinates]; this one has [variables], whose rates say all", name);
            }
        }
    }
}

/// Parameters in the exponent of a power whose base is not fixed: integer powers are products, and derivatives of x^n
/// at zero are numbers only where n is known.
std::vector<std::uint32_t> Reader::parameters_in_exponents() {
    const Graph& graph = names_.graph();
    const auto expressions = mapped(expressions_of(model_), [](const Node* node) { return *node; });
    std::vector<Node> exponents;
    for (const Node node : graph.parts(expressions)) {
        const auto& entry = graph[node];
        const Node exponent = entry.b;
        if (entry.op == Op::power && !entry.fixed && graph.is_fixed(exponent) && !graph.is_constant(exponent)) {
            exponents.push_back(exponent);
        }
    }
    std::vector<std::uint32_t> parameters;
    for (const Node node : graph.parts(exponents)) {
        if (graph[node].op == Op::symbol) {
            parameters.push_back(names_.symbols()[graph[node].symbol].index);
        }
    }
    return parameters;
}

void Reader::place_expressions() {
    const auto array_of = [](Kind kind) {
        return kind == Kind::parameter  ? Place::Array::input
               : kind == Kind::time     ? Place::Array::time
               : kind == Kind::velocity ? Place::Array::velocity
               : kind == Kind::phase    ? Place::Array::phase
                                        : Place::Array::position;
    };
    model_.places = mapped(names_.symbols(), [&](const Symbol& symbol) {
        return Place{array_of(symbol.kind), symbol.index};
    });
    model_.inputs = std::make_shared<Inputs>(model_.parameters.size());
    const auto written_in = parameters_in_exponents();
    copy_expressions(names_.graph(), model_, [&](Node node) -> std::optional<Node> {
        const auto& entry = names_.graph()[node];
        if (entry.op != Op::symbol || !entry.fixed) {
            return {};
        }
        const std::uint32_t k = names_.symbols()[entry.symbol].index;
        const bool is_written_in = found(written_in, k) != nullptr;
        return is_written_in ? std::optional(model_.graph.constant(model_.parameters[k].value)) : std::nullopt;
    });
    model_.structural = numbers_.fold(written_in);
}

Model read_model(Source source, const std::vector<Assignment>& assignments) {
    return Reader(std::move(source), assignments).read();
}

double number_in(const Model& model, std::string_view expression, const Origin& origin) {
    Names names(model.source);
    for (const auto* list : {&model.parameters, &model.constants}) {
        for (const auto& [name, value] : *list) {
            names.add_symbol(name, {}, Kind::parameter, value);
        }
    }
    return *names.value(names.number(expression, origin));
}

}  // namespace lento::model
