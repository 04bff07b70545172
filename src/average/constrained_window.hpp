/// A window of a constrained system: a short integration on the manifold on both sides of a point, seen through a filter.
///
///     F = sum_k w_|k| M^-1 (f_k - g'(x_k)^T lambda_k),     mean multiplier = sum_k w_|k| lambda_k       (vibrated, section 4.2)
///
/// With SHAKE the multiplier at a point comes from the step to the next one; the one at the last point takes a move that is not a
/// micro-step of the window, since nothing is evaluated at its end. With RATTLE and its compositions it is that of the acceleration at
/// the point. SHAKE factorises the matrix of the constraints once, at the middle. Explicit time stays at the middle's value, for forces and
/// constraints alike: the manifold of a window has a stopped clock.
#pragma once

#include <memory>
#include <string_view>

#include "average/window.hpp"
#include "problem/manifold.hpp"

namespace lento {

/// A window with the stepper of that name (`step/constrained_catalogue.hpp`). The acceleration is that of the active forces.
std::unique_ptr<Window> make_constrained_window(std::string_view stepper, Acceleration& active, Manifold& manifold,
                                                const TimeScales& scales, const WindowShape& shape);

}  // namespace lento
