#include "base/number.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {

double number_from(std::string_view text, std::string_view what) {
    double value = 0;
    const auto* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || error != std::errc() || stopped != end || !std::isfinite(value)) {
        throw Misuse(fmt::format("{} = '{}' is not a number; write it like 80, 0.0125 or 1e6", what, text));
    }
    return value;
}

namespace {

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

std::vector<std::string> list_items(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('[') && text.ends_with(']')) {
        text = text.substr(1, text.size() - 2);
    }
    std::vector<std::string> items;
    int depth = 0;
    for (std::size_t from = 0, i = 0; i <= text.size(); ++i) {
        depth += i < text.size() ? (text[i] == '(') - (text[i] == ')') : 0;
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            items.emplace_back(trimmed(text.substr(from, i - from)));
            from = i + 1;
        }
    }
    return items;
}

std::pair<std::string, std::string> name_and_value(const std::string& text, std::string_view flag) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw Misuse(fmt::format("{} '{}' is not of the form NAME=VALUE", flag, text));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace lento
