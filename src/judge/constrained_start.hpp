/// Initial data of constrained systems: on the manifold, close enough to be moved onto it, or refused.
#pragma once

#include "lento/judge/violation.hpp"
#include "lento/march/result.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

/// Data further from the manifold than this share of their size are refused; so are positions where gradients of the
/// constraints change by more than `largest_turn` of themselves on the way, however short it is.
inline constexpr double largest_correction = 1e-3;
inline constexpr double largest_turn = 1e-2;

/// Moves a start onto the constraints of a problem, with a warning that says by how much; or says why not.
std::optional<Violation> put_on_constraints(const Problem& problem, Interval interval, std::vector<double>& start,
                                            std::vector<double>& velocity, std::vector<std::string>& warnings);

}  // namespace lento
