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

/// Data further from the manifold than this share of their size are refused.
inline constexpr double largest_correction = 1e-3;

/// "2 rod' - 1 brace' = 0": why constraints are dependent.
std::string sentence_of(const std::vector<Relation>& relations, const std::vector<std::string>& names);

/// What was moved, as a sentence: how far, and the residuals `name = value` before.
struct Correction {
    std::string what;  ///< "position" or "velocity"
    double moved = 0;  ///< the largest component
    double size = 0;   ///< of the data
    std::vector<double> residuals;
    std::span<const std::string> constraints, coordinates;
    std::span<const double> nearest;

    bool is_small() const { return moved <= largest_correction * size; }
    std::string warning() const;
    std::string refusal() const;
};

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
                                     Correction{"position", 0, 0, residuals, names, coordinates, {}}.refusal())};
    }
    if (auto violation =
            judge({"position", largest_difference(x, request.start), largest(x), residuals, names, coordinates, x})) {
        return violation;
    }
    request.start = x;

    manifold.gradient(x, t, gradient);
    if (!manifold.factorise(gradient)) {
        return Violation{Outcome::refused, "the constraints are dependent at the start, to rounding"};
    }
    auto v = request.velocity;
    manifold.constraints().rates(x, v, t, residuals);
    manifold.to_velocity(gradient, x, t, v, mu);
    if (auto violation = judge(
            {"velocity", largest_difference(v, request.velocity), largest(v), residuals, names, coordinates, v})) {
        return violation;
    }
    request.velocity = v;
    return std::nullopt;
}

}  // namespace lento
