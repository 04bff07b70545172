#include "average/slow_manifold.hpp"

#include "base/number.hpp"
#include "problem/probe.hpp"

namespace lento {

NormalMove::NormalMove(const Problem& problem)
    : problem_(&problem),
      matrix_(problem.springs->measures->pattern(), problem.mass),
      step_(problem.dimension()),
      scratch_(problem.dimension()) {}

double NormalMove::operator()(In directions, Out r, Out y) {
    matrix_.solve(r);
    std::ranges::fill(step_, 0.0);
    problem_->springs->measures->pattern().add_transposed(directions, r, step_);
    problem_->mass.to_acceleration(std::span(step_), std::span(scratch_));
    add_to(y, -1, step_);
    return largest(step_);
}

SlowManifold::SlowManifold(const Problem& problem, MultiplierExpansion& expansion)
    : problem_(&problem),
      measures_(problem.springs->measures.get()),
      expansion_(&expansion),
      move_(problem),
      directions_(measures_->pattern().entries()),
      values_(problem.springs->entries.size()),
      rates_(values_.size()) {}

SlowManifold::Ending SlowManifold::operator()(int sweeps, double t, Out x, Out v) {
    constexpr int most_iterations = 20;
    constexpr double small = 1e-10;  // then only rounding is left
    measures_->gradient(x, t, directions_);
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
        measures_->values(x, t, values_);
        measures_->rates(x, v, t, Clock::running, rates_);
        for (std::size_t j = 0; j < values_.size(); ++j) {
            const double strength = problem_->springs->entries[j].strength;
            values_[j] -= expansion_->multipliers()[j] / strength;
            rates_[j] -= expansion_->rates()[j] / strength;
        }
        if (!move_.factorise(expansion_->gradient(), directions_)) {
            return Ending::dependent;
        }
        const double moved = move_(directions_, values_, x);
        const double kicked = move_(directions_, rates_, v);
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

std::vector<double> turn_of_velocity(const Problem& problem, double t, In x, In displacement, In v) {
    const auto& measures = *problem.springs->measures;
    const auto& pattern = measures.pattern();
    const std::size_t d = x.size();
    const double speed = largest(v);
    std::vector<double> turn(d), scratch(d);
    NormalMatrix normal(pattern, problem.mass);
    std::vector<double> gradient(pattern.entries()), bent(pattern.entries()), other(pattern.entries());
    measures.gradient(x, t, gradient);
    if (speed == 0 || !normal.factorise(gradient)) {
        return turn;
    }
    const auto along = [&](In vector) {  // g' vector
        std::vector<double> result(pattern.rows());
        for (std::size_t j = 0; j < result.size(); ++j) {
            for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
                result[j] += gradient[e] * vector[pattern.column(e)];
            }
        }
        return result;
    };
    const double h = 1e-4 * std::max(largest(x), 1e-300) / speed;
    measures.gradient(combined(x, h, v), t, bent);
    measures.gradient(combined(x, -h, v), t, other);
    for (std::size_t e = 0; e < bent.size(); ++e) {
        bent[e] = (bent[e] - other[e]) / (2 * h);
    }
    auto c = along(displacement);
    normal.solve(c);
    pattern.add_transposed(bent, c, turn);
    problem.mass.to_acceleration(Out(turn), Out(scratch));
    auto across = along(turn);
    normal.solve(across);
    std::vector<double> back(d);
    pattern.add_transposed(gradient, across, back);
    problem.mass.to_acceleration(Out(back), Out(scratch));
    add_to(turn, -1, back);
    return turn;
}

SlowGuess::SlowGuess(const Problem& problem)
    : measures_(problem.springs->measures.get()),
      move_(problem),
      gradient_(measures_->pattern().entries()),
      values_(measures_->count()) {}

void SlowGuess::learn(double t, const ProjectedPoint& point) {
    expected_ = point.measures;
    expected_rates_.resize(expected_.size());
    measures_->rates(point.position, point.velocity, t, Clock::running, expected_rates_);
}

bool SlowGuess::operator()(double t, Out x, Out v) {
    if (expected_.empty()) {
        return false;
    }
    const auto without = [&](const std::vector<double>& expected) {
        add_to(values_, -1, expected);
        return largest(values_);
    };
    x_.assign(x.begin(), x.end());
    v_.assign(v.begin(), v.end());
    // Newton's method from a stage of a Runge-Kutta step converges in two or three iterations, if at all.
    constexpr int most_iterations = 6;
    double before = HUGE_VAL;
    for (int n = 0;; ++n) {
        measures_->values(x_, t, values_);
        const double off = without(expected_);
        // NOTE: to the last digit of positions: springs feel what is left omega^2 times.
        if (off < 1e-16 * largest(x_) || (off < 1e-14 * largest(x_) && off > 0.5 * before)) {
            break;
        }
        before = off;
        measures_->gradient(x_, t, gradient_);
        if (n == most_iterations || !std::isfinite(off) || !move_.factorise(gradient_)) {
            return false;
        }
        move_(gradient_, values_, x_);
    }
    measures_->gradient(x_, t, gradient_);
    if (!move_.factorise(gradient_)) {
        return false;
    }
    measures_->rates(x_, v_, t, Clock::running, values_);
    without(expected_rates_);
    move_(gradient_, values_, v_);
    std::ranges::copy(x_, x.begin());
    std::ranges::copy(v_, v.begin());
    return true;
}

}  // namespace lento
