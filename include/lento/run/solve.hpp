/// The front door: a problem and a request in, a solution out.
#pragma once

#include <string>

#include "lento/problem/problem.hpp"
#include "lento/run/method.hpp"
#include "lento/run/request.hpp"
#include "lento/solution/solution.hpp"

namespace [[gnu::visibility("default")]] lento {

/// By the method that the request names: it runs, or fails with its reason. `auto` is the cheapest that applies, and
/// goes on with another where that one refuses (`Solution::record().tried`). Throws Misuse for what no run could make
/// sense of.
Solution solve(const Problem& problem, const Request& request);

/// By a method of one's own, which need not be in the table; what the request says of methods is passed over.
Solution solve(const Problem& problem, const Request& request, const Method& method);

/// What `auto` stands for.
struct Choice {
    const Method* method = nullptr;
    std::string why;
    const Method* otherwise = nullptr;  ///< what is left where it refuses; may be missing
};
Choice automatic_choice(const Problem& problem, const Request& request);

}  // namespace lento
