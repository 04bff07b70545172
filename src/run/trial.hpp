/// A short, loose run of a method, before the one that is asked for: does it get going, and what would the whole take?
///
/// A march of order p whose steps are h long at the tolerance of the trial needs steps of
///
///     h (rtol / rtol_of_trial)^(1 / (p + 1))
///
/// so what the trial took for its stretch is multiplied by that, and by the length of the run over that of the stretch.
#pragma once

#include <optional>

#include "lento/run/method.hpp"

namespace lento {

/// The request for the first macro-steps at a loose tolerance, without a second opinion.
Request trial_request(const Method& method, Request request);

struct Trial {
    double evaluations = 0;          ///< of the whole run that is asked for
    double slow_time = 0;            ///< the mean length of macro-steps
    std::optional<double> period{};  ///< that was found where none is declared
};

/// What a solution of `trial_request` tells of the run that is asked for; none where it did not get going, which its
/// outcome and explanation then say.
std::optional<Trial> trial_of(const Solution& tried, const Method& method, const Request& asked);

/// What `method::direct` takes where no phase ties the motion down, by its first periods: errors of all oscillations
/// add up along the orbit, so each has to be resolved that much better.
double direct_by_trial(const Problem& problem, Request request, double period);

}  // namespace lento
