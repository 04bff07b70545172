#include "judge/sudden.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lento/march/result.hpp"
#include "problem/probe.hpp"

namespace lento {

Suddenness suddenness(const Problem& problem, const Outset& outset) {
    constexpr int looks = 1024;
    constexpr double rounding = 1e-12;  // of a component: less than that is no change
    Suddenness found;
    if (!problem.time_dependent) {
        return found;
    }
    const ProbeStates probes(outset.start, outset.velocity, outset.t_start, outset.t_end, problem.scales);
    const auto& state = probes.states[1];
    const std::vector<double> theta(problem.phases.size(), 1.0);
    const std::size_t d = problem.dimension();
    std::vector<double> f(d), before(d), low(d, HUGE_VAL), high(d, -HUGE_VAL), steepest(d, 0.0);
    const auto evaluate = [&](double t) {
        problem.forces.at(state.x.data(), problem.second_order ? state.v.data() : nullptr, t, theta.data(),
                          problem.parameters.data(), f.data());
        ++found.evaluations;
    };
    // NOTE: what is finite at no time at all does not see the time.
    evaluate(NAN);
    if (!first_not_finite(f)) {
        return found;
    }
    const double spacing = outset.length() / looks;
    for (int k = 0; k <= looks; ++k) {
        evaluate(outset.t_start + k * spacing);
        for (std::size_t i = 0; i < d; ++i) {
            low[i] = std::min(low[i], f[i]);
            high[i] = std::max(high[i], f[i]);
            steepest[i] = std::max(steepest[i], k > 0 ? std::abs(f[i] - before[i]) : 0.0);
        }
        before = f;
    }
    for (std::size_t i = 0; i < d; ++i) {
        const double range = high[i] - low[i];
        if (range > rounding * std::max(std::abs(low[i]), std::abs(high[i]))) {
            found.time = std::min(found.time, spacing * range / steepest[i]);
        }
    }
    return found;
}

}  // namespace lento
