/// What methods on one-period maps hand back: the record, states with multipliers of constraints, the true motion.
#include <fmt/format.h>

#include "base/number.hpp"
#include "method/stroboscopic_run.hpp"
#include "problem/time_scales.hpp"

namespace lento {

Settling StroboscopicRun::completion() const {
    if (!ground_) {
        return {};
    }
    return [flow = flow_, map = map_, ground = ground_, d = d()](double t, std::vector<double>& y) {
        settle(ground, t, std::span(y).first(d));
        const std::size_t m = ground->names().size();
        y.resize(d + 2 * m);
        const Out all(y);
        const auto steps = static_cast<double>(map->steps_per_period());
        flow->multipliers(t, 0, all.first(d), all.subspan(d, m));
        flow->mean_multipliers({.t = t,
                                .h = map->period() / steps,
                                .turns = 1 / steps,
                                .steps = static_cast<std::int64_t>(map->steps_per_period())},
                               all.first(d), all.last(m));
    };
}

void StroboscopicRun::count() {
    auto& statistics = run_->statistics();
    statistics.micro_steps = flow_->micro_steps();
    statistics.force_evaluations = last_.value_or(flow_->evaluations());
    statistics.estimate_evaluations =
        flow_->evaluations() + sudden_.evaluations + sharp_.evaluations - statistics.force_evaluations;
    statistics.newton_iterations = flow_->newton_iterations() + (ground_ ? ground_->iterations() : 0);
    if (map_) {
        run_->note("micro", micro_);
        run_->note("micro_steps_per_period", fmt::format("{}", map_->steps_per_period()));
        run_->note("period", fmt::format("{}", map_->period()));
    }
}

/// `steepest` is the length of a step times the slope of the field, which must stay below `limit`.
Solution StroboscopicRun::finished(Marched marched, double steepest, double limit, const std::string& remedy) {
    auto& result = marched.result;
    if (last_period_ == 0) {
        last_period_ = map_->period();
    }
    if ((result.outcome == Outcome::completed || result.outcome == Outcome::diverged) && steepest > limit) {
        end_as(result, Outcome::unstable,
               fmt::format("steps are too long: their length times the slope of the averaged field reaches {:.3g}, "
                           "where about {} is the limit of stability; divide {} by {:.0f} or more",
                           steepest, limit, remedy, std::ceil(2 * steepest / limit)));
    }
    if (result.outcome == Outcome::diverged && map_->failure()) {  // the motion is finite, its revolutions are none
        end_as(result, Outcome::no_scale_separation,
               fmt::format("near t = {:.6g} there is no next revolution: {}; use the method {}", result.reached,
                           *map_->failure(), method::direct.name));
    }
    auto y = std::move(marched.final_state.position);
    const auto revolutions = known_period() ? std::nullopt : std::optional(y.back());
    y.resize(d());
    const auto complete = completion();
    if (complete) {
        complete(result.reached, y);
    }
    auto state = snapshot_of(result.reached, y, problem().names.size(), ground_ ? ground_->names().size() : 0);
    state.revolutions = revolutions;
    // As many micro-steps in every period.
    const double direct = static_cast<double>(flow_->evaluations()) /
                          static_cast<double>(std::max<std::int64_t>(1, flow_->micro_steps())) *
                          static_cast<double>(map_->steps_per_period()) * (result.reached - request().t_start) /
                          map_->period();
    return run_->finished({.result = std::move(result),
                           .trajectory = std::move(marched.trajectory),
                           .final_state = std::move(state),
                           .reconstruction = reconstruction(),
                           .settling = complete,
                           .advice = "; try shorter steps, or a tighter rtol where they are chosen",
                           .price_of_direct = direct});
}

StroboscopicRun::Motion StroboscopicRun::motion() const {
    const auto z = start();
    Motion motion{flow_, map_, ground_, run_->interval(), first_period_, last_period_, {}};
    for (std::size_t i = 0; i <= d(); ++i) {
        motion.tolerances.push_back(tolerance_of(i, z));
    }
    return motion;
}

std::vector<double> StroboscopicRun::Motion::strobe(std::vector<double> z, double t,
                                                    std::optional<double> revolutions) const {
    z.push_back(t);
    // NOTE: the same from the same state, whatever was asked before.
    map->expect(first_period + (last_period - first_period) * (t - interval.from) / interval.length());
    const double passed = revolutions.value_or((t - interval.from) / map->period());
    const double fraction = std::round(passed) - passed;
    // NOTE: times that were meant to be stroboscopic are so up to rounding.
    const auto change = fraction_of_revolution(*map, z, std::abs(fraction) > 1e-9 ? fraction : 0.0, [&](In doubt) {
        return largest_of(z.size(), [&](std::size_t i) { return std::abs(doubt[i]) / tolerances[i]; });
    });
    add_to(z, 1, change);
    settle(ground, z.back(), std::span(z).first(z.size() - 1));
    return z;
}

/// From Y(t) to a stroboscopic time, and from there to t with the true motion (stroboscopic, section 3.1).
Reconstruction StroboscopicRun::reconstruction() const {
    return [motion = motion(), second_order = problem().second_order,
            names = problem().names.size()](const Snapshot& slow) {
        const auto z = motion.strobe(put_together(slow.position, second_order ? slow.velocity : std::vector<double>()),
                                     slow.t, slow.revolutions);
        const auto y = motion.map->followed(z, slow.t);
        auto state = snapshot_of(slow.t, y, names, 0);
        if (motion.ground) {
            state.multipliers.resize(motion.ground->names().size());
            motion.flow->multipliers(slow.t, (slow.t - z.back()) / motion.map->period(), y, state.multipliers);
            state.total_multipliers = state.multipliers;
        }
        return state;
    };
}

Verdict stroboscopic_verdict(const Problem& problem, double evaluations) {
    if (!problem.phases.empty() && !common_period(problem)) {
        return {false,
                "the phases have no common period of less than 64 turns of the slowest: there is no one-period map"};
    }
    const bool declared = !problem.phases.empty() || problem.period;
    if (problem.springs && !declared) {
        return {false, "stiff springs have no common period"};
    }
    if (problem.constraints && !declared) {
        return {false, "no fast phase is declared, nor a period"};
    }
    if (!declared) {
        return {true, "where the motion returns near its start again and again: the period is then found"};
    }
    const char* why = problem.phases.empty()
                          ? "a fast period is declared: steps stride over many of them at once"
                          : "a fast phase is declared: steps stride over many of its periods at once";
    // NOTE: where a motion finds a limit cycle its map is far from the identity.
    if (problem.springs || (problem.constraints && problem.phases.empty()) || finds_limit_cycle(problem)) {
        return {true, why};
    }
    constexpr double beside_windows = 3;  // where forces have a phase, windows are cheaper
    return {true, why, problem.second_order && !problem.phases.empty() ? beside_windows * evaluations : evaluations};
}

Solution follow_recovered(StroboscopicRun& strobe, Recovery recovery, std::span<const int> orders) {
    Run& run = strobe.run();
    const auto& options = run.options();
    const bool fixed = options.macro_step || options.steps;
    const int order = options.difference_order ? static_cast<int>(*options.difference_order)
                      : fixed                  ? 2
                                               : strobe.fitting_order(recovery, orders);
    run.note("difference_order", fmt::format("{}", order));
    return strobe.follow_field(MapField(recovery, order));
}

}  // namespace lento
