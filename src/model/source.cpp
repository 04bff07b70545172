#include "model/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace lento::model {
namespace {

/// A model of 100,000 lines has about a tenth of this.
constexpr std::uintmax_t largest_file = 64'000'000;

/// Characters of a line that a message shows, at most.
constexpr std::size_t longest_shown = 120;

constexpr bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

/// The bytes before character number `count`, counted from 0.
std::size_t bytes_of(std::string_view text, std::size_t count) {
    std::size_t i = 0;
    while (i < text.size() && count > 0) {
        ++i;
        while (i < text.size() && continues_character(text[i])) {
            ++i;
        }
        --count;
    }
    return i;
}

/// Bytes that a code point takes in UTF-8.
std::size_t encoded_length(unsigned long code) {
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

}  // namespace

Source Source::file(const std::filesystem::path& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        throw Misuse(
            fmt::format("there is no file '{}'; a model is a TOML file, see `lento run --help`", path.string()));
    }
    if (!std::filesystem::is_regular_file(status)) {
        throw Misuse(fmt::format("'{}' is {}; a model is a TOML file", path.string(),
                                 std::filesystem::is_directory(status) ? "a directory" : "not an ordinary file"));
    }
    const auto size = std::filesystem::file_size(path, error);
    if (!error && size > largest_file) {
        throw Misuse(
            fmt::format("'{}' has {:.0f} MB; models of up to {:.0f} MB are read. Systems as large as this are better "
                        "written in C++",
                        path.string(), static_cast<double>(size) / 1e6, static_cast<double>(largest_file) / 1e6));
    }
    std::ifstream stream(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!stream) {
        throw Misuse(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
    }
    return {path.string(), std::move(text)};
}

std::string_view Source::line(std::size_t number) const {
    std::size_t start = 0;
    for (std::size_t i = 1; i < number; ++i) {
        const auto end = text_->find('\n', start);
        if (end == std::string::npos) {
            return {};
        }
        start = end + 1;
    }
    std::string_view rest = std::string_view(*text_).substr(start);
    rest = rest.substr(0, rest.find('\n'));
    return rest.ends_with('\r') ? rest.substr(0, rest.size() - 1) : rest;
}

std::string Source::place(Mark mark) const {
    return mark.line == 0 ? *name_ : fmt::format("{}:{}:{}", *name_, mark.line, mark.column);
}

void Source::fail(Mark mark, std::string_view message) const {
    std::string text = fmt::format("{}: {}", place(mark), message);
    if (mark.line > 0) {
        const std::string_view whole = line(mark.line);
        const std::size_t column = std::max<std::size_t>(1, mark.column) - 1;
        const std::size_t first = column > longest_shown / 2 ? column - longest_shown / 2 : 0;
        std::string_view shown = whole.substr(bytes_of(whole, first));
        shown = shown.substr(0, bytes_of(shown, longest_shown));
        std::string printable(shown);
        std::replace_if(
            printable.begin(), printable.end(),
            [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
        const std::size_t room = longest_shown - std::min(longest_shown, column - first);
        const std::string carets(std::clamp<std::size_t>(mark.length, 1, std::max<std::size_t>(1, room)), '^');
        fmt::format_to(std::back_inserter(text), "\n  {}\n  {:{}}{}", printable, "", column - first, carets);
    }
    throw ModelError(text);
}

Mark Source::within(Mark quoted, std::size_t offset, std::size_t length) const {
    const std::string_view first = line(quoted.line);
    if (quoted.line == 0 || first.empty()) {
        return {quoted.line, quoted.column + 1 + offset, length};
    }
    const auto start = static_cast<std::size_t>(first.data() - text_->data()) + bytes_of(first, quoted.column - 1);
    std::string_view raw = std::string_view(*text_).substr(start);
    const bool multiline = raw.starts_with("\"\"\"") || raw.starts_with("'''");
    const bool escapes = raw.starts_with('"');
    std::size_t i = multiline ? 3 : 1;  // in the raw text
    if (multiline && raw.substr(i).starts_with("\r\n")) {
        i += 2;
    } else if (multiline && raw.substr(i).starts_with("\n")) {
        i += 1;
    }
    std::size_t produced = 0;  // bytes of the value
    while (produced < offset && i < raw.size()) {
        if (!escapes || raw[i] != '\\') {
            ++i;
            ++produced;
            continue;
        }
        const char kind = i + 1 < raw.size() ? raw[i + 1] : '\0';
        if (kind == 'u' || kind == 'U') {
            const std::size_t digits = kind == 'u' ? 4 : 8;
            produced += encoded_length(std::strtoul(std::string(raw.substr(i + 2, digits)).c_str(), nullptr, 16));
            i += 2 + digits;
        } else if (kind == '\n' || kind == '\r' || kind == ' ' || kind == '\t') {
            const auto next = raw.find_first_not_of(" \t\r\n", i + 1);
            i = next == std::string_view::npos ? raw.size() : next;
        } else {
            i += 2;
            ++produced;
        }
    }
    const std::string_view before = raw.substr(0, std::min(i, raw.size()));
    const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    if (lines == 0) {
        return {quoted.line, quoted.column + characters(before), length};
    }
    return {quoted.line + lines, 1 + characters(before.substr(before.rfind('\n') + 1)), length};
}

}  // namespace lento::model
