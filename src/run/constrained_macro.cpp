#include "run/constrained_macro.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "march/constrained.hpp"
#include "march/controller.hpp"
#include "problem/acceleration.hpp"
#include "step/catalogue.hpp"

namespace lento {

Marched march_on_manifold(const Problem& problem, Manifold& manifold, const MacroChoice& choice, VelocityUse velocity,
                          const AveragedAcceleration& force, const Request& request, In x, In v) {
    const Interval interval{request.t_start, request.t_end};
    const Tolerance tolerance = request.tolerance();
    ConstrainedMarch march(manifold, force);
    SampleSink sink;
    if (request.sink) {  // samples between steps are interpolated
        sink = [&, settle = settling_onto(problem), y = std::vector<double>()](double t, In given) mutable {
            y.assign(given.begin(), given.end());
            settle(t, y);
            request.sink(t, y);
        };
    }
    Recorder recorder(interval, request.samples, sink, request.keep, request.progress);
    auto point = march.point_at(request.t_start, x, v);
    MarchResult result{.reached = request.t_start};
    if ((result.culprit = first_not_finite(point.y))) {
        result.outcome = Outcome::diverged;
        result.explanation = fmt::format("the force is not a finite number at the start, t = {}", request.t_start);
    } else {
        recorder.begin(point.y);
        const auto adaptive = [&](const auto& controller) {
            return march.adaptive(controller, interval, point, recorder, request.stop, request.most_steps);
        };
        if (choice.step) {
            with_constrained_stepper(choice.name, "macro", [&](auto stepper_choice) {
                typename decltype(stepper_choice)::Stepper stepper(manifold, velocity);
                result = march.fixed(stepper, interval, *choice.step, point, recorder, request.stop);
            });
        } else {
            result = choice.name == "ode45" ? adaptive(Ode45Controller(tolerance, interval))
                                            : adaptive(PiController(tolerance, interval));
        }
    }
    const double reached = result.reached;
    return {std::move(result), std::move(recorder).trajectory(),
            snapshot_of(reached, point.y, x.size(), manifold.count())};
}

MacroSolvers constrained_solvers(std::string usual) {
    return {names_of(constrained_steppers), std::move(usual)};
}

void require_rattle_suits_velocity(std::string_view role, std::string_view stepper) {
    if (is_composition(stepper, "rattle")) {
        throw Misuse(
            fmt::format("{} = {} keeps its order only for forces that do not depend on the velocity, and this one "
                        "does; use lobatto (shake and rattle run too, with order 2)",
                        role, stepper));
    }
}

Settling settling_onto(const Problem& problem) {
    auto manifold = std::make_shared<Manifold>(problem);
    return [manifold](double t, std::vector<double>& y) {
        const std::size_t d = manifold->dimension();
        const auto given = y;
        if (!ConstrainedMarch(*manifold, [](auto&&...) {})
                 .project(t, std::span(y).first(d), std::span(y).subspan(d, d))
                 .converged) {
            y = given;
        }
    };
}

Settling with_multipliers(const Problem& problem) {
    auto acceleration = std::make_shared<Acceleration>(problem);
    return [settle = settling_onto(problem), acceleration](double t, std::vector<double>& y) {
        settle(t, y);
        const std::size_t d = acceleration->problem().dimension();
        acceleration->at(In(y).first(d), In(y).subspan(d, d), t, acceleration->problem().phases_at(t));
        y.resize(2 * d);
        for (int kind = 0; kind < 2; ++kind) {
            y.insert(y.end(), acceleration->multipliers().begin(), acceleration->multipliers().end());
        }
    };
}

}  // namespace lento
