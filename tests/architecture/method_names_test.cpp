/// A method's name stands in its own file and nowhere else: others read it from the table (`method::direct.name`), so
/// that a method can be added or renamed in one place. JSON keys aside.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/source_dir.hpp"

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

bool is_source(const fs::path& path) {
    return path.extension() == ".hpp" || path.extension() == ".cpp";
}

struct NamedMethod {
    std::string name;
    fs::path file;
};

/// From the files that fill a line of the table.
std::vector<NamedMethod> methods() {
    std::vector<NamedMethod> found;
    const std::regex line("const Method method::\\w+\\{\\s*\\.name = \"([^\"]+)\"");
    for (const auto& file : fs::directory_iterator(source_dir / "src" / "method")) {
        std::smatch match;
        if (const std::string text = text_of(file.path()); std::regex_search(text, match, line)) {
            found.push_back({match[1], file.path()});
        }
    }
    return found;
}

struct Literal {
    std::string text;
    std::size_t line = 0;
    char before = 0, after = 0;  ///< the characters about it that are not blank
};

/// The string literals of a file, without those of includes and without comments; neighbours are one.
std::vector<Literal> literals(const std::string& text) {
    std::vector<Literal> found;
    std::size_t line = 1;
    char last = 0;
    const auto after = [&](std::size_t at) {
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) {
            ++at;
        }
        return at < text.size() ? text[at] : '\0';
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins_line = i == 0 || text[i - 1] == '\n';
        line += i > 0 && text[i - 1] == '\n' ? 1 : 0;
        if (text.compare(i, 2, "//") == 0 || (begins_line && text.compare(i, 8, "#include") == 0)) {
            i = std::min(text.find('\n', i), text.size()) - 1;
            continue;
        }
        if (text[i] == '\'' && last != 0 && std::isalnum(static_cast<unsigned char>(last)) == 0) {  // not within 1'000
            i = text.find('\'', i + (text[i + 1] == '\\' ? 3 : 2));
            continue;
        }
        if (text[i] != '"') {
            last = std::isspace(static_cast<unsigned char>(text[i])) != 0 ? last : text[i];
            continue;
        }
        std::string content;
        std::size_t end = i + 1;
        for (; end < text.size() && text[end] != '"'; ++end) {
            content += text[end];
            end += text[end] == '\\' ? 1 : 0;
        }
        if (last == '"' && !found.empty()) {
            found.back().text += content;
            found.back().after = after(end + 1);
        } else {
            found.push_back({content, line, last, after(end + 1)});
        }
        last = '"';
        i = end;
    }
    return found;
}

bool is_word(const std::string& text, std::size_t at, std::size_t length) {
    const auto joins = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
    return (at == 0 || !joins(text[at - 1])) && (at + length == text.size() || !joins(text[at + length]));
}

bool says(const Literal& literal, const std::string& name) {
    if (literal.text == name && literal.before == '{' && literal.after == ',') {
        return false;  // a key of JSON
    }
    for (auto at = literal.text.find(name); at != std::string::npos; at = literal.text.find(name, at + 1)) {
        if (is_word(literal.text, at, name.size())) {
            return true;
        }
    }
    return false;
}

TEST(MethodNames, stand_as_strings_in_their_own_files_alone) {
    const auto all = methods();
    EXPECT_GE(all.size(), 13U);
    for (const char* top : {"include", "src", "app"}) {
        for (const auto& file : fs::recursive_directory_iterator(source_dir / top)) {
            if (!is_source(file.path())) {
                continue;
            }
            for (const auto& literal : literals(text_of(file.path()))) {
                for (const auto& [name, own] : all) {
                    EXPECT_FALSE(file.path() != own && says(literal, name))
                        << file.path().string() << ":" << literal.line << " says '" << name << "': " << literal.text;
                }
            }
        }
    }
}

TEST(MethodNames, are_found_alone_and_within_messages) {
    const auto said = [](const std::string& code) {
        for (const auto& literal : literals(code)) {
            if (says(literal, "direct")) {
                return true;
            }
        }
        return false;
    };
    EXPECT_TRUE(said("solve(\"direct\");"));
    EXPECT_TRUE(said("warn(\"use the method \"\n    \"direct, or a shorter window\");"));
    EXPECT_TRUE(said("f('\"', \"direct\")"));
    EXPECT_FALSE(said("Json{{\"direct\", nullptr}}"));
    EXPECT_FALSE(said("#include \"method/direct.hpp\""));
    EXPECT_FALSE(said("// \"direct\"\nf(1'000, \"directly\");"));
}

}  // namespace
