/// Asynchronous HMM (vibrated, Algorithm 2). The averaged force at X is found from a window that starts at X, at rest,
/// at phase zero:
///
///     x(0) = X,  v(0) = 0,  theta(0) = 0                    (2.14)
///     F(X) = sum_k w_k a(x_k, V + v_k, t, theta_k)          (2.15), (2.16)
///
/// It needs no relation between fast and slow velocities, F does not depend on the phase, and where it depends on X
/// alone the macro-step inherits the symmetry of the macro-stepper. A force that depends on the velocity sees the slow
/// velocity plus the window's own. Explicit slow time stays at t while the phase restarts. Where the force is even
/// about a phase the window starts there, and half of it is enough; then, and only then, the one-period filter works
/// (section 2.4).
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/method/averaged_run.hpp"

namespace lento {

inline const MethodDescription hmm_async_description{
    .name = "hmm-async",
    .problems = "vibrated",
    .paper = "vibrated",
    .slow_is = "averaged",
    .summary = "windows from rest at phase zero, averaged by a kernel or over exactly one period; then large steps",
    .options = {{"macro", "verlet with macro_step or steps, else dopri5"},
                {"macro_step", "adaptive"},
                {"steps", "adaptive"},
                {"micro", "dopri5; verlet8 for a declared period without a phase"},
                {"micro_step", "from micro_steps_per_period"},
                {"micro_steps_per_period", "doubled until the averaged force settles"},
                {"filter", "period where the force is even about some phase, else cos8"},
                {"window", "from window_periods"},
                {"window_periods", "exponential 40, cubic 6, cosP P/2 + 8, period 1"},
                {"initial", "true-state"},
                {"mean_force", "refuse"}}};

/// An odd part of the force above this share of its oscillation is of leading size: the one-period filter fails.
inline constexpr double largest_odd_fraction = 1e-3;
/// One below this is rounding: half windows are exact.
inline constexpr double rounding_odd_fraction = 1e-12;

template <class System>
Solution hmm_async(const System& system, const Request& request) {
    AveragedRun<System> run(system, request, hmm_async_description);
    const auto centre = window_centre(run);
    const bool even = centre.odd_fraction <= rounding_odd_fraction;

    const bool one_period_works = run.scales().common_period && centre.odd_fraction <= largest_odd_fraction;
    const Filter filter(request.options.filter.value_or(one_period_works ? "period" : "cos8"));
    if (filter.is_one_period()) {
        require_one_period_works(run, centre);
    }

    const auto time = system.phases().empty() ? ExplicitTime::running : ExplicitTime::frozen;
    const std::vector<double> rest(system.dimension(), 0.0);
    return run.solve(filter, even ? Sides::forward : Sides::both, time, [&](AnyWindow<System>& window) {
        return [&](double t, std::span<const double> X, std::span<const double> V, std::span<double> F) {
            window.average_acceleration({.x = view<System::extent>(X),
                                         .v = view<System::extent>(std::span<const double>(rest)),
                                         .slow_velocity = run.velocity_matters() ? V : std::span<const double>(),
                                         .t = t,
                                         .phases = centre.phases,
                                         .time = time},
                                        view<System::extent>(F));
        };
    });
}

/// The phases at which windows start, and how odd the force is about them.
template <class System>
SymmetryPhase window_centre(AveragedRun<System>& run) {
    const std::vector<double> origin(run.system().phases().size(), 0.0);
    if (run.system().parity() == Parity::even) {
        return {origin, 0};
    }
    if (run.system().phases().empty()) {
        // NOTE: from rest, a force of the position alone gives a motion that is even in time whatever it is.
        const bool autonomous = !run.velocity_matters() && !depends_on_time(run.acceleration(), run.probes());
        return {origin, autonomous ? 0.0 : 1.0};
    }
    return symmetry_phase(run.acceleration(), run.probes(), run.scales());
}

/// Throws Misuse where the one-period filter would give errors of order one; warns where the odd part is small but
/// there.
template <class System>
void require_one_period_works(AveragedRun<System>& run, const SymmetryPhase& centre) {
    if (!run.scales().common_period) {
        throw Misuse(
            "filter = period needs phases with a common period, and these frequencies have none; use a kernel (filter "
            "= cos8)");
    }
    if (centre.odd_fraction > largest_odd_fraction) {
        throw Misuse(fmt::format(
            "filter = period works only for forces that are even about some phase; this one is not: its odd part is at "
            "least {:.3g} of its oscillation about every phase. Use a kernel (filter = cos8)",
            centre.odd_fraction));
    }
    if (centre.odd_fraction > std::max(rounding_odd_fraction, run.request().rtol)) {
        run.warn(
            fmt::format("the force is even about the window's start only up to {:.2g} of its oscillation; the "
                        "one-period filter adds "
                        "an error of about that share to the averaged force (filter = cos8 does not)",
                        centre.odd_fraction));
    }
}

}  // namespace lento
