#include "lento/run/macro.hpp"

#include <algorithm>
#include <stop_token>
#include <utility>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "lento/run/run.hpp"
#include "march/adaptive.hpp"
#include "march/controller.hpp"
#include "march/fixed.hpp"
#include "march/ode113.hpp"
#include "march/sundials.hpp"
#include "step/catalogue.hpp"
#include "step/implicit_midpoint.hpp"
#include "step/runge_kutta.hpp"

namespace lento {

const MacroSolvers& free_solvers() {
    static const MacroSolvers solvers = [] {
        MacroSolvers made{names_of(motion_steppers), "verlet"};
        made.fixed.push_back("implicit-midpoint");
        made.adaptive.push_back(ode113_name);
        made.adaptive.insert(made.adaptive.end(), sundials_names().begin(), sundials_names().end());
        return made;
    }();
    return solvers;
}

const MacroSolvers& rate_solvers() {
    static const MacroSolvers solvers{{"euler", "midpoint", "heun3", "rk4", "dopri5"}, "rk4", free_solvers().adaptive};
    return solvers;
}

const MacroSolvers& spring_solvers() {
    static const MacroSolvers solvers{free_solvers().fixed, "rk4", free_solvers().adaptive};
    return solvers;
}

MacroChoice macro_choice(const Options& options, Interval interval, const MacroSolvers& solvers) {
    require_not_both(options, "macro_step", "steps");
    MacroChoice choice;
    if (options.macro_step) {
        require_positive(*options.macro_step, "macro_step");
        choice.step = std::min(*options.macro_step, interval.length());
    } else if (options.steps) {
        choice.step = interval.length() / static_cast<double>(*options.steps);
    }
    choice.name = options.macro.value_or(choice.step ? solvers.usual : "dopri5");
    const bool takes_fixed = std::ranges::count(solvers.fixed, choice.name) > 0;
    const bool chooses = std::ranges::count(solvers.adaptive, choice.name) > 0;
    if (!takes_fixed && !chooses) {
        auto known = solvers.fixed;
        known.insert(known.end(), solvers.adaptive.begin(), solvers.adaptive.end());
        std::sort(known.begin(), known.end());
        known.erase(std::unique(known.begin(), known.end()), known.end());
        throw Misuse(fmt::format("macro = '{}' is not a solver for this kind of system{}; there are {}", choice.name,
                                 suggestion(choice.name, known), listed(known)));
    }
    if (!takes_fixed && choice.step) {
        throw Misuse(
            fmt::format("macro = {} chooses its own steps here; leave out macro_step and steps, or take one of {}",
                        choice.name, listed(solvers.fixed)));
    }
    if (!choice.step && !chooses) {
        throw Misuse(fmt::format(
            "macro = {} takes fixed steps: give macro_step or steps; without them these choose their own: {}",
            choice.name, listed(solvers.adaptive)));
    }
    return choice;
}

namespace {

/// The march from one projection to the next. It remembers where each step was evaluated.
struct Piece {
    const MacroChoice& choice;
    const SlowMotion& motion;
    const Request& request;
    Interval interval;
    std::int64_t budget;
    Recorder& recorder;
    std::stop_source pause{};
    std::stop_callback<std::function<void()>> passed_on{request.stop, [this] { pause.request_stop(); }};
    std::vector<double> evaluated_at{};
    bool paused = false;

    std::size_t controlled(std::size_t components) const { return components; }
    std::span<const double> base() const { return evaluated_at; }
    void begin() {
        if (motion.evaluated_at) {
            const auto at = motion.evaluated_at();
            evaluated_at.assign(at.begin(), at.end());
        }
    }
    bool operator()(double t, std::span<double> y) {
        begin();
        if (motion.wants_projection && motion.wants_projection(t, y)) {
            paused = true;
            pause.request_stop();
        }
        return true;
    }

    MarchResult march(std::vector<double>& y) {
        return !choice.step ? by_tolerance(y) : motion.acceleration ? by_acceleration(y) : by_rate(y);
    }

    MarchResult by_tolerance(std::vector<double>& y) {
        const Tolerance tolerance = request.tolerance();
        const auto with = [&](auto controller) {
            return march_adaptive(controller, motion.rate, interval, y, recorder, pause.get_token(), budget, *this);
        };
        if (choice.name == "ode45" || choice.name == "dopri5") {
            return choice.name == "ode45" ? with(Ode45Controller(tolerance, interval))
                                          : with(PiController(tolerance, interval));
        }
        const bool watches = static_cast<bool>(motion.wants_projection);
        const StepListener listener{[&](double to) { return recorder.wants(to) || watches; },
                                    [&](DenseStep dense) {
                                        if (watches) {
                                            std::vector<double> end(y.size());
                                            dense.value(dense.to(), end);
                                            (*this)(dense.to(), end);
                                        }
                                        recorder.take(std::move(dense));
                                    }};
        return choice.name == ode113_name
                   ? march_ode113(motion.rate, interval, tolerance, y, listener, pause.get_token(), budget)
                   : march_sundials(choice.name, motion.rate, interval, tolerance, y, listener, pause.get_token(),
                                    budget);
    }

    /// Steppers for second-order systems.
    MarchResult by_acceleration(std::vector<double>& y) {
        MotionState<double> state(y.size() / 2);
        state.y = y;
        MarchResult result;
        const auto with = [&](auto& stepper) {
            result = march_fixed(stepper, motion.acceleration, interval, *choice.step, state, recorder,
                                 pause.get_token(), *this);
        };
        if (choice.name == "implicit-midpoint") {
            ImplicitMidpoint stepper(state.dimension());
            with(stepper);
            result.newton_iterations = stepper.iterations();
            if (!stepper.converged() && stepper.force_was_finite()) {
                end_as(result, Outcome::not_converged,
                       fmt::format("the equation of the implicit midpoint rule was not solved after t = {:.6g}; take a "
                                   "smaller macro_step",
                                   result.reached));
            }
        } else {
            with_stepper(choice.name, "macro", [&](auto stepper_choice) {
                typename decltype(stepper_choice)::template Stepper<double, dynamic> stepper(state.dimension());
                with(stepper);
            });
        }
        y = state.y;
        return result;
    }

    /// Runge-Kutta methods for any right-hand side.
    MarchResult by_rate(std::vector<double>& y) {
        FirstOrderState<double> state(y.size());
        state.y = y;
        const auto with = [&](auto method) {
            return march_fixed_rate(method, motion.rate, interval, *choice.step, state, recorder, pause.get_token(),
                                    *this);
        };
        const std::size_t size = y.size();
        auto result = choice.name == "euler"      ? with(Euler<double>(size))
                      : choice.name == "midpoint" ? with(Midpoint<double>(size))
                      : choice.name == "heun3"    ? with(Heun3<double>(size))
                      : choice.name == "rk4"      ? with(RungeKutta4<double>(size))
                                                  : with(DormandPrince<double>(size));
        y = state.y;
        return result;
    }
};

}  // namespace

Marched march_macro(const MacroChoice& choice, const SlowMotion& motion, const Request& request,
                    std::vector<double> y) {
    Recorder recorder({request.t_start, request.t_end}, request.samples, request.sink, request.keep, request.progress);
    recorder.begin(y);
    MarchResult total{.reached = request.t_start};
    auto next = motion.projection_times.begin();
    while (total.reached < request.t_end) {
        const double to = next == motion.projection_times.end() ? request.t_end : *next;
        Piece piece{choice,  motion, request, {total.reached, to}, request.most_steps - total.steps - total.rejected,
                    recorder};
        auto result = piece.march(y);
        result.steps += total.steps;
        result.rejected += total.rejected;
        result.newton_iterations += total.newton_iterations;
        total = std::move(result);
        const bool paused = total.outcome == Outcome::interrupted && piece.paused && !request.stop.stop_requested();
        if (total.outcome != Outcome::completed && !paused) {
            break;
        }
        total.outcome = Outcome::completed;
        next += total.reached == to && next != motion.projection_times.end() ? 1 : 0;
        if (total.reached < request.t_end && motion.project && !motion.project(total.reached, y)) {
            break;  // who projects knows why
        }
    }
    const double reached = total.reached;
    if (motion.finish) {
        motion.finish(reached, y);
    }
    return {std::move(total), std::move(recorder).trajectory(), {.t = reached, .position = std::move(y)}};
}

Marched march_macro(const MacroChoice& choice, const AveragedAcceleration& force, const Request& request,
                    std::span<const double> x, std::span<const double> v) {
    return taken_apart(
        march_macro(choice, {.rate = first_order_rate(force), .acceleration = force}, request, put_together(x, v)));
}

Marched taken_apart(Marched marched) {
    const auto& y = marched.final_state.position;
    marched.final_state = snapshot_of(marched.final_state.t, y, y.size() / 2, 0);
    return marched;
}

std::vector<double> put_together(std::span<const double> x, std::span<const double> v) {
    std::vector<double> y(x.size() + v.size());
    put_together(x, v, y);
    return y;
}

void put_together(std::span<const double> x, std::span<const double> v, std::span<double> y) {
    std::ranges::copy(v, std::ranges::copy(x, y.begin()).out);
}

FirstOrderRate first_order_rate(AveragedAcceleration acceleration) {
    return [acceleration = std::move(acceleration)](double t, std::span<const double> y, std::span<double> derivative) {
        const std::size_t d = y.size() / 2;
        std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(d), d, derivative.begin());
        acceleration(t, y.first(d), y.last(d), derivative.last(d));
    };
}

}  // namespace lento
