/// Direct integration: every vibration resolved, no averaging. What everything else is measured by.
///
///     (1) march by tolerance on M x'' = f(x, x', t, theta(t)) or y' = r(y, t, theta(t)) itself (`march/resolving.hpp`)
///         where that is cheaper by the Taylor series of the motion, from when compiling them has been paid for
///     (2) march again, ten times tighter; what both differ by tells what the second is wrong by
///
/// The tolerance is that of the solution at every time, not of a step: as long as the estimate is above it, a tighter
/// march follows, until there is only rounding. Any other solver can be named, with steps by its own rules.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "judge/price.hpp"
#include "judge/sudden.hpp"
#include "judge/undeclared.hpp"
#include "lento/run/run.hpp"
#include "march/estimating.hpp"
#include "method/resolving_choice.hpp"
#include "problem/acceleration.hpp"
#include "problem/probe.hpp"
#include "problem/time_scales.hpp"
#include "run/constrained_macro.hpp"
#include "step/taylor.hpp"

namespace lento {
namespace {

constexpr std::array options{
    Method::Option{"macro",
                   "rkn12, or dop853 where the force sees velocities or variables are not positions and momenta; "
                   "taylor in long runs of models written as text, where it is cheaper; verlet (rattle with "
                   "constraints) with macro_step or steps"},
    Method::Option{"macro_step", "adaptive"}, Method::Option{"steps", "adaptive"}, Method::Option{"estimate", "yes"}};

Verdict judge(const Problem& problem, const Request& request) {
    const auto vibrations = vibrations_in(problem, request.t_end - request.t_start);
    if (!vibrations) {
        return {true, "no fast phase and no period is declared: there is nothing to average"};
    }
    const double evaluations = price_of_direct(problem, *vibrations, request.rtol);
    return {true, fmt::format("it resolves every vibration, with about {:.2g} evaluations", evaluations), evaluations};
}

using Pair = ResolvingMarch::Stepper;

/// Of the finer of two marches, from what they differ by: where both err as their tolerances allow, the finer one is
/// wrong by their ratio times that. NOTE: how much the error falls with the tolerance is not known where steps are
/// long. With this power and factor the worst of 600 random runs was wrong by three times its estimate; less than a
/// twentieth of the difference is not believed.
double share_of_difference(double tightness_ratio) {
    return std::clamp(6 * std::pow(tightness_ratio, 0.8), 0.05, 1.0);
}

class ResolvingRun : public MethodRun {
public:
    ResolvingRun(Run& run, ResolvingChoice choice)
        : MethodRun(run),
          march_(run.problem(), choice.pair, std::move(choice.form)),
          sudden_(suddenness(run.problem(), run.outset())),
          sharp_(sharpness(run.problem(), run.outset())),
          complete_(run.problem().constraints ? with_multipliers(run.problem()) : Settling()),
          estimating_(run.interval(), run.request().tolerance(), run.request().sink ? run.request().samples : 0) {
        if (choice.series_after) {
            march_.take_series({TaylorStep::order_for(step_tolerance(run)), *choice.series_after});
        }
        run.count_with([this] { count(); });
    }

    Solution solve() {
        if (!run_->estimates()) {
            return finished(pass(1));
        }
        auto found =
            estimating_.run({.first = first_tightness,
                             .looser = looser,
                             .least = std::min(first_tightness, rounding / request().rtol),
                             .most_tighter = 1e-3,
                             .most = 5},
                            {.march = [&](double tightness) { return pass(tightness); },
                             .prepare = {},
                             .errors = [&](const Pass& coarse, const Pass& fine) { return errors(coarse, fine); }});
        run_->estimate(std::move(found.errors), found.pass.scales,
                       fmt::format("; shorter steps do not make it smaller{}", parting_), march_.rates());
        advise(found.pass);
        return finished(std::move(found.pass));
    }

private:
    static constexpr double looser = 10;  // the march before
    static constexpr double rounding = std::numeric_limits<double>::epsilon();
    static constexpr std::size_t looks_along = 1024;  // at the force, by the first march

    Pass pass(double tightness) {
        Pass pass{.final_state = run_->start(), .tightness = tightness};
        const auto keep = tightness > first_tightness && run_->estimates() ? Recorder::Keep::nothing : request().keep;
        // NOTE: the first march looks at the force along its way: what is narrow in space is jumped over like a burst
        // in time.
        const bool first = passes_ == 0 && run_->estimates();
        const std::size_t intervals = estimating_.samples() - 1;
        const std::size_t every = first ? (looks_along + intervals - 1) / intervals : 1;
        Changes changes(problem().dimension());
        std::size_t look = 0;
        Recorder recorder(
            run_->interval(), intervals * every + 1,
            [&](double t, In y) {
                if (first) {
                    changes.add(march_.force(t, y));
                }
                if (look++ % every == 0) {
                    pass.samples.append(t, y);
                }
            },
            keep, request().progress);
        recorder.begin(pass.final_state);
        const auto before = march_.evaluations();
        pass.result = march_.run(run_->interval(), request().tolerance().times(tightness),
                                 {longest(), most_steps(), request().stop}, pass.final_state, recorder);
        if (first) {
            along_ = changes.shortest() * run_->length() / static_cast<double>(intervals * every);
        }
        ++passes_;
        if (pass.result.outcome == Outcome::budget_exhausted && most_steps() < request().most_steps) {
            pass.result.outcome = Outcome::not_converged;
        } else {
            steps_ = pass.result.steps;
        }
        pass.trajectory = std::move(recorder).trajectory();
        pass.scales = march_.scales();
        last_ = pass.evaluations = march_.evaluations() - before;
        return pass;
    }

    /// A step may be this long: shorter in each march, so that two of them differ where that is what limits them.
    double longest() const {
        constexpr double meets = 1.5;  // what a force does in that many times tau shows in some stage of a step
        constexpr double smooth = 3;  // tau of a smooth oscillation is a third of its period: no reason for short steps
        const double shortest = std::min(meets * std::min(sudden_.time, sharp_.time), smooth * along_);
        return std::min(run_->length() / 16, shortest) * std::pow(0.7, passes_);
    }

    /// A thousandth of a tolerance takes two or three times the steps. NOTE: many more are those of a march that takes
    /// the rounding of a stiff force for its error. Where stages take over from series, steps are up to a dozen times
    /// shorter.
    std::int64_t most_steps() const {
        constexpr std::int64_t few = 1000;
        const std::int64_t times = march_.stepper() == Pair::taylor ? 60 : 4;
        return steps_ == 0 ? request().most_steps : std::min(request().most_steps, times * steps_ + few);
    }

    std::vector<double> errors(const Pass& coarse, const Pass& fine) {
        auto errors = estimating_.differences(coarse, fine);
        // NOTE: Taylor steps become so little shorter with the tolerance that both marches may meet a motion at much
        // the same places, and the difference has more of chance: of 450 random runs the worst was wrong by 8 times it.
        const double of_series = march_.stepper() == Pair::taylor ? 3 : 1;
        const double share = of_series * share_of_difference(fine.tightness / coarse.tightness);
        // NOTE: what each step is rounded by adds up like a random walk, and turns an orbit by as much times its
        // length: a difference that may be just that does not fall with the tolerance, so it counts in full.
        const double walk = rounding * std::sqrt(static_cast<double>(fine.result.steps));
        for (std::size_t i = 0; i < errors.size(); ++i) {
            const double rounded = walk * (fine.scales[i] + run_->length() * march_.rates()[i]);
            errors[i] = share * errors[i] + std::min(errors[i], rounded) + rounding * fine.scales[i];
        }
        parting_ = parting(coarse, fine);
        return errors;
    }

    /// How fast the two part, where that is chaos: a thousand times from early on until they are as far apart as they
    /// get.
    std::string parting(const Pass& coarse, const Pass& fine) const {
        constexpr double chaotic = 1e3;
        SampleStore::Reader of_coarse(coarse.samples), of_fine(fine.samples);
        const std::size_t count = std::min(of_coarse.size(), of_fine.size());
        // The farthest apart from the first sample on, to the one where they are so far apart, or the last of some.
        struct Apart {
            std::size_t sample = 0;
            double distance = 0;
        };
        const auto apart = [&](std::size_t samples, double enough) {
            Apart farthest;
            for (std::size_t k = 0; k < samples && !(k > 0 && farthest.distance >= enough); ++k) {
                farthest.sample = k;
                for (std::size_t i = 0; i < fine.scales.size(); ++i) {
                    farthest.distance = std::max(farthest.distance, std::abs(of_coarse[k][i] - of_fine[k][i]) /
                                                                        estimating_.tolerance(i, fine.scales));
                }
            }
            return farthest;
        };
        if (count == 0) {
            return {};
        }
        const auto far = apart(count, 0.1 * apart(count, HUGE_VAL).distance);
        const auto early = apart(far.sample / 4 + 1, HUGE_VAL);
        const double growth = far.distance / early.distance;
        return early.distance > 0 && growth > chaotic
                   ? fmt::format(
                         ": neighbouring motions part by a factor of e every {:.2g} units of time, which "
                         "rounding does as well",
                         (estimating_.time(far.sample) - estimating_.time(early.sample)) / std::log(growth))
                   : std::string();
    }

    /// On what nobody has declared, where the run took long enough for a look at that to be little.
    void advise(const Pass& pass) {
        constexpr std::int64_t short_run = 20'000, long_run = 1'000'000;  // evaluations
        constexpr std::size_t looks = 8;
        const auto spent = march_.evaluations();
        const auto outset = run_->outset();
        const std::size_t count = pass.samples.size();
        if (pass.result.outcome != Outcome::completed || spent < short_run) {
            return;
        }
        if (const auto frequency = undeclared_frequency(problem(), outset)) {
            return run_->warn(advice_on_frequency(*frequency, outset));
        }
        if (spent < long_run) {
            return;
        }
        SampleStore::Reader samples(pass.samples);
        std::vector<std::pair<double, std::vector<double>>> states;
        for (std::size_t look = 0; look < looks; ++look) {
            const std::size_t k = look * (count - 1) / looks;
            states.emplace_back(estimating_.time(k), std::vector<double>(samples[k].begin(), samples[k].end()));
        }
        const auto phase = undeclared_phase(problem(), outset, states);
        looks_ += phase.evaluations;
        if (phase.period) {
            run_->warn(advice_on_period(*phase.period, outset, method::multirevolution.name));
        }
    }

    Solution finished(Pass pass) {
        last_ = pass.evaluations;  // a finer march may have been tried in vain
        estimating_.send(pass, request().sink, complete_);
        const double reached = pass.result.reached;
        if (complete_) {
            complete_(reached, pass.final_state);
        }
        const auto state = snapshot_of(reached, pass.final_state, problem().dimension(),
                                       complete_ ? problem().constraints->names().size() : 0);
        return run_->finished({.result = std::move(pass.result),
                               .trajectory = std::move(pass.trajectory),
                               .final_state = state,
                               .reconstruction = [](const Snapshot& state) { return state; },
                               .settling = complete_});
    }

    void count() {
        run_->note("macro", std::string(ResolvingMarch::name_of(march_.stepper())));
        run_->statistics().force_evaluations = last_;
        run_->statistics().estimate_evaluations =
            march_.evaluations() + sudden_.evaluations + sharp_.evaluations + looks_ - last_;
        run_->statistics().newton_iterations = march_.newton_iterations();
    }

    ResolvingMarch march_;
    Suddenness sudden_, sharp_;
    double along_ = HUGE_VAL;  // tau of the force along the way
    Settling complete_;
    EstimatingMarch estimating_;
    int passes_ = 0;
    std::int64_t steps_ = 0;  // of the march before
    std::int64_t last_ = 0;   // evaluations of the last march, at the end of the one that is kept
    std::int64_t looks_ = 0;  // at what nobody has declared
    std::string parting_;
};

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
        "rtol and atol, or leave out macro",
        after / before, before, after, macro.name);
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
    const ProbeStates probes(request.start, request.velocity, request.t_start, request.t_end, request.scales);
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

/// By a solver that was named, or with fixed steps.
Solution by_solver(Run& run) {
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

Solution solve(Run& run) {
    if (!run.goes_on()) {
        return run.not_started();
    }
    auto choice = resolving_choice(run);
    return choice ? ResolvingRun(run, *std::move(choice)).solve() : by_solver(run);
}

}  // namespace

constinit const Method method::direct{.name = "direct",
                                      .problems = "all",
                                      .paper = "",
                                      .slow_is = SlowMeaning::true_motion,
                                      .estimate = Method::Estimate::own,
                                      .summary =
                                          "resolves every vibration; the cost grows with the frequency; with an "
                                          "estimate of the error",
                                      .options = options,
                                      .judge = judge,
                                      .solve = solve};

}  // namespace lento
