/// Initial data of constrained systems: on the manifold, close enough to be moved onto it, or refused.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lento/march/constrained.hpp"
#include "lento/method/hypotheses.hpp"
#include "lento/method/request.hpp"
#include "lento/problem/manifold.hpp"

namespace lento {

/// Data further from the manifold than this share of their size are refused; so are positions where the gradients of the constraints change by
/// more than `largest_turn` of themselves on the way, however small that way is against the whole system.
inline constexpr double largest_correction = 1e-3;
inline constexpr double largest_turn = 1e-2;

/// "2 rod' - 1 brace' = 0": why constraints are dependent.
std::string sentence_of(const std::vector<Relation>& relations, const std::vector<std::string>& names);

/// What was moved, as a sentence: how far, and the residuals `name = value` before.
struct Correction {
    std::string what;  ///< "position" or "velocity"
    double moved = 0;  ///< the largest component
    double size = 0;   ///< of the data
    double turn = 0;   ///< the largest relative change of a gradient on the way
    std::vector<double> residuals;
    std::span<const std::string> constraints, coordinates;
    std::span<const double> nearest, given;

    bool is_small() const { return moved <= largest_correction * size && turn <= largest_turn; }
    std::string warning() const;
    std::string refusal() const;
};

/// Constraints whose gradients are nothing here against what they are nearby, as where a constraint is written as a square: each a
/// relation of its own, of weight 0 if the constraint has no gradient anywhere.
template <class Constraints>
std::vector<Relation> vanishing_gradients(Manifold<Constraints>& manifold, std::span<const double> x, double t,
                                          std::span<const double> gradient) {
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

/// Moves the request's start onto the manifold. Warns by how much, or says why not.
template <class Constraints>
std::optional<Violation> put_on_manifold(Manifold<Constraints>& manifold, const std::vector<std::string>& coordinates,
                                         Request& request, std::vector<std::string>& warnings) {
    const auto& names = manifold.constraints().names();
    const double t = request.t_start;
    std::vector<double> gradient(manifold.entries());
    std::vector<double> residuals(manifold.count());
    std::vector<double> mu(manifold.count());

    manifold.gradient(request.start, t, gradient);
    manifold.constraints().values(request.start, t, residuals);
    for (std::size_t j = 0; j < names.size(); ++j) {
        const auto& pattern = manifold.constraints().pattern();
        const auto row = std::span(gradient).subspan(pattern.start(j), pattern.row(j).size());
        if (!std::isfinite(residuals[j]) || first_not_finite(row)) {
            return Violation{Outcome::diverged,
                             fmt::format("the constraint {} or its gradient is not a finite number at the start; check "
                                         "the starting values",
                                         names[j])};
        }
    }
    if (const auto vanishing = vanishing_gradients(manifold, request.start, t, gradient); !vanishing.empty()) {
        return Violation{Outcome::refused, sentence_of(vanishing, names)};
    }
    if (const auto found = relations(manifold.constraints().pattern(), manifold.mass(), gradient); !found.empty()) {
        return Violation{Outcome::refused, sentence_of(found, names)};
    }
    if (!manifold.factorise(gradient)) {
        return Violation{Outcome::refused, "the constraints are dependent at the start, to rounding"};
    }

    const auto largest_difference = [](std::span<const double> a, std::span<const double> b) {
        double largest = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            largest = larger(largest, std::abs(a[i] - b[i]));
        }
        return largest;
    };
    const auto largest = [&](std::span<const double> a) {
        return largest_difference(a, std::vector<double>(a.size(), 0.0));
    };
    const auto judge = [&](const Correction& correction) -> std::optional<Violation> {
        if (correction.moved <= 1e-14 * correction.size) {
            return std::nullopt;
        }
        if (!correction.is_small()) {
            return Violation{Outcome::off_constraints, correction.refusal()};
        }
        warnings.push_back(correction.warning());
        return std::nullopt;
    };

    auto x = request.start;
    const auto reached = manifold.to_position(gradient, t, x, mu);
    if (!reached.converged) {
        return Violation{Outcome::off_constraints,
                         fmt::format("the start is too far from the constraints to find the nearest point on them: {}",
                                     Correction{"position", 0, 0, 0, residuals, names, coordinates, {}, {}}.refusal())};
    }
    auto gradient_there = gradient;
    manifold.gradient(x, t, gradient_there);
    double turn = 0;
    for (std::size_t j = 0; j < names.size(); ++j) {
        const auto& pattern = manifold.constraints().pattern();
        const auto before = std::span(gradient).subspan(pattern.start(j), pattern.row(j).size());
        const auto after = std::span(gradient_there).subspan(pattern.start(j), pattern.row(j).size());
        turn = larger(turn, largest_difference(after, before) / largest(before));
    }
    if (auto violation = judge({"position", largest_difference(x, request.start), largest(x), turn, residuals, names,
                                coordinates, x, request.start})) {
        return violation;
    }
    request.start = x;

    if (!manifold.factorise(gradient_there)) {
        return Violation{Outcome::refused, "the constraints are dependent at the start, to rounding"};
    }
    auto v = request.velocity;
    manifold.constraints().rates(x, v, t, Clock::running, residuals);
    if (!manifold.to_velocity(gradient_there, x, t, v, mu).converged) {
        return Violation{Outcome::off_constraints,
                         fmt::format("no velocity near the given one satisfies the constraints: {}",
                                     Correction{"velocity", 0, 0, 0, residuals, names, coordinates, {}, {}}.refusal())};
    }
    // NOTE: a velocity that is nothing but rounding is compared with what moves the system by its own size in the run.
    const double slow = largest(x) / (request.t_end - request.t_start);
    if (auto violation = judge({"velocity", largest_difference(v, request.velocity), std::max(largest(v), 1e-9 * slow),
                                0, residuals, names, coordinates, v, request.velocity})) {
        return violation;
    }
    request.velocity = v;
    return std::nullopt;
}

}  // namespace lento
