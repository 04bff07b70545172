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
    std::string what{};  ///< "position" or "velocity"
    double moved = 0;    ///< the largest component
    double size = 0;     ///< of the data
    double turn = 0;     ///< the largest relative change of a gradient on the way
    std::vector<double> residuals{};
    std::span<const std::string> constraints{}, coordinates{};
    std::span<const double> nearest{}, given{};

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

/// Moves a start onto the manifold, with a warning that says by how much; or says why not.
template <class Constraints>
class StartOnManifold {
public:
    StartOnManifold(Manifold<Constraints>& manifold, std::span<const std::string> coordinates)
        : manifold_(&manifold),
          names_(manifold.constraints().names()),
          coordinates_(coordinates),
          gradient_(manifold.entries()),
          residuals_(manifold.count()),
          mu_(manifold.count()) {}

    std::optional<Violation> operator()(Request& request, std::vector<std::string>& warnings) {
        for (auto step : {&StartOnManifold::is_finite, &StartOnManifold::is_independent,
                          &StartOnManifold::move_position, &StartOnManifold::move_velocity}) {
            if (auto violation = (this->*step)(request, warnings)) {
                return violation;
            }
        }
        return std::nullopt;
    }

private:
    using Found = std::optional<Violation>;
    using Warnings = std::vector<std::string>;

    std::span<const double> row(std::span<const double> gradient, std::size_t j) const {
        const auto& pattern = manifold_->constraints().pattern();
        return gradient.subspan(pattern.start(j), pattern.row(j).size());
    }

    Found is_finite(Request& request, Warnings&) {
        manifold_->gradient(request.start, request.t_start, gradient_);
        manifold_->constraints().values(request.start, request.t_start, residuals_);
        for (std::size_t j = 0; j < names_.size(); ++j) {
            if (!std::isfinite(residuals_[j]) || first_not_finite(row(gradient_, j))) {
                return Violation{
                    Outcome::diverged,
                    fmt::format("the constraint {} or its gradient is not a finite number at the start; check "
                                "the starting values",
                                names_[j])};
            }
        }
        return std::nullopt;
    }

    Found is_independent(Request& request, Warnings&) {
        auto found = vanishing_gradients(*manifold_, request.start, request.t_start, gradient_);
        if (found.empty()) {
            found = relations(manifold_->constraints().pattern(), manifold_->mass(), gradient_);
        }
        if (!found.empty()) {
            return Violation{Outcome::refused, sentence_of(found, {names_.begin(), names_.end()})};
        }
        return factorised();
    }

    Found move_position(Request& request, Warnings& warnings) {
        auto x = request.start;
        if (!manifold_->to_position(gradient_, request.t_start, x, mu_).converged) {
            return Violation{Outcome::off_constraints,
                             "the start is too far from the constraints to find the nearest point on them: " +
                                 correction("position").refusal()};
        }
        const auto before = gradient_;
        manifold_->gradient(x, request.t_start, gradient_);
        auto moved = correction("position");
        for (std::size_t j = 0; j < names_.size(); ++j) {
            moved.turn = larger(moved.turn, distance(row(gradient_, j), row(before, j)) / size(row(before, j)));
        }
        moved.moved = distance(x, request.start);
        moved.size = size(x);
        moved.nearest = x;
        moved.given = request.start;
        if (auto violation = judged(moved, warnings)) {
            return violation;
        }
        request.start = x;
        return factorised();
    }

    Found move_velocity(Request& request, Warnings& warnings) {
        auto v = request.velocity;
        manifold_->constraints().rates(request.start, v, request.t_start, Clock::running, residuals_);
        if (!manifold_->to_velocity(gradient_, request.start, request.t_start, v, mu_).converged) {
            return Violation{Outcome::off_constraints, "no velocity near the given one satisfies the constraints: " +
                                                           correction("velocity").refusal()};
        }
        auto moved = correction("velocity");
        moved.moved = distance(v, request.velocity);
        // NOTE: a velocity that is nothing but rounding is compared with what moves the system by its own size in the run.
        moved.size = std::max(size(v), 1e-9 * size(request.start) / (request.t_end - request.t_start));
        moved.nearest = v;
        moved.given = request.velocity;
        if (auto violation = judged(moved, warnings)) {
            return violation;
        }
        request.velocity = v;
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

    static double distance(std::span<const double> a, std::span<const double> b) {
        double largest = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            largest = larger(largest, std::abs(a[i] - b[i]));
        }
        return largest;
    }
    static double size(std::span<const double> a) { return distance(a, std::vector<double>(a.size(), 0.0)); }

    Manifold<Constraints>* manifold_;
    std::span<const std::string> names_, coordinates_;
    std::vector<double> gradient_, residuals_, mu_;
};

}  // namespace lento
