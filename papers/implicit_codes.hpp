/// Implicit one-step codes that a paper compares with and Lento does not offer, by SUNDIALS' ARKStep with a Newton
/// iteration and a dense Jacobian of differences:
///
///     trapezoidal    two steps of the trapezoidal rule of length h/2; one of h beside them tells their error. Its
///                    amplification is 1 at infinity, as that of ode23t
///     tr-bdf2        trapezoidal rule and backward differences (ode23tb, strictly stable at infinity)
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lento/base/tolerance.hpp"
#include "lento/march/recorder.hpp"

namespace lento::papers {

/// Whether the end of the interval was reached; y is the state there.
bool march_implicit(std::string_view code, const FirstOrderRate& rate, Interval interval, const Tolerance& tolerance,
                    std::vector<double>& y);

}  // namespace lento::papers
