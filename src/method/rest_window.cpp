#include "method/rest_window.hpp"

#include <fmt/format.h>

#include "average/fast_part.hpp"
#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "problem/probe.hpp"

namespace lento {
namespace {

/// An odd part of the force above this share of its oscillation is of leading size: the one-period filter fails.
constexpr double largest_odd_fraction = 1e-3;
/// One below this is rounding: half windows are exact.
constexpr double rounding_odd_fraction = 1e-12;

/// What windows from rest rely on, supplied and watched along the run.
class RestWindowGuard {
public:
    RestWindowGuard(AveragedRun& run, const SymmetryPhase& centre, Sides sides, const Filter& filter)
        : run_(&run),
          centre_(&centre),
          even_(sides == Sides::forward),
          adds_displacement_(!run.problem().second_order && !filter.is_one_period()) {
        // NOTE: a declared parity is taken at its word.
        const bool relies_on_parity = (even_ || filter.is_one_period()) && run.parity() != "even";
        watches_parity_ = relies_on_parity && !run.problem().phases.empty();
        allowed_ = even_ ? 1e-9 : largest_odd_fraction;
    }

    /// Where the window starts. Of variables that is the true state X + Delta(X, c) at its phase c: from X itself the
    /// mean rate would be off by O(1/omega). About a phase of symmetry Delta is zero.
    In start(double t, In X, In V) {
        if (!adds_displacement_) {
            return X;
        }
        start_ = combined(X, 1, fast_part(t, X, V).at(X, V, t, centre_->phases).displacement);
        return start_;
    }

    /// The velocity that the force is to see beside the window's own. A window that starts from rest at the phase c
    /// drifts with mean velocity -W(c); for even forces W(c) = 0.
    In velocity_seen(double t, In X, In V) {
        if (!run_->velocity_matters()) {
            return {};
        }
        velocity_.assign(V.begin(), V.end());
        if (!even_ && !run_->problem().phases.empty()) {
            add_to(velocity_, 1, fast_part(t, X, V).at(X, V, t, centre_->phases).velocity);
        }
        return velocity_;
    }

    void check(Window& window, double t, In X, In V, In F) {
        ++calls_;
        const auto why = window.failure();
        run_->note_window_failure(why ? std::optional(fmt::format("at t = {:.6g}, {}", t, *why)) : std::nullopt);
        if (why) {
            return;
        }
        if (watches_parity_) {
            check_parity(t, X, V);
        }
        // Now and then: 1st, 2nd, 4th, 8th, ... call.
        if (run_->problem().phases.empty() && (calls_ & (calls_ - 1)) == 0) {
            check_that_slow_velocity_does_not_matter(window, t, X, V, F);
        }
    }

private:
    FastPart& fast_part(double t, In X, In V) {
        if (!fast_) {
            fast_.emplace(run_->acceleration(), X, V, t);
        }
        return *fast_;
    }

    /// The force on both sides of the window's start, at one distance that changes from call to call.
    void check_parity(double t, In X, In V) {
        const double distance = 2 * std::numbers::pi * std::fmod(0.377 * static_cast<double>(calls_), 1.0);
        auto& active = run_->motion().active(run_->acceleration());
        const auto a = active.at(X, V, t, combined(centre_->phases, distance, run_->scales().ratios));
        const auto b = active.at(X, V, t, combined(centre_->phases, -distance, run_->scales().ratios));
        const double odd = largest_change(a, b) / 2;
        swing_ = std::max({swing_, largest(a), largest(b)});
        if (odd > allowed_ * swing_) {
            run_->run().refuse(
                Outcome::refused,
                fmt::format(
                    "the force is even about the start of the windows at first, but at t = {:.6g} its odd part is "
                    "{:.2g} of its size; --option parity=none averages over whole windows with a kernel instead",
                    t, odd / swing_));
        }
    }

    /// Without a phase windows from rest cannot see what the slow velocity does to the fast motion.
    void check_that_slow_velocity_does_not_matter(Window& window, double t, In X, In V, In F) {
        std::vector<double> moving(X.size());
        std::vector<double> back(X.size());
        std::vector<double> velocity(V.begin(), V.end());
        const auto average = [&](std::vector<double>& result) {
            window.average_acceleration({.x = X, .v = velocity, .t = t, .time = ExplicitTime::running}, result);
        };
        average(moving);
        if (even_) {  // half a window: the other half is the motion with the velocity turned round
            std::transform(V.begin(), V.end(), velocity.begin(), std::negate<>());
            average(back);
            for (std::size_t i = 0; i < moving.size(); ++i) {
                moving[i] = (moving[i] + back[i]) / 2;
            }
        }
        const double difference = largest_change(moving, F);
        const double size = largest(moving);
        if (difference > 0.2 * size && difference > 0) {
            run_->run().refuse(
                Outcome::refused,
                fmt::format("the averaged force depends on the slow velocity (by {:.0f} % at t = {:.6g}), "
                            "which windows from rest cannot see",
                            100 * difference / size, t),
                Remedy::resolve);
        }
    }

    AveragedRun* run_;
    const SymmetryPhase* centre_;
    bool even_;
    bool adds_displacement_;
    bool watches_parity_ = false;
    double allowed_ = 0;
    double swing_ = 0;  // the largest acceleration met
    std::uint64_t calls_ = 0;
    std::vector<double> velocity_, start_;
    std::optional<FastPart> fast_;
};

/// Whether the phases are ever all zero at once; where they fill the torus they come as near as one likes.
bool passes_through_zero(const Problem& problem, const TimeScales& scales) {
    const auto& phases = problem.phases;
    for (std::size_t j = 1; scales.common_period && j < phases.size(); ++j) {
        if (std::abs(reduced_phase(phases[j].frequency, -phases[0].start / phases[0].frequency, phases[j].start)) >
            1e-9) {
            return false;
        }
    }
    return true;
}

/// The phases at which windows start, and how odd the force is about them.
SymmetryPhase window_centre(AveragedRun& run) {
    const std::vector<double> origin(run.problem().phases.size(), 0.0);
    const bool declared = run.parity() == "even";
    if (declared && passes_through_zero(run.problem(), run.scales())) {
        return {origin, 0};
    }
    const auto& phases = run.problem().phases;
    if (run.parity() == "none") {
        return {phases.empty() ? origin : run.problem().phases_at(-phases[0].start / phases[0].frequency), 1};
    }
    if (run.problem().phases.empty()) {
        // NOTE: from rest, a force of the position alone gives a motion that is even in time whatever it is.
        const bool autonomous = !run.velocity_matters() && !depends_on_time(run.acceleration(), run.probes());
        return {origin, autonomous ? 0.0 : 1.0};
    }
    return symmetry_phase(run.motion().active(run.acceleration()), run.probes(), run.scales());
}

/// Throws Misuse where the one-period filter would give errors of order one; warns of a small odd part.
void require_one_period_works(AveragedRun& run, const SymmetryPhase& centre) {
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
    if (centre.odd_fraction > std::max(rounding_odd_fraction, run.run().request().rtol)) {
        run.run().warn(fmt::format(
            "the force is even about the window's start only up to {:.2g} of its oscillation; the one-period filter "
            "adds an error of about that share to the averaged force (filter = cos8 does not)",
            centre.odd_fraction));
    }
}

}  // namespace

Solution average_from_rest(Run& under_way, std::unique_ptr<Motion> motion) {
    AveragedRun run(under_way, std::move(motion));
    const auto& problem = run.problem();
    const std::size_t d = problem.dimension();
    const auto centre = window_centre(run);
    // NOTE: rates that are even about a phase do not make the motion of variables even.
    const bool even_motion = problem.second_order && centre.odd_fraction <= rounding_odd_fraction;
    const auto sides = even_motion ? Sides::forward : Sides::both;

    const bool one_period_works = run.scales().common_period && centre.odd_fraction <= largest_odd_fraction;
    const Filter filter(under_way.options().filter.value_or(one_period_works ? "period" : run.usual_kernel()));
    if (filter.is_one_period()) {
        require_one_period_works(run, centre);
    }

    const bool own_oscillation = problem.phases.empty();
    // NOTE: that slow time stands still in a window changes averaged forces by O(1/omega), which they are uncertain by;
    // averaged rates are not.
    const auto time = own_oscillation || !problem.second_order ? ExplicitTime::running : ExplicitTime::frozen;
    const auto phase = own_oscillation ? WindowPhase::runs : WindowPhase::restarts;
    const std::vector<double> rest(problem.second_order ? d : 0, 0.0);
    RestWindowGuard guard(run, centre, sides, filter);
    return run.solve(filter, sides, phase, [&](Window& window) {
        return [&](double t, In X, In V, Out F) {
            window.average_acceleration({.x = guard.start(t, X, V),
                                         .v = rest,
                                         .slow_velocity = guard.velocity_seen(t, X, V),
                                         .t = t,
                                         .phases = centre.phases,
                                         .time = time},
                                        F);
            guard.check(window, t, X, V, F.first(d));
        };
    });
}

}  // namespace lento
