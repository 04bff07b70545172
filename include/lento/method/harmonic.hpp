/// Harmonic averaging: no micro-steps at all. Where the fast phase is known, the periodic response to it is found on a few phases at once
/// (`average/harmonic.hpp`), to any order in 1/omega; its mean drives the slow motion, and adding it to the slow motion gives the true one.
///
///     (1) find out how many phases and sweeps the tolerance needs; convert the true start:  X = q - Delta(phi), V = v - W(phi)
///     (2) march X'' = <a> with multistep formulas that also give the slow derivatives of a   (`march/stoermer_cowell.hpp`)
///     (3) march again with a tighter tolerance; what both differ by, with what each left out, is the estimate of the error
///
/// The tolerance is that of the true solution, not of a step: a run that misses it is repeated.
#pragma once

#include <functional>
#include <memory>

#include "lento/average/phase_field.hpp"
#include "lento/method/hypotheses.hpp"
#include "lento/method/options.hpp"
#include "lento/method/request.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

inline const MethodDescription harmonic_description{
    .name = "harmonic",
    .problems = "vibrated, periodic, constraints",
    .paper = "",
    .slow_is = "averaged",
    .summary =
        "finds the periodic response to the phase directly, without micro-steps, to any order in 1/omega; true state "
        "in, true state out, with an estimate of the error",
    .options = {{"macro", "stoermer-cowell; dopri5, arkode-8, cvode-adams, rk4, ... for cross-checks"},
                {"macro_step", "adaptive"},
                {"steps", "adaptive"},
                {"phases", "as the tolerance needs, from 5"},
                {"sweeps", "as the tolerance needs, up to 8"},
                {"initial", "true-state"}}};

using SharedField = std::shared_ptr<PhaseField>;

Solution harmonic(const SharedField& field, const Request& request, const DirectRun& direct, StartReport start = {});

}  // namespace lento
