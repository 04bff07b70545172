/// Whether a tolerance says anything of a component that is small. Of one that stays below a hundred times its
/// absolute tolerance, |y_i| < 100 atol scale_i, no more than two digits are asked for, whatever rtol is.
#pragma once

#include <optional>
#include <string>

#include "lento/base/tolerance.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

/// A sentence on the component with the fewest digits, where there is such a one; `sizes` are the largest |y_i| over
/// the run, whose length is given. What is zero, or driven by rounding alone, has no digits to be asked for, nor has a
/// velocity that moves its coordinate by less than the tolerance of that, over the whole run.
std::optional<std::string> coarse_tolerance(const Problem& problem, In sizes, const Tolerance& tolerance,
                                            double length);

}  // namespace lento
