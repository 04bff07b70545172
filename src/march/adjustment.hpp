/// What a march may be told about its points beside their rates.
#pragma once

#include <cstddef>
#include <span>

#include "lento/step/dense.hpp"

namespace lento {

/// Nothing to adjust. Others may
/// - put only the first components under the control of the tolerance;
/// - start the result of a step from another point than its stages, as the projection onto a slow manifold does (slow-manifold (38));
/// - move the point a little after each accepted step, as onto a manifold, and say whether they could.
struct NoAdjustment {
    std::size_t controlled(std::size_t components) const { return components; }
    /// Told after the evaluation at the very start.
    void begin() const {}
    /// Where the result of the next step starts; empty: where the stages do.
    std::span<const double> base() const { return {}; }
    bool operator()(double, std::span<double>) const { return true; }
};

/// Dense output of a step whose points y = (x, v) were evaluated elsewhere, at their bases: the quintic between these.
inline DenseStep between_bases(double from, double to, std::span<const double> base0, std::span<const double> rate0,
                               std::span<const double> base1, std::span<const double> rate1) {
    const std::size_t d = base0.size() / 2;
    return quintic_hermite(from, to, base0, rate0.last(d), base1, rate1.last(d));
}

}  // namespace lento
