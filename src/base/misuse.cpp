#include "lento/base/misuse.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

namespace lento {

void require_positive(double value, std::string_view what) {
    if (!(value > 0) || std::isinf(value)) {
        throw Misuse(fmt::format("{} is {}; it must be a finite number above 0", what, value));
    }
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row.back();
}

}  // namespace

std::string suggestion(std::string_view name, std::span<const std::string> known) {
    std::string_view nearest;
    std::size_t least = std::max<std::size_t>(1, name.size() / 2) + 1;
    for (const auto& candidate : known) {
        const auto distance = edit_distance(name, candidate);
        const bool has_something_in_common = distance < std::max(name.size(), candidate.size());
        if (distance < least && has_something_in_common) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest.empty() ? std::string() : fmt::format(" (did you mean '{}'?)", nearest);
}

void require_one_of(std::string_view what, std::string_view value, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), value) == known.end()) {
        throw Misuse(fmt::format("{} = '{}' is not one of {}{}", what, value, listed(known), suggestion(value, known)));
    }
}

std::string listed(std::span<const std::string> names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace lento
