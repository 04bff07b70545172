/// The period of a motion that nobody has told: how long it takes from its start back to near it.
#pragma once

#include <stop_token>

#include "average/micro_flow.hpp"
#include "lento/march/result.hpp"
#include "march/controller.hpp"

namespace lento {

struct FoundReturn {
    double period = 0;
    std::vector<double> scales{};  ///< how far each component moves on the way, or how large it is
    std::string failure{};         ///< a sentence, if the motion was not seen to return
};

/// Integrates from y over the interval at most. With `pairs` y = (x, v): positions have one scale, velocities another.
FoundReturn first_return(MicroFlow& flow, Interval interval, std::vector<double> y, bool pairs,
                         const Tolerance& tolerance, const std::stop_token& stop);

/// A component that starts at nothing will not stay there. Of pairs y = (x, v), positions count for no less than this
/// share of the largest of them, velocities alike; variables, which may be of any kind, for a thousandth. They are
/// compared in units of their declared scales; none: 1.
void level(Out sizes, bool pairs, double share, In units);

}  // namespace lento
