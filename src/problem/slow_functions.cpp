#include "lento/problem/slow_functions.hpp"

#include "lento/base/misuse.hpp"

namespace lento {

std::size_t outputs_of(const std::vector<SlowName>& names) {
    std::size_t outputs = 0;
    for (const auto& name : names) {
        outputs += name.alternative.empty() ? 1 : 2;
    }
    return outputs;
}

SlowFunctions::SlowFunctions(std::vector<SlowName> names) : names_(std::move(names)), outputs_(outputs_of(names_)) {
    if (names_.empty()) {
        throw Misuse("a system needs at least one slow variable");
    }
}

}  // namespace lento
