#include "average/slow_guess.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/number.hpp"

namespace lento {

namespace {

/// Newton's method from a stage of a Runge-Kutta step converges in two or three iterations, if at all.
constexpr int most_iterations = 6;

}  // namespace

SlowGuess::SlowGuess(const Problem& problem)
    : problem_(&problem),
      matrix_(problem.springs->measures->pattern(), problem.mass),
      gradient_(problem.springs->measures->pattern().entries()),
      values_(problem.springs->measures->count()),
      force_(problem.dimension()),
      scratch_(problem.dimension()) {}

void SlowGuess::learn(double t, const ProjectedPoint& point) {
    expected_ = point.measures;
    expected_rates_.resize(expected_.size());
    problem_->springs->measures->rates(point.position, point.velocity, t, Clock::running, expected_rates_);
}

bool SlowGuess::operator()(double t, std::span<double> x, std::span<double> v) {
    if (expected_.empty()) {
        return false;
    }
    const auto without = [&](const std::vector<double>& expected) {
        for (std::size_t j = 0; j < values_.size(); ++j) {
            values_[j] -= expected[j];
        }
        return largest(values_);
    };
    x_.assign(x.begin(), x.end());
    v_.assign(v.begin(), v.end());
    double before = HUGE_VAL;
    for (int n = 0;; ++n) {
        problem_->springs->measures->values(x_, t, values_);
        const double off = without(expected_);
        // NOTE: to the last digit of positions: springs feel what is left omega^2 times.
        if (off < 1e-16 * largest(x_) || (off < 1e-14 * largest(x_) && off > 0.5 * before)) {
            break;
        }
        before = off;
        problem_->springs->measures->gradient(x_, t, gradient_);
        if (n == most_iterations || !std::isfinite(off) || !matrix_.factorise(gradient_)) {
            return false;
        }
        correct(values_, x_);
    }
    problem_->springs->measures->gradient(x_, t, gradient_);
    if (!matrix_.factorise(gradient_)) {
        return false;
    }
    problem_->springs->measures->rates(x_, v_, t, Clock::running, values_);
    without(expected_rates_);
    correct(values_, v_);
    std::copy(x_.begin(), x_.end(), x.begin());
    std::copy(v_.begin(), v_.end(), v.begin());
    return true;
}

void SlowGuess::correct(std::span<double> r, std::span<double> y) {
    matrix_.solve(r);
    std::fill(force_.begin(), force_.end(), 0.0);
    const auto& pattern = problem_->springs->measures->pattern();
    for (std::size_t j = 0; j < r.size(); ++j) {
        for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
            force_[pattern.column(e)] += gradient_[e] * r[j];
        }
    }
    problem_->mass.to_acceleration(std::span(force_), std::span(scratch_));
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] -= force_[i];
    }
}

}  // namespace lento
