#include "average/multiplier_expansion.hpp"

#include "base/number.hpp"

namespace lento {
namespace {

double coefficient(const Taylor& series, int m) {
    return m <= series.top() ? series[m] : 0.0;
}

/// Coefficient m of a second derivative is that much times coefficient m + 2.
double differentiated_twice(int m) {
    return (m + 1.0) * (m + 2.0);
}

}  // namespace

MultiplierExpansion::MultiplierExpansion(const Problem& problem)
    : problem_(&problem),
      slow_(problem.springs->slow.blocks()),
      normals_(problem.mass, problem.springs->measures),
      matrix_(normals_.pattern(), problem.mass),
      dimension_(problem.dimension()),
      springs_(problem.springs->entries.size()),
      q_(static_cast<std::size_t>(most_degree + 1) * dimension_),
      lambda_(static_cast<std::size_t>(most_degree + 1) * springs_),
      inertia_(lambda_.size()),
      free_(dimension_),
      curvature_(springs_),
      lengths_(springs_),
      stretching_(springs_),
      acceleration_(dimension_),
      gradient_(normals_.size()),
      coefficients_(normals_.size()),
      change_(springs_),
      pull_(dimension_),
      scratch_(dimension_),
      velocities_(q_.size()),
      forces_(q_.size()),
      positions_(dimension_),
      elongations_(springs_),
      entries_(gradient_.size()) {}

bool MultiplierExpansion::operator()(int sweeps, Wanted wanted, double t, In x, In v) {
    begin(t, x, v);
    if (dependent_) {
        return false;
    }
    for (int sweep = 0; sweep <= sweeps; ++sweep) {
        const int degree = 2 * (sweeps - sweep) + (wanted == Wanted::values ? 0 : 1);
        std::ranges::copy(multipliers(), change_.begin());
        for (int m = 0; m <= degree; ++m) {
            if (m > 0) {
                free_motion(m);
            } else {
                free_ = first_free_;
                curvature_ = first_curvature_;
            }
            pull(m);
        }
        for (std::size_t j = 0; j < springs_; ++j) {
            for (int m = 0; m + 2 <= degree; ++m) {
                inertia(m)[j] = differentiated_twice(m) * lambda(m + 2)[j] / problem_->springs->entries[j].strength;
            }
        }
        std::ranges::transform(multipliers(), change_, change_.begin(), std::minus<>());
        pulled_by(change_, pull_);
        corrections_.push_back(largest(pull_));
    }
    if (drawn_back_ > 0) {
        draw_back();
    }
    for (std::size_t i = 0; i < dimension_; ++i) {
        acceleration_[i] = 2 * q(2)[i];
    }
    return std::isfinite(largest(acceleration_));
}

void MultiplierExpansion::begin(double t, In x, In v) {
    t_ = t;
    std::ranges::copy(x, q(0).begin());
    std::ranges::copy(v, q(1).begin());
    std::ranges::fill(lambda_, 0.0);
    std::ranges::fill(inertia_, 0.0);
    corrections_.clear();
    free_motion(0);
    first_free_ = free_;
    first_curvature_ = curvature_;
    for (std::size_t j = 0; j < springs_; ++j) {
        lengths_[j] = coefficient(elongations_[j], 0);
        stretching_[j] = coefficient(elongations_[j], 1);
    }
    std::ranges::transform(entries_, gradient_.begin(), [](const Taylor& entry) { return entry[0]; });
    dependent_ = !matrix_.factorise(gradient_);
}

void MultiplierExpansion::free_motion(int m) {
    take_positions(m);
    for (int k = 0; k <= m; ++k) {
        for (std::size_t i = 0; i < dimension_; ++i) {
            part(velocities_, k, dimension_)[i] = (k + 1) * q(k + 1)[i];
        }
    }
    const std::size_t numbers = static_cast<std::size_t>(m + 1) * dimension_;
    (*slow_)({.degree = m,
              .t = std::span(&t_, 1),
              .x = std::span(q_).first(numbers),
              .v = std::span(velocities_).first(numbers),
              .parameters = problem_->parameters},
             std::span(forces_).first(numbers));
    normals_.at(positions_, Taylor::variable(t_, m), entries_);
    evaluations_ += m + 1;
    std::ranges::copy(part(forces_, m, dimension_), free_.begin());
    problem_->mass.to_acceleration(std::span(free_), std::span(scratch_));
    for (int i = 1; i <= m; ++i) {
        std::ranges::transform(entries_, coefficients_.begin(), [i](const Taylor& e) { return coefficient(e, i); });
        normals_.pull(coefficients_, lambda(m - i), 1, free_);
    }
    for (std::size_t i = 0; i < dimension_; ++i) {
        q(m + 2)[i] = free_[i] / differentiated_twice(m);
    }
    take_positions(m + 2);
    problem_->springs->measures->values(positions_, Taylor::variable(t_, m + 2), elongations_);
    for (std::size_t j = 0; j < springs_; ++j) {
        curvature_[j] = differentiated_twice(m) * coefficient(elongations_[j], m + 2);
    }
}

void MultiplierExpansion::draw_back() {
    for (std::size_t j = 0; j < springs_; ++j) {
        const double strength = problem_->springs->entries[j].strength;
        const double drift = lengths_[j] - lambda(0)[j] / strength;
        const double rate = stretching_[j] - lambda(1)[j] / strength;
        inertia(0)[j] -= drawn_back_ * (2 * rate + drawn_back_ * drift);
    }
    free_ = first_free_;
    curvature_ = first_curvature_;
    pull(0);
}

void MultiplierExpansion::pull(int m) {
    std::ranges::transform(curvature_, inertia(m), lambda(m).begin(), std::minus<>());
    matrix_.solve(lambda(m));
    pulled_by(lambda(m), pull_);
    for (std::size_t i = 0; i < dimension_; ++i) {
        q(m + 2)[i] = (free_[i] - pull_[i]) / differentiated_twice(m);
    }
}

void MultiplierExpansion::pulled_by(In multipliers, Out y) {
    std::ranges::fill(y, 0.0);
    normals_.pull(gradient_, multipliers, -1, y);
}

void MultiplierExpansion::take_positions(int degree) {
    for (std::size_t i = 0; i < dimension_; ++i) {
        positions_[i] = Taylor::shaped(degree, q(0)[i]);
        for (int m = 1; m <= degree; ++m) {
            positions_[i][m] = q(m)[i];
        }
    }
}

}  // namespace lento
