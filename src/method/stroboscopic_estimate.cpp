/// Marches over the revolutions of a map that estimate their error: coarsely, then finely, micro-steps, strides and the
/// way from the slow motion to the true one all within the same share of the tolerance.
#include <algorithm>

#include <fmt/format.h>

#include "base/number.hpp"
#include "judge/price.hpp"
#include "method/stroboscopic_run.hpp"

namespace lento {
namespace {

constexpr std::size_t looks = 8;   // at the true motion
constexpr std::size_t phases = 4;  // of a period, each

/// Of the finer of two marches, from what they differ by; as in direct marches, but with the tightness to the power
/// that errors of strides have been seen to fall with.
double share_of_difference(double tightness_ratio) {
    return std::clamp(6 * std::pow(tightness_ratio, 0.8), 0.05, 1.0);
}

constexpr const char* dear = "strides over so few revolutions each are dearer than resolving all";

}  // namespace

void StroboscopicRun::set_budget() {
    constexpr double share_to_find_out = 0.15;  // of the price of resolving every revolution, for the first march
    constexpr double hopeless = 300;            // times that price, of all marches
    constexpr double least = 1e5;               // evaluations: less is no price
    const double price = estimates_ ? method::direct.judge(problem(), request()).evaluations : HUGE_VAL;
    if (run_->by_auto() && price <= most_for_resolving(problem())) {
        price_ = price;
        budget_ = share_to_find_out * price;
    } else if (!run_->by_auto() && price < HUGE_VAL) {
        budget_ = price_ = hopeless * std::max(price, least);
    }
}

void StroboscopicRun::watch_price() {
    if (too_dear()) {
        run_->refuse(Outcome::no_scale_separation, dear, Remedy::resolve);
    }
}

EstimatingMarch::Estimated StroboscopicRun::marches(const EstimatingMarch& estimating) {
    constexpr double rounding = 50 * std::numeric_limits<double>::epsilon();
    return estimating.run(
        {.first = first_tightness,
         .looser = looser,
         .least = std::min(first_tightness, rounding / request().rtol),
         .most_tighter = 1e-2,
         .most = 5},
        {.march = [&](double tightness) { return pass(estimating, tightness); },
         .prepare = {},
         .errors = [&](const Pass& coarse, const Pass& fine) { return errors(estimating, coarse, fine); }});
}

Solution StroboscopicRun::estimated() {
    const EstimatingMarch estimating(run_->interval(), request().tolerance(), request().sink ? request().samples : 0);
    auto found = marches(estimating);
    if (guess_ && map_->failure() && found.pass.result.outcome != Outcome::completed && !too_dear()) {
        // Its revolutions cannot be told by the motion alone: they are as declared.
        period_ = std::exchange(guess_, std::nullopt);
        passes_ = 0;
        fewest_ = 0;
        tightness_ = looser * first_tightness;
        take_declared();
        first_period_ = *period_;
        choose_micro_steps();
        judge_map();
        if (ready()) {
            found = marches(estimating);
        }
    }
    if (too_dear()) {
        return run_->by_auto() ? run_->leave_to(method::direct, dear) : run_->not_started();
    }
    auto& pass = found.pass;
    if (pass.result.outcome == Outcome::completed) {
        const bool between = estimating.excess(unsure_, pass.scales) > 0.5 * found.excess;
        run_->estimate(
            std::move(found.errors), pass.scales,
            map_error_ > 0.3
                ? fmt::format(
                      "; the map is wrong by {:.2g} tolerances over the run, by rounding or by kinks in the force",
                      map_error_)
            : between ? std::string("; revolutions differ too much from each other for the motion within them")
                      : std::string("; shorter strides and micro-steps do not make it smaller"));
    } else if (pass.result.outcome == Outcome::not_converged) {
        pass.result.outcome = Outcome::no_scale_separation;
    }
    auto complete = completion();
    estimating.send(pass, request().sink, [&](double t, std::vector<double>& y) {
        y.resize(d());
        if (complete) {
            complete(t, y);
        }
    });
    const double reached = pass.result.reached;
    return finished(
        {std::move(pass.result), std::move(pass.trajectory), {.t = reached, .position = std::move(pass.final_state)}},
        0, HUGE_VAL, "");
}

Pass StroboscopicRun::pass(const EstimatingMarch& estimating, double tightness) {
    const auto before = flow_->evaluations();
    if (passes_++ > 0) {
        constexpr double more = 1.15;  // so that what they are wrong by shows
        fewest_ = static_cast<std::size_t>(std::ceil(more * static_cast<double>(chosen_)));
        tightness_ = tightness;
        map_error_ = 0;
        choose_micro_steps();
    }
    chosen_ = map_->steps_per_period();
    next_look_ = request().t_start;
    Pass pass{.tightness = tightness_};
    const bool keeps = tightness <= first_tightness;
    Recorder recorder(
        run_->interval(), estimating.samples(), [&](double t, In y) { pass.samples.append(t, y); },
        keeps ? request().keep : Recorder::Keep::nothing, request().progress);
    auto z = start();
    auto begin = run_->start();
    if (!known_period()) {
        begin.push_back(0);
    }
    recorder.begin(begin);
    auto limits = settings(8, std::nullopt);
    if (std::isfinite(sudden_.time)) {  // a stride over more would not see it
        constexpr double share = 0.3;   // of tau: a burst then is seen by ten strides
        limits.longest_stride =
            std::max(1.0, std::floor(share * sudden_.time / first_period_ * std::pow(0.7, passes_ - 1)));
    }
    choose_looks(estimating);
    auto march = march_map(limits, true, recorder, z);
    last_period_ = map_->period();
    pass.result = std::move(march.result);
    pass.trajectory = std::move(recorder).trajectory();
    pass.final_state = std::move(march.final_y);
    if (pass.result.outcome == Outcome::completed) {
        look_at_motion(pass);
        if (first_not_finite(unsure_)) {
            end_as(pass.result, Outcome::no_scale_separation,
                   fmt::format(
                       "revolutions differ too much from each other for the motion between them; use the method {}",
                       method::direct.name));
        }
    } else if (pass.result.outcome == Outcome::no_scale_separation && passes_ > 1) {
        pass.result.outcome = Outcome::not_converged;  // with so small a tolerance; a larger one may do
    }
    last_ = flow_->evaluations() - before;
    budget_ = price_;  // of all: the first has told that it may be worth it
    return pass;
}

/// Keeps a point of the step a whole number of revolutions from the start, near each look that is in the step. NOTE:
/// the point is as exact as the march; what lies between such points is not, where revolutions differ much.
void StroboscopicRun::note_strobes(const DenseStep& dense) {
    std::vector<double> y(dense.dimension());
    const auto revolutions_at = [&](double t) {
        if (known_period()) {
            return (t - request().t_start) / *period_;
        }
        dense.value(t, y);
        return y.back();
    };
    for (auto& strobe : strobes_) {
        if (!(strobe.look > dense.from() && strobe.look <= dense.to())) {
            continue;
        }
        const double rounding = 1e-6;
        const double first = std::round(revolutions_at(dense.from()));
        const double last = std::floor(revolutions_at(dense.to()) + rounding);
        const double wanted = std::clamp(std::round(revolutions_at(strobe.look)), first, std::max(first, last));
        double low = dense.from();
        double high = dense.to();
        for (int k = 0; k < 60 && wanted > first; ++k) {
            const double middle = 0.5 * (low + high);
            (revolutions_at(middle) < wanted ? low : high) = middle;
        }
        const double t = wanted > first ? high : low;
        dense.value(t, y);
        strobe.z.assign(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(d()));
        settle(ground_, t, strobe.z);
        strobe.z.push_back(t);
    }
}

void StroboscopicRun::look_at_motion(Pass& pass) {
    const auto true_motion = motion();
    pass.scales.assign(d(), 0.0);
    unsure_.assign(d(), 0.0);
    const auto include = [&](In y) {
        for (std::size_t i = 0; i < d(); ++i) {
            pass.scales[i] = larger(pass.scales[i], std::abs(y[i]));
        }
    };
    SampleStore::Reader samples(pass.samples);
    for (std::size_t k = 0; k < samples.size(); ++k) {
        include(samples[k]);
    }
    for (const auto& strobe : strobes_) {
        for (std::size_t part = 0; part < phases; ++part) {
            const double later = first_period_ * static_cast<double>(part) / phases;
            include(pass.looks.emplace_back(map_->followed(strobe.z, strobe.look + later)));
        }
        const In sample = samples[strobe.sample];
        const auto revolutions = known_period() ? std::nullopt : std::optional(sample.back());
        const std::vector<double> slow(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(d()));
        const auto given = map_->followed(true_motion.strobe(slow, strobe.look, revolutions), strobe.look);
        const auto& known = pass.looks[pass.looks.size() - phases];
        for (std::size_t i = 0; i < d(); ++i) {
            unsure_[i] = larger(unsure_[i], std::abs(given[i] - known[i]));
        }
    }
    map_->expect(last_period_);
}

void StroboscopicRun::choose_looks(const EstimatingMarch& estimating) {
    strobes_.clear();
    const std::size_t count = estimating.samples() - 1;
    for (std::size_t look = 1; look <= std::min(looks, count); ++look) {
        const std::size_t k = look * count / std::min(looks, count);
        strobes_.push_back({k, estimating.time(k), {}});
    }
}

std::vector<double> StroboscopicRun::errors(const EstimatingMarch& estimating, const Pass& coarse,
                                            const Pass& fine) const {
    auto errors = estimating.differences(coarse, fine);
    errors.resize(d());
    for (std::size_t k = 0; k < std::min(coarse.looks.size(), fine.looks.size()); ++k) {
        for (std::size_t i = 0; i < d(); ++i) {
            errors[i] = larger(errors[i], std::abs(coarse.looks[k][i] - fine.looks[k][i]));
        }
    }
    const double share = share_of_difference(fine.tightness / coarse.tightness);
    for (std::size_t i = 0; i < d(); ++i) {
        errors[i] = share * errors[i] + unsure_[i] + map_error_ * estimating.tolerance(i, fine.scales);
    }
    return errors;
}

}  // namespace lento
