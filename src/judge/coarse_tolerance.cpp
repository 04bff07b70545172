#include "judge/coarse_tolerance.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace lento {
namespace {

constexpr double most = 0.01;  // share of a component that the absolute tolerance may be
// Beside the others of its kind: what is as small as that is rounding that has grown. On a constraint that keeps sy = 0
// (models/slider-crank.toml) it came to 1e4 units.
constexpr double grown_rounding = 1e6 * std::numeric_limits<double>::epsilon();

}  // namespace

std::optional<std::string> coarse_tolerance(const Problem& problem, In sizes, const Tolerance& tolerance,
                                            double length) {
    const std::size_t d = problem.dimension();
    const auto matters = [&](std::size_t i) {
        const auto kind = sizes.subspan(i < d ? 0 : d, d);
        return sizes[i] > grown_rounding * std::ranges::max(kind) &&
               (i < d || length * sizes[i] > tolerance.of(i - d, sizes[i - d]));
    };
    double worst = most;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < std::min(sizes.size(), problem.unknowns()); ++i) {
        const double share = tolerance.absolute_of(i) / sizes[i];
        if (share > worst && matters(i)) {
            worst = share;
            found = i;
        }
    }
    if (!found) {
        return std::nullopt;
    }
    return fmt::format(
        "{} is at most {:.2g} in this run, and atol{} lets it be wrong by {:.2g}: give it a {} of its "
        "size, or a smaller atol",
        problem.name_of_unknown(*found), sizes[*found], *found < tolerance.scales.size() ? " times its scale" : "",
        tolerance.absolute_of(*found), *found < d ? "scale" : "velocity_scale");
}

}  // namespace lento
