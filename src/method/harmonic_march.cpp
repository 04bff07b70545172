#include "method/harmonic_march.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/number.hpp"

namespace lento {
namespace {

/// The averaged force whose response comes from the past of a at all phases: m evaluations each.
class TwoScaleForce final : public MultistepForce {
public:
    /// Differences between phases are looked at with these weights, if any.
    TwoScaleForce(HarmonicAverage& average, int degree, std::vector<double> weights)
        : average_(&average), degree_(degree), weights_(std::move(weights)), differences_(average.dimension()) {}

    PhaseDoubt doubt{};

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

Pass HarmonicMarch::run(double tightness, std::span<const double> scales, PhaseDoubt& doubt) const {
    std::vector<double> weights;
    for (std::size_t i = scales.size() - average_->dimension(); i < scales.size(); ++i) {
        weights.push_back(1 / estimating_->tolerance(i, scales));
    }
    return run(tightness, scales, std::move(weights), &doubt);
}

Pass HarmonicMarch::run(double tightness, std::span<const double> scales, std::vector<double> weights,
                        PhaseDoubt* doubt) const {
    constexpr double least_turn = 10;  // radians a step; with less the differences amplify noise
    const double length = request_->t_end - request_->t_start;
    TwoScaleForce force(*average_, plan_->sweeps - 1, std::move(weights));
    auto pass = estimating_->multistep(
        force,
        {.t = request_->t_start, .y = plan_->state, .series = plan_->series, .scales = {scales.begin(), scales.end()}},
        {.longest = length / 10,
         .shortest = std::min(least_turn / average_->field().frequency(), length / 20),
         .most_steps = request_->most_steps},
        tightness, {request_->keep, request_->progress, request_->stop});
    if (doubt != nullptr) {
        *doubt = std::move(force.doubt);
    }
    return pass;
}

std::vector<double> HarmonicMarch::errors(const Pass& coarse, const Pass& fine, const Defect& defect) const {
    constexpr double safety = 4;
    constexpr std::size_t looks = 64;
    const double rounding = std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(fine.result.steps));
    // NOTE: the response is also what the start was converted with, and that error grows like any other.
    const double left_out = fine.local_errors + defect.force + defect.response;
    std::vector<double> result(fine.final_state.size());
    // As the user sees them.
    const auto differences = estimating_->differences(
        coarse, fine, looks, [&](double t, std::vector<double>& y) { average_->field().leave(t, y); });
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double difference = differences[i];
        // NOTE: by the least that it can be, a perturbation as large as what was left out, where the difference happens to vanish.
        const double grown = coarse.local_errors > 0 ? difference * left_out / coarse.local_errors : difference;
        const double own = estimating_->tolerance(i, fine.scales);
        // NOTE: no better is claimed than a twentieth of the tolerance, which nobody asked to know.
        result[i] = larger(0.05 * own, safety * (grown + defect.worst() * own) + rounding * fine.scales[i]);
    }
    return result;
}

}  // namespace lento
