#include "method/averaged_run.hpp"

#include <tuple>

#include <fmt/format.h>

#include "base/number.hpp"
#include "judge/hypotheses.hpp"
#include "judge/price.hpp"
#include "lento/base/misuse.hpp"

namespace lento {
AveragedRun::AveragedRun(Run& run, std::unique_ptr<Motion> motion)
    : MethodRun(run),
      motion_(std::move(motion)),
      acceleration_(run.problem()),
      scales_(time_scales(run.problem())),
      probes_(request().start, request().velocity, request().t_start, request().t_end, request().scales) {
    require_one_of("initial", initial(), {"true-state", "averaged"});
    require_one_of("mean_force", options().mean_force.value_or("refuse"), {"refuse", "accept"});
    require_one_of("parity", parity(), {"detect", "even", "none"});
    velocity_ = velocity_dependence(motion_->active(acceleration_), probes_);
    if (problem().phases.size() > 1 && !scales_.common_period) {
        const auto& [q, v, t] = std::tie(request().start, request().velocity, request().t_start);
        const double beat = FastPart(acceleration_, q, v, t).slowest_frequency(q, v, t);
        scales_.slowest = std::max(scales_.slowest, 2 * std::numbers::pi / beat);
    }
}

std::string AveragedRun::parity() const {
    return options().parity.value_or(problem().parity == Parity::even ? "even" : "detect");
}

Solution AveragedRun::solve(const Filter& filter, Sides sides, WindowPhase phase, const MakeForce& make_force) {
    if (!run_->goes_on()) {
        return run_->not_started();
    }
    const double cancelled = motion_->cancelled_swing(request().start, request().velocity, request().t_start, scales_);
    Hypotheses hypotheses(acceleration_, scales_, velocity_.fastest, cancelled, run_->outset(),
                          options().mean_force == "accept" ? MeanForce::accepted : MeanForce::refused);
    run_->count_with([this] {
        run_->statistics().force_evaluations = acceleration_.evaluations() + motion_->force_evaluations();
        run_->statistics().newton_iterations = motion_->newton_iterations();
    });
    if (const auto violation = hypotheses.violation()) {
        return run_->not_started(*violation);
    }
    leading_amplitude_ = hypotheses.leading_amplitude();
    const bool own_oscillation = problem().phases.empty();
    micro_ = options().micro.value_or(motion_->usual_micro(options(), velocity_use()));
    if (velocity_.any) {
        motion_->require_stepper_suits_velocity("micro", micro_);
    }
    const double width = window_width(filter, scales_, options());
    if (width >= run_->length()) {
        return run_->not_started(
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
        settled_window(filter, sides, make_force, {own_oscillation ? request().start : slow.position, slow.velocity});
    const auto force = make_force(*window);
    if (own_oscillation) {
        const double growth =
            spurious_growth(acceleration_, scales_, force, request().t_start, slow.position, slow.velocity);
        if (growth * run_->length() > 10) {
            return run_->not_started(
                {Outcome::unstable,
                 fmt::format("windows of {} steps a period with micro = {} and filter = {} let enough of the fast "
                             "force through to make the slow motion grow like exp({:.3g} t); take more "
                             "micro_steps_per_period, micro = verlet8, or filter = cos8",
                             window->steps_per_period(), micro_, filter.name(), growth)});
        }
    }
    if (phase == WindowPhase::runs) {
        raise_tolerance_to_phase_noise(force, slow);
    }
    double leakage = 0;  // the largest over the phases
    for (const double ratio : scales_.ratios) {
        const double steps = static_cast<double>(window->steps_per_period()) / ratio;
        leakage = std::max(leakage, std::abs(window->weights().leakage(steps)));
    }
    const WindowNoise noise{
        has_variables() ? "rate" : "acceleration",
        filter.name(),
        window->width() / scales_.slowest,
        leakage > 1e-15 ? leakage : 0.0,
        leading_amplitude_,
        motion_->noise_across(micro_, window->micro_step(), window->weights().each_side(), largest(slow.position)),
        cancelled * std::numbers::pi / scales_.fastest};
    if (const double off = coarseness(micro_, window->steps_per_period()); off > 0.01) {
        run_->warn(fmt::format(
            "{} micro-steps a period with micro = {} make the averaged force wrong by about {:.0f} %; take more",
            window->steps_per_period(), micro_, 100 * off));
    }
    return march(force, *window, noise, slow);
}

PhasePoint AveragedRun::slow_start() {
    const auto& [q, given, t] = std::tie(request().start, request().velocity, request().t_start);
    const auto v = has_variables() ? std::vector<double>() : given;
    if (initial() == "averaged") {
        return {q, v};
    }
    if (!problem().phases.empty()) {
        auto slow = averaged_state(acceleration_, q, v, t);
        motion_->settle(t, slow);
        return slow;
    }
    // Without a phase: the state seen through a filter over the motion itself.
    constexpr std::size_t steps_per_period = 32;
    const Filter filter("cos8");
    const auto each_side = static_cast<std::size_t>(filter.usual_periods()) * steps_per_period / 2;
    const auto window =
        motion_->window(micro_, acceleration_, scales_,
                        {FilterWeights(filter, each_side), steps_per_period, Sides::both, velocity_use()});
    PhasePoint slow{q, v};
    std::vector<double> mean(q.size());
    window->average_motion({.x = q, .v = v, .t = t, .time = ExplicitTime::running}, slow.position, slow.velocity, mean);
    run_->statistics().micro_steps += window->micro_steps();
    return slow;
}

void AveragedRun::warn_of_oscillation_left_out(const PhasePoint& slow) {
    const double rate = 2 * std::numbers::pi / scales_.fastest;
    const Tolerance tolerance = request().tolerance();
    for (std::size_t i = 0; i < slow.position.size(); ++i) {
        const double amplitude =
            std::hypot(request().start[i] - slow.position[i], (request().velocity[i] - slow.velocity[i]) / rate);
        if (amplitude > tolerance.of(i, std::abs(request().start[i]))) {
            run_->warn(
                fmt::format("{} oscillates with amplitude {:.2g} at the start; that is taken out, and with it what the "
                            "energy of the oscillation does to the slow motion: `lento compare` tells how much that is",
                            problem().names[i], amplitude));
            return;
        }
    }
}

std::unique_ptr<Window> AveragedRun::window_of(const Filter& filter, Sides sides, std::size_t steps_per_period) {
    const auto each_side = steps_each_side(filter, scales_, options(), steps_per_period);
    return motion_->window(micro_, acceleration_, scales_,
                           {FilterWeights(filter, each_side), steps_per_period, sides, velocity_use()});
}

std::unique_ptr<Window> AveragedRun::settled_window(const Filter& filter, Sides sides, const MakeForce& make_force,
                                                    const PhasePoint& at) {
    if (const auto given = given_steps_per_period(options(), scales_)) {
        return window_of(filter, sides, *given);
    }
    MicroStepSearch search(
        {request().rtol, scales_.fastest, run_->length(), largest(at.position), leading_amplitude_, motion_->order()});
    std::vector<double> force(at.position.size());
    for (std::size_t steps = search.fewest; steps <= search.most; steps *= 2) {
        auto window = window_of(filter, sides, steps);
        make_force (*window)(request().t_start, at.position, at.velocity, force);
        motion_->along(request().t_start, at.position, force);
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
    if (options().macro_step || options().steps) {
        return;
    }
    const double share = phase_noise(force, request().t_start, scales_.fastest, run_->length(), slow.position,
                                     slow.velocity, request().scales);
    constexpr double loosest = 1e-2;
    const double noise = std::min(0.1 * share, loosest);
    if (noise > request().rtol) {
        run_->warn(
            fmt::format("the averaged force depends on the phase at which its window starts, by {:.2g} of its size; "
                        "rtol was raised from {:.2g} to {:.2g}",
                        share, request().rtol, noise));
        run_->loosen(noise, request().atol);
    }
}

Solution AveragedRun::march(const AveragedAcceleration& force, const Window& window, const WindowNoise& noise,
                            const PhasePoint& slow) {
    const auto macro = macro_choice(options(), run_->interval(), motion_->solvers());
    if (velocity_.any) {
        motion_->require_stepper_suits_velocity("macro", macro.name);
    }
    MacroWatch::Ground ground{[this](double t, In x, Out a) { motion_->along(t, x, a); },
                              [this](double t, std::vector<double>& x) { motion_->settle_position(t, x); }};
    // NOTE: of variables in different units two evaluations do not tell the slope that limits a step.
    const auto watched = has_variables() ? std::nullopt : macro.step;
    MacroWatch watch(force, std::move(ground), watched, [&](In found) {
        if (auto sentence = noise.dominates(found)) {
            run_->refuse(Outcome::refused, std::move(*sentence));
        }
    });
    run_->allow_steps(1'000'000);
    auto marched = motion_->march(macro, velocity_use(), std::ref(watch), request(), slow);
    auto& result = marched.result;
    const double covered = result.reached - request().t_start;
    const double step = covered / static_cast<double>(std::max<std::int64_t>(1, result.steps));
    if (!macro.step && window.width() > step && result.steps > 1) {
        run_->warn(fmt::format(
            "one averaging window lasts {:.3g}, longer than a macro-step, {:.3g}: the slow motion changes within a "
            "window, and the result may be far off; a shorter window or the method {} is the better choice",
            window.width(), step, method::direct.name));
    }
    run_->statistics().micro_steps += window.micro_steps();
    run_->note(macro);
    run_->note("micro", micro_);
    run_->note("micro_steps_per_period", fmt::format("{}", window.steps_per_period()));
    run_->note("filter", noise.filter);
    run_->note("window_periods", fmt::format("{:.6g}", noise.periods));
    run_->note("initial", initial());
    for (auto& warning : noise.warnings(request().rtol, watch.largest_force())) {
        run_->warn(std::move(warning));
    }
    if (result.outcome == Outcome::diverged && window_failure_) {
        end_as(result, Outcome::not_converged, *window_failure_);
    } else if (result.outcome == Outcome::completed && watch.steepest() > 4) {
        end_as(result, Outcome::unstable,
               fmt::format("the macro-step is too long: its square times the slope of the averaged force reaches "
                           "{:.3g}, where 4 is the limit of stability; take a macro_step of {:.2g} or less",
                           watch.steepest(), 0.5 * *macro.step / std::sqrt(watch.steepest())));
    }
    return run_->finished(
        {.result = std::move(result),
         .trajectory = std::move(marched.trajectory),
         .final_state = std::move(marched.final_state),
         .reconstruction = reconstruction(),
         .settling = motion_->settling(),
         .advice = "; try a smaller macro_step, or a tighter rtol where the step is adaptive",
         .price_of_direct = price_of_direct(problem(), covered / scales_.fastest, run_->asked_rtol())});
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

Verdict windows_verdict(const Problem& problem, ForConstraints constraints, double evaluations) {
    const bool bound = constraints == ForConstraints::yes;
    if (problem.constraints && !bound) {
        return {false, "the system has rigid constraints"};
    }
    if (!problem.constraints && bound) {
        return {false, "the system has no rigid constraints"};
    }
    if (!problem.second_order && problem.phases.empty()) {
        return {false, "of variables it averages what a phase does to them, and no fast phase is declared"};
    }
    if (problem.phases.empty() && (bound || !problem.period)) {
        return {false, bound ? "no fast phase is declared" : "no fast phase is declared, nor a period"};
    }
    if (problem.springs) {
        return {true, "a fast phase or period is declared; stiff springs count as any other force"};
    }
    // NOTE: rates that are even about a phase do not make the motion of variables even: windows are whole.
    constexpr double whole = 2;
    if (!problem.second_order) {
        return {true, "a fast phase is declared: what it does to the rates is averaged in windows",
                whole * evaluations};
    }
    // NOTE: without a phase, windows from rest leave out what the energy of the oscillation does; maps do not.
    constexpr double without_phase = 2.5;
    return problem.phases.empty()
               ? Verdict{true, "the period of a fast oscillation is declared", without_phase * evaluations}
               : Verdict{true, "a fast phase is declared: its vibration is averaged in windows", evaluations};
}

}  // namespace lento
