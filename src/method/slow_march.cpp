#include "method/slow_march.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/number.hpp"

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

Pass multistep_pass(const EstimatingMarch& estimating, const Request& request, const AveragedAcceleration& acceleration,
                    std::vector<double> y, double tightness) {
    constexpr double shortest = 1e-9;  // step, of the run
    const std::size_t d = y.size() / 2;
    const double length = request.t_end - request.t_start;
    AccelerationForce force(acceleration, d);
    MultistepStart start{.t = request.t_start, .y = std::move(y), .series = std::vector<double>(d)};
    force.evaluate(start.t, start.y, {}, start.series, {});
    return estimating.multistep(
        force, start, {.longest = length / 10, .shortest = shortest * length, .most_steps = request.most_steps},
        tightness, {request.keep, request.progress, request.stop});
}

/// The same by the other solvers.
Pass macro_pass(const EstimatingMarch& estimating, MacroChoice choice, Request request,
                const AveragedAcceleration& acceleration, std::vector<double> y, double tightness, int longer) {
    Pass pass{.tightness = tightness};
    request.rtol *= tightness;
    request.atol *= tightness;
    request.samples = estimating.samples();
    request.sink = [&](double, std::span<const double> state) {
        pass.samples.emplace_back(state.begin(), state.end());
    };
    if (choice.step) {
        choice.step = std::min(longer * *choice.step, request.t_end - request.t_start);
    }
    auto marched = march_macro(choice, {.rate = first_order_rate(acceleration), .acceleration = acceleration}, request,
                               std::move(y));
    pass.result = std::move(marched.result);
    pass.trajectory = std::move(marched.trajectory);
    pass.final_state = std::move(marched.final_state.position);
    return pass;
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

Pass slow_pass(const EstimatingMarch& estimating, const MacroChoice& choice, const Request& request,
               const AveragedAcceleration& acceleration, std::vector<double> y, double tightness, int longer) {
    constexpr std::int64_t most_steps = 1'000'000;  // along a slow motion
    Request limited = request;
    limited.most_steps = std::min(request.most_steps, most_steps);
    auto pass = choice.name == "stoermer-cowell"
                    ? multistep_pass(estimating, limited, acceleration, std::move(y), tightness)
                    : macro_pass(estimating, choice, limited, acceleration, std::move(y), tightness, longer);
    pass.scales.assign(pass.final_state.size(), 0.0);
    for (const auto& state : pass.samples) {
        for (std::size_t i = 0; i < state.size(); ++i) {
            pass.scales[i] = larger(pass.scales[i], std::abs(state[i]));
        }
    }
    return pass;
}

}  // namespace lento
