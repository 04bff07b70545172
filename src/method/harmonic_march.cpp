#include "method/harmonic_march.hpp"

#include "base/number.hpp"
#include "lento/run/macro.hpp"
#include "method/response_between.hpp"

namespace lento {
namespace {

/// The averaged force whose response comes from the past of a at all phases: m evaluations each.
class TwoScaleForce final : public MultistepForce {
public:
    TwoScaleForce(HarmonicAverage& average, int degree)
        : average_(&average),
          degree_(degree),
          between_{average.between(0.6180339887498949), average.between(0.4142135623730950)},
          differences_(average.dimension()) {}

    std::vector<double> weights{};  ///< with which differences between phases are looked at, if they are
    PhaseDoubt doubt{};

    bool second_order() const override { return average_->field().second_order(); }
    std::size_t dimension() const override { return average_->dimension(); }
    std::size_t auxiliary() const override { return average_->block(); }
    int auxiliary_degree() const override { return degree_; }

    void evaluate(double t, In y, const AuxiliarySeries& past, Out force, Out rates) override {
        // NOTE: between 10 and 30 radians a step high derivatives from the past are noise.
        const double by_step = average_->field().frequency() * past.h / 4;
        const int degree = std::min(past.degree, degree_);
        average_->respond(by_step < degree ? static_cast<int>(by_step) : degree, past.h, past.coefficients, response_);
        average_->evaluate(t, y.first(dimension()), y.subspan(dimension()), response_, rates, force);
        if (!weights.empty() && evaluations_++ % 2 == 0) {  // once a step
            look_between(t, y, rates);
        }
    }

private:
    void look_between(double t, In y, In rates) {
        average_->between_phases(between_[looks_++ % between_.size()], t, y.first(dimension()), y.subspan(dimension()),
                                 response_, rates, differences_);
        const double size =
            largest_of(dimension(), [&](std::size_t i) { return weights[i] * std::abs(differences_[i]); });
        if (!(size <= doubt.size)) {
            doubt = {t, size, {y.begin(), y.end()}};
        }
    }

    HarmonicAverage* average_;
    int degree_;
    // NOTE: two harmonics that are one to the grid seldom are at a phase that is no fraction of a turn.
    std::array<PhaseBetween, 2> between_;
    std::vector<double> differences_;
    std::size_t evaluations_ = 0, looks_ = 0;
    Response response_;
};

}  // namespace

Pass HarmonicMarch::run(double tightness, In scales, PhaseDoubt* doubt) const {
    constexpr double least_turn = 10;  // radians a step; with less the differences amplify noise
    const double length = request.t_end - request.t_start;
    TwoScaleForce force(average, plan.sweeps - 1);
    for (std::size_t i = scales.size() - average.dimension(); doubt != nullptr && i < scales.size(); ++i) {
        force.weights.push_back(1 / estimating.tolerance(i, scales));
    }
    auto pass = estimating.multistep(
        force, {.t = request.t_start, .y = plan.state, .series = plan.series, .scales = {scales.begin(), scales.end()}},
        {.longest = std::min(length / 10, sudden / 2),
         .shortest = std::min(least_turn / average.field().frequency(), length / 20),
         .most_steps = request.most_steps},
        tightness, {request.keep, request.progress, request.stop});
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
    const auto differences = estimating.differences(
        coarse, fine, looks, [&](double t, std::vector<double>& y) { average.field().leave(t, y); });
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double grown = coarse.local_errors > 0 ? differences[i] * left_out / coarse.local_errors : differences[i];
        const double own = estimating.tolerance(i, fine.scales);
        // NOTE: where the difference happens to vanish, what was left out is added as it is.
        // NOTE: no better is claimed than a twentieth of the tolerance, which nobody asked to know.
        result[i] = larger(0.05 * own, safety * (grown + defect.worst() * own) + rounding * fine.scales[i]);
    }
    return result;
}

Snapshot HarmonicResponse::operator()(const Snapshot& slow) const {
    average->sweep(sweeps, slow.t, slow.position, slow.velocity);
    return moved(slow, at_phase(*average, average->response(), field->phase(slow.t)));
}

Reconstruction HarmonicResponse::between(std::span<const Snapshot> looks) const {
    ResponseBetween found(average->grid().size());
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
