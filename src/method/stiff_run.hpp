/// What the methods for stiff springs share: checks at the start, the window, the projection, the march, the record. A
/// run is in order while, with S = omega T the separation of scales and n the periods in a window,
///
///     n 2 pi / S < 1/2                    a window is short against the slow motion
///     |P(q, p) - (q, p)| < 0.3 L          the fast oscillation is small against it, L its size
///     sum of glides < 0.3 L               and so is what windows do to it
#pragma once

#include "average/projection.hpp"
#include "average/slow_manifold.hpp"
#include "average/stiff_window.hpp"
#include "judge/fast_energy.hpp"
#include "judge/slow_size.hpp"
#include "judge/stiff_scales.hpp"
#include "lento/run/run.hpp"
#include "problem/spring_spectrum.hpp"

namespace lento {

/// The windows of iterated projections, where nobody gives others.
inline const WindowDefaults ipa_window{
    .filters = {"cubic"}, .periods = 6, .steps_per_period = 6, .least_periods = 3.6, .least_steps = 3.5};

class StiffRun : public MethodRun {
public:
    StiffRun(Run& run, const WindowDefaults& defaults);

    /// The options with those of the window that were chosen.
    const Options& chosen() const { return chosen_; }
    StiffWindow& window() { return *window_; }
    Projection& projection() { return *projection_; }
    const SpringSpectrum& spectrum() const { return spectrum_; }
    const SlowSize& size() const { return size_; }
    const TimeScales& scales() const { return scales_; }

    /// Why the run cannot start, or had to end.
    const std::optional<Violation>& violation() const { return run_->violation(); }

    /// Refuses springs that have become so much slower or faster than at the start that windows no longer fit them.
    void require_frequencies(double t, In x);

    /// Refuses a window that is not short against the slow motion.
    void require_separation();

    /// What a window from (x, v) at t makes of it. The last one is remembered: a step ends where the next begins.
    struct Filtered {
        double t = 0;
        std::vector<double> x{}, v{};  ///< where it started
        std::vector<double> position{}, velocity{}, acceleration{};
    };
    const Filtered& filtered(double t, In x, In v);

    /// A full projection; nothing if it fails. An adaptive march tries again with a shorter step; others `give_up`.
    std::optional<ProjectedPoint> projected(double t, In x, In v);
    /// From here on projections begin with a guess, where springs allow it.
    void guess_projections();
    void give_up() { run_->refuse(Outcome::not_converged, failure_.value_or("a projection failed")); }

    double largest_measure(double t, In x) const;

    /// Where and when the run projects, as the options say.
    void schedule(const std::string& project, SlowMotion& motion);

    /// The start of the slow motion is known: what was taken out, and is there still a slow motion?
    void judge_start(In x, In v, In acceleration);
    /// Adds what the fast oscillations of the start do to the slow motion. Where that is no longer known there is no
    /// acceleration: an adaptive march tries again with a shorter step, and `solve` says why it failed.
    void push(double t, In x, In v, Out acceleration);
    /// How far one more iteration moves a projected point along the slow manifold, over the size of the motion. An
    /// adaptive march cannot be asked for less: the number of iterations changes from one evaluation to the next.
    void judge_glide(In x, In v);
    void raise_tolerance_to_glide();

    Solution solve(const SlowMotion& motion, const MacroSolvers& solvers, std::vector<double> y);

    /// Whether fast oscillations were taken out at the start that matter beside the slow motion.
    bool start_was_fast() const { return start_was_fast_; }
    /// Whether they push the slow motion as they would have. Then the slow start y = (x, v) is known better than from
    /// windows, whose few micro-steps a period do not see the phase of an oscillation well.
    bool start_pushes() const { return fast_energy_.has_value(); }
    const std::vector<double>& slow_start() const { return slow_start_; }
    /// What a method tells of its march, for the warnings at the end.
    struct Course {
        bool averages_forces = false, steps_start_projected = false;
        double moved = 0;                    ///< by projections on the way, as a share of the size of the motion
        std::optional<double> drifted_at{};  ///< when the springs began to move the slow motion, without a projection
    } course{};
    /// Evaluations beside those of the windows.
    void count_evaluations(std::int64_t evaluations) { run_->statistics().force_evaluations += evaluations; }
    /// A march that resolves the springs takes more steps than one along the slow motion.
    void allow_many_steps() { most_steps_ = run_->request().most_steps; }

private:
    void make_window();
    void take_fast_energy(In x, In v);
    std::optional<Violation> first_violation() const;
    std::optional<Violation> separation_violation(const SlowSize& size) const;
    /// Refuses to go on where following the springs themselves would have been much cheaper.
    void require_budget();
    void count();
    /// Each step starts from a projected point, and each iteration of the projection moves it along the slow manifold,
    /// in directions that change as the motion does.
    double accumulated_glide(std::int64_t macro_steps) const;
    void warn_at_the_end(const MarchResult& result);

    TimeScales scales_;
    SlowSize size_;
    SpringSpectrum spectrum_;
    Options chosen_;
    std::unique_ptr<StiffWindow> window_;
    std::unique_ptr<Projection> projection_;
    std::optional<SlowGuess> guess_;
    std::optional<FastEnergy> fast_energy_;
    int refused_ = 0;  // points at which it does not apply
    std::vector<double> slow_start_;
    std::vector<double> start_frequencies_;
    Filtered last_;
    std::optional<std::string> failure_;  // of the last projection
    double stalled_ = 0;
    double glide_ = 0;
    double all_glides_ = 0;
    bool start_was_fast_ = false;
    std::int64_t most_steps_ = 1'000'000;
};

}  // namespace lento
