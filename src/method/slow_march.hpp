/// Passes along a slow motion x'' = a(t, x, v) by any macro-solver, for a march that estimates its error (`march/estimating.hpp`).
#pragma once

#include <vector>

#include "lento/run/macro.hpp"
#include "lento/run/request.hpp"
#include "march/estimating.hpp"

namespace lento {

/// The solvers of systems with coordinates and stoermer-cowell, which is the usual one.
MacroChoice slow_march_choice(const Request& request);

/// From y = (x, v). Local errors are held to `tightness` times the tolerance asked for; fixed steps are `longer` times as long.
Pass slow_pass(const EstimatingMarch& estimating, const MacroChoice& choice, const Request& request,
               const AveragedAcceleration& acceleration, std::vector<double> y, double tightness, int longer);

}  // namespace lento
