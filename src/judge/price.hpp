/// What resolving every vibration would cost: the one place that says so.
#pragma once

#include "lento/judge/outset.hpp"
#include "lento/problem/problem.hpp"
#include "problem/spring_spectrum.hpp"

namespace lento {

/// Evaluations of the force that Dormand-Prince 5(4) takes for that many vibrations, roughly: 65 each at a tolerance of
/// 1e-4, 400 at 1e-8.
double price_of_direct(double vibrations, double rtol);
/// The same for springs, whose fastest oscillation is resolved.
double price_of_direct(const SpringSpectrum& spectrum, double length, double rtol);

/// How often the fastest phase, declared oscillation or spring turns in a time; none where nothing fast is declared.
std::optional<double> vibrations_in(const Problem& problem, double length);

}  // namespace lento
