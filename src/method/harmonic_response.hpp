/// From a slow state of a harmonic average to the true one, by a few more sweeps there: x = X + Delta(phi), v = V + W(phi).
#pragma once

#include <memory>

#include "average/harmonic.hpp"
#include "average/phase_field.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

struct HarmonicResponse {
    std::shared_ptr<PhaseField> field;
    std::shared_ptr<HarmonicAverage> average;
    int sweeps = 0;

    Snapshot operator()(const Snapshot& slow) const;
};

/// Puts the mean of the true multipliers behind a slow state, as those of the slow motion too; none without constraints.
Settling mean_multipliers(const HarmonicResponse& response);

}  // namespace lento
