#include "method/harmonic_march.hpp"

#include "base/number.hpp"
#include "lento/run/macro.hpp"
#include "method/response_between.hpp"

namespace lento {
namespace {

/// The averaged force whose response comes from the past of a, by its harmonics: m evaluations each.
class TwoScaleForce final : public MultistepForce {
public:
    TwoScaleForce(HarmonicAverage& average, int degree, std::vector<double> weights)
        : average_(&average), degree_(degree), weights_(std::move(weights)) {}

    bool second_order() const override { return average_->field().second_order(); }
    std::size_t dimension() const override { return average_->dimension(); }
    std::size_t auxiliary() const override { return average_->harmonics(); }
    int auxiliary_degree() const override { return degree_; }

    void evaluate(double t, In y, const AuxiliarySeries& past, Out force, Out rates) override {
        average_->respond(past.degree, past.h, past.coefficients, past.stride, response_);
        average_->evaluate(t, y.first(dimension()), y.subspan(dimension()), response_, rates, force);
    }

    void accepted(double t, In y, const AuxiliarySeries& past, In force, In rates) override {
        // NOTE: from one step to the next little changes.
        constexpr int steps_a_look = 4;
        if (steps_++ % steps_a_look != 0) {
            return;
        }
        const double* last = past.coefficients + static_cast<std::size_t>(past.degree) * past.stride;
        average_->respond_to_last(past.degree, past.h, last, last_term_);
        const auto& swing = second_order() ? last_term_.velocity : last_term_.displacement;
        compare(worst_by_phases_, size(rates, 2), doubts_.phases, t, y, force, rates);
        compare(worst_by_sweeps_, size(swing, average_->grid().highest()), doubts_.sweeps, t, y, force, rates);
    }

    HarmonicDoubts doubts(double t, const std::vector<double>& state) && {
        doubts_.end = {.t = t, .state = state, .response = std::move(response_)};
        return std::move(doubts_);
    }

private:
    /// Of the highest harmonics, so many of them, over the tolerances of what F changes.
    double size(In harmonics, std::size_t count) const {
        const std::size_t highest = average_->grid().highest();
        return largest_of(dimension(), [&](std::size_t i) {
            double sum = 0;
            for (std::size_t c = 2 * (highest - std::min(count, highest)); c < 2 * highest; ++c) {
                sum += std::abs(harmonics[2 * i * highest + c]);
            }
            return weights_[i] * sum;
        });
    }
    void compare(double& worst, double size, HarmonicSpot& spot, double t, In y, In force, In rates) const {
        if (size <= worst) {
            return;
        }
        worst = size;
        spot = {.t = t,
                .state = {y.begin(), y.end()},
                .response = response_,
                .last_term = last_term_,
                .force = {force.begin(), force.end()},
                .rates = {rates.begin(), rates.end()}};
    }

    HarmonicAverage* average_;
    int degree_;
    int steps_ = 0;
    std::vector<double> weights_;  // one over the tolerances of what F changes
    Response response_, last_term_;
    HarmonicDoubts doubts_;
    double worst_by_phases_ = -1, worst_by_sweeps_ = -1;
};

}  // namespace

Pass HarmonicMarch::run(double tightness, In scales, HarmonicDoubts& doubts) const {
    constexpr double least_turn = 10;  // radians a step; with less the differences amplify noise
    const double length = request.t_end - request.t_start;
    // NOTE: where nothing else limits steps, a tighter march takes shorter ones too: of two that are alike the
    // difference tells nothing.
    const double longest = std::min(length / 7, sudden / 2) * std::pow(std::min(tightness, 1.0), 1.0 / 9);
    std::vector<double> weights;
    for (std::size_t i = scales.size() - average.dimension(); i < scales.size(); ++i) {
        weights.push_back(1 / estimating.tolerance(i, scales));
    }
    TwoScaleForce force(average, plan.sweeps - 1, std::move(weights));
    auto pass = estimating.multistep(
        force, {.t = request.t_start, .y = plan.state, .series = plan.series, .scales = {scales.begin(), scales.end()}},
        {.longest = longest,
         .shortest = std::min(least_turn / average.field().frequency(), length / 20),
         .highest_order = 14,
         .most_steps = request.most_steps},
        tightness, {request.keep, request.progress, request.stop});
    doubts = std::move(force).doubts(pass.result.reached, pass.final_state);
    return pass;
}

std::vector<double> HarmonicMarch::errors(const Pass& coarse, const Pass& fine, const Defect& defect) const {
    constexpr double safety = 4;
    constexpr std::size_t looks = 64;
    const double rounding = std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(fine.result.steps));
    // NOTE: the response is also what the start was converted with, and that error grows like any other.
    const double left_out = fine.local_errors + defect.force + defect.response;
    // NOTE: where both left out nearly the same, their difference tells little.
    const double alike = fine.local_errors > 0.2 * coarse.local_errors ? fine.local_errors : 0.0;
    std::vector<double> result(fine.final_state.size());
    // As the user sees them.
    const auto differences = estimating.differences(
        coarse, fine, looks, [&](double t, std::vector<double>& y) { average.field().leave(t, y); });
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double grown = coarse.local_errors > 0 ? differences[i] * left_out / coarse.local_errors : differences[i];
        const double own = estimating.tolerance(i, fine.scales);
        // NOTE: where the difference happens to vanish, what was left out is added as it is.
        // NOTE: no better is claimed than a twentieth of the tolerance, which nobody asked to know.
        result[i] = larger(0.05 * own, safety * (grown + (defect.worst() + alike) * own) + rounding * fine.scales[i]);
    }
    return result;
}

Snapshot HarmonicResponse::operator()(const Snapshot& slow) const {
    average->sweep(sweeps, slow.t, slow.position, slow.velocity);
    return moved(slow, at_phase(*average, average->response(), field->phase(slow.t)));
}

Reconstruction HarmonicResponse::between(std::span<const Snapshot> looks) const {
    ResponseBetween found(*average);
    for (const auto& look : looks) {
        average->sweep(sweeps, look.t, look.position, look.velocity);
        found.add(look.t, average->response());
    }
    return [response = *this, found = std::move(found)](const Snapshot& slow) mutable {
        const auto change = found.at(slow.t, response.field->phase(slow.t));
        return response.moved(slow, change);
    };
}

Snapshot HarmonicResponse::moved(const Snapshot& slow, In change) const {
    const std::size_t n = field->dimension();
    const std::size_t unknowns = field->second_order() ? 2 * n : n;
    auto y = put_together(slow.position, field->second_order() ? In(slow.velocity) : In());
    add_to(y, 1, change);
    field->leave(slow.t, y);
    y.resize(unknowns + field->constraints());
    const Out all(y);
    field->multipliers(slow.t, all.first(unknowns), all.subspan(unknowns));
    Snapshot fast = snapshot_of(slow.t, y, n, field->constraints());
    fast.total_multipliers = fast.multipliers;
    return fast;
}

Settling mean_multipliers(const HarmonicResponse& response) {
    if (response.field->constraints() == 0 || !response.average) {
        return {};
    }
    return [response](double t, std::vector<double>& y) {
        const auto& [field, average, sweeps] = response;
        const std::size_t n = field->dimension();
        y.resize(2 * n);
        average->sweep(sweeps, t, std::span(y).first(n), std::span(y).last(n));
        for (int k = 0; k < 2; ++k) {
            y.insert(y.end(), field->mean_multipliers().begin(), field->mean_multipliers().end());
        }
    };
}

}  // namespace lento
