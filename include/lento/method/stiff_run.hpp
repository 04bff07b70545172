/// What the methods for stiff springs share: checks at the start, the window, the projection, the march, the record.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/average/projection.hpp"
#include "lento/average/stiff_window.hpp"
#include "lento/base/misuse.hpp"
#include "lento/base/number.hpp"
#include "lento/method/hypotheses.hpp"
#include "lento/method/macro.hpp"
#include "lento/method/request.hpp"
#include "lento/method/stiff_scales.hpp"
#include "lento/method/window_size.hpp"
#include "lento/problem/spring_spectrum.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

/// The size of a slow motion, for tolerances that fit it, from its state and acceleration. Where the coordinates are measured from does
/// not matter much: the time is that in which the acceleration changes the velocity, or moves the system by its size,
///
///     T = max(V/A, sqrt(L_0/A)),     L = max(L_0, V T, A T^2),     L_0 = max |x|
///
/// and no longer than the run.
struct SlowSize {
    double length = 1, velocity = 0, acceleration = 0, time = 1;

    SlowSize() = default;
    SlowSize(std::span<const double> x, std::span<const double> v, std::span<const double> a, double run);
};

/// The stopping tolerance (14) where none is given, with S = omega T the separation of scales. Of an elongation off by delta a window
/// leaves R omega^2 delta in the slow force, R being its leakage; so delta follows the frequency as S^-2, and the tolerance asked for. It is not below the glide of the projection itself, S^-4, which an iteration could never undo.
ProjectionTolerance usual_projection_tolerance(double frequency, const SlowSize& size, double rtol, double leakage);

template <class Springs>
class StiffRun {
public:
    StiffRun(const StiffSystem<Springs>& system, Request request, const MethodDescription& method,
             const WindowDefaults& defaults)
        : began_(std::chrono::steady_clock::now()),
          system_(system),
          request_(checked(std::move(request), system.dimension())),
          scales_(spring_scales(system.springs().entries())) {
        require_options_apply(request_.options, method);
        if (!system.phases().empty()) {
            throw Misuse(fmt::format(
                "method {} is for stiff springs without a fast phase; this system has the phase {}: use direct",
                method.name, system.phases().front().name));
        }
        record_.method = method.name;
        record_.requested_method = request_.method;
        record_.slow_is = method.slow_is;
        record_.t_end = request_.t_start;
        spectrum_ = spring_spectrum(system_, request_.start, request_.t_start);
        if (!spectrum_.vanishing) {
            options_ = with_window(request_.options, defaults, scales_, spectrum_, length());
            make_window();
        }
        violation_ = first_violation();
    }

    const Request& request() const { return request_; }
    const Options& options() const { return options_; }
    StiffWindow<Springs>& window() { return *window_; }
    Projection<Springs>& projection() { return *projection_; }
    const StiffSystem<Springs>& system() const { return system_; }
    const SpringSpectrum& spectrum() const { return spectrum_; }
    const SlowSize& size() const { return size_; }
    const TimeScales& scales() const { return scales_; }
    double length() const { return request_.t_end - request_.t_start; }
    void warn(std::string warning) { record_.warnings.push_back(std::move(warning)); }
    void note(std::string name, std::string value) { record_.options.push_back({std::move(name), std::move(value)}); }

    /// Why the run cannot start, or had to end.
    const std::optional<Violation>& violation() const { return violation_; }
    void refuse(Outcome outcome, std::string sentence) {
        if (!violation_) {
            violation_ = {outcome, std::move(sentence)};
        }
    }

    /// What a window from (x, v) at t makes of it. The last one is remembered: a step ends where the next begins.
    struct Filtered {
        double t = 0;
        std::vector<double> x{}, v{};  ///< where it started
        std::vector<double> position{}, velocity{}, acceleration{};
    };
    const Filtered& filtered(double t, std::span<const double> x, std::span<const double> v) {
        if (last_.t == t && std::ranges::equal(last_.x, x) && std::ranges::equal(last_.v, v)) {
            return last_;
        }
        (*window_)(t, x, v);
        const auto copied = [](std::span<const double> values) {
            return std::vector<double>(values.begin(), values.end());
        };
        Filtered next{t, copied(x), copied(v), copied(x), copied(window_->velocity()), copied(window_->acceleration())};
        for (std::size_t i = 0; i < x.size(); ++i) {
            next.position[i] += window_->move()[i];
        }
        return last_ = std::move(next);
    }

    /// A full projection; nothing if it fails. An adaptive march tries again with a shorter step; one that cannot calls `give_up`.
    std::optional<ProjectedPoint> projected(double t, std::span<const double> x, std::span<const double> v) {
        auto point = (*projection_)(t, x, v);
        failure_.reset();
        if (point.ending == ProjectedPoint::Ending::failed) {
            failure_ = failed_projection(t, point);
            return std::nullopt;
        }
        stalled_ = larger(stalled_, point.ending == ProjectedPoint::Ending::stalled ? point.residual : 0);
        all_glides_ +=
            point.iterations * larger(point.glide / size_.length, point.velocity_glide * size_.time / size_.length);
        return point;
    }

    void give_up() { refuse(Outcome::not_converged, failure_.value_or("a projection failed")); }

    /// The energy of the springs: 1/2 sum_j k_j (g_j^2 + (g_j'/omega_j)^2).
    double spring_energy(double t, std::span<const double> x, std::span<const double> v) const {
        const auto& measures = system_.springs().measures();
        std::vector<double> values(measures.count()), rates(measures.count());
        measures.values(x, t, values);
        measures.rates(x, v, t, Clock::running, rates);
        double energy = 0;
        for (const auto& spring : system_.springs().entries()) {
            for (std::size_t m = spring.first; m < spring.last; ++m) {
                energy += spring.strength / 2 * (values[m] * values[m] + std::pow(rates[m] / spring.frequency, 2));
            }
        }
        return energy;
    }
    double largest_measure(double t, std::span<const double> x) const {
        std::vector<double> values(system_.springs().measures().count());
        system_.springs().measures().values(x, t, values);
        return largest(values);
    }
    double kinetic_energy(std::span<const double> v) const {
        const Eigen::Map<const Eigen::VectorXd> velocity(v.data(), static_cast<Eigen::Index>(v.size()));
        if (system_.mass().is_diagonal()) {
            double energy = 0;
            for (std::size_t i = 0; i < v.size(); ++i) {
                energy += v[i] * v[i] / system_.mass().inverse_entry(i, i) / 2;
            }
            return energy;
        }
        return velocity.dot(system_.mass().matrix() * velocity) / 2;
    }

    /// The start of the slow motion is known: what was taken out, and is there still a slow motion?
    void judge_start(std::span<const double> x, std::span<const double> v, std::span<const double> acceleration) {
        size_ = SlowSize(x, v, acceleration, length());
        double moved = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            moved = larger(moved, std::abs(x[i] - request_.start[i]));
        }
        if (!(moved <= 0.3 * size_.length)) {
            refuse(
                Outcome::refused,
                fmt::format("the fast oscillation has an amplitude of {:.3g}, where the coordinates themselves are of "
                            "size {:.3g}: averaging needs oscillations that are small against the slow motion (of the "
                            "order 1/frequency); use the method direct",
                            moved, size_.length));
            return;
        }
        if (const auto violation = separation_violation(size_)) {
            refuse(violation->outcome, violation->sentence);
            return;
        }
        const double taken =
            spring_energy(request_.t_start, request_.start, request_.velocity) - spring_energy(request_.t_start, x, v);
        const double kinetic = kinetic_energy(v);
        start_was_fast_ = taken > 0.01 * kinetic;
        if (start_was_fast_) {
            warn(fmt::format(
                "the start has an energy of {:.2g} in fast oscillations of the springs, where the slow motion "
                "has a kinetic energy of {:.2g}; that is taken out, and with it what it does to the slow "
                "motion: `lento compare` tells how much that is",
                taken, kinetic));
        }
    }

    /// How far one more iteration moves a projected point along the slow manifold, over the size of the motion. An adaptive march cannot
    /// be asked for less: the number of iterations changes from one evaluation to the next.
    void judge_glide(std::span<const double> x, std::span<const double> v) {
        const auto& again = filtered(request_.t_start, x, v);
        for (std::size_t i = 0; i < x.size(); ++i) {
            glide_ = larger(glide_, std::abs(again.position[i] - x[i]) / size_.length);
            glide_ = larger(glide_, std::abs(again.velocity[i] - v[i]) * size_.time / size_.length);
        }
    }
    void raise_tolerance_to_glide() {
        if (!request_.options.macro_step && !request_.options.steps && 3 * glide_ > request_.rtol) {
            warn(fmt::format(
                "projections are uncertain by {:.2g} of the slow motion (windows of filter = {} and {:.3g} periods "
                "see it change); rtol was raised from {:.2g} to {:.2g}",
                glide_, *options_.filter, window_->width() / scales_.slowest, request_.rtol, 3 * glide_));
            request_.rtol = 3 * glide_;
        }
    }

    Solution solve(const SlowMotion& motion, const MacroSolvers& solvers, std::vector<double> y) {
        const auto macro = macro_choice(request_.options, {request_.t_start, request_.t_end}, solvers);
        record_.options.push_back({"macro", macro.name});
        if (macro.step) {
            record_.options.push_back({"macro_step", fmt::format("{}", *macro.step)});
        }
        Request limited = request_;
        limited.most_steps = std::min<std::int64_t>(request_.most_steps, most_steps_);
        auto marched = taken_apart(march_macro(macro, motion, limited, std::move(y)));
        auto& result = marched.result;
        record_.statistics.macro_steps = result.steps;
        record_.statistics.rejected_steps = result.rejected;
        record_.statistics.newton_iterations = result.newton_iterations;
        record_.t_end = result.reached;
        if (violation_) {
            return finished(violation_->outcome, violation_->sentence, std::move(marched));
        }
        if (const double moved = accumulated_glide(); result.outcome == Outcome::completed && moved > 0.3) {
            return finished(
                Outcome::no_scale_separation,
                fmt::format("windows of {:.3g} see the slow motion change, and move it by about {:.1g} of its size "
                            "in all: the springs are not fast against it; use the method direct",
                            window_->width(), moved),
                std::move(marched));
        }
        if (failure_ && result.outcome == Outcome::diverged) {
            return finished(Outcome::not_converged, *failure_, std::move(marched));
        }
        if (result.culprit) {
            result.explanation +=
                fmt::format(" (first in {}); try a smaller macro_step, or a tighter rtol where the step is adaptive",
                            system_.names()[*result.culprit % system_.dimension()]);
        }
        return finished(result.outcome, result.explanation, std::move(marched));
    }

    /// Ends before the march: there is only the true start.
    Solution not_started() {
        return finished(
            violation_->outcome, violation_->sentence,
            {.result = {},
             .trajectory = {},
             .final_state = {.t = request_.t_start, .position = request_.start, .velocity = request_.velocity}});
    }

    /// Whether fast oscillations were taken out at the start that matter beside the slow motion.
    bool start_was_fast() const { return start_was_fast_; }
    /// When what the springs have gathered began to move the slow motion, without a projection.
    const std::optional<double>& drifted_at() const { return drifted_at_; }
    void note_drift(double t) { drifted_at_ = t; }
    void note_forces_are_averaged() { averages_forces_ = true; }
    void note_steps_start_projected() { steps_start_projected_ = true; }
    /// Evaluations beside those of the windows.
    void count_evaluations(std::int64_t evaluations) { record_.statistics.force_evaluations += evaluations; }
    /// A march that resolves the springs takes more steps than one along the slow motion.
    void allow_many_steps() { most_steps_ = request_.most_steps; }

private:
    static double largest(std::span<const double> x) {
        double size = 0;
        for (const double component : x) {
            size = larger(size, std::abs(component));
        }
        return size;
    }

    void make_window() {
        const Filter filter(*options_.filter);
        if (filter.is_one_period()) {
            throw Misuse(
                "filter = period is for vibrations of a known phase; springs need a kernel, such as exponential "
                "or cubic");
        }
        const std::string micro = options_.micro.value_or("verlet");
        const auto steps = *given_steps_per_period(options_, scales_);
        const auto size = window_size(filter, scales_, options_, steps);
        window_ = std::make_unique<StiffWindow<Springs>>(
            system_, micro, scales_,
            WindowShape{FilterWeights(filter, size.each_side), size.steps_per_period, Sides::both,
                        VelocityUse::possible});
        // The first passes through the filter may still see more of the springs than of the slow motion.
        Filtered slow = filtered(request_.t_start, request_.start, request_.velocity);
        for (int pass = 0; pass < 2; ++pass) {
            slow = filtered(request_.t_start, slow.position, slow.velocity);
        }
        size_ = SlowSize(request_.start, slow.velocity, slow.acceleration, length());
        ProjectionTolerance tolerance =
            usual_projection_tolerance(spectrum_.slowest, size_, request_.rtol,
                                       leaked_share(window_->weights(), micro, window_->micro_step(), spectrum_));
        if (options_.projection_tolerance) {
            require_positive(*options_.projection_tolerance, "projection_tolerance");
            tolerance = {*options_.projection_tolerance, *options_.projection_tolerance};
        }
        // What springs off by this hold is a millionth of the slow motion's kinetic energy.
        const double speed = 1e-3 * size_.length / size_.time;
        projection_ = std::make_unique<Projection<Springs>>(*window_, system_.springs(), tolerance,
                                                            ProjectionTolerance{speed * scales_.fastest / 6.3, speed});
    }

    std::optional<Violation> first_violation() const {
        const auto& springs = system_.springs().entries();
        if (spectrum_.vanishing) {
            return Violation{
                Outcome::refused,
                fmt::format("the elongation of spring {} has a vanishing gradient at the start: the spring "
                            "has no direction to pull in, and no frequency; start elsewhere, or write the "
                            "elongation so that its gradient is not zero (r - 1, not (r - 1)^2)",
                            springs[*spectrum_.vanishing].name)};
        }
        if (window_->width() >= length()) {
            return Violation{Outcome::no_scale_separation,
                             fmt::format("one averaging window lasts {:.3g}, the whole run {:.3g}: the springs (the "
                                         "slowest period is {:.3g}) are not fast against it; use the method direct, or "
                                         "a shorter window",
                                         window_->width(), length(), scales_.slowest)};
        }
        const double turn = window_->micro_step() * spectrum_.fastest;
        if (options_.micro.value_or("verlet") == "verlet" && turn >= 2) {
            return Violation{
                Outcome::unstable,
                fmt::format("the fastest motion of the springs has a frequency of {:.4g} at the start, and "
                            "micro-steps of {:.3g} are unstable for it; take at least {:.0f} "
                            "micro_steps_per_period",
                            spectrum_.fastest, window_->micro_step(),
                            std::ceil(window_->steps_per_period() * turn / 1.9))};
        }
        return separation_violation(SlowSize(request_.start, request_.velocity, {}, length()));
    }

    /// A window must be short against the slow motion, as far as that is known.
    std::optional<Violation> separation_violation(const SlowSize& size) const {
        const double width = window_->width();
        if (!(width > 0.5 * size.time)) {
            return std::nullopt;
        }
        return Violation{
            Outcome::no_scale_separation,
            fmt::format("one window lasts {:.3g} ({:.3g} periods of the slowest spring), and the slow motion "
                        "changes by its own size in {:.3g}: the springs are not fast against it; use the "
                        "method direct, or a shorter window",
                        width, width / scales_.slowest, size.time)};
    }

    std::string failed_projection(double t, const ProjectedPoint& point) const {
        return fmt::format(
            "the projection onto the slow manifold at t = {:.6g} does not converge: after {} iterations "
            "elongations still change by {:.2g} times the tolerance ({:.2g} times in the first). The "
            "springs hold too much energy for it ({:.2g} at the start, the slow motion has {:.2g}), or "
            "the window is too short for them; start nearer to where the springs are at rest, take a "
            "smaller macro_step, or a larger window_periods",
            t, point.iterations, point.residual, point.first_residual,
            spring_energy(request_.t_start, request_.start, request_.velocity), kinetic_energy(request_.velocity));
    }

    Solution finished(Outcome outcome, std::string explanation, Marched marched) {
        record_.outcome = outcome;
        record_.explanation = std::move(explanation);
        if (window_) {
            auto& statistics = record_.statistics;
            statistics.micro_steps = window_->micro_steps();
            statistics.force_evaluations += window_->force_evaluations();
            statistics.projections = projection_->projections();
            statistics.projection_iterations = projection_->iterations();
            statistics.projection_residual = projection_->largest_residual();
            record_.options.insert(record_.options.end(),
                                   {{"micro", options_.micro.value_or("verlet")},
                                    {"micro_steps_per_period", fmt::format("{}", window_->steps_per_period())},
                                    {"filter", *options_.filter},
                                    {"window_periods", fmt::format("{:.6g}", window_->width() / scales_.slowest)}});
        }
        warn_at_the_end(outcome);
        record_.statistics.wall_seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
        return Solution(std::move(record_), std::move(marched.trajectory), std::move(marched.final_state), {});
    }

    /// Each step starts from a projected point, and each iteration of the projection moves it along the slow manifold; directions change as
    /// the motion does.
    double accumulated_glide() const {
        const auto projections = static_cast<double>(std::max<std::int64_t>(1, projection_->projections()));
        const double applied =
            steps_start_projected_ ? static_cast<double>(record_.statistics.macro_steps) / projections : 1;
        return all_glides_ * applied;
    }
    /// An averaged force is off by as much as a filter moves the state it is averaged around, and that acts all the time.
    double averaging_error() const {
        return averages_forces_ ? glide_ * std::pow((record_.t_end - request_.t_start) / size_.time, 2) : 0;
    }

    void warn_at_the_end(Outcome outcome) {
        const double moved = window_ ? std::max(accumulated_glide(), averaging_error()) : 0;
        if (outcome == Outcome::completed && moved > 10 * request_.rtol && moved > 1e-4) {
            warn(fmt::format(
                "windows of filter = {} and {:.3g} periods see the slow motion change: an error of {:.0g} of its "
                "size. Stiffer springs and shorter windows make that less, and so does the method ipa with a filter of "
                "three vanishing moments (cubic, flat4); the method direct avoids it",
                *options_.filter, window_->width() / scales_.slowest, moved));
        }
        if (drifted_at_) {
            warn(fmt::format(
                "from t = {:.4g} on, the energy that the springs have gathered changes the averaged force by "
                "a few percent or more: the slow motion may be far off; project = auto projects in time",
                *drifted_at_));
        }
        if (!spectrum_.known) {
            warn(
                "the springs depend on each other, and are too many to find their lowest frequency: the window is that "
                "of "
                "the nominal ones; give a larger window_periods if projections do not converge");
        }
        if (stalled_ > 10 && scales_.slowest * 1e7 < size_.time) {
            warn(fmt::format(
                "springs this stiff are at the limit of rounding: projections stop at changes of {:.2g} times "
                "the tolerance, and the slow motion is uncertain accordingly. It differs from that of "
                "infinitely stiff springs by {:.1g} of its size; frequencies a hundred times lower give the "
                "same, without the noise",
                stalled_, 100 * std::pow(scales_.slowest / size_.time, 2)));
        } else if (stalled_ > 10) {
            warn(fmt::format(
                "projections stop at changes of {:.2g} times the tolerance: beyond that the iteration only "
                "glides along the slow manifold; a larger projection_tolerance or a shorter window avoids it",
                stalled_));
        }
        const double direct = 40 * (record_.t_end - request_.t_start) / scales_.fastest;
        if (outcome == Outcome::completed && static_cast<double>(record_.statistics.force_evaluations) > direct) {
            warn(fmt::format(
                "{} force evaluations, where resolving every oscillation would take about {:.0f}: the method "
                "direct is the better choice here",
                record_.statistics.force_evaluations, direct));
        }
    }

    std::chrono::steady_clock::time_point began_;
    StiffSystem<Springs> system_;
    Request request_;
    TimeScales scales_;
    RunRecord record_;
    SlowSize size_;
    SpringSpectrum spectrum_;
    Options options_;
    std::unique_ptr<StiffWindow<Springs>> window_;
    std::unique_ptr<Projection<Springs>> projection_;
    std::optional<Violation> violation_;
    Filtered last_;
    std::optional<std::string> failure_;  // of the last projection
    double stalled_ = 0;
    std::optional<double> drifted_at_;
    double glide_ = 0;
    double all_glides_ = 0;
    bool averages_forces_ = false;
    bool steps_start_projected_ = false;
    bool start_was_fast_ = false;
    std::int64_t most_steps_ = 1'000'000;
};

}  // namespace lento
