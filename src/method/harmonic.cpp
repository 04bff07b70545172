#include "lento/method/harmonic.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "harmonic_march.hpp"
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
        price_of_direct_ = price_of_direct();
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
        if (request_.options.phases || request_.options.sweeps || macro_.name != "stoermer-cowell") {
            price_of_direct_ = HUGE_VAL;  // asked for as it is
        }
        HarmonicStart start(*field_, request_);
        const auto budget = static_cast<std::int64_t>(std::min(share_to_find_out * price_of_direct_, 1e9));
        if (budget < least_to_find_out) {
            return by_direct(fmt::format("the run lasts {:.3g} periods of the vibration", periods()));
        }
        plan_ = start.plan(request_.options.phases, request_.options.sweeps, budget);
        if (!plan_.finite) {
            return not_started(Outcome::diverged, "the force is not a finite number at the start, or near it");
        }
        if (constexpr double hopeless = 1e4; plan_.noise > hopeless) {
            return not_started(Outcome::refused,
                               fmt::format("rounding of the fast force, which cancels in its mean, leaves {:.1g} times "
                                           "the tolerance: double precision cannot average it",
                                           plan_.noise));
        }
        if (!plan_.affordable) {
            return by_direct(fmt::format("the run lasts {:.3g} periods of the vibration", periods()));
        }
        if (const auto why = no_convergence(); !why.empty() && !request_.options.sweeps) {
            return separation() < 30
                       ? by_direct(why)
                       : not_started(Outcome::no_scale_separation,
                                     why +
                                         "; put such a part into an exactly solved flow, loosen rtol and atol, or use "
                                         "the method direct");
        }
        average_ = std::make_shared<HarmonicAverage>(*field_, plan_.phases);
        if (macro_.name != "stoermer-cowell") {
            return stateless();
        }
        if (const auto why = no_gain(); !why.empty()) {
            return by_direct(why);
        }
        return two_scale(start);
    }

private:
    double length() const { return request_.t_end - request_.t_start; }
    double periods() const { return length() / *field_->period(); }
    /// Evaluations, roughly: 65 a period at a tolerance of 1e-4, 400 at 1e-8.
    double price_of_direct() const { return 65 * periods() * std::pow(1e-4 / request_.rtol, 0.2); }
    double separation() const { return field_->frequency() / std::max(plan_.slow_frequency, 1 / length()); }

    std::string no_gain() const {
        constexpr double least_turn = 12;  // radians a step
        const double step = std::min(plan_.step * std::pow(first_tightness, 0.125), length() / 10);
        const double price = 2 * (length() / step) * 2 * static_cast<double>(plan_.phases);
        if (step * field_->frequency() < least_turn && std::isfinite(price_of_direct_)) {
            return fmt::format(
                "the vibration is only {:.3g} times as fast as the slow motion{}", separation(),
                separation() < 3 ? ", in which there is a stiffness near the square of its frequency (resonance), or a "
                                   "force in proportion to the velocity with a factor near it"
                                 : "");
        }
        if (price > price_of_direct_) {
            return fmt::format("the run lasts {:.3g} periods of the vibration", periods());
        }
        return {};
    }
    std::string no_convergence() const {
        constexpr double most = 0.5;
        if (plan_.defect.worst() <= 1) {
            return {};
        }
        if (plan_.ratio <= most) {
            return plan_.noise > 1 || plan_.defect.worst() < 1e3
                       ? std::string()  // the estimate of the error will tell
                       : fmt::format("{} sweeps over {} phases leave {:.2g} times the tolerance", plan_.sweeps,
                                     plan_.phases, plan_.defect.worst());
        }
        return fmt::format(
            "each sweep changes the averaged force by {:.2g} of what the one before did, where less than {} is needed: "
            "a stiffness near the square of the frequency (resonance), or forces in proportion to the velocity with a "
            "factor near the frequency",
            plan_.ratio, most);
    }

    /// Below break-even.
    Solution by_direct(const std::string& why) {
        constexpr double most = 1e8;  // evaluations that nobody asked for
        const bool averaged = request_.options.initial.value_or("true-state") == "averaged";
        if (price_of_direct() > most || averaged) {
            average_.reset();
            return not_started(Outcome::no_scale_separation,
                               averaged ? fmt::format("{}; only the method direct is left, from a true state", why)
                                        : fmt::format("{}; only the method direct is left, with about {:.1g} "
                                                      "evaluations",
                                                      why, price_of_direct()));
        }
        Request request = request_;
        request.options = {};
        auto solution = direct_(request);
        const auto spent = field_->evaluations();
        return std::move(solution).handed_over(
            request_.method, fmt::format("{}: resolving it is cheaper than averaging, so direct was used", why), spent);
    }

    Solution two_scale(HarmonicStart& start) {
        constexpr double coarser = 60;
        constexpr int most_marches = 5;
        // NOTE: a step cannot err by less than rounding of the mean force makes of it; shorter ones only add more of them.
        constexpr double steps = 25;  // that a run takes at least
        const double tightest = plan_.noise / steps;
        double tightness = std::max(first_tightness, tightest);
        auto coarse = march().run(coarser * tightness, plan_.scales);
        count(coarse);
        double too_tight = 0;  // steps became too short with it
        double excess = HUGE_VAL;
        if (coarse.result.outcome != Outcome::completed) {
            return ended_early(std::move(coarse));
        }
        const Defect defect = refined(start, coarse);
        for (int k = 0; k < most_marches; ++k) {
            auto fine = march().run(tightness, coarse.scales);
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
        if (excess > most) {
            return finished(std::move(pass), why);
        }
        record_.warnings.push_back(why);
        return finished(std::move(pass), {});
    }
    HarmonicMarch march() const { return {*average_, plan_, request_}; }

    /// Looks along the first march at what phases and sweeps leave out, and takes more of them where that is too much.
    Defect refined(HarmonicStart& start, const HarmonicPass& pass) {
        constexpr double enough = 0.05;  // of the tolerance
        for (;;) {
            start.know_scales(pass.scales, plan_);
            HarmonicStart::Defects defects;
            for (const double share : {0.45, 1.0}) {
                const auto k = static_cast<std::size_t>(share * static_cast<double>(pass.samples.size() - 1));
                const auto found = start.defects_at(plan_, march().time(k), pass.samples[k]);
                defects.by_phases.include(found.by_phases);
                defects.by_sweeps.include(found.by_sweeps);
            }
            Defect defect = defects.both();
            defect.force += plan_.noise / std::sqrt(static_cast<double>(std::max<std::int64_t>(pass.result.steps, 1)));
            const bool more_phases = defects.by_phases.worst() > enough + 3 * plan_.noise && !request_.options.phases &&
                                     plan_.phases < HarmonicStart::most_phases;
            const bool more_sweeps = defects.by_sweeps.worst() > enough + 3 * plan_.noise && !request_.options.sweeps &&
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
        constexpr double most_times = 5;  // what was spent already, for direct
        constexpr double cheap = 2e6;
        const auto why =
            fmt::format("steps of the slow motion became shorter than a vibration at t = {:.4g}", pass.result.reached);
        if (price_of_direct() < std::max(cheap, most_times * static_cast<double>(field_->evaluations()))) {
            return by_direct(why);
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
                          reconstruction());
        return field_->constraints() > 0 ? std::move(solution).completed_by(completion()) : std::move(solution);
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
        pass.result.explanation = std::move(why);
        pass.result.steps = steps_;
        pass.result.rejected = rejected_;
        describe(pass.result);
        if (request_.sink && average_) {
            send_samples(pass);
        }
        const std::size_t n = field_->dimension();
        const double reached = pass.result.reached;
        const auto complete = completion();
        if (complete) {
            complete(reached, pass.final_state);
        }
        const auto state = field_->second_order()
                               ? snapshot_of(reached, pass.final_state, n, complete ? field_->constraints() : 0)
                               : Snapshot{.t = reached, .position = std::move(pass.final_state)};
        return Solution(std::move(record_), std::move(pass.trajectory), state,
                        average_ ? reconstruction() : Reconstruction(), complete);
    }
    /// Of those that the march took, the ones that were asked for.
    void send_samples(const HarmonicPass& pass) {
        const HarmonicMarch own = march();
        const std::size_t every = (own.samples() - 1) / (request_.samples - 1);
        const auto complete = completion();
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

    /// Puts the mean of the true multipliers behind a slow state, as those of the slow motion too; none without constraints.
    Settling completion() const {
        if (field_->constraints() == 0 || !average_) {
            return {};
        }
        return [field = field_, average = average_, sweeps = plan_.sweeps](double t, std::vector<double>& y) {
            const std::size_t n = field->dimension();
            y.resize(2 * n);
            average->sweep(sweeps, t, std::span(y).first(n), std::span(y).last(n));
            for (int k = 0; k < 2; ++k) {
                y.insert(y.end(), field->mean_multipliers().begin(), field->mean_multipliers().end());
            }
        };
    }

    /// x = X + Delta(phi), v = V + W(phi), by a few more sweeps at the slow state.
    Reconstruction reconstruction() const {
        return [field = field_, average = average_, sweeps = plan_.sweeps](const Snapshot& slow) {
            const std::size_t n = field->dimension();
            const std::size_t unknowns = field->second_order() ? 2 * n : n;
            std::vector<double> response(unknowns);
            average->sweep(sweeps, slow.t, slow.position, slow.velocity);
            average->at_phase(average->response(), field->phase(slow.t), std::span(response).first(n),
                              std::span(response).subspan(n));
            std::vector<double> y = slow.position;
            if (field->second_order()) {
                y.insert(y.end(), slow.velocity.begin(), slow.velocity.end());
            }
            for (std::size_t i = 0; i < unknowns; ++i) {
                y[i] += response[i];
            }
            field->leave(slow.t, y);
            y.resize(unknowns + field->constraints());
            const std::span<double> all(y);
            field->multipliers(slow.t, all.first(unknowns), all.subspan(unknowns));
            Snapshot fast = slow;
            std::copy_n(y.begin(), n, fast.position.begin());
            std::copy(y.begin() + static_cast<std::ptrdiff_t>(n), y.begin() + static_cast<std::ptrdiff_t>(unknowns),
                      fast.velocity.begin());
            fast.multipliers.assign(y.begin() + static_cast<std::ptrdiff_t>(unknowns), y.end());
            fast.total_multipliers = fast.multipliers;
            return fast;
        };
    }

    static constexpr double first_tightness =
        0.008;  // the share of the tolerance that a step of the second march may err by
    static constexpr double share_to_find_out = 0.07;       // of the price of direct, before it is used instead
    static constexpr std::int64_t least_to_find_out = 150;  // evaluations

    std::chrono::steady_clock::time_point began_;
    SharedField field_;
    const DirectRun& direct_;
    Request request_;
    MacroChoice macro_;
    double price_of_direct_ = 0;
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
