/// The slow motion of stiff springs without micro-steps: multipliers lambda = k g are expanded in powers of omega^-2,
/// no derivative along the motion being of size omega (`average/multiplier_expansion.hpp`). The rest is not stiff,
///
///     M q'' = F(q, q', t) - g'(q, t)^T lambda^n(q, q', t),        error O(omega^(-2n-2))
///
///     (1) take the true start to the slow manifold (`average/slow_manifold.hpp`):
///             g = K^-1 lambda,  g' v + g_t = K^-1 lambda'
///     (2) march, with one sweep more than the tolerance needs and loosely
///     (3) march with as many as it needs, finely; what both differ by is the estimate of the error
///
/// Where the start oscillates, the potential of `judge/fast_energy.hpp` acts on the motion too.
///
/// The tolerance is that of the solution, not of a step: a run that misses it is repeated.
#include <fmt/format.h>

#include "base/number.hpp"
#include "judge/fast_oscillation.hpp"
#include "judge/price.hpp"
#include "lento/run/run.hpp"
#include "method/expanded_motion.hpp"
#include "method/relaxed_run.hpp"

namespace lento {
namespace {

constexpr std::array options{
    Method::Option{"macro",
                   "stoermer-cowell; rk4 with macro_step or steps; dopri5, ode113, arkode-8, cvode-adams, ..."},
    Method::Option{"macro_step", "adaptive"},
    Method::Option{"steps", "adaptive"},
    Method::Option{"sweeps", "as the tolerance needs, 0 to 3"},
    Method::Option{"fast_energy", "adiabatic; or none"},
    Method::Option{"estimate", "yes"}};

/// The largest amplitude, in tolerances, of the oscillations that the slow motion from this start leaves out.
double oscillation_shown(const FastOscillation& fast, const SlowSize& size, const Request& request) {
    const std::size_t d = fast.amplitudes.size() / 2;
    const Tolerance tolerance = request.tolerance();
    return largest_of(2 * d, [&](std::size_t i) {
        return fast.amplitudes[i] / tolerance.of(i, i < d ? size.length : size.velocity);
    });
}

/// The same before there is a run; none where there is no slow motion, which the run then says.
double oscillation_shown(const Problem& problem, Request request) {
    request.velocity.resize(problem.dimension());
    request.scales = tolerance_of(problem, request).scales;
    if (request.start.size() != problem.dimension() || request.options.estimate == "none") {
        return 0;
    }
    ExpandedMotion motion(problem, request);
    const auto y = motion.violation() ? std::vector<double>() : motion.start(0);
    if (motion.violation()) {
        return 0;
    }
    const Outset outset{request.start, request.velocity, request.t_start, request.t_end, request.rtol, request.atol};
    const In state(y);
    const auto d = problem.dimension();
    return oscillation_shown(fast_oscillation(problem, outset, state.first(d), state.last(d), motion.size()),
                             motion.size(), request);
}

Verdict judge(const Problem& problem, const Request& request) {
    constexpr double evaluations = 5e3;
    const auto verdict = springs_verdict(problem, evaluations);
    if (!verdict.applies) {
        return verdict;
    }
    if (problem.constraints) {
        return {false, "the system has rigid constraints"};
    }
    const auto& springs = problem.springs->entries;
    if (!std::ranges::all_of(springs, [](const auto& spring) { return spring.has_elongation; })) {
        return {false, "a spring is given by its potential, not by an elongation"};
    }
    if (!problem.springs->slow.takes_series() || !problem.springs->measures->takes_series()) {
        return {false,
                "it evaluates forces and elongations with truncated series, and these take double alone: write them as "
                "templates on their numbers"};
    }
    if (request.start.size() == problem.dimension()) {
        const auto spectrum = spring_spectrum(problem, request.start, request.t_start);
        if (spectrum.known && !spectrum.vanishing && !spectrum.independent) {
            return {false,
                    "the springs depend on each other at the start (g' M^-1 g'^T is singular): the slow motion "
                    "does not tell the force of each by itself"};
        }
    }
    return {true, "stiff springs are declared by their elongations: the slow manifold is followed by its expansion",
            evaluations, oscillation_shown(problem, request)};
}

class BoundedDerivativeRun : public MethodRun {
public:
    explicit BoundedDerivativeRun(Run& run)
        : MethodRun(run),
          motion_(run.problem(), run.request()),
          choice_(slow_march_choice(run.request(), spring_solvers())),
          estimating_(run.interval(), run.request().tolerance(), run.request().samples) {
        run.count_with([this] { count(); });
    }

    Solution solve() {
        if (run_->goes_on() && !motion_.violation()) {
            judge_start();
        }
        if (const auto& violation = motion_.violation()) {
            run_->refuse(*violation);
        }
        if (!run_->goes_on()) {
            return run_->not_started();
        }
        if (run_->by_auto() && names_of_set(options()).empty() && expected_evaluations() > direct()) {
            return run_->leave_to(
                method::direct,
                fmt::format(
                    "the springs oscillate about {:.2g} times in the time of the slow motion: resolving that is "
                    "cheaper than an expansion",
                    motion_.spectrum().fastest * motion_.size().time / (2 * std::numbers::pi)));
        }
        using Steps = EstimatingMarch::Schedule::Steps;
        const auto before = motion_.force_evaluations();
        std::int64_t last = 0;
        auto found = estimating_.run(
            {.first = first_tightness,
             .looser = 3,  // the first march, whose error is that of the second at most
             .least = std::min(first_tightness, 1e-14 / request().rtol),  // below it there is only rounding
             .most_tighter = 1e-2,
             .most = !run_->estimates() ? 0
                     : options().sweeps ? 1
                                        : 5,
             .steps = choice_.step ? Steps::given : Steps::chosen},
            {.march =
                 [&](double tightness) {
                     last = motion_.force_evaluations();
                     auto marched = pass(tightness);
                     last = motion_.force_evaluations() - last;
                     return marched;
                 },
             .prepare = {},
             .errors = [&](const Pass& coarse, const Pass& fine) { return errors(coarse, fine); }});
        for_estimate_ = motion_.force_evaluations() - before - last;
        if (!found.errors.empty()) {
            const auto& pushing = motion_.fast_energy();
            add_to(found.errors, 1, fast_.shifts);
            add_to(found.errors, pushing ? pushing->uncertain_share() : 1, fast_.pushes);
            run_->estimate(std::move(found.errors), found.pass.scales,
                           "; what the oscillation that is left out would have done to the slow motion is part of it");
        }
        leave_out_oscillation();
        if (const double shown = oscillation_shown(fast_, motion_.size(), request()); shown > 1) {
            run_->warn(
                fmt::format("the start has an energy of {:.2g} in fast oscillations of the springs; the slow "
                            "motion leaves them out, and they are {:.2g} times the tolerance",
                            fast_.energy, shown));
        }
        return finished(std::move(found.pass));
    }

private:
    /// Chooses the fewest sweeps that leave out less of the force than the tolerance allows: what is left out becomes
    /// an error of the motion within the slow time.
    void judge_start() {
        const auto y = motion_.start(0);
        if (motion_.violation()) {
            return;
        }
        const auto d = problem().dimension();
        const auto& size = motion_.size();
        fast_ = fast_oscillation(problem(), run_->outset(), std::span(y).first(d), std::span(y).last(d), size);
        auto pushing = fast_energy_of_run(problem(), options(), run_->outset(), std::span(y).first(d),
                                          std::span(y).last(d), fast_, size, request().tolerance());
        if (pushing.warning) {
            run_->warn(*std::move(pushing.warning));
        }
        if (pushing.violation) {
            run_->refuse(*pushing.violation);
            return;
        }
        if (pushing.energy) {
            motion_.push_by(*pushing.energy, run_->outset());
        }
        if (motion_.violation()) {
            return;
        }
        const double tolerated = request().tolerance().least_absolute(d) + request().rtol * size.length;
        allowed_ = 0.3 * tolerated / (size.time * size.time);
        const auto corrections = motion_.corrections(y);
        if (motion_.violation()) {
            return;
        }
        const auto next = std::span(corrections).subspan(1);
        auto enough = std::ranges::find_if(next, [&](double correction) { return correction <= allowed_; });
        if (enough == next.end()) {
            enough = std::ranges::min_element(next);
        }
        sweeps_ = static_cast<int>(options().sweeps.value_or(static_cast<std::size_t>(enough - next.begin())));
        if (*enough > 100 * allowed_ && !options().sweeps) {
            run_->refuse(
                Outcome::no_scale_separation,
                fmt::format(
                    "after {} sweeps the force of the springs still changes by {:.1g}, where the tolerance allows "
                    "{:.1g}: the springs are not fast enough against the slow motion; loosen rtol and atol",
                    sweeps_, *enough, allowed_));
        }
    }

    /// Where frequencies fall on the way, amplitudes grow.
    void leave_out_oscillation() {
        auto amplitudes = fast_.amplitudes;
        if (const auto& pushing = motion_.fast_energy()) {
            const double more = 1 + pushing->uncertain_share();
            for (std::size_t i = 0; i < pushing->amplitudes().size(); ++i) {
                amplitudes[i] = std::max(amplitudes[i], more * pushing->amplitudes()[i]);
            }
        }
        run_->leave_out(std::move(amplitudes));
    }

    double direct() const { return price_of_direct(problem(), motion_.spectrum(), run_->length(), request().rtol); }
    /// Of two marches, with one sweep more in the first.
    double expected_evaluations() const {
        constexpr double sides_a_slow_time = 40;
        constexpr std::array<double, 5> evaluations_a_side{1, 6, 20, 50, 100};
        const auto n = static_cast<std::size_t>(sweeps_);
        return sides_a_slow_time * run_->length() / motion_.size().time *
               (evaluations_a_side[n] + evaluations_a_side[n + 1]);
    }

    /// Whether the last march has met larger corrections on the way, or shorter steps did not help.
    bool sweeps_fall_short() const {
        const bool larger_on_the_way = last_sweeps_ == sweeps_ + 1 && motion_.last_correction() > allowed_;
        return (larger_on_the_way || stalled_) && !options().sweeps && sweeps_ < ExpandedMotion::most_sweeps;
    }

    /// The first has one sweep more than the others need; where these do not get on they have more and fewer in turn.
    Pass pass(double tightness) {
        const bool first = passes_++ == 0 && run_->estimates();
        if (!first && sweeps_fall_short()) {
            ++sweeps_;
        }
        last_sweeps_ = first || last_sweeps_ == sweeps_ ? sweeps_ + 1 : sweeps_;
        const auto y = motion_.start(last_sweeps_);
        Pass pass{.tightness = tightness};
        if (const auto& violation = motion_.violation()) {
            pass.result = {.outcome = violation->outcome, .reached = request().t_start};
            pass.result.explanation = Run::sentence_of(*violation);
            pass.final_state = y;
        } else {
            pass = slow_pass(estimating_, choice_, request(), motion_.acceleration(last_sweeps_), y, tightness,
                             first ? 2 : 1);
        }
        auto& statistics = run_->statistics();
        statistics.macro_steps += pass.result.steps;
        statistics.rejected_steps += pass.result.rejected;
        statistics.newton_iterations += pass.result.newton_iterations;
        statistics.projections += 1;
        statistics.projection_iterations += motion_.manifold().iterations();
        return pass;
    }

    /// Two passes differ in sweeps and in steps: their difference is what the worse of them is wrong by.
    std::vector<double> errors(const Pass& one, const Pass& other) {
        constexpr double safety = 2;
        const double rounding =
            std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(other.result.steps + 1));
        auto errors = estimating_.differences(one, other);
        for (std::size_t i = 0; i < other.scales.size(); ++i) {
            errors[i] = safety * errors[i] + rounding * other.scales[i];
        }
        const double excess = estimating_.excess(errors, other.scales);
        stalled_ = excess > 0.3 * std::exchange(excess_, excess);
        return errors;
    }

    Solution finished(Pass pass) {
        auto& result = pass.result;
        if (const auto& failure = motion_.failure(); failure && result.outcome == Outcome::diverged) {
            end_as(result, failure->outcome, Run::sentence_of(*failure));
        }
        estimating_.send(pass, request().sink);
        const auto state = snapshot_of(result.reached, pass.final_state, problem().dimension(), 0);
        // All marches were counted as they came.
        result.steps = result.rejected = result.newton_iterations = 0;
        return run_->finished({.result = std::move(result),
                               .trajectory = std::move(pass.trajectory),
                               .final_state = state,
                               .price_of_direct = direct()});
    }

    void count() {
        run_->note(choice_);
        run_->note("fast_energy", motion_.fast_energy() ? "adiabatic" : "none");
        run_->note("sweeps", fmt::format("{}", last_sweeps_));
        run_->statistics().slow_evaluations = motion_.evaluations();
        run_->statistics().force_evaluations = motion_.force_evaluations() - for_estimate_;
        run_->statistics().estimate_evaluations = for_estimate_;
    }

    static constexpr double first_tightness = 0.02;  // the share of the tolerance that a step may err by

    ExpandedMotion motion_;
    MacroChoice choice_;
    EstimatingMarch estimating_;
    int sweeps_ = 0, last_sweeps_ = -1, passes_ = 0;
    FastOscillation fast_;
    std::int64_t for_estimate_ = 0;
    double allowed_ = 0;        // correction of the acceleration
    double excess_ = HUGE_VAL;  // of the estimate, over the tolerance
    bool stalled_ = false;
};

}  // namespace

constinit const Method method::bounded_derivative{
    .name = "bounded-derivative",
    .problems = "stiff springs",
    .paper = "",
    .slow_is = SlowMeaning::slow_manifold,
    .estimate = Method::Estimate::own,
    .summary =
        "expands the force of the springs on the slow manifold in powers of one over the frequency, without "
        "micro-steps; any solver for the slow motion, with an estimate of the error",
    .options = options,
    .judge = judge,
    .solve = [](Run& run) { return BoundedDerivativeRun(run).solve(); }};

}  // namespace lento
