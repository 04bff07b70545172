/// The slow motion of a harmonic average by multistep formulas (`march/stoermer_cowell.hpp`), and how wrong it is.
#pragma once

#include "average/harmonic.hpp"
#include "average/phase_field.hpp"
#include "lento/run/request.hpp"
#include "lento/solution/solution.hpp"
#include "march/estimating.hpp"
#include "method/harmonic_start.hpp"

namespace lento {

/// Where a march may leave out most.
struct HarmonicDoubts {
    HarmonicSpot phases{}, sweeps{};  ///< by the highest harmonics of a, and by the last slow derivative
    HarmonicSpot end{};
};

struct HarmonicMarch {
    const EstimatingMarch& estimating;
    HarmonicAverage& average;
    const HarmonicPlan& plan;
    const Request& request;
    double sudden;  ///< the shortest time in which the force changes by itself: no step jumps over it

    Pass run(double tightness, In scales, HarmonicDoubts& doubts) const;

    /// How wrong each component of the second is, at worst over the run: the difference of both is what the first is
    /// wrong by, and both grow from what they leave out in the same way. `defect` is what the average leaves out.
    std::vector<double> errors(const Pass& coarse, const Pass& fine, const Defect& defect) const;
};

/// From a slow state of a harmonic average to the true one, by sweeps there: x = X + Delta(phi), v = V + W(phi).
struct HarmonicResponse {
    std::shared_ptr<PhaseField> field;
    std::shared_ptr<HarmonicAverage> average;
    int sweeps = 0;

    Snapshot operator()(const Snapshot& slow) const;

    /// The same with Delta and W interpolated in slow time between those at a few states, one sweep each.
    Reconstruction between(std::span<const Snapshot> looks) const;

private:
    /// By (Delta, W).
    Snapshot moved(const Snapshot& slow, In change) const;
};

/// Puts the mean of the true multipliers behind a slow state, twice: it stands for those of the slow motion too.
Settling mean_multipliers(const HarmonicResponse& response);

}  // namespace lento
