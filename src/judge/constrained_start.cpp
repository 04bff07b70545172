#include "judge/constrained_start.hpp"

#include <numeric>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "problem/manifold.hpp"

namespace lento {
namespace {

constexpr std::size_t most_listed = 8;

/// "a = 1, b = 2, and 5 more"
std::string values_of(std::span<const std::string> names, std::string_view suffix, In values,
                      std::span<const std::size_t> which) {
    std::vector<std::string> items;
    for (const std::size_t i : which.first(std::min(which.size(), most_listed))) {
        items.push_back(fmt::format("{}{} = {:.6g}", names[i], suffix, values[i]));
    }
    return which.size() <= most_listed ? listed(items)
                                       : fmt::format("{}, and {} more", listed(items), which.size() - most_listed);
}

/// The largest first, rounding left out.
std::string largest_of(std::span<const std::string> names, std::string_view suffix, In values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(values[a]) > std::abs(values[b]); });
    const auto rounding = std::find_if(order.begin() + 1, order.end(), [&](std::size_t i) {
        return std::abs(values[i]) < 1e-9 * std::abs(values[order[0]]);
    });
    return values_of(names, suffix, values, {order.begin(), rounding});
}

/// Those that differ from `given`, in their order.
std::string changed(std::span<const std::string> names, std::string_view suffix, In values, In given, double moved) {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::abs(values[i] - given[i]) > 1e-6 * moved) {
            which.push_back(i);
        }
    }
    return values_of(names, suffix, values, which);
}

/// "2 rod' - 1 brace' = 0": why constraints are dependent.
std::string sentence_of(const Relation& relation, std::span<const std::string> names) {
    if (relation.size() == 1 && relation.front().second == 0) {
        return fmt::format("the constraint {} does not depend on any coordinate", names[relation.front().first]);
    }
    if (relation.size() == 1) {
        return fmt::format(
            "the gradient of {} vanishes at the start, so that it cannot hold the motion: write it without a square, "
            "or start elsewhere",
            names[relation.front().first]);
    }
    std::string terms;
    std::vector<std::string> who;
    for (const auto& [j, weight] : relation) {
        const double scaled = weight / relation.back().second;
        const auto* sign = terms.empty() ? "" : scaled < 0 ? " - " : " + ";
        terms += fmt::format("{}{:.3g} {}'", sign, terms.empty() ? scaled : std::abs(scaled), names[j]);
        who.push_back(names[j]);
    }
    return fmt::format(
        "the constraints {} are dependent at the start: their gradients satisfy {} = 0; leave one of them out",
        listed(who), terms);
}

/// Constraints whose gradients vanish here and not nearby, as where one is written as a square: each a relation of its
/// own, of weight 0 if the constraint has no gradient anywhere.
std::vector<Relation> vanishing_gradients(Manifold& manifold, In x, double t, In gradient) {
    const auto& pattern = manifold.constraints().pattern();
    const double size = largest(x);
    std::vector<double> nearby(x.begin(), x.end());
    for (std::size_t i = 0; i < nearby.size(); ++i) {
        nearby[i] += 1e-4 * (size > 0 ? size : 1.0) * std::sin(1.0 + static_cast<double>(i));
    }
    std::vector<double> there(manifold.entries());
    manifold.gradient(nearby, t, there);
    std::vector<Relation> found;
    for (std::size_t j = 0; j < manifold.count(); ++j) {
        double here_size = 0;
        double there_size = 0;
        for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
            here_size = std::max(here_size, std::abs(gradient[e]));
            there_size = std::max(there_size, std::abs(there[e]));
        }
        if (here_size <= 1e-8 * there_size) {
            found.push_back({{j, there_size > 0 ? 1.0 : 0.0}});
        }
    }
    return found;
}

class StartOnManifold {
public:
    using Found = std::optional<Violation>;

    StartOnManifold(const Problem& problem, Interval interval, std::vector<double>& start,
                    std::vector<double>& velocity, std::vector<std::string>& warnings)
        : manifold_(problem),
          names_(manifold_.constraints().names()),
          coordinates_(problem.names),
          interval_(interval),
          start_(start),
          velocity_(velocity),
          warnings_(warnings),
          gradient_(manifold_.entries()),
          residuals_(manifold_.count()),
          mu_(manifold_.count()) {}

    Found moved() {
        for (auto step : {&StartOnManifold::is_finite, &StartOnManifold::is_independent,
                          &StartOnManifold::move_position, &StartOnManifold::move_velocity}) {
            if (auto violation = (this->*step)()) {
                return violation;
            }
        }
        return std::nullopt;
    }

private:
    In row(In gradient, std::size_t j) const {
        const auto& pattern = manifold_.constraints().pattern();
        return gradient.subspan(pattern.start(j), pattern.row(j).size());
    }

    Found is_finite() {
        manifold_.gradient(start_, interval_.from, gradient_);
        manifold_.constraints().values(start_, interval_.from, residuals_);
        for (std::size_t j = 0; j < names_.size(); ++j) {
            if (!std::isfinite(residuals_[j]) || first_not_finite(row(gradient_, j))) {
                return Violation{Outcome::diverged, fmt::format("the constraint {} or its gradient is not a finite "
                                                                "number at the start; check the starting values",
                                                                names_[j])};
            }
        }
        return std::nullopt;
    }

    Found is_independent() {
        auto found = vanishing_gradients(manifold_, start_, interval_.from, gradient_);
        if (found.empty()) {
            found =
                relations(manifold_.constraints().pattern(), manifold_.mass().at(start_, interval_.from), gradient_);
        }
        if (found.empty()) {
            return factorised();
        }
        std::vector<std::string> sentences;
        for (const auto& relation : found) {
            sentences.push_back(sentence_of(relation, names_));
        }
        return Violation{Outcome::refused, fmt::format("{}", fmt::join(sentences, "; "))};
    }

    Found move_position() {
        auto x = start_;
        if (!manifold_.to_position(gradient_, interval_.from, x, mu_).converged) {
            return Violation{
                Outcome::off_constraints,
                "the start is too far from the constraints to find the nearest point on them: " + refusal("position")};
        }
        const auto before = gradient_;
        manifold_.gradient(x, interval_.from, gradient_);
        double turn = 0;
        for (std::size_t j = 0; j < names_.size(); ++j) {
            turn = larger(turn, largest_change(row(gradient_, j), row(before, j)) / largest(row(before, j)));
        }
        auto violation = taken("position", start_, x, largest(x), turn);
        return violation ? violation : factorised();
    }

    Found move_velocity() {
        auto v = velocity_;
        manifold_.constraints().rates(start_, v, interval_.from, Clock::running, residuals_);
        if (!manifold_.to_velocity(gradient_, start_, interval_.from, v, mu_).converged) {
            return Violation{Outcome::off_constraints,
                             "no velocity near the given one satisfies the constraints: " + refusal("velocity")};
        }
        // NOTE: a velocity of mere rounding is compared with one that moves the system by its own size in the run.
        const double size = std::max(largest(v), 1e-9 * largest(start_) / interval_.length());
        return taken("velocity", velocity_, v, size, 0);
    }

    Found factorised() {
        if (manifold_.factorise(gradient_)) {
            return std::nullopt;
        }
        return Violation{Outcome::refused, "the constraints are dependent at the start, to rounding"};
    }

    /// Puts the nearest data on the constraints in place of those given, or says why not. `turn` is the largest
    /// relative change of a gradient on the way.
    Found taken(std::string_view what, std::vector<double>& given, In nearest, double size, double turn) {
        const double moved = largest_change(nearest, given);
        if (!(moved <= 1e-14 * size)) {
            if (!(moved <= largest_correction * size && turn <= largest_turn)) {
                return Violation{Outcome::off_constraints,
                                 fmt::format("{}; the nearest that does has {}, away by {:.2g}", refusal(what),
                                             changed(coordinates_, suffix(what), nearest, given, moved), moved)};
            }
            warnings_.push_back(
                fmt::format("the starting {} was moved by {:.2g} onto the constraints; their residuals were {}", what,
                            moved, largest_of(names_, suffix(what), residuals_)));
        }
        given.assign(nearest.begin(), nearest.end());
        return std::nullopt;
    }

    std::string refusal(std::string_view what) const {
        return fmt::format("the starting {} does not satisfy the constraints: {}", what,
                           largest_of(names_, suffix(what), residuals_));
    }
    static std::string_view suffix(std::string_view what) { return what == "velocity" ? "_dot" : ""; }

    Manifold manifold_;
    std::span<const std::string> names_, coordinates_;
    Interval interval_;
    std::vector<double>& start_;
    std::vector<double>& velocity_;
    std::vector<std::string>& warnings_;
    std::vector<double> gradient_, residuals_, mu_;
};

}  // namespace

std::optional<Violation> put_on_constraints(const Problem& problem, Interval interval, std::vector<double>& start,
                                            std::vector<double>& velocity, std::vector<std::string>& warnings) {
    return StartOnManifold(problem, interval, start, velocity, warnings).moved();
}

}  // namespace lento
