/// The windows of iterated projections, where nobody gives others.
#pragma once

#include "judge/stiff_scales.hpp"

namespace lento {

inline const WindowDefaults ipa_window{
    .filters = {"cubic"}, .periods = 6, .steps_per_period = 6, .least_periods = 3.6, .least_steps = 3.5};

}  // namespace lento
