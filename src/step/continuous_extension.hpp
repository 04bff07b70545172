/// Dense output of Dormand-Prince 5(4): its continuous extension, of order 4 (Hairer, Norsett, Wanner, Solving ODEs I,
/// 2nd ed., (II.6.12)).
#pragma once

#include <span>

#include "lento/step/dense.hpp"
#include "step/runge_kutta.hpp"

namespace lento {

/// Of the last step of `method`, which ended at y1.
DenseStep continuous_extension(double from, double to, const DormandPrince<double>& method, std::span<const double> y1);

}  // namespace lento
