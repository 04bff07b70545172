#include "method/harmonic_march.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/number.hpp"
#include "march/stoermer_cowell.hpp"

namespace lento {
namespace {

/// The averaged force whose response comes from the past of a at all phases: m evaluations each.
class TwoScaleForce final : public MultistepForce {
public:
    /// Differences between phases are looked at with these weights, if any.
    TwoScaleForce(HarmonicAverage& average, int degree, std::vector<double> weights)
        : average_(&average), degree_(degree), weights_(std::move(weights)), differences_(average.dimension()) {}

    HarmonicPass::Doubt doubt{};

    bool second_order() const override { return average_->field().second_order(); }
    std::size_t dimension() const override { return average_->dimension(); }
    std::size_t auxiliary() const override { return average_->block(); }
    int auxiliary_degree() const override { return degree_; }

    void evaluate(double t, std::span<const double> y, const AuxiliarySeries& past, std::span<double> force,
                  std::span<double> rates) override {
        // NOTE: between 10 and 30 radians a step high derivatives from the past are noise.
        const double by_step = average_->field().frequency() * past.h / 4;
        const int degree = std::min(past.degree, degree_);
        average_->respond(by_step < degree ? static_cast<int>(by_step) : degree, past.h, past.coefficients, response_);
        average_->evaluate(t, y.first(dimension()), y.subspan(dimension()), response_, rates, force);
        if (!weights_.empty() && evaluations_++ % 2 == 0) {  // once a step
            look_between(t, y, rates);
        }
    }

private:
    void look_between(double t, std::span<const double> y, std::span<const double> rates) {
        // NOTE: two harmonics that are one to the grid seldom are at a phase that is no fraction of a turn, hardly at both.
        constexpr double turns[] = {0.6180339887498949, 0.4142135623730950};
        average_->between_phases(turns[looks_++ % 2], t, y.first(dimension()), y.subspan(dimension()), response_, rates,
                                 differences_);
        double size = 0;
        for (std::size_t i = 0; i < dimension(); ++i) {
            size = larger(size, weights_[i] * std::abs(differences_[i]));
        }
        if (!(size <= doubt.size)) {
            doubt = {t, size, {y.begin(), y.end()}};
        }
    }

    HarmonicAverage* average_;
    int degree_;
    std::vector<double> weights_, differences_;
    std::size_t evaluations_ = 0, looks_ = 0;
    Response response_;
};

}  // namespace

HarmonicMarch::HarmonicMarch(HarmonicAverage& average, const HarmonicPlan& plan, const Request& request)
    : average_(&average), plan_(&plan), request_(&request) {
    // NOTE: the samples that somebody takes, and between them so many more that errors show: those taken are then among them.
    constexpr std::size_t fewest = 64;
    const std::size_t intervals = request.sink ? request.samples - 1 : fewest;
    samples_ = intervals * ((fewest + intervals - 1) / intervals) + 1;
}

double HarmonicMarch::shortest_step() const {
    constexpr double least_turn = 10;  // radians; with less the differences amplify noise
    return least_turn / average_->field().frequency();
}

double HarmonicMarch::time(std::size_t k) const {
    const double share = static_cast<double>(k) / static_cast<double>(samples_ - 1);
    return k + 1 == samples_ ? request_->t_end : request_->t_start + (request_->t_end - request_->t_start) * share;
}

double HarmonicMarch::tolerance(std::size_t i, std::span<const double> scales) const {
    return request_->atol + request_->rtol * scales[i];
}

HarmonicPass HarmonicMarch::run(double tightness, std::span<const double> scales, Watch watch) {
    HarmonicPass pass;
    pass.tightness = tightness;
    const double length = request_->t_end - request_->t_start;
    std::vector<double> weights;
    for (std::size_t i = 0; watch == Watch::yes && i < average_->dimension(); ++i) {
        weights.push_back(1 / tolerance(scales.size() - average_->dimension() + i, scales));
    }
    TwoScaleForce force(*average_, plan_->sweeps - 1, std::move(weights));
    MultistepMarch march(force, {tightness * request_->rtol, tightness * request_->atol},
                         {.longest = length / 10,
                          .shortest = std::min(shortest_step(), length / 20),
                          .most_steps = request_->most_steps});
    pass.samples.push_back(plan_->state);
    std::vector<double> y(plan_->state.size());
    const auto take = [&](DenseStep step) {
        while (pass.samples.size() < samples_ && time(pass.samples.size()) <= step.to()) {
            step.value(time(pass.samples.size()), y);
            pass.samples.push_back(y);
        }
        if (request_->keep.meets(step.from(), step.to())) {
            pass.trajectory.append(std::move(step));
        }
    };
    double reached = request_->t_start;
    const auto wants = [&](double to) {
        if (request_->progress) {
            request_->progress(to);
        }
        return request_->keep.meets(std::exchange(reached, to), to) ||
               (pass.samples.size() < samples_ && time(pass.samples.size()) <= to);
    };
    pass.result = march.run(
        {.t = request_->t_start, .y = plan_->state, .series = plan_->series, .scales = {scales.begin(), scales.end()}},
        request_->t_end, {wants, take}, request_->stop);
    pass.doubt = std::move(force.doubt);
    pass.final_state = march.state();
    pass.scales = march.scales();
    pass.local_errors = tightness * march.local_errors();
    return pass;
}

/// Between the two as the user sees them, at some of the samples.
std::vector<double> HarmonicMarch::largest_differences(const HarmonicPass& coarse, const HarmonicPass& fine) const {
    constexpr std::size_t enough = 64;
    const std::size_t count = std::min(coarse.samples.size(), fine.samples.size());
    std::vector<double> differences(fine.final_state.size(), 0.0);
    const std::size_t looks = std::min(count, enough);
    for (std::size_t look = 1; look <= looks; ++look) {
        const std::size_t k = look * count / looks - 1;  // the last among them
        auto one = coarse.samples[k];
        auto other = fine.samples[k];
        average_->field().leave(time(k), one);
        average_->field().leave(time(k), other);
        for (std::size_t i = 0; i < differences.size(); ++i) {
            differences[i] = larger(differences[i], std::abs(one[i] - other[i]));
        }
    }
    return differences;
}

std::vector<double> HarmonicMarch::errors(const HarmonicPass& coarse, const HarmonicPass& fine,
                                          const Defect& defect) const {
    constexpr double safety = 4;
    const double rounding = std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(fine.result.steps));
    // NOTE: the response is also what the start was converted with, and that error grows like any other.
    const double left_out = fine.local_errors + defect.force + defect.response;
    std::vector<double> result(fine.final_state.size());
    const auto differences = largest_differences(coarse, fine);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double difference = differences[i];
        // NOTE: by the least that it can be, a perturbation as large as what was left out, where the difference happens to vanish.
        const double grown = coarse.local_errors > 0 ? difference * left_out / coarse.local_errors : difference;
        const double own = tolerance(i, fine.scales);
        // NOTE: no better is claimed than a twentieth of the tolerance, which nobody asked to know.
        result[i] = larger(0.05 * own, safety * (grown + defect.worst() * own) + rounding * fine.scales[i]);
    }
    return result;
}

}  // namespace lento
