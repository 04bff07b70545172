/// What a method is off by that cannot tell by itself: its motion beside that of one that can, at the same times. The
/// estimate is what they differ by, plus what the other says of its own error. Compared is
///
///     the true motion       where the method reconstructs it
///     slow variables        where it follows nothing else: the fast phase has no meaning there
///     the slow motion       of springs, where the other omits the same oscillations; what these would have done is
///                           part of the other's estimate, and their amplitudes are `left_out`
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lento/problem/problem.hpp"
#include "lento/run/method.hpp"
#include "lento/run/request.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

/// Where an estimate of the components of y is above the tolerance atol + rtol max|y_i|: a sentence with the factor,
/// that ends with `why`.
std::optional<std::string> missed_tolerance(const Problem& problem, In errors, In sizes, const Tolerance& tolerance,
                                            const std::string& why);

/// Whether options say how a method is to do it: then it may lack the estimate that it has without.
bool has_settings(const Request& request);

/// Runs the method, and where that completes without an estimate of its own, finds one: beside the cheapest of the
/// methods that know their own error. Without settings it runs again, more tightly, as long as that brings the estimate
/// towards the tolerance. Where all other methods are too dear the tolerance counts as missed.
Solution with_second_opinion(const Problem& problem, const Request& request, const Method& method,
                             const std::function<Solution(const Request&)>& run);

}  // namespace lento
