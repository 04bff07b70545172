/// How marches end before their time, and what they then say.
#pragma once

#include <stop_token>

#include <fmt/format.h>

#include "lento/march/result.hpp"

namespace lento {

/// Whether a march that has not ended may try another step, after so many; if not, the result says why.
inline bool goes_on(MarchResult& march, const std::stop_token& stop, std::int64_t tried, std::int64_t budget,
                    double to) {
    if (march.outcome != Outcome::completed) {
        return false;
    }
    if (stop.stop_requested()) {
        march.outcome = Outcome::interrupted;
    } else if (tried >= budget) {
        march.outcome = Outcome::budget_exhausted;
        march.explanation = fmt::format("{} steps were not enough: t = {:.6g} of {:.6g} reached; loosen rtol and atol",
                                        budget, march.reached, to);
    }
    return march.outcome == Outcome::completed;
}

inline MarchResult not_finite_at_start(double t, std::optional<std::size_t> culprit) {
    return {.outcome = Outcome::diverged,
            .reached = t,
            .culprit = culprit,
            .explanation = fmt::format("the force is not a finite number at the start, t = {}", t)};
}

inline void diverge(MarchResult& march, std::optional<std::size_t> culprit) {
    march.outcome = Outcome::diverged;
    march.culprit = culprit;
    march.explanation = fmt::format("the solution or its force stops being finite after t = {:.6g}", march.reached);
}

}  // namespace lento
