#include "lento/method/macro.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "lento/march/adaptive.hpp"
#include "lento/march/controller.hpp"
#include "lento/march/fixed.hpp"
#include "lento/step/catalogue.hpp"

namespace lento {

const MacroSolvers& free_solvers() {
    static const MacroSolvers solvers{stepper_names(), "verlet"};
    return solvers;
}

MacroChoice macro_choice(const Options& options, Interval interval, const MacroSolvers& solvers) {
    if (options.macro_step && options.steps) {
        throw Misuse("both macro_step and steps are given; one decides the other");
    }
    MacroChoice choice;
    if (options.macro_step) {
        require_positive(*options.macro_step, "macro_step");
        choice.step = std::min(*options.macro_step, interval.length());
    } else if (options.steps) {
        choice.step = interval.length() / static_cast<double>(*options.steps);
    }
    choice.name = options.macro.value_or(choice.step ? solvers.usual : "dopri5");
    const bool takes_fixed = std::find(solvers.fixed.begin(), solvers.fixed.end(), choice.name) != solvers.fixed.end();
    const bool chooses = choice.name == "ode45" || choice.name == "dopri5";
    if (!takes_fixed && !chooses) {
        auto known = solvers.fixed;
        known.insert(known.end(), {"dopri5", "ode45"});
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
            "macro = {} takes fixed steps: give macro_step or steps; without them dopri5 and ode45 choose their own",
            choice.name));
    }
    return choice;
}

namespace {

MarchResult march_by_tolerance(const MacroChoice& choice, const FirstOrderRate& rate, const Request& request,
                               std::vector<double>& y, Recorder& recorder) {
    const Interval interval{request.t_start, request.t_end};
    const Tolerance tolerance{request.rtol, request.atol};
    return choice.name == "ode45" ? march_adaptive(Ode45Controller(tolerance, interval), rate, interval, y, recorder,
                                                   request.stop, request.most_steps)
                                  : march_adaptive(PiController(tolerance, interval), rate, interval, y, recorder,
                                                   request.stop, request.most_steps);
}

}  // namespace

Marched march_macro(const MacroChoice& choice, const AveragedAcceleration& force, const Request& request,
                    std::span<const double> x, std::span<const double> v) {
    const std::size_t d = x.size();
    const Interval interval{request.t_start, request.t_end};
    Recorder recorder(interval, request.samples, request.sink, request.keep, request.progress);
    std::vector<double> y(x.begin(), x.end());
    y.insert(y.end(), v.begin(), v.end());
    recorder.begin(y);

    MarchResult result;
    if (choice.step) {
        MotionState<double> state(d);
        state.y = y;
        with_stepper(choice.name, "macro", [&](auto stepper_choice) {
            typename decltype(stepper_choice)::template Stepper<double, dynamic> stepper(d);
            result = march_fixed(stepper, force, interval, *choice.step, state, recorder, request.stop);
        });
        y = state.y;
    } else {
        const auto rate = [&](double t, std::span<const double> point, std::span<double> derivative) {
            std::copy_n(point.begin() + static_cast<std::ptrdiff_t>(d), d, derivative.begin());
            force(t, point.first(d), point.last(d), derivative.last(d));
        };
        result = march_by_tolerance(choice, rate, request, y, recorder);
    }
    const auto middle = y.begin() + static_cast<std::ptrdiff_t>(d);
    return {std::move(result),
            std::move(recorder).trajectory(),
            {.t = result.reached, .position = {y.begin(), middle}, .velocity = {middle, y.end()}}};
}

Marched march_macro(const MacroChoice& choice, const FirstOrderRate& rate, const Request& request,
                    std::span<const double> y) {
    if (choice.step) {
        throw Misuse(
            "macro_step and steps are for systems with coordinates; first-order systems take their steps by rtol and "
            "atol");
    }
    Recorder recorder({request.t_start, request.t_end}, request.samples, request.sink, request.keep, request.progress);
    std::vector<double> state(y.begin(), y.end());
    recorder.begin(state);
    auto result = march_by_tolerance(choice, rate, request, state, recorder);
    const double reached = result.reached;
    return {std::move(result), std::move(recorder).trajectory(), {.t = reached, .position = std::move(state)}};
}

}  // namespace lento
