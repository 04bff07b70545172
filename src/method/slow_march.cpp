#include "method/slow_march.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/number.hpp"
#include "march/stoermer_cowell.hpp"

namespace lento {
namespace {

class AccelerationForce final : public MultistepForce {
public:
    AccelerationForce(const AveragedAcceleration& acceleration, std::size_t dimension)
        : acceleration_(&acceleration), dimension_(dimension) {}

    bool second_order() const override { return true; }
    std::size_t dimension() const override { return dimension_; }
    void evaluate(double t, std::span<const double> y, const AuxiliarySeries&, std::span<double> force,
                  std::span<double>) override {
        (*acceleration_)(t, y.first(dimension_), y.subspan(dimension_), force);
    }

private:
    const AveragedAcceleration* acceleration_;
    std::size_t dimension_;
};

/// As `march_macro`; the final state's position is y.
Marched march_multistep(const AveragedAcceleration& acceleration, const Request& request, std::vector<double> y) {
    constexpr double shortest = 1e-9;  // step, of the run
    const std::size_t d = y.size() / 2;
    const double length = request.t_end - request.t_start;
    AccelerationForce force(acceleration, d);
    MultistepMarch march(force, {request.rtol, request.atol},
                         {.longest = length / 10, .shortest = shortest * length, .most_steps = request.most_steps});
    MultistepStart start{.t = request.t_start, .y = std::move(y), .series = std::vector<double>(d)};
    force.evaluate(start.t, start.y, {}, start.series, {});
    Recorder recorder({request.t_start, request.t_end}, request.samples, request.sink, request.keep, request.progress);
    recorder.begin(start.y);
    auto result = march.run(
        start, request.t_end,
        {[&](double to) { return recorder.wants(to); }, [&](DenseStep step) { recorder.take(std::move(step)); }},
        request.stop);
    const double reached = result.reached;
    return {std::move(result), std::move(recorder).trajectory(), {.t = reached, .position = march.state()}};
}

}  // namespace

MacroChoice slow_march_choice(const Request& request) {
    static const MacroSolvers solvers = [] {
        MacroSolvers all = spring_solvers();
        all.adaptive.insert(all.adaptive.begin(), "stoermer-cowell");
        return all;
    }();
    auto choice = macro_choice(request.options, {request.t_start, request.t_end}, solvers);
    if (!request.options.macro && !choice.step) {
        choice.name = "stoermer-cowell";
    }
    return choice;
}

SlowMarch::SlowMarch(const Request& request, MacroChoice choice) : request_(&request), choice_(std::move(choice)) {
    // NOTE: samples that are wanted are among those taken.
    constexpr std::size_t fewest = 64;
    const std::size_t intervals = request.samples - 1;
    samples_ = intervals * ((fewest + intervals - 1) / intervals) + 1;
}

double SlowMarch::time(std::size_t k) const {
    const double share = static_cast<double>(k) / static_cast<double>(samples_ - 1);
    return k + 1 == samples_ ? request_->t_end : request_->t_start + (request_->t_end - request_->t_start) * share;
}

SlowPass SlowMarch::run(const AveragedAcceleration& acceleration, std::vector<double> y, double tightness,
                        int longer) const {
    constexpr std::int64_t most_steps = 1'000'000;  // along a slow motion
    SlowPass pass;
    Request request = *request_;
    request.rtol *= tightness;
    request.atol *= tightness;
    request.samples = samples_;
    request.most_steps = std::min(request.most_steps, most_steps);
    request.sink = [&](double, std::span<const double> state) {
        pass.samples.emplace_back(state.begin(), state.end());
    };
    MacroChoice choice = choice_;
    if (choice.step) {
        choice.step = std::min(longer * *choice.step, request.t_end - request.t_start);
    }
    auto marched = choice.name == "stoermer-cowell"
                       ? march_multistep(acceleration, request, std::move(y))
                       : march_macro(choice, {.rate = first_order_rate(acceleration), .acceleration = acceleration},
                                     request, std::move(y));
    pass.result = std::move(marched.result);
    pass.trajectory = std::move(marched.trajectory);
    pass.final_state = std::move(marched.final_state.position);
    pass.scales.assign(pass.final_state.size(), 0.0);
    for (const auto& state : pass.samples) {
        for (std::size_t i = 0; i < state.size(); ++i) {
            pass.scales[i] = larger(pass.scales[i], std::abs(state[i]));
        }
    }
    return pass;
}

std::vector<double> SlowMarch::differences(const SlowPass& one, const SlowPass& other) const {
    std::vector<double> result(one.final_state.size());
    for (std::size_t k = 0; k < std::min(one.samples.size(), other.samples.size()); ++k) {
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] = larger(result[i], std::abs(one.samples[k][i] - other.samples[k][i]));
        }
    }
    return result;
}

void SlowMarch::send_samples(const SlowPass& pass) const {
    if (!request_->sink) {
        return;
    }
    const std::size_t every = (samples_ - 1) / (request_->samples - 1);
    for (std::size_t k = 0; k < pass.samples.size(); k += every) {
        request_->sink(time(k), pass.samples[k]);
    }
}

}  // namespace lento
