/// What a method is off by that cannot tell by itself: its true motion beside that of one that can, at the same times.
/// The estimate is what they differ by, plus what the other says of its own error.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lento/problem/problem.hpp"
#include "lento/run/method.hpp"
#include "lento/run/request.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

/// Where an estimate is above the tolerance atol + rtol max|y_i|: a sentence with the factor, that ends with `why`.
std::optional<std::string> missed_tolerance(const Problem& problem, In errors, In sizes, const Tolerance& tolerance,
                                            const std::string& why);

/// The cheapest of the methods that know their own error and give the true motion of this problem from this start; none
/// where all of them are too dear, and then `why` says so.
struct Opinion {
    const Method* method = nullptr;
    std::string why;
};
Opinion second_opinion(const Problem& problem, const Request& request);

/// Runs, and where that completes without an estimate of its own, finds one.
Solution with_second_opinion(const Problem& problem, const Request& request,
                             const std::function<Solution(const Request&)>& run);

}  // namespace lento
