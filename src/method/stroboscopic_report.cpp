/// What methods on one-period maps hand back: the record, states on constraints with their multipliers, the true motion.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "method/stroboscopic_run.hpp"

namespace lento {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Puts y on the constraints and multipliers behind it.
Settling completion(const std::shared_ptr<MicroFlow>& flow, const std::shared_ptr<PeriodMap>& map,
                    const std::shared_ptr<Ground>& ground) {
    return [flow, map, ground, d = flow->dimension()](double t, std::vector<double>& y) {
        if (!ground->settle(t, std::span(y).first(d)).converged) {
            std::fill(y.begin(), y.end(), nan);
        }
        const std::size_t m = ground->names().size();
        y.resize(d + 2 * m);
        const std::span<double> all(y);
        const auto steps = static_cast<double>(map->steps_per_period());
        flow->multipliers(t, 0, all.first(d), all.subspan(d, m));
        flow->mean_multipliers({.t = t,
                                .h = map->period() / steps,
                                .turns = 1 / steps,
                                .steps = static_cast<std::int64_t>(map->steps_per_period())},
                               all.first(d), all.last(m));
    };
}

}  // namespace

void StroboscopicRun::complete(double t, std::vector<double>& y) {
    if (ground_) {
        completion(flow_, map_, ground_)(t, y);
    }
}

Solution StroboscopicRun::not_started() {
    count();
    return run_->not_started();
}

void StroboscopicRun::count() {
    auto& statistics = run_->statistics();
    statistics.micro_steps = flow_->micro_steps();
    statistics.force_evaluations = flow_->evaluations();
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
    if (result.outcome == Outcome::diverged && map_->failure()) {
        result.explanation += fmt::format("; of the last try: {}", *map_->failure());
        result.culprit.reset();
    }
    if ((result.outcome == Outcome::completed || result.outcome == Outcome::diverged) && steepest > limit) {
        result.outcome = Outcome::unstable;
        result.culprit.reset();
        result.explanation = fmt::format(
            "steps are too long: their length times the slope of the averaged field reaches {:.3g}, where about {} is "
            "the limit of stability; divide {} by {:.0f} or more",
            steepest, limit, remedy, std::ceil(2 * steepest / limit));
    }
    auto y = std::move(marched.final_state.position);
    Snapshot state{.t = result.reached};
    if (!known_period()) {
        state.revolutions = y.back();
    }
    y.resize(d());
    complete(state.t, y);
    const auto revolutions = state.revolutions;
    state = problem().second_order
                ? snapshot_of(state.t, y, problem().names.size(), ground_ ? ground_->names().size() : 0)
                : Snapshot{.t = state.t, .position = y};
    state.revolutions = revolutions;
    count();
    // As many micro-steps in every period.
    const double direct = static_cast<double>(flow_->evaluations()) /
                          static_cast<double>(std::max<std::int64_t>(1, flow_->micro_steps())) *
                          static_cast<double>(map_->steps_per_period()) * (result.reached - run_->request().t_start) /
                          map_->period();
    if (result.outcome == Outcome::completed) {
        run_->compare_with_direct(direct);
    }
    return run_->finished({.result = std::move(result),
                           .trajectory = std::move(marched.trajectory),
                           .final_state = std::move(state),
                           .reconstruction = reconstruction(),
                           .settling = ground_ ? completion(flow_, map_, ground_) : Settling{},
                           .advice = "; try shorter steps, or a tighter rtol where they are chosen"});
}

/// From Y(t) to the nearest stroboscopic time, a fraction of a revolution away, and from there to t with the true motion (stroboscopic,
/// section 3.1).
Reconstruction StroboscopicRun::reconstruction() const {
    return [flow = flow_, map = map_, ground = ground_, second_order = problem().second_order,
            names = problem().names.size(), t_start = run_->request().t_start](const Snapshot& slow) {
        std::vector<double> z = slow.position;
        if (second_order) {
            z.insert(z.end(), slow.velocity.begin(), slow.velocity.end());
        }
        z.push_back(slow.t);
        const std::size_t d = z.size() - 1;
        const double revolutions = slow.revolutions.value_or((slow.t - t_start) / map->period());
        const double fraction = std::round(revolutions) - revolutions;
        // NOTE: times that were meant to be stroboscopic are so up to rounding.
        const auto change = fraction_of_revolution(*map, z, std::abs(fraction) > 1e-9 ? fraction : 0.0);
        for (std::size_t i = 0; i <= d; ++i) {
            z[i] += change[i];
        }
        if (ground && !ground->settle(z[d], std::span(z).first(d)).converged) {
            std::fill(z.begin(), z.end(), nan);
        }
        auto y = map->followed(z, slow.t);
        Snapshot state{.t = slow.t};
        const auto middle = y.begin() + static_cast<std::ptrdiff_t>(names);
        state.position.assign(y.begin(), middle);
        state.velocity.assign(middle, y.end());
        if (ground) {
            state.multipliers.resize(ground->names().size());
            flow->multipliers(slow.t, (slow.t - z[d]) / map->period(), y, state.multipliers);
            state.total_multipliers = state.multipliers;
        }
        return state;
    };
}

}  // namespace lento
