#include "average/slow_manifold.hpp"

#include "base/number.hpp"
#include "problem/acceleration.hpp"
#include "problem/probe.hpp"

namespace lento {

NormalMove::NormalMove(const Problem& problem)
    : normals_(problem.mass, problem.springs->measures),
      matrix_(normals_.pattern(), problem.mass),
      step_(problem.dimension()) {}

double NormalMove::operator()(In directions, Out r, Out y) {
    matrix_.solve(r);
    std::ranges::fill(step_, 0.0);
    normals_.pull(directions, r, 1, step_);
    add_to(y, 1, step_);
    return largest(step_);
}

SlowManifold::SlowManifold(const Problem& problem, MultiplierExpansion& expansion)
    : problem_(&problem),
      measures_(problem.springs->measures.get()),
      expansion_(&expansion),
      move_(problem),
      directions_(move_.normals().size()),
      values_(problem.springs->entries.size()),
      rates_(values_.size()) {}

SlowManifold::Ending SlowManifold::operator()(int sweeps, double t, Out x, Out v) {
    constexpr int most_iterations = 20;
    constexpr double small = 1e-10;  // then only rounding is left
    constexpr double rounding = std::numeric_limits<double>::epsilon();
    move_.normals().at(x, t, directions_);
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
        // NOTE: where nothing along the normals remains to be rounded (as lambda = 0), changes fall without end.
        if (change < rounding || (change < small && change > 0.5 * before)) {
            residual_ = change;
            return Ending::settled;
        }
        before = change;
    }
    return Ending::too_far;
}

namespace {

/// Of f(h), which is linear up to the square of h: its slope.
template <class F>
std::vector<double> slope(double h, F&& f) {
    auto rise = f(h);
    add_to(rise, -1, f(-h));
    for (auto& component : rise) {
        component /= 2 * h;
    }
    return rise;
}

}  // namespace

std::vector<double> turn_of_velocity(const Problem& problem, double t, In x, In displacement, In v) {
    constexpr double aside = 1e-4;
    const std::size_t d = x.size();
    const double speed = largest(v);
    std::vector<double> turn(d);
    NormalMove across(problem);
    Normals normals = across.normals();
    std::vector<double> here(normals.size());
    normals.at(x, t, here);
    if (speed == 0 || !across.factorise(here)) {
        return turn;
    }
    const auto& pattern = normals.pattern();
    const auto along = [&](In vector) {  // g' vector
        std::vector<double> result(pattern.rows());
        for (std::size_t j = 0; j < result.size(); ++j) {
            for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
                result[j] += here[e] * vector[pattern.column(e)];
            }
        }
        return result;
    };
    const auto bent = slope(aside * std::max(largest(x), 1e-300) / speed, [&](double h) {
        std::vector<double> there(normals.size());
        normals.at(combined(x, h, v), t, there);
        return there;
    });
    auto c = along(displacement);
    std::vector<double> moved(d);
    across(here, c, moved);  // and c becomes that of the displacement N c
    normals.pull(bent, c, -1, turn);
    if (const double length = largest(displacement); length > 0) {
        Problem slow = problem;
        slow.forces = problem.springs->slow;
        slow.springs.reset();
        Acceleration acceleration(slow);
        add_to(turn, -1, slope(aside * speed / length, [&](double h) {
                   return acceleration.at(x, combined(v, h, displacement), t, slow.phases_at(t));
               }));
    }
    auto normal_part = along(turn);
    across(here, normal_part, turn);
    return turn;
}

SlowGuess::SlowGuess(const Problem& problem)
    : measures_(problem.springs->measures.get()),
      move_(problem),
      normals_(move_.normals().size()),
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
        move_.normals().at(x_, t, normals_);
        if (n == most_iterations || !std::isfinite(off) || !move_.factorise(normals_)) {
            return false;
        }
        move_(normals_, values_, x_);
    }
    move_.normals().at(x_, t, normals_);
    if (!move_.factorise(normals_)) {
        return false;
    }
    measures_->rates(x_, v_, t, Clock::running, values_);
    without(expected_rates_);
    move_(normals_, values_, v_);
    std::ranges::copy(x_, x.begin());
    std::ranges::copy(v_, v.begin());
    return true;
}

}  // namespace lento
