#include "judge/sudden.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "lento/march/result.hpp"
#include "problem/probe.hpp"

namespace lento {
namespace {

constexpr int looks = 1024;

/// The right-hand side at a state near the start, at other times and phases.
class Held {
public:
    Held(const Problem& problem, const Outset& outset)
        : problem_(&problem),
          probes_(outset.start, outset.velocity, outset.t_start, outset.t_end, problem.scales),
          theta_(problem.phases.size(), 1.0),
          f_(problem.dimension()) {}

    In at(double t) {
        const auto& state = probes_.states[1];
        problem_->forces.at(state.x.data(), problem_->second_order ? state.v.data() : nullptr, t, theta_.data(),
                            problem_->parameters.data(), f_.data());
        return f_;
    }
    std::vector<double>& theta() { return theta_; }

private:
    const Problem* problem_;
    ProbeStates probes_;
    std::vector<double> theta_, f_;
};

}  // namespace

void Changes::add(In values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        low_[i] = std::min(low_[i], values[i]);
        high_[i] = std::max(high_[i], values[i]);
        steepest_[i] = std::max(steepest_[i], first_ ? 0.0 : std::abs(values[i] - before_[i]));
        before_[i] = values[i];
    }
    first_ = false;
}

double Changes::shortest() const {
    constexpr double rounding = 1e-12;  // of a component: less than that is no change
    double shortest = HUGE_VAL;
    for (std::size_t i = 0; i < before_.size(); ++i) {
        const double range = high_[i] - low_[i];
        if (range > rounding * std::max(std::abs(low_[i]), std::abs(high_[i]))) {
            shortest = std::min(shortest, range / steepest_[i]);
        }
    }
    return shortest;
}

Suddenness suddenness(const Problem& problem, const Outset& outset) {
    if (!problem.time_dependent) {
        return {};
    }
    Held held(problem, outset);
    // NOTE: what is finite at no time at all does not see the time.
    if (!first_not_finite(held.at(NAN))) {
        return {.evaluations = 1};
    }
    const double spacing = outset.length() / looks;
    Changes changes(problem.dimension());
    for (int k = 0; k <= looks; ++k) {
        changes.add(held.at(outset.t_start + k * spacing));
    }
    return {spacing * changes.shortest(), looks + 2};
}

Suddenness sharpness(const Problem& problem, const Outset& outset) {
    constexpr double sharp = 0.5;  // radians: a sine takes 2, and steps that resolve it need no limit
    constexpr double spacing = 2 * std::numbers::pi / looks;
    Suddenness found;
    Held held(problem, outset);
    for (std::size_t j = 0; j < problem.phases.size(); ++j) {
        Changes changes(problem.dimension());
        for (int k = 0; k <= looks; ++k) {
            held.theta()[j] = k * spacing;
            changes.add(held.at(outset.t_start));
        }
        const double tau = spacing * changes.shortest();
        held.theta()[j] = 1;
        found.evaluations += looks + 1;
        if (tau < sharp) {
            found.time = std::min(found.time, tau / problem.phases[j].frequency);
        }
    }
    return found;
}

}  // namespace lento
