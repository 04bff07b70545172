/// The point of the slow manifold to which a method takes a start, by iterated projection (slow-manifold, sections 5.3
/// and 5.4) or by expansion (`src/average/slow_manifold.hpp`), with the elongations g of the springs and their
/// multipliers k g, which approach those of the constraints as the springs become stiffer:
///
///     omega^2 g = lambda + O(omega^-2)                                             (4)
///
/// Richardson extrapolation in omega, from springs as they are and twice as fast, removes the leading error:
/// (4 lambda(2 omega) - lambda(omega))/3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lento/base/outcome.hpp"
#include "lento/run/method.hpp"

namespace [[gnu::visibility("default")]] lento {

struct SlowPoint {
    Outcome outcome = Outcome::completed;
    std::string explanation{};  ///< for outcomes other than completed
    std::vector<double> position{}, velocity{};
    std::vector<std::string> springs{};  ///< their names
    std::vector<double> elongations{}, multipliers{};
    int iterations = 0;
    double residual = 0;  ///< the last change over its tolerance
    std::int64_t force_evaluations = 0;
    std::vector<std::string> warnings{};
};

/// The options of a run by that method that concern projections; others are passed over.
std::vector<std::string> projection_option_names(const Method& method);

enum class Extrapolation { none, richardson };

/// By the expansion if the request names its method, else by iterated projection. Of constraints: of the springs that
/// they are relaxed to. Misuse where there is neither.
SlowPoint slow_point(const Problem& problem, const Request& request, Extrapolation extrapolation);

}  // namespace lento
