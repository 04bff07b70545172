/// What resolving every vibration would cost: the one place that says so.
#pragma once

#include "lento/judge/outset.hpp"
#include "lento/problem/problem.hpp"
#include "march/resolving.hpp"
#include "problem/spring_spectrum.hpp"

namespace lento {

/// Evaluations of the force that `method::direct` takes for that many vibrations, with its estimate, roughly: 50 each
/// at a tolerance of 1e-4, 130 at 1e-8; several times that where no phase ties the motion down.
double price_of_direct(const Problem& problem, double vibrations, double rtol);
/// The same for springs, whose fastest oscillation is resolved.
double price_of_direct(const Problem& problem, const SpringSpectrum& spectrum, double length, double rtol);

/// Evaluations that `auto` may spend on resolving every vibration: some seconds' worth.
double most_for_resolving(const Problem& problem);
/// The same only to tell how wrong another run is.
double most_for_opinion(const Problem& problem);
std::int64_t most_steps_for_resolving(const Problem& problem);

/// Evaluations by stages after which Taylor series take over a march whose steps may err by a share `tolerance`: what
/// was spent by then is what compiling them takes, so that no march takes more than twice the time of the better way,
/// and short ones compile nothing. None where there are no series, or the other steps are cheaper.
std::optional<std::int64_t> evaluations_before_series(const Problem& problem, ResolvingMarch::Stepper other,
                                                      double tolerance);

/// How often the fastest phase, declared oscillation or spring turns in a time; none where nothing fast is declared.
std::optional<double> vibrations_in(const Problem& problem, double length);

}  // namespace lento
