/// Direct integration: every vibration resolved, no averaging. The reference.
///
/// Dormand-Prince 5(4) with step-size control, or any stepper with fixed steps, on M x'' = f(x, x', t, theta(t))
/// or y' = r(y, t, theta(t)) itself. Phases are reduced exactly, so that long runs keep them. With
/// constraints: half-explicit Dormand-Prince, or RATTLE and the other steppers that keep them.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "judge/price.hpp"
#include "lento/run/run.hpp"
#include "problem/acceleration.hpp"
#include "problem/probe.hpp"
#include "problem/time_scales.hpp"
#include "run/constrained_macro.hpp"

namespace lento {
namespace {

constexpr std::array options{
    Method::Option{"macro", "verlet (rattle with constraints) with macro_step or steps, else dopri5"},
    Method::Option{"macro_step", "adaptive"}, Method::Option{"steps", "adaptive"}};

Verdict judge(const Problem& problem, const Request& request) {
    const auto vibrations = vibrations_in(problem, request.t_end - request.t_start);
    if (!vibrations) {
        return {true, "no fast phase and no period is declared: there is nothing to average"};
    }
    const double evaluations = price_of_direct(*vibrations, request.rtol);
    return {true, fmt::format("it resolves every vibration, with about {:.2g} evaluations", evaluations), evaluations};
}

/// NOTE: an error control that is relative to the solution lets it grow without bounds: Adams methods of high order add
/// energy to an undamped vibration, step by step within the tolerance.
std::optional<std::string> growth_warning(const MacroChoice& macro, const Request& request, const Snapshot& end) {
    constexpr double suspicious = 1e6;
    const double before = largest(request.start);
    const double after = largest(end.position);
    if (before == 0 || !(after > suspicious * before)) {
        return std::nullopt;
    }
    return fmt::format(
        "the motion grew {:.2g} times, from {:.3g} to {:.3g}; if it should not, {} has let errors grow: take a smaller "
        "rtol and atol, or macro={}",
        after / before, before, after, macro.name, macro.name == "dopri5" ? "arkode-8" : "dopri5");
}

struct Resolved {
    MacroChoice macro;
    Marched marched;
    Settling settling{};
};

/// The phases at every time, kept exactly.
class Phases {
public:
    explicit Phases(const Problem& problem) : problem_(&problem), theta_(problem.phases.size()) {}
    In operator()(double t) {
        for (std::size_t j = 0; j < theta_.size(); ++j) {
            theta_[j] = problem_->phases[j].at(t);
        }
        return theta_;
    }

private:
    const Problem* problem_;
    std::vector<double> theta_;
};

Resolved coordinates(Run& run) {
    const auto& request = run.request();
    Acceleration acceleration(run.problem());
    Phases phases(run.problem());
    const AveragedAcceleration rate = [&](double t, In x, In v, Out a) { acceleration(x, v, t, phases(t), a); };
    const auto macro = macro_choice(request.options, run.interval(), free_solvers());
    auto marched = march_macro(macro, rate, request, request.start, request.velocity);
    run.statistics().force_evaluations = acceleration.evaluations();
    return {macro, std::move(marched)};
}

Resolved on_constraints(Run& run) {
    const auto& request = run.request();
    const auto macro = macro_choice(request.options, run.interval(), constrained_solvers("rattle"));
    Manifold manifold(run.problem());
    Acceleration active(run.problem().free());
    Phases phases(run.problem());
    const AveragedAcceleration rate = [&](double t, In x, In v, Out a) {
        active(x, v, t, phases(t), a.first(x.size()));
        std::fill(a.begin() + static_cast<std::ptrdiff_t>(x.size()), a.end(), 0.0);
    };
    const ProbeStates probes(request.start, request.velocity, request.t_start, request.t_end);
    const bool velocity = velocity_dependence(active, probes).any;
    if (velocity) {
        require_rattle_suits_velocity("macro", macro.name);
    }
    auto marched =
        march_on_manifold(run.problem(), manifold, macro, velocity ? VelocityUse::possible : VelocityUse::none, rate,
                          request, request.start, request.velocity);
    run.statistics().force_evaluations = active.evaluations();
    run.statistics().newton_iterations = manifold.iterations();
    return {macro, std::move(marched), settling_onto(run.problem())};
}

Resolved variables(Run& run) {
    const Problem& problem = run.problem();
    Phases phases(problem);
    std::int64_t evaluations = 0;
    const FirstOrderRate rate = [&](double t, In y, Out derivative) {
        ++evaluations;
        problem.forces.at(y.data(), nullptr, t, phases(t).data(), problem.parameters.data(), derivative.data());
    };
    const auto macro = macro_choice(run.options(), run.interval(), rate_solvers());
    auto marched = march_macro(macro, {.rate = rate}, run.request(), run.request().start);
    run.statistics().force_evaluations = evaluations;
    return {macro, std::move(marched)};
}

Solution solve(Run& run) {
    if (!run.goes_on()) {
        return run.not_started();
    }
    auto [macro, marched, settling] = run.problem().constraints    ? on_constraints(run)
                                      : run.problem().second_order ? coordinates(run)
                                                                   : variables(run);
    const auto period = fastest_period(run.problem());
    if (macro.step && period && *macro.step > *period / 8) {
        run.warn(fmt::format("{:.3g} steps a vibration do not resolve it; direct integration needs 20 or more",
                             *period / *macro.step));
    }
    if (auto growth = growth_warning(macro, run.request(), marched.final_state);
        growth && marched.result.outcome == Outcome::completed) {
        run.warn(std::move(*growth));
    }
    run.note(macro);
    return run.finished({.result = std::move(marched.result),
                         .trajectory = std::move(marched.trajectory),
                         .final_state = std::move(marched.final_state),
                         .reconstruction = [](const Snapshot& state) { return state; },
                         .settling = std::move(settling)});
}

}  // namespace

constinit const Method method::direct{.name = "direct",
                                      .problems = "all",
                                      .paper = "",
                                      .slow_is = SlowMeaning::true_motion,
                                      .summary = "resolves every vibration; the cost grows with the frequency",
                                      .options = options,
                                      .judge = judge,
                                      .solve = solve};

}  // namespace lento
