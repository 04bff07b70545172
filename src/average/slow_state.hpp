/// Between true and averaged states of a vibrated system (vibrated (3.4), (3.6), (3.8)):
///
///     q = X + Delta(X, V, theta),     v = V + W(X, V, theta)
///
/// The true velocity contains W, of size one: taking a true state for an averaged one is a motion wrong by O(1).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "average/fast_part.hpp"
#include "average/filter.hpp"
#include "average/window.hpp"
#include "problem/time_scales.hpp"

namespace lento {

struct PhasePoint {
    std::vector<double> position, velocity;
};

/// The averaged state at time t of the true state (q, v), by fixed-point iteration; each pass gains a factor 1/omega.
PhasePoint averaged_state(Acceleration& acceleration, In q, In v, double t);

/// The true state at time t of the averaged state (X, V).
PhasePoint true_state(Acceleration& acceleration, In X, In V, double t);

/// Without a phase: the state (q, v) at time t seen through a filter over the motion itself.
PhasePoint filtered_state(Window& window, In q, In v, double t);

}  // namespace lento
