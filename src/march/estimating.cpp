#include "march/estimating.hpp"

#include <algorithm>
#include <utility>

#include "base/number.hpp"

namespace lento {

EstimatingMarch::EstimatingMarch(Interval interval, Tolerance tolerance, std::size_t wanted)
    : interval_(interval), tolerance_(std::move(tolerance)) {
    constexpr std::size_t fewest = 64;
    const std::size_t intervals = wanted > 1 ? wanted - 1 : fewest;
    every_ = (fewest + intervals - 1) / intervals;
    samples_ = intervals * every_ + 1;
}

double EstimatingMarch::time(std::size_t k) const {
    const double share = static_cast<double>(k) / static_cast<double>(samples_ - 1);
    return k + 1 == samples_ ? interval_.to : interval_.from + interval_.length() * share;
}

void EstimatingMarch::send(const Pass& pass, const SampleSink& sink, const Change& complete) const {
    SampleStore::Reader samples(pass.samples);
    std::vector<double> y;
    for (std::size_t k = 0; sink && k < samples.size(); k += every_) {
        y.assign(samples[k].begin(), samples[k].end());
        if (complete) {
            complete(time(k), y);
        }
        sink(time(k), y);
    }
}

double EstimatingMarch::excess(std::span<const double> errors, std::span<const double> scales) const {
    double worst = 0;
    for (std::size_t i = 0; i < scales.size(); ++i) {
        worst = larger(worst, errors[i] / tolerance(i, scales));
    }
    return worst;
}

std::vector<double> EstimatingMarch::differences(const Pass& one, const Pass& other, std::size_t most,
                                                 const Change& seen) const {
    const std::size_t count = std::min(one.samples.size(), other.samples.size());
    const std::size_t looks = std::min(count, most);
    SampleStore::Reader of_one(one.samples), of_other(other.samples);
    std::vector<double> result(other.final_state.size(), 0.0), a, b;
    for (std::size_t look = 1; look <= looks; ++look) {
        const std::size_t k = look * count / looks - 1;  // the last among them
        a.assign(of_one[k].begin(), of_one[k].end());
        b.assign(of_other[k].begin(), of_other[k].end());
        if (seen) {
            seen(time(k), a);
            seen(time(k), b);
        }
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] = larger(result[i], std::abs(a[i] - b[i]));
        }
    }
    return result;
}

Pass EstimatingMarch::multistep(MultistepForce& force, const MultistepStart& start, const MultistepLimits& limits,
                                double tightness, const Surroundings& surroundings) const {
    Pass pass{.tightness = tightness};
    Recorder recorder(
        interval_, samples_, [&](double t, std::span<const double> y) { pass.samples.append(t, y); }, surroundings.keep,
        surroundings.progress);
    recorder.begin(start.y);
    MultistepMarch march(force, tolerance_.times(tightness), limits);
    pass.result = march.run(
        start, interval_.to,
        {[&](double to) { return recorder.wants(to); }, [&](DenseStep step) { recorder.take(std::move(step)); }},
        surroundings.stop);
    pass.trajectory = std::move(recorder).trajectory();
    pass.final_state = march.state();
    pass.scales = march.scales();
    pass.local_errors = tightness * march.local_errors();
    return pass;
}

EstimatingMarch::Estimated EstimatingMarch::run(const Schedule& schedule, const Passes& passes) const {
    const auto completed = [](const Pass& pass) { return pass.result.outcome == Outcome::completed; };
    const bool given = schedule.steps == Schedule::Steps::given;
    double tightness = std::max(schedule.first, schedule.least);
    Estimated last{.pass = passes.march(schedule.looser * tightness)};
    if (schedule.most == 0 || (!completed(last.pass) && !given)) {
        return last;
    }
    if (passes.prepare) {
        passes.prepare(last.pass);
    }
    if (schedule.sum && last.pass.local_errors > 0) {
        // Local errors are in proportion to what they may be.
        constexpr double least = 10;  // times tighter
        constexpr double most = 2000;
        tightness = last.pass.tightness / std::clamp(last.pass.local_errors / *schedule.sum, least, most);
        tightness = std::max(tightness, schedule.least);
    }
    double too_tight = 0;  // steps became too short with it
    for (int k = 0; k < schedule.most; ++k) {
        auto fine = passes.march(tightness);
        const bool too_short = fine.result.outcome == Outcome::not_converged && !given;
        if (too_short && last.pass.tightness > 4 * tightness) {
            too_tight = tightness;
            tightness = std::sqrt(tightness * last.pass.tightness);
            continue;
        }
        if (too_short && std::isfinite(last.excess)) {
            break;
        }
        if (!completed(fine) || !completed(last.pass)) {
            return {.pass = std::move(fine)};
        }
        // NOTE: a pass that could not be much tighter than the one before tells nothing of its error.
        if (std::isfinite(last.excess) && fine.tightness > 0.5 * last.pass.tightness) {
            break;
        }
        last.errors = passes.errors(last.pass, fine);
        last.excess = excess(last.errors, fine.scales);
        last.pass = std::move(fine);
        // NOTE: tighter by what is missing, but not where steps became too short before.
        const double tighter = std::max({tightness * std::clamp(0.3 / last.excess, schedule.most_tighter, 0.3),
                                         std::sqrt(tightness * too_tight), schedule.least});
        const bool rounding = last.pass.tightness > 2 * tightness;
        if (last.excess <= 1 || given || rounding || tighter > 0.9 * tightness) {
            break;
        }
        tightness = tighter;
    }
    return last;
}

}  // namespace lento
