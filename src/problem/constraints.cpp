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

}  // namespace lento
