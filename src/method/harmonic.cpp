#include "lento/method/harmonic.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "break_even.hpp"
#include "harmonic_march.hpp"
#include "harmonic_response.hpp"
#include "harmonic_start.hpp"
#include "lento/average/harmonic.hpp"
#include "lento/base/misuse.hpp"
#include "lento/base/number.hpp"
#include "lento/method/hypotheses.hpp"
#include "lento/method/macro.hpp"

namespace lento {
namespace {

const MacroSolvers& harmonic_solvers(bool second_order) {
    const auto with = [](MacroSolvers solvers) {
        solvers.adaptive.insert(solvers.adaptive.begin(), "stoermer-cowell");
        return solvers;
    };
    static const MacroSolvers coordinates = with(free_solvers());
    static const MacroSolvers variables = with(rate_solvers());
    return second_order ? coordinates : variables;
}

class HarmonicRun {
public:
    HarmonicRun(SharedField field, const Request& request, const DirectRun& direct, StartReport start)
        : began_(std::chrono::steady_clock::now()),
          field_(std::move(field)),
          direct_(direct),
          request_(checked(request, field_->dimension())),
          violation_(std::move(start.violation)) {
        record_.warnings = std::move(start.warnings);
        require_options_apply(request_.options, harmonic_description);
        require_one_of("initial", request_.options.initial.value_or("true-state"), {"true-state", "averaged"});
        macro_ = macro_choice(request_.options, {request_.t_start, request_.t_end},
                              harmonic_solvers(field_->second_order()));
        if (!request_.options.macro && !macro_.step) {
            macro_.name = "stoermer-cowell";
        }
        if (!field_->tells_phase() || !field_->period()) {
            throw Misuse(
                "method harmonic needs a declared fast phase, or several whose periods have a common multiple of less "
                "than 64 turns of the slowest, or a periodic part that is solved exactly: use hmm-async, "
                "multirevolution or direct");
        }
        break_even_.emplace(*field_, request_);
        const auto phases = request_.options.phases.value_or(HarmonicStart::fewest_phases);
        const auto sweeps = request_.options.sweeps.value_or(1);
        if (phases < 2 || phases > 4096) {
            throw Misuse(fmt::format("phases is {}; 2 to 4096 are possible", phases));
        }
        if (sweeps < 1 || sweeps > most_degree) {
            throw Misuse(fmt::format("sweeps is {}; 1 to {} are possible", sweeps, most_degree));
        }
    }

    Solution solve() {
        if (violation_) {
            return not_started(violation_->outcome, violation_->sentence);
        }
        HarmonicStart start(*field_, request_);
        const double budget = as_it_is() ? 1e9 : std::min(share_to_find_out * break_even_->price_of_direct(), 1e9);
        if (budget < least_to_find_out) {
            return resolved(break_even_->too_few_periods() + cheaper);
        }
        plan_ = start.plan(request_.options.phases, request_.options.sweeps, static_cast<std::int64_t>(budget));
        if (!plan_.finite) {
            return not_started(Outcome::diverged,
                               "the force, or one of its derivatives, is not a finite number at the start, or near it");
        }
        if (constexpr double hopeless = 1e4; plan_.noise > hopeless) {
            return not_started(Outcome::refused,
                               fmt::format("rounding of the fast force, which cancels in its mean, leaves {:.1g} times "
                                           "the tolerance: double precision cannot average it",
                                           plan_.noise));
        }
        if (!plan_.affordable) {
            return resolved(break_even_->too_few_periods() + cheaper);
        }
        if (const auto doubt = no_convergence(plan_); doubt && !request_.options.sweeps) {
            return break_even_->separation(plan_) < 30 && may_resolve()
                       ? resolved(doubt->sentence + instead)
                       : not_started(doubt->outcome, doubt->sentence + doubt->advice);
        }
        average_ = std::make_shared<HarmonicAverage>(*field_, plan_.phases);
        if (macro_.name != "stoermer-cowell") {
            return stateless();
        }
        if (const auto why = break_even_->no_gain(plan_, first_tightness); !why.empty() && !as_it_is()) {
            return resolved(why + cheaper);
        }
        return two_scale(start);
    }

private:
    static constexpr const char* cheaper = ": resolving it is cheaper than averaging, so direct was used";
    static constexpr const char* instead = ": direct was used instead";

    /// Settings that only averages have were given: they are what is wanted.
    bool as_it_is() const {
        return request_.options.phases || request_.options.sweeps || macro_.name != "stoermer-cowell";
    }
    bool may_resolve() const {
        constexpr double most = 1e8;  // evaluations that nobody asked for
        return request_.options.initial.value_or("true-state") == "true-state" &&
               break_even_->price_of_direct() <= most;
    }
    /// By `direct`, which the sentence says why.
    Solution resolved(const std::string& why) {
        if (!may_resolve()) {
            average_.reset();
            return not_started(Outcome::no_scale_separation,
                               fmt::format("{}; only the method direct is left, from a true state, with about {:.1g} "
                                           "evaluations",
                                           why.substr(0, why.rfind(':')), break_even_->price_of_direct()));
        }
        Request request = request_;
        request.options = {};
        auto solution = direct_(request);
        return std::move(solution).handed_over(request_.method, why, field_->evaluations());
    }

    Solution two_scale(HarmonicStart& start) {
        constexpr double coarser = 60;
        constexpr int most_marches = 5;
        // NOTE: a step cannot err by less than rounding of the mean force makes of it; shorter ones only add more of them.
        constexpr double steps = 25;  // that a run takes at least
        const double tightest = plan_.noise / steps;
        double tightness = std::max(first_tightness, tightest);
        auto coarse = march().run(coarser * tightness, plan_.scales, HarmonicMarch::Watch::yes);
        count(coarse);
        double too_tight = 0;  // steps became too short with it
        double excess = HUGE_VAL;
        if (coarse.result.outcome != Outcome::completed) {
            return ended_early(std::move(coarse));
        }
        const Defect defect = refined(start, coarse);
        for (int k = 0; k < most_marches; ++k) {
            auto fine = march().run(tightness, coarse.scales, HarmonicMarch::Watch::no);
            count(fine);
            if (fine.result.outcome == Outcome::not_converged && coarse.tightness > 4 * tightness) {
                too_tight = tightness;
                tightness = std::sqrt(tightness * coarse.tightness);
                continue;
            }
            if (fine.result.outcome == Outcome::not_converged && std::isfinite(excess)) {
                break;
            }
            if (fine.result.outcome != Outcome::completed) {
                return ended_early(std::move(fine));
            }
            record_.error_estimate = march().errors(coarse, fine, defect);
            excess = 0;
            for (std::size_t i = 0; i < fine.scales.size(); ++i) {
                excess = larger(excess, record_.error_estimate[i] / march().tolerance(i, fine.scales));
            }
            if (excess <= 1) {
                return finished(std::move(fine), {});
            }
            const double tighter =
                std::max({tightness * std::clamp(0.3 / excess, 1e-3, 0.3), std::sqrt(tightness * too_tight), tightest});
            coarse = std::move(fine);
            if (tighter > 0.9 * tightness) {
                break;
            }
            tightness = tighter;
        }
        return beyond_tolerance(std::move(coarse), excess);
    }
    /// A march that is as good as they get: what it says of its error is right all the same.
    Solution beyond_tolerance(HarmonicPass pass, double excess) {
        constexpr double most = 30;
        const auto why = fmt::format(
            "the estimate of the error stays {:.2g} times the tolerance: shorter steps do not "
            "make it smaller, or there are none; see error_estimate, or loosen rtol and atol",
            excess);
        if (excess > most && may_resolve() && !as_it_is()) {
            return resolved(fmt::format("the estimate of the error stays {:.2g} times the tolerance", excess) +
                            instead);
        }
        if (excess > most) {
            return finished(std::move(pass), why);
        }
        record_.warnings.push_back(why);
        return finished(std::move(pass), {});
    }
    HarmonicMarch march() const { return {*average_, plan_, request_}; }

    /// Looks at what phases and sweeps leave out where the first march has most doubts of its phases, and at the end, and takes more of them
    /// where that is too much.
    Defect refined(HarmonicStart& start, const HarmonicPass& pass) {
        constexpr double enough = 0.05;  // of the tolerance
        for (;;) {
            start.know_scales(pass.scales, plan_);
            HarmonicStart::Defects defects;
            const auto look = [&](double t, std::span<const double> state) {
                const auto found = start.defects_at(plan_, t, state);
                defects.by_phases.include(found.by_phases);
                defects.by_sweeps.include(found.by_sweeps);
            };
            look(pass.doubt.t, pass.doubt.state);
            look(request_.t_end, pass.final_state);
            Defect defect = defects.both();
            defect.force += plan_.noise / std::sqrt(static_cast<double>(std::max<std::int64_t>(pass.result.steps, 1)));
            const double too_much = enough + HarmonicStart::clear_of_noise * plan_.noise;
            const bool more_phases = defects.by_phases.worst() > too_much && !request_.options.phases &&
                                     plan_.phases < HarmonicStart::most_phases;
            const bool more_sweeps = defects.by_sweeps.worst() > too_much && !request_.options.sweeps &&
                                     plan_.sweeps < HarmonicStart::most_sweeps;
            if (!more_phases && !more_sweeps) {
                return defect;
            }
            if (!more_phases) {
                start.raise_sweeps(*average_, plan_);
                continue;
            }
            plan_ = start.plan(HarmonicStart::more_phases(plan_.phases, defects.by_phases.worst() > 2 * enough),
                               static_cast<std::size_t>(more_sweeps ? plan_.sweeps + 1 : plan_.sweeps),
                               std::numeric_limits<std::int64_t>::max());
            average_ = std::make_shared<HarmonicAverage>(*field_, plan_.phases);
            if (!plan_.finite) {
                return defect;
            }
        }
    }

    void count(const HarmonicPass& pass) {
        steps_ += pass.result.steps;
        rejected_ += pass.result.rejected;
    }

    Solution ended_early(HarmonicPass pass) {
        record_.error_estimate.clear();  // of a march before, which was to be bettered
        if (pass.result.outcome == Outcome::not_converged) {
            return too_short_steps(std::move(pass));
        }
        const std::string why = pass.result.explanation;
        return finished(std::move(pass), why);
    }
    Solution too_short_steps(HarmonicPass pass) {
        const auto why =
            fmt::format("steps of the slow motion became shorter than a vibration at t = {:.4g}", pass.result.reached);
        if (may_resolve()) {
            return resolved(why + instead);
        }
        pass.result.outcome = Outcome::no_scale_separation;
        return finished(std::move(pass),
                        fmt::format("{}: the slow motion is too fast for this tolerance, or the tolerance beyond what "
                                    "rounding of the fast force allows; loosen rtol and atol, or use a method of "
                                    "windows",
                                    why));
    }

    Solution stateless() {
        const std::size_t n = field_->dimension();
        Marched marched;
        if (field_->second_order()) {
            const AveragedAcceleration force = [&](double t, std::span<const double> x, std::span<const double> v,
                                                   std::span<double> a) {
                average_->sweep(plan_.sweeps, t, x, v);
                std::copy(average_->force().begin(), average_->force().end(), a.begin());
            };
            const std::span<const double> state(plan_.state);
            marched = march_macro(macro_, force, request_, state.first(n), state.subspan(n));
        } else {
            const FirstOrderRate rate = [&](double t, std::span<const double> y, std::span<double> derivative) {
                average_->sweep(plan_.sweeps, t, y, {});
                std::copy(average_->force().begin(), average_->force().end(), derivative.begin());
            };
            marched = march_macro(macro_, {.rate = rate}, request_, plan_.state);
        }
        describe(marched.result);
        Solution solution(std::move(record_), std::move(marched.trajectory), std::move(marched.final_state),
                          Reconstruction(response()));
        return field_->constraints() > 0 ? std::move(solution).completed_by(mean_multipliers(response()))
                                         : std::move(solution);
    }

    Solution not_started(Outcome outcome, std::string why) {
        HarmonicPass pass{.result = {.outcome = outcome, .reached = request_.t_start}};
        pass.final_state = request_.start;
        if (field_->second_order()) {
            pass.final_state.insert(pass.final_state.end(), request_.velocity.begin(), request_.velocity.end());
        }
        record_.error_estimate.clear();
        auto solution = finished(std::move(pass), std::move(why));
        return solution;
    }

    Solution finished(HarmonicPass pass, std::string why) {
        if (pass.result.outcome == Outcome::completed && !why.empty()) {
            pass.result.outcome = Outcome::not_converged;
        }
        if (pass.result.outcome == Outcome::diverged && pass.result.reached > request_.t_start) {
            why += "; where the force is finite there, its derivatives are not: use hmm-async or direct";
        }
        pass.result.explanation = std::move(why);
        pass.result.steps = steps_;
        pass.result.rejected = rejected_;
        describe(pass.result);
        if (request_.sink && average_) {
            send_samples(pass);
        }
        const std::size_t n = field_->dimension();
        const double reached = pass.result.reached;
        const auto complete = mean_multipliers(response());
        if (complete) {
            complete(reached, pass.final_state);
        }
        const auto state = field_->second_order()
                               ? snapshot_of(reached, pass.final_state, n, complete ? field_->constraints() : 0)
                               : Snapshot{.t = reached, .position = std::move(pass.final_state)};
        return Solution(std::move(record_), std::move(pass.trajectory), state,
                        average_ ? Reconstruction(response()) : Reconstruction(), complete);
    }
    /// Of those that the march took, the ones that were asked for.
    void send_samples(const HarmonicPass& pass) {
        const HarmonicMarch own = march();
        const std::size_t every = (own.samples() - 1) / (request_.samples - 1);
        const auto complete = mean_multipliers(response());
        for (std::size_t k = 0; k < pass.samples.size(); k += every) {
            auto y = pass.samples[k];
            if (complete) {
                complete(own.time(k), y);
            }
            request_.sink(own.time(k), y);
        }
    }

    void describe(const MarchResult& result) {
        auto& statistics = record_.statistics;
        record_.method = harmonic_description.name;
        record_.requested_method = request_.method;
        record_.slow_is = harmonic_description.slow_is;
        record_.outcome = result.outcome;
        record_.explanation = result.explanation;
        if (result.culprit) {
            record_.explanation +=
                fmt::format(" (first in {})", field_->names()[*result.culprit % field_->dimension()]);
        }
        record_.t_end = result.reached;
        statistics.macro_steps = result.steps;
        statistics.rejected_steps = result.rejected;
        statistics.force_evaluations = field_->evaluations();
        record_.options = {{"macro", macro_.name},
                           {"phases", fmt::format("{}", plan_.phases)},
                           {"sweeps", fmt::format("{}", plan_.sweeps)}};
        if (macro_.step) {
            record_.options.push_back({"macro_step", fmt::format("{}", *macro_.step)});
        }
        statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    }

    HarmonicResponse response() const { return {field_, average_, plan_.sweeps}; }

    /// The share of the tolerance that a step of the second march may err by.
    static constexpr double first_tightness = 0.008;
    static constexpr double share_to_find_out = 0.07;  // of the price of direct, before it is used instead
    static constexpr double least_to_find_out = 250;   // evaluations

    std::chrono::steady_clock::time_point began_;
    SharedField field_;
    const DirectRun& direct_;
    Request request_;
    MacroChoice macro_;
    std::optional<BreakEven> break_even_;
    HarmonicPlan plan_;
    std::shared_ptr<HarmonicAverage> average_;
    std::int64_t steps_ = 0, rejected_ = 0;
    std::optional<Violation> violation_;
    RunRecord record_;
};

}  // namespace

Solution harmonic(const SharedField& field, const Request& request, const DirectRun& direct, StartReport start) {
    return HarmonicRun(field, request, direct, std::move(start)).solve();
}

}  // namespace lento
