#include "lento/problem/constraints.hpp"

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {

Constraints::Constraints(std::vector<std::string> names, SparsePattern pattern)
    : names_(std::move(names)), pattern_(std::move(pattern)) {
    if (names_.empty()) {
        throw Misuse("a constrained system needs at least one constraint");
    }
    if (pattern_.rows() != names_.size()) {
        throw Misuse(fmt::format("the pattern has {} rows for {} constraints", pattern_.rows(), names_.size()));
    }
}

std::shared_ptr<const Constraints> Constraints::with_names(std::vector<std::string> names) const {
    if (names.size() != count()) {
        throw Misuse(fmt::format("{} names for {} constraints", names.size(), count()));
    }
    auto other = copy();
    other->names_ = std::move(names);
    return other;
}

std::vector<std::string> constraint_names(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t j = 0; j < count; ++j) {
        names.push_back(fmt::format("g{}", j + 1));
    }
    return names;
}

std::vector<std::size_t> colours_of_columns(const SparsePattern& pattern, std::size_t columns) {
    std::vector<std::vector<std::size_t>> rows_of(columns);
    for (std::size_t j = 0; j < pattern.rows(); ++j) {
        for (const std::size_t column : pattern.row(j)) {
            rows_of[column].push_back(j);
        }
    }
    constexpr auto none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> colours(columns, none);
    std::vector<std::size_t> taken_by(1, none);  // per colour, the last column that cannot have it
    for (std::size_t column = 0; column < columns; ++column) {
        for (const std::size_t row : rows_of[column]) {
            for (const std::size_t neighbour : pattern.row(row)) {
                if (colours[neighbour] != none) {
                    taken_by[colours[neighbour]] = column;
                }
            }
        }
        std::size_t colour = 0;
        while (taken_by[colour] == column) {
            ++colour;
        }
        colours[column] = colour;
        if (colour + 1 == taken_by.size()) {
            taken_by.push_back(none);
        }
    }
    return colours;
}

}  // namespace lento
