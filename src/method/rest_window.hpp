/// Windows that start from rest at a phase of symmetry: where that is, what their force sees, and whether what they rely on
/// holds along the run. For `method/hmm_async.hpp` and `method/shake_shake.hpp`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "average/fast_part.hpp"
#include "average/window.hpp"
#include "method/averaged_run.hpp"
#include "problem/probe.hpp"

namespace lento {

/// An odd part of the force above this share of its oscillation is of leading size: the one-period filter fails.
inline constexpr double largest_odd_fraction = 1e-3;
/// One below this is rounding: half windows are exact.
inline constexpr double rounding_odd_fraction = 1e-12;

/// Whether the phases are ever all zero at once; where they fill the torus they come as near as one likes.
bool passes_through_zero(const Problem& problem, const TimeScales& scales);

/// The phases at which windows start, and how odd the force is about them.
SymmetryPhase window_centre(AveragedRun& run);

/// Throws Misuse where the one-period filter would give errors of order one; warns where the odd part is small but
/// there.
void require_one_period_works(AveragedRun& run, const SymmetryPhase& centre);

/// What windows from rest rely on, supplied and watched along the run.
class RestWindowGuard {
public:
    RestWindowGuard(AveragedRun& run, const SymmetryPhase& centre, Sides sides, const Filter& filter);

    /// The velocity that the force is to see beside the window's own. A window that starts from rest at the phase c drifts with mean
    /// velocity -W(c); for even forces W(c) = 0.
    In velocity_seen(double t, In X, In V);

    void check(Window& window, double t, In X, In V, In F);

private:
    /// The force on both sides of the window's start, at one distance that changes from call to call.
    void check_parity(double t, In X, In V);

    /// Without a phase a window from rest cannot see what the slow velocity does to the fast motion, as on a curved stiff spring.
    void check_that_slow_velocity_does_not_matter(Window& window, double t, In X, In V, In F);

    AveragedRun* run_;
    const SymmetryPhase* centre_;
    bool even_;
    bool watches_parity_ = false;
    double allowed_ = 0;
    double swing_ = 0;  // the largest acceleration met
    std::uint64_t calls_ = 0;
    std::vector<double> velocity_;
    std::optional<FastPart> fast_;
};

/// Algorithm 2 of vibrated, on whatever kind of motion the run has: windows from rest at a phase of symmetry, half of them where the
/// force is even, the one-period filter where it works.
Solution average_from_rest(AveragedRun& run);

}  // namespace lento
