#include "lento/method/constrained_start.hpp"

#include <numeric>

namespace lento {
namespace {

constexpr std::size_t most_listed = 8;

/// "a = 1, b = 2, and 5 more": the largest first, rounding left out.
std::string largest_of(std::span<const std::string> names, std::string_view suffix, std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(values[a]) > std::abs(values[b]); });
    std::string text;
    std::size_t count = 0;
    for (const std::size_t i : order) {
        if (count > 0 && std::abs(values[i]) < 1e-9 * std::abs(values[order[0]])) {
            break;
        }
        if (count++ < most_listed) {
            fmt::format_to(std::back_inserter(text), "{}{}{} = {:.6g}", text.empty() ? "" : ", ", names[i], suffix,
                           values[i]);
        }
    }
    return count <= most_listed ? text : fmt::format("{}, and {} more", text, count - most_listed);
}

/// The same of those that differ from `given`, in their order.
std::string changed(std::span<const std::string> names, std::string_view suffix, std::span<const double> values,
                    std::span<const double> given, double moved) {
    std::string text;
    std::size_t count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::abs(values[i] - given[i]) > 1e-6 * moved && count++ < most_listed) {
            fmt::format_to(std::back_inserter(text), "{}{}{} = {:.6g}", text.empty() ? "" : ", ", names[i], suffix,
                           values[i]);
        }
    }
    return count <= most_listed ? text : fmt::format("{}, and {} more", text, count - most_listed);
}

}  // namespace

std::string sentence_of(const std::vector<Relation>& relations, const std::vector<std::string>& names) {
    std::string text;
    for (const auto& relation : relations) {
        if (relation.size() == 1 && relation.front().second == 0) {
            fmt::format_to(std::back_inserter(text), "{}the constraint {} does not depend on any coordinate",
                           text.empty() ? "" : "; ", names[relation.front().first]);
            continue;
        }
        if (relation.size() == 1) {
            fmt::format_to(std::back_inserter(text),
                           "{}the gradient of {} vanishes at the start, so that it cannot hold the motion: write it "
                           "without a square, "
                           "or start elsewhere",
                           text.empty() ? "" : "; ", names[relation.front().first]);
            continue;
        }
        std::string terms;
        std::string who;
        for (const auto& [j, weight] : relation) {
            const double scaled = weight / relation.back().second;
            fmt::format_to(std::back_inserter(terms), "{}{:.3g} {}'",
                           terms.empty() ? ""
                           : scaled < 0  ? " - "
                                         : " + ",
                           terms.empty() ? scaled : std::abs(scaled), names[j]);
            fmt::format_to(std::back_inserter(who), "{}{}", who.empty() ? "" : ", ", names[j]);
        }
        fmt::format_to(
            std::back_inserter(text),
            "{}the constraints {} are dependent at the start: their gradients satisfy {} = 0; leave one of them out",
            text.empty() ? "" : "; ", who, terms);
    }
    return text;
}

std::string Correction::warning() const {
    return fmt::format("the starting {} was moved by {:.2g} onto the constraints; their residuals were {}", what, moved,
                       largest_of(constraints, what == "velocity" ? "_dot" : "", residuals));
}

std::string Correction::refusal() const {
    const bool velocity = what == "velocity";
    std::string text = fmt::format("the starting {} does not satisfy the constraints: {}", what,
                                   largest_of(constraints, velocity ? "_dot" : "", residuals));
    if (!nearest.empty()) {
        fmt::format_to(std::back_inserter(text), "; the nearest that does has {}, away by {:.2g}",
                       changed(coordinates, velocity ? "_dot" : "", nearest, given, moved), moved);
    }
    return text;
}

}  // namespace lento
