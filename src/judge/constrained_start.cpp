#include "judge/constrained_start.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "lento/march/result.hpp"
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

/// What was moved, as a sentence: how far, and the residuals `name = value` before.
struct Correction {
    std::string what{};  ///< "position" or "velocity"
    double moved = 0;    ///< the largest component
    double size = 0;     ///< of the data
    double turn = 0;     ///< the largest relative change of a gradient on the way
    std::vector<double> residuals{};
    std::span<const std::string> constraints{}, coordinates{};
    In nearest{}, given{};

    bool is_small() const { return moved <= largest_correction * size && turn <= largest_turn; }
    std::string warning() const;
    std::string refusal() const;
};

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

/// Constraints whose gradients are nothing here against what they are nearby, as where a constraint is written as a square: each a
/// relation of its own, of weight 0 if the constraint has no gradient anywhere.
std::vector<Relation> vanishing_gradients(Manifold& manifold, In x, double t, In gradient) {
    const auto& pattern = manifold.constraints().pattern();
    double size = 0;
    for (const double component : x) {
        size = std::max(size, std::abs(component));
    }
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

/// The start of a run, to be moved.
struct Data {
    double t_start, t_end;
    std::vector<double>& start;
    std::vector<double>& velocity;
};

class StartOnManifold {
public:
    StartOnManifold(Manifold& manifold, std::span<const std::string> coordinates)
        : manifold_(&manifold),
          names_(manifold.constraints().names()),
          coordinates_(coordinates),
          gradient_(manifold.entries()),
          residuals_(manifold.count()),
          mu_(manifold.count()) {}

    std::optional<Violation> operator()(Data& data, std::vector<std::string>& warnings) {
        for (auto step : {&StartOnManifold::is_finite, &StartOnManifold::is_independent,
                          &StartOnManifold::move_position, &StartOnManifold::move_velocity}) {
            if (auto violation = (this->*step)(data, warnings)) {
                return violation;
            }
        }
        return std::nullopt;
    }

private:
    using Found = std::optional<Violation>;
    using Warnings = std::vector<std::string>;

    In row(In gradient, std::size_t j) const {
        const auto& pattern = manifold_->constraints().pattern();
        return gradient.subspan(pattern.start(j), pattern.row(j).size());
    }

    Found is_finite(Data& data, Warnings&) {
        manifold_->gradient(data.start, data.t_start, gradient_);
        manifold_->constraints().values(data.start, data.t_start, residuals_);
        for (std::size_t j = 0; j < names_.size(); ++j) {
            if (!std::isfinite(residuals_[j]) || first_not_finite(row(gradient_, j))) {
                return Violation{Outcome::diverged, fmt::format("the constraint {} or its gradient is not a finite "
                                                                "number at the start; check the starting values",
                                                                names_[j])};
            }
        }
        return std::nullopt;
    }

    Found is_independent(Data& data, Warnings&) {
        auto found = vanishing_gradients(*manifold_, data.start, data.t_start, gradient_);
        if (found.empty()) {
            found = relations(manifold_->constraints().pattern(), manifold_->mass(), gradient_);
        }
        if (!found.empty()) {
            std::vector<std::string> sentences;
            for (const auto& relation : found) {
                sentences.push_back(sentence_of(relation, names_));
            }
            return Violation{Outcome::refused, fmt::format("{}", fmt::join(sentences, "; "))};
        }
        return factorised();
    }

    Found move_position(Data& data, Warnings& warnings) {
        auto x = data.start;
        if (!manifold_->to_position(gradient_, data.t_start, x, mu_).converged) {
            return Violation{Outcome::off_constraints,
                             "the start is too far from the constraints to find the nearest point on them: " +
                                 correction("position").refusal()};
        }
        const auto before = gradient_;
        manifold_->gradient(x, data.t_start, gradient_);
        auto moved = correction("position");
        for (std::size_t j = 0; j < names_.size(); ++j) {
            const double change = largest_change(row(gradient_, j), row(before, j));
            moved.turn = larger(moved.turn, change / largest(row(before, j)));
        }
        moved.moved = largest_change(x, data.start);
        moved.size = largest(x);
        moved.nearest = x;
        moved.given = data.start;
        if (auto violation = judged(moved, warnings)) {
            return violation;
        }
        data.start = x;
        return factorised();
    }

    Found move_velocity(Data& data, Warnings& warnings) {
        auto v = data.velocity;
        manifold_->constraints().rates(data.start, v, data.t_start, Clock::running, residuals_);
        if (!manifold_->to_velocity(gradient_, data.start, data.t_start, v, mu_).converged) {
            return Violation{Outcome::off_constraints, "no velocity near the given one satisfies the constraints: " +
                                                           correction("velocity").refusal()};
        }
        auto moved = correction("velocity");
        moved.moved = largest_change(v, data.velocity);
        // NOTE: a velocity that is nothing but rounding is compared with what moves the system by its own size in the run.
        moved.size = std::max(largest(v), 1e-9 * largest(data.start) / (data.t_end - data.t_start));
        moved.nearest = v;
        moved.given = data.velocity;
        if (auto violation = judged(moved, warnings)) {
            return violation;
        }
        data.velocity = v;
        return std::nullopt;
    }

    Found factorised() {
        if (manifold_->factorise(gradient_)) {
            return std::nullopt;
        }
        return Violation{Outcome::refused, "the constraints are dependent at the start, to rounding"};
    }

    Correction correction(const char* what) const {
        return {.what = what, .residuals = residuals_, .constraints = names_, .coordinates = coordinates_};
    }
    static Found judged(const Correction& correction, Warnings& warnings) {
        if (correction.moved <= 1e-14 * correction.size) {
            return std::nullopt;
        }
        if (!correction.is_small()) {
            return Violation{Outcome::off_constraints, correction.refusal()};
        }
        warnings.push_back(correction.warning());
        return std::nullopt;
    }

    Manifold* manifold_;
    std::span<const std::string> names_, coordinates_;
    std::vector<double> gradient_, residuals_, mu_;
};

}  // namespace

std::optional<Violation> put_on_constraints(const Problem& problem, double t_start, double t_end,
                                            std::vector<double>& start, std::vector<double>& velocity,
                                            std::vector<std::string>& warnings) {
    Manifold manifold(problem);
    Data data{t_start, t_end, start, velocity};
    return StartOnManifold(manifold, problem.names)(data, warnings);
}

}  // namespace lento
