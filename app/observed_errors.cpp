/// What the error of a state makes of quantities that follow from it, by the chain rule:
///
///     error of g(y) = max over samples of sum_i |dg/dy_i| error_i
///
/// with differences of one step to either side, the larger of both: the derivative may be zero where g is not flat.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.hpp"
#include "model_run.hpp"

namespace lento::app {
namespace {

constexpr std::size_t most_samples = 12;
constexpr std::size_t most_numbers = 2000;  // of a state: each is moved to either side

/// The number i of a state, positions before velocities.
double& number(Snapshot& state, std::size_t i) {
    const std::size_t d = state.position.size();
    return i < d ? state.position[i] : state.velocity[i - d];
}

/// Some of the samples and the end, as true states where the method gives them.
std::vector<Snapshot> looked_at(const LoadedModel& loaded, const Solution& solution, const SampleStore& samples) {
    std::vector<Snapshot> states{solution.final_state()};
    const std::size_t stride = samples.size() / most_samples + 1;
    SampleStore::Reader reader(samples);
    for (std::size_t k = 0; k < samples.size(); k += stride) {
        states.push_back(loaded.model.snapshot(reader.t(k), reader[k]));
    }
    if (solution.has_fast()) {
        std::ranges::transform(states, states.begin(), [&](const auto& state) { return solution.reconstruct(state); });
    }
    return states;
}

/// Of the components of a state, and with them of what is observed.
RunOutput::Named followed(const LoadedModel& loaded, const Solution& solution, const SampleStore& samples,
                          const std::vector<double>& errors) {
    const auto& names = loaded.model.columns();
    RunOutput::Named estimates;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        estimates.emplace_back(names[i], errors[i]);
    }
    const std::size_t first = errors.size() + 2 * loaded.model.parsed().constraints.size();  // after the multipliers
    if (errors.empty() || errors.size() > most_numbers || first >= names.size()) {
        return estimates;
    }
    auto states = looked_at(loaded, solution, samples);
    std::vector<double> steps(errors.size());
    for (std::size_t i = 0; i < errors.size(); ++i) {
        for (auto& state : states) {
            steps[i] = larger(steps[i], std::abs(number(state, i)));
        }
        steps[i] = std::max(std::cbrt(std::numeric_limits<double>::epsilon()) * steps[i], errors[i]);
    }
    std::vector<double> largest(names.size() - first);
    for (auto& state : states) {
        const auto here = loaded.model.row(state);
        std::vector<double> sum(largest.size());
        for (std::size_t i = 0; i < errors.size(); ++i) {
            if (steps[i] == 0) {
                continue;
            }
            const double value = std::exchange(number(state, i), 0);
            number(state, i) = value + steps[i];
            const auto above = loaded.model.row(state);
            number(state, i) = value - steps[i];
            const auto below = loaded.model.row(state);
            number(state, i) = value;
            for (std::size_t k = 0; k < sum.size(); ++k) {
                const double middle = here[first + k];
                const double change = larger(std::abs(above[first + k] - middle), std::abs(below[first + k] - middle));
                sum[k] += change / steps[i] * errors[i];
            }
        }
        for (std::size_t k = 0; k < sum.size(); ++k) {
            largest[k] = larger(largest[k], sum[k]);
        }
    }
    for (std::size_t k = 0; k < largest.size(); ++k) {
        estimates.emplace_back(names[first + k], largest[k]);
    }
    return estimates;
}

}  // namespace

RunOutput::Named estimates_by_name(const LoadedModel& loaded, const Solution& solution, const SampleStore& samples) {
    const auto& record = solution.record();
    auto estimates = followed(loaded, solution, samples, record.error_estimate);
    if (const auto& of_slow = record.slow_error_estimate; !of_slow.empty()) {
        estimates.resize(record.error_estimate.size());
        std::size_t output = 0;
        for (const auto& [name, alternative] : loaded.problem.slow->names()) {
            estimates.emplace_back(name, of_slow[output]);
            output += alternative.empty() ? 1 : 2;
        }
    }
    return estimates;
}

RunOutput::Named left_out_by_name(const LoadedModel& loaded, const Solution& solution, const SampleStore& samples) {
    return followed(loaded, solution, samples, solution.record().left_out);
}

}  // namespace lento::app
