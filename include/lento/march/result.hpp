/// How a march over the slow scale ended, and what it needs to know of the outside.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lento/base/outcome.hpp"

namespace [[gnu::visibility("default")]] lento {

struct Interval {
    double from = 0;
    double to = 0;

    double length() const { return to - from; }
};

struct MarchResult {
    Outcome outcome = Outcome::completed;
    double reached = 0;      ///< the time of the last good state
    std::int64_t steps = 0;  ///< accepted
    std::int64_t rejected = 0;
    std::int64_t newton_iterations = 0;    ///< of implicit solvers
    std::optional<std::size_t> culprit{};  ///< the component that is not finite
    std::string explanation{};             ///< for outcomes other than completed
};

/// The first component that is infinite or not a number.
inline std::optional<std::size_t> first_not_finite(std::span<const double> y) {
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (!std::isfinite(y[i])) {
            return i;
        }
    }
    return std::nullopt;
}

}  // namespace lento
