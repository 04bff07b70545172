#include "average/slow_manifold.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/number.hpp"

namespace lento {

SlowManifold::SlowManifold(const Problem& problem, MultiplierExpansion& expansion)
    : problem_(&problem),
      expansion_(&expansion),
      matrix_(problem.springs->measures->pattern(), problem.mass),
      directions_(problem.springs->measures->pattern().entries()),
      values_(problem.springs->entries.size()),
      rates_(values_.size()),
      step_(problem.dimension()),
      scratch_(problem.dimension()) {}

SlowManifold::Ending SlowManifold::operator()(int sweeps, double t, std::span<double> x, std::span<double> v) {
    constexpr int most_iterations = 20;
    constexpr double small = 1e-10;  // then only rounding is left
    problem_->springs->measures->gradient(x, t, directions_);
    double before = HUGE_VAL;
    double length = 0;
    double speed = 0;
    for (iterations_ = 1; iterations_ <= most_iterations; ++iterations_) {
        if (!(*expansion_)(sweeps, MultiplierExpansion::Wanted::values_and_rates, t, x, v)) {
            return expansion_->dependent() ? Ending::dependent : Ending::too_far;
        }
        if (residual_ = before; before == 0) {
            return Ending::settled;
        }
        problem_->springs->measures->values(x, t, values_);
        problem_->springs->measures->rates(x, v, t, Clock::running, rates_);
        for (std::size_t j = 0; j < values_.size(); ++j) {
            const double strength = problem_->springs->entries[j].strength;
            values_[j] -= expansion_->multipliers()[j] / strength;
            rates_[j] -= expansion_->rates()[j] / strength;
        }
        if (!matrix_.factorise(expansion_->gradient(), directions_)) {
            return Ending::dependent;
        }
        const double moved = move(values_, x);
        const double kicked = move(rates_, v);
        length = larger(larger(length, largest(x)), moved);
        speed = larger(larger(speed, largest(v)), kicked);
        const double change = larger(moved > 0 ? moved / length : 0, kicked > 0 ? kicked / speed : 0);
        if (!std::isfinite(change)) {
            return Ending::too_far;
        }
        if (change < small && change > 0.5 * before) {
            residual_ = change;
            return Ending::settled;
        }
        before = change;
    }
    return Ending::too_far;
}

double SlowManifold::move(std::span<double> r, std::span<double> y) {
    matrix_.solve(r);
    std::ranges::fill(step_, 0.0);
    const auto& pattern = problem_->springs->measures->pattern();
    for (std::size_t j = 0; j < r.size(); ++j) {
        for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
            step_[pattern.column(e)] += directions_[e] * r[j];
        }
    }
    problem_->mass.to_acceleration(std::span(step_), std::span(scratch_));
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] -= step_[i];
    }
    return largest(step_);
}

}  // namespace lento
