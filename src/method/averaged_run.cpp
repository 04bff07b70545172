#include "method/averaged_run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "average/fast_part.hpp"
#include "base/number.hpp"
#include "judge/hypotheses.hpp"
#include "judge/macro_watch.hpp"
#include "judge/micro_steps.hpp"
#include "judge/price.hpp"
#include "judge/window_size.hpp"
#include "lento/base/misuse.hpp"

namespace lento {

AveragedRun::AveragedRun(Run& run) : AveragedRun(run, std::make_unique<FreeMotion>(run.problem())) {}

AveragedRun::AveragedRun(Run& run, std::unique_ptr<Motion> motion)
    : run_(&run),
      motion_(std::move(motion)),
      acceleration_(run.problem()),
      scales_(time_scales(run.problem())),
      probes_(run.request().start, run.request().velocity, run.request().t_start, run.request().t_end) {
    require_one_of("initial", initial(), {"true-state", "averaged"});
    require_one_of("mean_force", run.options().mean_force.value_or("refuse"), {"refuse", "accept"});
    require_one_of("parity", parity(), {"detect", "even", "none"});
    velocity_ = motion_->velocity_dependence(acceleration_, probes_);
    if (problem().phases.size() > 1 && !scales_.common_period) {
        const auto& [q, v, t] = std::tie(run.request().start, run.request().velocity, run.request().t_start);
        const double beat = FastPart(acceleration_, q, v, t).slowest_frequency(q, v, t);
        scales_.slowest = std::max(scales_.slowest, 2 * std::numbers::pi / beat);
    }
}

std::string AveragedRun::parity() const {
    return run_->options().parity.value_or(problem().parity == Parity::even ? "even" : "detect");
}

Solution AveragedRun::solve(const Filter& filter, Sides sides, ExplicitTime time, const MakeForce& make_force) {
    if (!run_->goes_on()) {
        return run_->not_started();
    }
    const auto& request = run_->request();
    const double cancelled = motion_->cancelled_swing(request.start, request.velocity, request.t_start, scales_);
    Hypotheses hypotheses(acceleration_, scales_, velocity_.fastest, cancelled, run_->outset(),
                          request.options.mean_force == "accept" ? MeanForce::accepted : MeanForce::refused);
    if (auto violation = hypotheses.violation()) {
        return not_started(std::move(*violation));
    }
    leading_amplitude_ = hypotheses.leading_amplitude();
    const bool own_oscillation = problem().phases.empty();
    micro_ = request.options.micro.value_or(motion_->usual_micro(request.options, velocity_use()));
    if (velocity_.any) {
        motion_->require_stepper_suits_velocity("micro", micro_);
    }
    const double width = window_width(filter, scales_, request.options);
    if (width >= run_->length()) {
        return not_started(
            {Outcome::no_scale_separation,
             fmt::format(
                 "one averaging window lasts {:.3g}, the whole run {:.3g}: the vibration (or a beat of two phases, the "
                 "slowest period being {:.3g}) is not fast against it; use the method {}, or a shorter window",
                 width, run_->length(), scales_.slowest, method::direct.name)});
    }
    const auto slow = slow_start();
    if (own_oscillation) {
        warn_of_oscillation_left_out(slow);
    }
    const auto window =
        settled_window(filter, sides, make_force, {own_oscillation ? request.start : slow.position, slow.velocity});
    const auto force = make_force(*window);
    if (const double growth = own_oscillation ? spurious_growth(acceleration_, scales_, force, request.t_start,
                                                                slow.position, slow.velocity)
                                              : 0;
        growth * run_->length() > 10) {
        return not_started(
            {Outcome::unstable, fmt::format("windows of {} steps a period with micro = {} and filter = {} let enough "
                                            "of the fast force through to make the slow motion grow like exp({:.3g} "
                                            "t); take more micro_steps_per_period, micro = verlet8, or filter = cos8",
                                            window->steps_per_period(), micro_, filter.name(), growth)});
    }
    if (time == ExplicitTime::running) {
        raise_tolerance_to_phase_noise(force, slow);
    }
    const WindowNoise noise{
        filter.name(),
        window->width() / scales_.slowest,
        leakage(*window),
        leading_amplitude_,
        motion_->noise_across(micro_, window->micro_step(), window->weights().each_side(), largest(slow.position)),
        cancelled * std::numbers::pi / scales_.fastest};
    if (const double off = coarseness(micro_, window->steps_per_period()); off > 0.01) {
        run_->warn(fmt::format(
            "{} micro-steps a period with micro = {} make the averaged force wrong by about {:.0f} %; take more",
            window->steps_per_period(), micro_, 100 * off));
    }
    auto marched = march(force, noise, slow);
    return finished(filter, *window, noise, std::move(marched));
}

Solution AveragedRun::not_started(Violation violation) {
    count();
    run_->refuse(violation);
    return run_->not_started();
}

void AveragedRun::count() {
    run_->statistics().force_evaluations = acceleration_.evaluations() + motion_->force_evaluations();
    run_->statistics().newton_iterations = motion_->newton_iterations();
}

Solution AveragedRun::finished(const Filter& filter, const Window& window, const WindowNoise& noise, Marched marched) {
    auto& result = marched.result;
    const auto& request = run_->request();
    warn_of_long_windows(window.width(), result);
    run_->statistics().micro_steps += window.micro_steps();
    run_->note("micro", micro_);
    run_->note("micro_steps_per_period", fmt::format("{}", window.steps_per_period()));
    run_->note("filter", filter.name());
    run_->note("window_periods", fmt::format("{:.6g}", window.width() / scales_.slowest));
    run_->note("initial", initial());
    for (auto& warning :
         {noise.leakage_warning(request.rtol, largest_force_), noise.rounding_warning(request.rtol, largest_force_),
          noise.multiplier_warning(largest_force_)}) {
        if (warning) {
            run_->warn(*warning);
        }
    }
    if (const auto& violation = run_->violation()) {
        result.outcome = violation->outcome;
        result.explanation = violation->sentence;
        result.culprit.reset();
    } else if (result.outcome == Outcome::diverged && window_failure_) {
        result.outcome = Outcome::not_converged;
        result.explanation = *window_failure_;
        result.culprit.reset();
    } else if (result.outcome == Outcome::completed && steepest_ > 4) {
        result.outcome = Outcome::unstable;
        result.explanation = fmt::format(
            "the macro-step is too long: its square times the slope of the averaged force reaches {:.3g}, where 4 is "
            "the limit of stability; take a macro_step of {:.2g} or less",
            steepest_, 0.5 * *macro_step_ / std::sqrt(steepest_));
    }
    count();
    if (result.outcome == Outcome::completed) {
        run_->compare_with_direct(price_of_direct((result.reached - request.t_start) / scales_.fastest, request.rtol));
    }
    return run_->finished({.result = std::move(result),
                           .trajectory = std::move(marched.trajectory),
                           .final_state = std::move(marched.final_state),
                           .reconstruction = reconstruction(),
                           .settling = motion_->settling(),
                           .advice = "; try a smaller macro_step, or a tighter rtol where the step is adaptive"});
}

PhasePoint AveragedRun::slow_start() {
    const auto& [q, v, t] = std::tie(run_->request().start, run_->request().velocity, run_->request().t_start);
    if (initial() == "averaged") {
        return {q, v};
    }
    if (!problem().phases.empty()) {
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
    run_->statistics().micro_steps += window->micro_steps();
    return slow;
}

void AveragedRun::warn_of_oscillation_left_out(const PhasePoint& slow) {
    const auto& request = run_->request();
    const double rate = 2 * std::numbers::pi / scales_.fastest;
    for (std::size_t i = 0; i < slow.position.size(); ++i) {
        const double amplitude =
            std::hypot(request.start[i] - slow.position[i], (request.velocity[i] - slow.velocity[i]) / rate);
        if (amplitude > request.atol + request.rtol * std::abs(request.start[i])) {
            run_->warn(
                fmt::format("{} oscillates with amplitude {:.2g} at the start; that is taken out, and with it what the "
                            "energy of the oscillation does to the slow motion: `lento compare` tells how much that is",
                            problem().names[i], amplitude));
            return;
        }
    }
}

void AveragedRun::warn_of_long_windows(double width, const MarchResult& result) {
    const double step =
        (result.reached - run_->request().t_start) / static_cast<double>(std::max<std::int64_t>(1, result.steps));
    if (!macro_step_ && width > step && result.steps > 1) {
        run_->warn(fmt::format(
            "one averaging window lasts {:.3g}, longer than a macro-step, {:.3g}: the slow motion changes within a "
            "window, and the result may be far off; a shorter window or the method {} is the better choice",
            width, step, method::direct.name));
    }
}

std::unique_ptr<Window> AveragedRun::window_of(const Filter& filter, Sides sides, std::size_t steps_per_period) {
    const auto size = window_size(filter, scales_, run_->options(), steps_per_period);
    return motion_->window(micro_, acceleration_, scales_,
                           {FilterWeights(filter, size.each_side), size.steps_per_period, sides, velocity_use()});
}

std::unique_ptr<Window> AveragedRun::settled_window(const Filter& filter, Sides sides, const MakeForce& make_force,
                                                    const PhasePoint& at) {
    const auto& request = run_->request();
    if (const auto given = given_steps_per_period(request.options, scales_)) {
        return window_of(filter, sides, *given);
    }
    MicroStepSearch search({request.rtol, scales_.fastest, run_->length(), largest(at.position), leading_amplitude_});
    std::vector<double> force(at.position.size());
    for (std::size_t steps = search.fewest; steps <= search.most; steps *= 2) {
        auto window = window_of(filter, sides, steps);
        make_force (*window)(request.t_start, at.position, at.velocity, force);
        motion_->along(request.t_start, at.position, force);
        run_->statistics().micro_steps += window->micro_steps();
        if (search.settled(force)) {
            return window_of(filter, sides, steps);
        }
    }
    run_->warn(
        fmt::format("with {} micro-steps a period the averaged force still changes by {:.2g} at the start; a "
                    "micro-stepper of higher order (--option micro={}) may settle it",
                    search.most, search.change(), motion_->finest_micro()));
    return window_of(filter, sides, search.most);
}

void AveragedRun::raise_tolerance_to_phase_noise(const AveragedAcceleration& force, const PhasePoint& slow) {
    const auto& request = run_->request();
    if (request.options.macro_step || request.options.steps) {
        return;
    }
    const double share =
        phase_noise(force, request.t_start, scales_.fastest, run_->length(), slow.position, slow.velocity);
    constexpr double loosest = 1e-2;
    const double noise = std::min(0.1 * share, loosest);
    if (noise > request.rtol) {
        run_->warn(
            fmt::format("the averaged force depends on the phase at which its window starts, by {:.2g} of its size; "
                        "rtol was raised from {:.2g} to {:.2g}",
                        share, request.rtol, noise));
        run_->loosen(noise, request.atol);
    }
}

double AveragedRun::leakage(const Window& window) const {
    double share = 0;
    for (const double ratio : scales_.ratios) {
        share =
            std::max(share, std::abs(window.weights().leakage(static_cast<double>(window.steps_per_period()) / ratio)));
    }
    return share > 1e-15 ? share : 0.0;
}

Marched AveragedRun::march(const AveragedAcceleration& force, const WindowNoise& noise, const PhasePoint& slow) {
    const auto macro = motion_->macro(run_->options(), run_->interval());
    if (velocity_.any) {
        motion_->require_stepper_suits_velocity("macro", macro.name);
    }
    run_->note(macro);
    macro_step_ = macro.step;
    MacroWatch::Ground ground{[this](double t, In x, Out a) { motion_->along(t, x, a); },
                              [this](double t, std::vector<double>& x) { motion_->settle_position(t, x); }};
    MacroWatch watch(force, std::move(ground), macro.step, [&](In found) {
        if (auto sentence = noise.dominates(found)) {
            run_->refuse(Outcome::refused, std::move(*sentence));
        }
    });
    run_->allow_steps(1'000'000);
    auto marched = motion_->march(macro, velocity_use(), std::ref(watch), run_->request(), slow);
    largest_force_ = watch.largest_force();
    steepest_ = watch.steepest();
    return marched;
}

Reconstruction AveragedRun::reconstruction() const {
    if (problem().phases.empty()) {
        return {};
    }
    return [problem = std::make_shared<const Problem>(problem()),
            complete = motion_->completion()](const Snapshot& slow) {
        Acceleration acceleration(*problem);
        auto state = true_state(acceleration, slow.position, slow.velocity, slow.t);
        Snapshot snapshot{.t = slow.t, .position = std::move(state.position), .velocity = std::move(state.velocity)};
        if (complete) {
            complete(snapshot);
        }
        return snapshot;
    };
}

}  // namespace lento
