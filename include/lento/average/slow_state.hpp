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

#include "lento/average/fast_part.hpp"
#include "lento/average/filter.hpp"
#include "lento/average/window.hpp"
#include "lento/problem/time_scales.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

struct PhasePoint {
    std::vector<double> position, velocity;
};

/// The averaged state at time t of the true state (q, v), by fixed-point iteration; each pass gains a factor 1/omega.
template <class System>
PhasePoint averaged_state(Acceleration<System>& acceleration, std::span<const double> q, std::span<const double> v,
                          double t) {
    constexpr int passes = 6;
    PhasePoint slow{{q.begin(), q.end()}, {v.begin(), v.end()}};
    FastPart<System> fast(acceleration, q, v, t);
    const auto theta = acceleration.system().phases_at(t);
    for (int pass = 0; pass < passes; ++pass) {
        const auto part = fast.at(slow.position, slow.velocity, t, theta);
        for (std::size_t i = 0; i < q.size(); ++i) {
            slow.position[i] = q[i] - part.displacement[i];
            slow.velocity[i] = v[i] - part.velocity[i];
        }
    }
    return slow;
}

/// The true state at time t of the averaged state (X, V).
template <class System>
PhasePoint true_state(Acceleration<System>& acceleration, std::span<const double> X, std::span<const double> V,
                      double t) {
    auto part = FastPart<System>(acceleration, X, V, t).at(X, V, t, acceleration.system().phases_at(t));
    for (std::size_t i = 0; i < X.size(); ++i) {
        part.displacement[i] += X[i];
        part.velocity[i] += V[i];
    }
    return {std::move(part.displacement), std::move(part.velocity)};
}

/// Without a phase: the state (q, v) at time t seen through a filter over the motion itself.
template <class System>
PhasePoint filtered_state(AnyWindow<System>& window, std::span<const double> q, std::span<const double> v, double t) {
    constexpr auto extent = System::extent;
    PhasePoint slow{std::vector<double>(q.size()), std::vector<double>(q.size())};
    std::vector<double> acceleration(q.size());
    window.average_motion({.x = view<extent>(q), .v = view<extent>(v), .t = t, .time = ExplicitTime::running},
                          view<extent>(std::span<double>(slow.position)),
                          view<extent>(std::span<double>(slow.velocity)),
                          view<extent>(std::span<double>(acceleration)));
    return slow;
}

}  // namespace lento
