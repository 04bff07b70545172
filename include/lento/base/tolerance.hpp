/// What each component of a state may err by:
///
///     absolute scale_i + relative |y_i|
///
/// The scale of a component is 1, or what its quantity is declared to be measured by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace [[gnu::visibility("default")]] lento {

struct Tolerance {
    double relative = 1e-6;
    double absolute = 1e-9;
    std::vector<double> scales{};  ///< of the components; of those beyond its end 1

    double absolute_of(std::size_t i) const { return i < scales.size() ? absolute * scales[i] : absolute; }
    /// Of component i, where it is as large as `size`.
    double of(std::size_t i, double size) const { return absolute_of(i) + relative * size; }
    /// The least absolute part among the first components.
    double least_absolute(std::size_t count) const {
        double least = absolute_of(0);
        for (std::size_t i = 1; i < count; ++i) {
            least = std::min(least, absolute_of(i));
        }
        return least;
    }
    /// A share of it.
    Tolerance times(double share) const { return {share * relative, share * absolute, scales}; }
};

}  // namespace lento
