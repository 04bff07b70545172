/// Harmonic averaging: no micro-steps at all. Where the fast phase is known, the periodic response to it is found on a
/// few phases at once (`average/harmonic.hpp`), to any order in 1/omega; its mean drives the slow motion, and the sum
/// of both is the true one.
///
///     (1) find how many phases and sweeps the tolerance needs; convert the start: X = q - Delta(phi), V = v - W(phi)
///     (2) march X'' = <a> with multistep formulas that also give slow derivatives of a (`march/stoermer_cowell.hpp`)
///     (3) march again with a tighter tolerance; what both differ by, with what each left out, estimates the error
///
/// The tolerance is that of the true solution, not of a step: a run that misses it is repeated.
#include <fmt/format.h>

#include "average/constrained_field.hpp"
#include "average/flow_field.hpp"
#include "average/harmonic.hpp"
#include "judge/break_even.hpp"
#include "judge/price.hpp"
#include "judge/sudden.hpp"
#include "lento/base/misuse.hpp"
#include "lento/run/run.hpp"
#include "method/expanded_motion.hpp"
#include "method/harmonic_march.hpp"
#include "method/harmonic_start.hpp"
#include "problem/time_scales.hpp"

namespace lento {
namespace {

constexpr std::array options{
    Method::Option{"macro", "stoermer-cowell; dopri5, ode113, arkode-8, cvode-adams, rk4, ... for cross-checks"},
    Method::Option{"macro_step", "adaptive"},
    Method::Option{"steps", "adaptive"},
    Method::Option{"phases", "as the tolerance needs, from 5"},
    Method::Option{"sweeps", "as the tolerance needs, up to 8"},
    Method::Option{"initial", "true-state"},
    Method::Option{"estimate", "yes"}};

/// Whether a periodic flow that is solved exactly can be taken out of the motion.
bool has_known_flow(const Problem& problem) {
    return problem.exact && problem.exact->takes_series() && (problem.period || !problem.phases.empty());
}

Verdict judge(const Problem& problem, const Request& request) {
    // NOTE: what finding out about the problem takes, over the share of the price of resolving it spent on that; with
    // the fewest phases.
    constexpr double evaluations = 3.6e3;
    if (problem.phases.empty() && !(problem.period && problem.exact)) {
        return {false, problem.springs  ? "stiff springs have no declared phase"
                       : problem.period ? "a period is declared, but no phase, nor a part that is solved exactly"
                                        : "no fast phase is declared"};
    }
    if (!problem.takes_series()) {
        return {false,
                "it evaluates forces and constraints with truncated series, and these take double alone: write them as "
                "templates on their numbers"};
    }
    if (problem.phases.empty() && !has_known_flow(problem)) {
        return {false, "it evaluates exactly solved flows with truncated series, and this one takes double alone"};
    }
    const auto period = common_period(problem);
    if (!period) {
        return {false, "the phases have no common period of less than 64 turns of the slowest"};
    }
    const double turns = turns_in_common(problem.phases, *period);
    const double fewest = HarmonicStart::fewest_for(turns);
    if (fewest > HarmonicStart::most_by_request && !request.options.phases) {
        return {false,
                fmt::format("the fastest phase turns {:.0f} times in the period common to all, and averages over "
                            "it take at most {} phases, two for each turn",
                            turns, HarmonicStart::most_by_request)};
    }
    if (problem.springs) {
        return {true, "a fast phase is declared; stiff springs count as any other force"};
    }
    return {true,
            problem.phases.empty()
                ? "the exactly solved part has a declared period: the response to it is found directly"
                : "a fast phase is declared: the response to it is found directly",
            evaluations * fewest / HarmonicStart::fewest_phases};
}

/// The right-hand side as a function of the phase; a flow that is not periodic is a violation, unless there are phases.
std::shared_ptr<PhaseField> field_of(Run& run) {
    const Problem& problem = run.problem();
    if (problem.constraints) {
        return std::make_shared<ConstrainedField>(problem);
    }
    if (has_known_flow(problem)) {
        auto field = std::make_shared<FlowField>(problem);
        const double periods = run.length() / field->period().value_or(NAN);
        auto why_not = field->not_periodic(run.request().start, periods, run.request().rtol);
        // NOTE: beside declared phases the exact part may be a slow one.
        if (!why_not || problem.phases.empty()) {
            if (why_not) {
                run.refuse(Outcome::no_scale_separation, std::move(*why_not));
            }
            return field;
        }
    }
    return std::make_shared<ForceField>(problem);
}

class HarmonicRun : public MethodRun {
public:
    explicit HarmonicRun(Run& run)
        : MethodRun(run),
          field_(field_of(run)),
          break_even_(run.problem(), *field_, run.outset()),
          sudden_(suddenness(run.problem(), run.outset())),
          estimating_(run.interval(), run.request().tolerance(), run.request().sink ? run.request().samples : 0) {
        run.count_with([this] { count(); });
        const auto& options = run.options();
        require_one_of("initial", options.initial.value_or("true-state"), {"true-state", "averaged"});
        macro_ = slow_march_choice(run.request(), run.problem().second_order ? free_solvers() : rate_solvers());
        const auto phases = options.phases.value_or(HarmonicStart::fewest_phases);
        const auto sweeps = options.sweeps.value_or(1);
        if (phases < 2 || phases > HarmonicStart::most_by_request) {
            throw Misuse(fmt::format("phases is {}; 2 to {} are possible", phases, HarmonicStart::most_by_request));
        }
        if (sweeps < 1 || sweeps > most_degree) {
            throw Misuse(fmt::format("sweeps is {}; 1 to {} are possible", sweeps, most_degree));
        }
    }

    Solution solve() {
        if (!run_->goes_on()) {
            return run_->not_started();
        }
        HarmonicStart start(*field_, request());
        const double budget = may_leave() ? std::min(share_to_find_out * break_even_.price_of_direct(), 1e9) : 1e9;
        plan_ = start.plan(options().phases, options().sweeps, static_cast<std::int64_t>(budget));
        if (plan_.stopped) {
            return run_->not_started({Outcome::interrupted, {}});
        }
        if (!plan_.finite) {
            return run_->not_started(
                plan_.ratio > 1 && start.finite_force(plan_.phases)
                    ? Violation{Outcome::no_scale_separation, sweeps_diverge}
                    : Violation{
                          Outcome::diverged,
                          "the force, or one of its derivatives, is not a finite number at the start, or near it"});
        }
        if (constexpr double hopeless = 1e4; plan_.noise > hopeless) {
            return run_->not_started(
                {Outcome::refused,
                 fmt::format("rounding of the fast force, which cancels in its mean, leaves {:.1g} times "
                             "the tolerance: double precision cannot average it",
                             plan_.noise)});
        }
        if (!plan_.affordable) {
            return run_->leave_to(method::direct, break_even_.too_few_periods() + cheaper);
        }
        if (const auto doubt = no_convergence(plan_); doubt && !options().sweeps) {
            return break_even_.separation(plan_.pace) < 30 && may_leave()
                       ? run_->leave_to(method::direct, doubt->sentence)
                       : run_->not_started({doubt->outcome, fmt::format("{}{}, or use the method {}", doubt->sentence,
                                                                        doubt->advice, method::direct.name)});
        }
        average_ = std::make_shared<HarmonicAverage>(*field_, plan_.phases);
        if (macro_.name != "stoermer-cowell") {
            return stateless();
        }
        if (sudden_.time * field_->frequency() < 2 * std::numbers::pi && !as_it_is()) {
            const auto why =
                fmt::format("the force changes by itself within {:.2g}, which is less than a vibration", sudden_.time);
            return may_leave() ? run_->leave_to(method::direct, why)
                               : run_->not_started({Outcome::no_scale_separation, why, Remedy::resolve});
        }
        if (auto why = break_even_.too_short_steps(plan_.pace, first_tightness); !why.empty() && !as_it_is()) {
            // `direct` is left, from a true state.
            const auto remedy = averaged_start() ? Remedy::in_the_sentence : Remedy::resolve;
            return may_leave() ? run_->leave_to(method::direct, why + cheaper)
                               : run_->not_started({Outcome::no_scale_separation, std::move(why), remedy});
        }
        if (break_even_.dearer(plan_.pace, first_tightness) && may_leave()) {
            return run_->leave_to(method::direct, break_even_.too_few_periods() + cheaper);
        }
        return two_scale(start);
    }

private:
    static constexpr const char* cheaper = ": resolving it is cheaper than averaging";
    static constexpr const char* sweeps_diverge =
        "each sweep changes the averaged force by more than the one before did, up to numbers that are not finite, "
        "while the force at the start is: the vibration is too strong for its frequency, or there is a stiffness near "
        "the square of the frequency (resonance); put such a part into an exactly solved flow";

    /// Whether `direct` may do it instead: not where this method was asked for, or settings that only averages have.
    bool may_leave() const {
        return run_->by_auto() && !as_it_is() && !averaged_start() &&
               break_even_.price_of_direct() <= most_for_resolving(problem());
    }
    bool as_it_is() const { return options().phases || options().sweeps || macro_.name != "stoermer-cowell"; }
    bool averaged_start() const { return options().initial.value_or("true-state") != "true-state"; }

    Solution two_scale(HarmonicStart& start) {
        // NOTE: a step cannot err by less than rounding of the mean force; shorter ones only add more of them.
        constexpr double steps = 25;  // that a run takes at least
        // NOTE: sizes as they are at the start. With those of the end, a motion that grows a thousandfold would be
        // allowed to be wrong by as much early on.
        const auto scales = plan_.scales;
        Defect by_phases;
        HarmonicDoubts doubts;
        const auto before = field_->evaluations();
        std::int64_t last = 0;
        auto found =
            estimating_.run({.first = first_tightness,
                             .looser = looser(),
                             .sum = 0.05,
                             .least = plan_.noise / steps,
                             .most_tighter = 1e-3,
                             .most = run_->estimates() ? 5 : 0},
                            {.march =
                                 [&](double tightness) {
                                     last = field_->evaluations();
                                     auto pass = march().run(tightness, scales, doubts);
                                     last = field_->evaluations() - last;
                                     steps_ += pass.result.steps;
                                     rejected_ += pass.result.rejected;
                                     return pass;
                                 },
                             .prepare = [&](const Pass& coarse) { by_phases = refined(start, coarse, doubts); },
                             .errors =
                                 [&](const Pass& coarse, const Pass& fine) {
                                     auto defect = start.by_sweeps(doubts.sweeps, plan_);
                                     defect.force += by_phases.force;
                                     defect.response += by_phases.response;
                                     return march().errors(coarse, fine, defect);
                                 }});
        for_estimate_ = field_->evaluations() - before - last;
        if (found.pass.result.outcome == Outcome::not_converged) {
            return too_short_steps(std::move(found.pass));
        }
        if (found.pass.result.outcome == Outcome::completed && run_->estimates()) {
            if (!(found.excess <= 1) && may_leave()) {
                return run_->leave_to(
                    method::direct,
                    fmt::format("the estimate of the error stays {:.2g} times the tolerance", found.excess));
            }
            run_->estimate(std::move(found.errors), found.pass.scales,
                           "; shorter steps do not make it smaller, or there are none: loosen rtol and atol");
        }
        return finished(std::move(found.pass));
    }
    /// The first march is to stay near the true motion; the only one is to be as good as it can be told without
    /// another.
    double looser() const {
        constexpr double most = 150;
        constexpr double error = 4.8e-5;  // of a step
        return run_->estimates() ? std::clamp(error / (request().rtol * first_tightness), 60.0, most) : 15.0;
    }
    HarmonicMarch march() const { return {estimating_, *average_, plan_, request(), sudden_.time}; }

    /// Looks at what phases and sweeps leave out, where the first march has most doubts of them and at the end, and
    /// takes more of them where that is too much: what phases leave out then.
    Defect refined(HarmonicStart& start, const Pass& pass, HarmonicDoubts& doubts) {
        constexpr double enough = 0.05;  // of the tolerance
        start.know_scales(pass.scales, plan_);
        const double too_much = enough + HarmonicStart::clear_of_noise * plan_.noise;
        const double ratio = std::clamp(plan_.ratio, 0.01, 0.5);
        for (double left = start.by_sweeps(doubts.sweeps, plan_).worst();
             left > too_much && !options().sweeps && plan_.sweeps < HarmonicStart::most_sweeps; left *= ratio) {
            ++plan_.sweeps;
        }
        average_->evaluate(doubts.end);
        for (;;) {
            const auto steps = static_cast<double>(std::max<std::int64_t>(pass.result.steps, 1));
            Defect defect;
            for (const auto* spot : {&doubts.phases, &doubts.end}) {
                defect.include(start.by_phases(*spot, plan_));
            }
            defect.force += plan_.noise / std::sqrt(steps);
            // NOTE: a march that was asked to stop ends at its next step.
            if (defect.worst() <= too_much || options().phases || plan_.phases >= HarmonicStart::most_phases ||
                start.stopped()) {
                return defect;
            }
            auto finer = start.plan(HarmonicStart::more_phases(plan_.phases, defect.worst() > 2 * enough),
                                    options().sweeps, std::numeric_limits<std::int64_t>::max());
            if (!finer.finite || finer.stopped) {
                return defect;
            }
            finer.sweeps = std::max(finer.sweeps, plan_.sweeps);
            plan_ = std::move(finer);
            average_ = std::make_shared<HarmonicAverage>(*field_, plan_.phases);
            start.know_scales(pass.scales, plan_);
            for (auto* spot : {&doubts.phases, &doubts.end}) {
                *spot = average_->spot(plan_.sweeps, spot->t, std::move(spot->state));
            }
        }
    }

    Solution too_short_steps(Pass pass) {
        const auto why =
            fmt::format("steps of the slow motion became shorter than a vibration at t = {:.4g}", pass.result.reached);
        if (may_leave()) {
            return run_->leave_to(method::direct, why);
        }
        pass.result.outcome = Outcome::no_scale_separation;
        pass.result.explanation = fmt::format(
            "{}: the slow motion is too fast for this tolerance, or the tolerance beyond what rounding of "
            "the fast force allows; loosen rtol and atol, or use the method {}",
            why, method::direct.name);
        return finished(std::move(pass));
    }

    Solution stateless() {
        const std::size_t n = field_->dimension();
        const AveragedAcceleration force = [&](double t, In x, In v, Out a) {
            average_->sweep(plan_.sweeps, t, x, v);
            std::ranges::copy(average_->force(), a.begin());
        };
        const FirstOrderRate rate = [&](double t, In y, Out derivative) { force(t, y, {}, derivative); };
        const In state(plan_.state);
        auto marched = field_->second_order() ? march_macro(macro_, force, request(), state.first(n), state.subspan(n))
                                              : march_macro(macro_, {.rate = rate}, request(), plan_.state);
        auto solution = run_->finished({.result = std::move(marched.result),
                                        .trajectory = std::move(marched.trajectory),
                                        .final_state = std::move(marched.final_state),
                                        .reconstruction = response(),
                                        .vibration = vibration()});
        return field_->constraints() > 0 ? std::move(solution).completed_by(mean_multipliers(response()))
                                         : std::move(solution);
    }

    Solution finished(Pass pass) {
        if (pass.result.outcome == Outcome::diverged && pass.result.reached > request().t_start) {
            pass.result.explanation += "; where the force is finite there, its derivatives are not";
        }
        pass.result.steps = steps_;
        pass.result.rejected = rejected_;
        evaluations_ = field_->evaluations();  // what is sent, and the last state, do not count
        const auto complete = mean_multipliers(response());
        if (average_) {
            estimating_.send(pass, request().sink, complete);
        }
        const double reached = pass.result.reached;
        if (complete) {
            complete(reached, pass.final_state);
        }
        const auto state =
            snapshot_of(reached, pass.final_state, field_->dimension(), complete ? field_->constraints() : 0);
        return run_->finished({.result = std::move(pass.result),
                               .trajectory = std::move(pass.trajectory),
                               .final_state = state,
                               .reconstruction = average_ ? Reconstruction(response()) : Reconstruction(),
                               .settling = complete,
                               .vibration = average_ ? vibration() : Vibration()});
    }

    void count() {
        run_->statistics().force_evaluations =
            evaluations_.value_or(field_->evaluations()) + sudden_.evaluations - for_estimate_;
        run_->statistics().estimate_evaluations = for_estimate_;
        run_->note(macro_);
        run_->note("phases", fmt::format("{}", plan_.phases));
        run_->note("sweeps", fmt::format("{}", plan_.sweeps));
    }

    HarmonicResponse response() const { return {field_, average_, plan_.sweeps}; }
    Vibration vibration() const {
        return [response = response()](std::span<const Snapshot> looks) { return response.between(looks); };
    }

    /// The share of the tolerance that a step of the second march may err by.
    static constexpr double first_tightness = 0.008;
    static constexpr double share_to_find_out = 0.07;  // of the price of direct, before it is used instead

    std::shared_ptr<PhaseField> field_;
    BreakEven break_even_;
    Suddenness sudden_;
    EstimatingMarch estimating_;
    MacroChoice macro_;
    HarmonicPlan plan_;
    std::shared_ptr<HarmonicAverage> average_;
    std::int64_t steps_ = 0, rejected_ = 0;
    std::optional<std::int64_t> evaluations_;
    std::int64_t for_estimate_ = 0;  // other marches than the last, and looks at what is left out
};

}  // namespace

constinit const Method method::harmonic{
    .name = "harmonic",
    .problems = "vibrated, periodic, constraints",
    .paper = "",
    .slow_is = SlowMeaning::averaged,
    .estimate = Method::Estimate::own,
    .summary =
        "finds the periodic response to the phase directly, without micro-steps, to any order in 1/omega; true state "
        "in, true state out, with an estimate of the error",
    .options = options,
    .judge = judge,
    .solve = [](Run& run) { return HarmonicRun(run).solve(); }};

}  // namespace lento
