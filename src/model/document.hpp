/// A TOML document as a tree in the order of the file, every part with its place. (toml++ sorts its keys.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/source.hpp"

namespace lento::model {

struct Entry;

struct Value {
    enum class Kind { number, text, boolean, list, table, other };

    Kind kind = Kind::other;
    Mark mark{};
    double number = 0;
    bool truth = false;
    std::string text;
    std::vector<Value> items;    ///< of a list
    std::vector<Entry> entries;  ///< of a table

    const Entry* find(std::string_view key) const;
    /// "a number", "text", "a table", ...
    std::string_view kind_name() const;
};

struct Entry {
    std::string key;
    Mark mark;  ///< of the key
    Value value;
};

/// The top-level table. Throws ModelError for what is not TOML.
Value read_document(const Source& source);

}  // namespace lento::model
