#include "lento/method/constrained_start.hpp"

namespace lento {
namespace {

constexpr std::size_t most_listed = 8;

/// "a = 1, b = 2, and 5 more", those that are not zero.
std::string assignments(std::span<const std::string> names, std::string_view suffix, std::span<const double> values) {
    std::string text;
    std::size_t listed_so_far = 0;
    std::size_t left = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0 && values.size() > most_listed) {
            continue;
        }
        if (listed_so_far == most_listed) {
            ++left;
            continue;
        }
        fmt::format_to(std::back_inserter(text), "{}{}{} = {:.6g}", text.empty() ? "" : ", ", names[i], suffix,
                       values[i]);
        ++listed_so_far;
    }
    return left == 0 ? text : fmt::format("{}, and {} more", text, left);
}

}  // namespace

std::string sentence_of(const std::vector<Relation>& relations, const std::vector<std::string>& names) {
    std::string text;
    for (const auto& relation : relations) {
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
                       assignments(constraints, what == "velocity" ? "_dot" : "", residuals));
}

std::string Correction::refusal() const {
    const bool velocity = what == "velocity";
    std::string text = fmt::format("the starting {} does not satisfy the constraints: {}", what,
                                   assignments(constraints, velocity ? "_dot" : "", residuals));
    if (!nearest.empty()) {
        fmt::format_to(std::back_inserter(text), "; the nearest that does is {}, away by {:.2g}",
                       assignments(coordinates, velocity ? "_dot" : "", nearest), moved);
    }
    return text;
}

}  // namespace lento
