/// What the averaging methods for vibrated systems share: checks, initial data, the size of the window, the march.
///
/// A method says how a window starts; this does the rest.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/average/fast_part.hpp"
#include "lento/average/filter.hpp"
#include "lento/average/slow_state.hpp"
#include "lento/average/window.hpp"
#include "lento/base/misuse.hpp"
#include "lento/base/number.hpp"
#include "lento/method/hypotheses.hpp"
#include "lento/method/macro.hpp"
#include "lento/method/macro_watch.hpp"
#include "lento/method/micro_steps.hpp"
#include "lento/method/motion.hpp"
#include "lento/method/options.hpp"
#include "lento/method/request.hpp"
#include "lento/method/window_noise.hpp"
#include "lento/method/window_size.hpp"
#include "lento/problem/probe.hpp"
#include "lento/problem/time_scales.hpp"
#include "lento/problem/vibrated_system.hpp"
#include "lento/solution/solution.hpp"
#include "lento/step/catalogue.hpp"

namespace lento {

template <class System>
class AveragedRun {
    static constexpr std::size_t extent = System::extent;

public:
    AveragedRun(const System& system, Request request, const MethodDescription& method)
        : AveragedRun(system, std::move(request), method, std::make_unique<FreeMotion<System>>(system)) {}

    AveragedRun(const System& system, Request request, const MethodDescription& method,
                std::unique_ptr<Motion<System>> motion)
        : began_(std::chrono::steady_clock::now()),
          system_(std::make_shared<const System>(system)),
          motion_(std::move(motion)),
          request_(prepared(checked(std::move(request), system.dimension()))),
          acceleration_(*system_),
          scales_(time_scales(*system_)),
          probes_(request_.start, request_.velocity, request_.t_start, request_.t_end) {
        require_options_apply(request_.options, method);
        record_.method = method.name;
        record_.requested_method = request_.method;
        record_.slow_is = method.slow_is;
        record_.t_end = request_.t_start;
        require_one_of("initial", initial(), {"true-state", "averaged"});
        require_one_of("mean_force", request_.options.mean_force.value_or("refuse"), {"refuse", "accept"});
        require_one_of("parity", parity(), {"detect", "even", "none"});
        velocity_ = motion_->velocity_dependence(acceleration_, probes_);
        if (system_->phases().size() > 1 && !scales_.common_period) {
            const auto& [q, v, t] = std::tie(request_.start, request_.velocity, request_.t_start);
            const double beat = FastPart<System>(acceleration_, q, v, t).slowest_frequency(q, v, t);
            scales_.slowest = std::max(scales_.slowest, 2 * std::numbers::pi / beat);
        }
    }

    const System& system() const { return *system_; }
    const Request& request() const { return request_; }
    const TimeScales& scales() const { return scales_; }
    const ProbeStates& probes() const { return probes_; }
    Acceleration<System>& acceleration() { return acceleration_; }
    Motion<System>& motion() { return *motion_; }
    bool velocity_matters() const { return velocity_.any; }
    /// even, none or detect: the option, else what the system declares.
    std::string parity() const {
        return request_.options.parity.value_or(system_->parity() == Parity::even ? "even" : "detect");
    }
    void warn(std::string warning) { record_.warnings.push_back(std::move(warning)); }

    /// What a method makes of a window: the averaged acceleration `force(t, X, V, F)`.
    using MakeForce = std::function<AveragedAcceleration(AnyWindow<System>&)>;

    /// Averages with windows through `filter` and marches. With `time` running, the windows follow the phase.
    Solution solve(const Filter& filter, Sides sides, ExplicitTime time, const MakeForce& make_force) {
        if (violation_) {
            return not_started(violation_->outcome, violation_->sentence);
        }
        const double cancelled = motion_->cancelled_swing(request_, scales_);
        Hypotheses<System> hypotheses(acceleration_, scales_, velocity_.fastest, cancelled, request_);
        if (const auto violation = hypotheses.violation()) {
            return not_started(violation->outcome, violation->sentence);
        }
        leading_amplitude_ = hypotheses.leading_amplitude();
        const bool own_oscillation = system_->phases().empty();
        micro_ = request_.options.micro.value_or(motion_->usual_micro(request_.options, velocity_use()));
        if (velocity_.any) {
            motion_->require_stepper_suits_velocity("micro", micro_);
        }
        const double length = request_.t_end - request_.t_start;
        const double width = window_width(filter, scales_, request_.options);
        if (width >= length) {
            return not_started(
                Outcome::no_scale_separation,
                fmt::format(
                    "one averaging window lasts {:.3g}, the whole run {:.3g}: the vibration (or a beat of two phases, "
                    "the slowest period being {:.3g}) is not fast against it; use the method direct, or a shorter "
                    "window",
                    width, length, scales_.slowest));
        }
        const auto [X, V] = slow_start();
        if (own_oscillation) {
            warn_of_oscillation_left_out(X, V);
        }
        const auto window = settled_window(filter, sides, make_force, own_oscillation ? request_.start : X, V);
        const auto force = make_force(*window);
        if (const double growth =
                own_oscillation ? spurious_growth(acceleration_, scales_, force, request_.t_start, X, V) : 0;
            growth * length > 10) {
            return not_started(
                Outcome::unstable,
                fmt::format(
                    "windows of {} steps a period with micro = {} and filter = {} let enough of the fast force through "
                    "to make the slow motion grow like exp({:.3g} t); take more micro_steps_per_period, micro = "
                    "verlet8, or filter = cos8",
                    window->steps_per_period(), micro_, filter.name(), growth));
        }
        if (time == ExplicitTime::running) {
            raise_tolerance_to_phase_noise(force, X, V);
        }
        const WindowNoise noise{
            filter.name(),
            window->width() / scales_.slowest,
            leakage(*window),
            leading_amplitude_,
            motion_->noise_across(micro_, window->micro_step(), window->weights().each_side(), largest(X)),
            cancelled * std::numbers::pi / scales_.fastest};
        if (const double off = coarseness(micro_, window->steps_per_period()); off > 0.01) {
            warn(fmt::format(
                "{} micro-steps a period with micro = {} make the averaged force wrong by about {:.0f} %; take more",
                window->steps_per_period(), micro_, 100 * off));
        }
        auto marched = march(force, noise, X, V);
        warn_of_long_windows(window->width(), marched.result);
        record_.statistics.micro_steps += window->micro_steps();
        note_options(filter, *window);
        for (const auto& warning :
             {noise.leakage_warning(request_.rtol, largest_force_),
              noise.rounding_warning(request_.rtol, largest_force_), noise.multiplier_warning(largest_force_)}) {
            if (warning) {
                warn(*warning);
            }
        }
        if (violation_) {
            return finished(violation_->outcome, violation_->sentence, std::move(marched.trajectory),
                            std::move(marched.final_state));
        }
        if (marched.result.outcome == Outcome::diverged && window_failure_) {
            return finished(Outcome::not_converged, *window_failure_, std::move(marched.trajectory),
                            std::move(marched.final_state));
        }
        if (marched.result.outcome == Outcome::completed && steepest_ > 4) {
            return finished(Outcome::unstable,
                            fmt::format("the macro-step is too long: its square times the slope of the averaged force "
                                        "reaches {:.3g}, where 4 is the "
                                        "limit of stability; take a macro_step of {:.2g} or less",
                                        steepest_, 0.5 * *macro_step_ / std::sqrt(steepest_)),
                            std::move(marched.trajectory), std::move(marched.final_state));
        }
        return finished(marched.result.outcome, explanation_of(marched.result), std::move(marched.trajectory),
                        std::move(marched.final_state));
    }

    /// Ends the run at the next macro-step: what it relies on has turned out not to hold.
    void refuse(std::string sentence) {
        if (!violation_) {  // the first is the cause of the others
            violation_ = {Outcome::refused, std::move(sentence)};
        }
        own_stop_.request_stop();
    }
    /// Why the last window could not be run; nothing if it could. An adaptive march tries again with a shorter step.
    void note_window_failure(std::optional<std::string> sentence) { window_failure_ = std::move(sentence); }

private:
    VelocityUse velocity_use() const { return velocity_.any ? VelocityUse::possible : VelocityUse::none; }
    Request prepared(Request request) {
        violation_ = motion_->prepare(request, record_.warnings);
        return request;
    }
    std::string initial() const { return request_.options.initial.value_or("true-state"); }

    /// A slow motion that a step-size control cannot follow with steps longer than a window changes within the window.
    void warn_of_long_windows(double width, const MarchResult& result) {
        const double step =
            (result.reached - request_.t_start) / static_cast<double>(std::max<std::int64_t>(1, result.steps));
        if (!macro_step_ && width > step && result.steps > 1) {
            warn(
                fmt::format("one averaging window lasts {:.3g}, longer than a macro-step, {:.3g}: the slow motion "
                            "changes within a window, and the "
                            "result may be far off; a shorter window or the method direct is the better choice",
                            width, step));
        }
    }

    static double largest(std::span<const double> x) {
        double size = 0;
        for (const double component : x) {
            size = larger(size, std::abs(component));
        }
        return size;
    }

    PhasePoint slow_start() {
        const auto& [q, v, t] = std::tie(request_.start, request_.velocity, request_.t_start);
        if (initial() == "averaged") {
            return {q, v};
        }
        if (!system_->phases().empty()) {
            auto slow = averaged_state(acceleration_, q, v, t);
            motion_->settle(t, slow);
            return slow;
        }
        constexpr std::size_t steps_per_period = 32;
        const Filter filter("cos8");
        const auto each_side = static_cast<std::size_t>(filter.usual_periods()) * steps_per_period / 2;
        const auto window =
            motion_->window(micro_, acceleration_, scales_,
                            {FilterWeights(filter, each_side), steps_per_period, Sides::both, velocity_use()});
        auto slow = filtered_state(*window, q, v, t);
        record_.statistics.micro_steps += window->micro_steps();
        return slow;
    }

    /// Without a phase windows start at rest on the slow motion: what the oscillation itself does to it, by its energy, is not seen.
    void warn_of_oscillation_left_out(const std::vector<double>& X, const std::vector<double>& V) {
        const double rate = 2 * std::numbers::pi / scales_.fastest;
        for (std::size_t i = 0; i < X.size(); ++i) {
            const double amplitude = std::hypot(request_.start[i] - X[i], (request_.velocity[i] - V[i]) / rate);
            if (amplitude > request_.atol + request_.rtol * std::abs(request_.start[i])) {
                warn(
                    fmt::format("{} oscillates with amplitude {:.2g} at the start; that is taken out, and with it what "
                                "the energy of the "
                                "oscillation does to the slow motion: `lento compare` tells how much that is",
                                system_->names()[i], amplitude));
                return;
            }
        }
    }

    std::unique_ptr<AnyWindow<System>> window_of(const Filter& filter, Sides sides, std::size_t steps_per_period) {
        const auto size = window_size(filter, scales_, request_.options, steps_per_period);
        return motion_->window(micro_, acceleration_, scales_,
                               {FilterWeights(filter, size.each_side), size.steps_per_period, sides, velocity_use()});
    }

    /// The window with the micro-steps a period asked for, else with as many as the averaged force at the start needs.
    std::unique_ptr<AnyWindow<System>> settled_window(const Filter& filter, Sides sides, const MakeForce& make_force,
                                                      const std::vector<double>& X, const std::vector<double>& V) {
        if (const auto given = given_steps_per_period(request_.options, scales_)) {
            return window_of(filter, sides, *given);
        }
        MicroStepSearch search(
            {request_.rtol, scales_.fastest, request_.t_end - request_.t_start, largest(X), leading_amplitude_});
        std::vector<double> force(X.size());
        for (std::size_t steps = search.fewest; steps <= search.most; steps *= 2) {
            auto window = window_of(filter, sides, steps);
            make_force (*window)(request_.t_start, X, V, force);
            motion_->along(request_.t_start, X, force);
            record_.statistics.micro_steps += window->micro_steps();
            if (search.settled(force)) {
                return window_of(filter, sides, steps);
            }
        }
        warn(fmt::format(
            "with {} micro-steps a period the averaged force still changes by {:.2g} at the start; a micro-stepper of "
            "higher order (--option micro={}) may settle it",
            search.most, search.change(), motion_->finest_micro()));
        return window_of(filter, sides, search.most);
    }

    /// An averaged force that depends on the phase at which its window starts is known only up to that dependence,
    /// O(1/omega): a step-size control with a tighter tolerance would chase it with ever smaller steps.
    void raise_tolerance_to_phase_noise(const AveragedAcceleration& force, const std::vector<double>& X,
                                        const std::vector<double>& V) {
        if (request_.options.macro_step || request_.options.steps) {
            return;
        }
        const double share =
            phase_noise(force, request_.t_start, scales_.fastest, request_.t_end - request_.t_start, X, V);
        constexpr double loosest = 1e-2;
        const double noise = std::min(0.1 * share, loosest);
        if (noise > request_.rtol) {
            warn(
                fmt::format("the averaged force depends on the phase at which its window starts, by {:.2g} of its "
                            "size; rtol was raised from "
                            "{:.2g} to {:.2g}",
                            share, request_.rtol, noise));
            request_.rtol = noise;
        }
    }

    /// The share of the vibration that the window lets through: the largest over the phases.
    double leakage(const AnyWindow<System>& window) const {
        double share = 0;
        for (const double ratio : scales_.ratios) {
            share = std::max(
                share, std::abs(window.weights().leakage(static_cast<double>(window.steps_per_period()) / ratio)));
        }
        return share > 1e-15 ? share : 0.0;
    }

    void note_options(const Filter& filter, const AnyWindow<System>& window) {
        record_.options.insert(record_.options.end(),
                               {{"micro", micro_},
                                {"micro_steps_per_period", fmt::format("{}", window.steps_per_period())},
                                {"filter", filter.name()},
                                {"window_periods", fmt::format("{:.6g}", window.width() / scales_.slowest)},
                                {"initial", initial()}});
    }

    Marched march(const AveragedAcceleration& force, const WindowNoise& noise, const std::vector<double>& X,
                  const std::vector<double>& V) {
        const auto macro = motion_->macro(request_.options, {request_.t_start, request_.t_end});
        if (velocity_.any) {
            motion_->require_stepper_suits_velocity("macro", macro.name);
        }
        record_.options.push_back({"macro", macro.name});
        if (macro.step) {
            record_.options.push_back({"macro_step", fmt::format("{}", *macro.step)});
        }
        macro_step_ = macro.step;
        MacroWatch::Ground ground{
            [this](double t, std::span<const double> x, std::span<double> a) { motion_->along(t, x, a); },
            [this](double t, std::vector<double>& x) { motion_->settle_position(t, x); }};
        MacroWatch watch(force, std::move(ground), macro.step, [&](std::span<const double> found) {
            if (auto sentence = noise.dominates(found)) {
                refuse(std::move(*sentence));
            }
        });
        const std::stop_callback passed_on(request_.stop, [this] { own_stop_.request_stop(); });
        Request stoppable = request_;
        stoppable.stop = own_stop_.get_token();
        stoppable.most_steps = std::min<std::int64_t>(request_.most_steps, 1'000'000);
        auto marched = motion_->march(macro, velocity_use(), std::ref(watch), stoppable, {X, V});
        largest_force_ = watch.largest_force();
        steepest_ = watch.steepest();
        record_.statistics.macro_steps = marched.result.steps;
        record_.statistics.rejected_steps = marched.result.rejected;
        record_.t_end = marched.result.reached;
        return marched;
    }

    std::string explanation_of(const MarchResult& result) const {
        if (!result.culprit) {
            return result.explanation;
        }
        return fmt::format("{} (first in {}); try a smaller macro_step, or a tighter rtol where the step is adaptive",
                           result.explanation, system_->names()[*result.culprit % system_->dimension()]);
    }

    /// Ends before the march: there is only the true start.
    Solution not_started(Outcome outcome, std::string sentence) {
        has_slow_ = false;
        return finished(outcome, std::move(sentence), {},
                        {.t = request_.t_start, .position = request_.start, .velocity = request_.velocity});
    }

    Solution finished(Outcome outcome, std::string explanation, Trajectory trajectory, Snapshot final_state) {
        record_.outcome = outcome;
        record_.explanation = std::move(explanation);
        record_.statistics.force_evaluations = acceleration_.evaluations() + motion_->force_evaluations();
        record_.statistics.newton_iterations = motion_->newton_iterations();
        const double direct = 40 * (record_.t_end - request_.t_start) / scales_.fastest;
        if (outcome == Outcome::completed && static_cast<double>(record_.statistics.force_evaluations) > direct) {
            warn(
                fmt::format("{} force evaluations, where resolving every vibration would take about {:.0f}: the method "
                            "direct is the "
                            "better choice here",
                            record_.statistics.force_evaluations, direct));
        }
        record_.statistics.wall_seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
        return Solution(std::move(record_), std::move(trajectory), std::move(final_state), reconstruction(),
                        motion_->settling());
    }

    /// x = X + Delta, v = V + W at the true phase.
    Reconstruction reconstruction() const {
        if (system_->phases().empty() || !has_slow_) {
            return {};
        }
        return [system = system_, complete = motion_->completion()](const Snapshot& slow) {
            Acceleration<System> acceleration(*system);
            auto state = true_state(acceleration, slow.position, slow.velocity, slow.t);
            Snapshot snapshot{
                .t = slow.t, .position = std::move(state.position), .velocity = std::move(state.velocity)};
            if (complete) {
                complete(snapshot);
            }
            return snapshot;
        };
    }

    std::chrono::steady_clock::time_point began_;
    std::shared_ptr<const System> system_;
    std::unique_ptr<Motion<System>> motion_;
    RunRecord record_;
    std::optional<Violation> violation_;  // of what the run relies on
    Request request_;
    Acceleration<System> acceleration_;
    TimeScales scales_;
    ProbeStates probes_;
    std::optional<std::string> window_failure_;
    std::string micro_;  // the stepper inside windows
    VelocityDependence velocity_;
    bool has_slow_ = true;
    std::stop_source own_stop_;
    std::optional<double> macro_step_;
    double steepest_ = 0;           // slope of the averaged force times the square of the macro-step
    double leading_amplitude_ = 0;  // of the oscillating acceleration at the start
    double largest_force_ = 0;      // of the averaged accelerations met
};

}  // namespace lento
