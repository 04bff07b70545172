#include "model/document.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "model/mapped.hpp"

namespace lento::model {
namespace {

/// Keys with more parts than this would nest tables deeper than anyone writes, or than a stack can take.
constexpr int most_dots = 32;

Mark mark_of(const toml::source_region& region, std::size_t length = 1) {
    return {region.begin.line, region.begin.column, length};
}

/// The place after a string that starts at `i` with a quote; long strings and escapes included.
std::size_t after_string(std::string_view text, std::size_t i) {
    const char quote = text[i];
    const std::string_view three = text.substr(i, 3);
    const bool is_long = three == "\"\"\"" || three == "'''";
    const std::string_view end = is_long ? three : text.substr(i, 1);
    for (i += end.size(); i < text.size(); ++i) {
        if (text[i] == '\\' && quote == '"') {
            ++i;
        } else if (text.substr(i).starts_with(end)) {
            return i + end.size();
        } else if (text[i] == '\n' && !is_long) {
            return i;  // an error, which toml++ will report
        }
    }
    return text.size();
}

/// Dotted keys make tables in tables without end; toml++ limits the nesting of values only.
void refuse_endless_keys(const Source& source) {
    const std::string_view text = source.text();
    int dots = 0;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '"' || c == '\'') {
            i = after_string(text, i);
            continue;
        }
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        if (c == '\n' || c == '=' || c == ',' || c == '{') {
            dots = 0;
        } else if (c == '.' && ++dots > most_dots) {
            const auto line =
                static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(i), '\n'));
            const auto start = text.substr(0, i).rfind('\n');
            source.fail({line + 1, start == std::string_view::npos ? i + 1 : i - start, 1},
                        "a key has more than {} parts", most_dots + 1);
        }
        ++i;
    }
}

Value value_of(const toml::node& node) {
    Value value;
    value.mark = mark_of(node.source());
    if (const auto* integer = node.as_integer()) {
        value.kind = Value::Kind::number;
        value.number = static_cast<double>(integer->get());
    } else if (const auto* number = node.as_floating_point()) {
        value.kind = Value::Kind::number;
        value.number = number->get();
    } else if (const auto* text = node.as_string()) {
        value.kind = Value::Kind::text;
        value.text = text->get();
    } else if (const auto* truth = node.as_boolean()) {
        value.kind = Value::Kind::boolean;
        value.truth = truth->get();
    } else if (const auto* items = node.as_array()) {
        value.kind = Value::Kind::list;
        value.items = mapped(*items, value_of);
    } else if (const auto* table = node.as_table()) {
        value.kind = Value::Kind::table;
        for (const auto& [key, entry] : *table) {
            value.entries.push_back({std::string(key.str()), mark_of(key.source(), key.length()), value_of(entry)});
        }
        std::ranges::sort(value.entries, {},
                          [](const Entry& entry) { return std::pair(entry.mark.line, entry.mark.column); });
    }
    return value;
}

/// Whether a value without quotes has something at the mark that no number has.
bool in_bare_value(const Source& source, Mark mark) {
    if (mark.line == 0 || mark.column == 0) {
        return false;
    }
    const auto until = source.line(mark.line).substr(0, mark.column);
    const auto equals = until.rfind('=');
    return equals != std::string_view::npos && until.find_first_of("\"'#", equals) == std::string_view::npos &&
           std::string_view("0123456789").find(until.back()) == std::string_view::npos;
}

}  // namespace

const Entry* Value::find(std::string_view key) const {
    return found(entries, key, &Entry::key);
}

std::string_view Value::kind_name() const {
    static constexpr std::string_view names[]{"a number", "text",    "true or false",
                                              "a list",   "a table", "a date or time"};
    return names[static_cast<std::size_t>(kind)];
}

Value read_document(const Source& source) {
    if (source.text().find_first_not_of(" \t\r\n") == std::string::npos) {
        throw ModelError(fmt::format("{}: the file is empty; a model begins with lento = 1", source.name()));
    }
    if (const auto zero = source.text().find('\0'); zero != std::string::npos) {
        throw ModelError(fmt::format("{}: this is not a text file: byte {} is zero", source.name(), zero + 1));
    }
    refuse_endless_keys(source);
    try {
        return value_of(toml::parse(source.text(), source.name()));
    } catch (const toml::parse_error& error) {
        const Mark mark = mark_of(error.source());
        source.fail(mark,
                    fmt::format("{}{}", error.description(),
                                in_bare_value(source, mark) ? "; an expression stands in quotes, as \"2*pi\"" : ""));
    }
}

}  // namespace lento::model
