#include "problem/acceleration.hpp"

namespace lento {

Acceleration::Acceleration(const Problem& problem)
    : problem_(std::make_unique<const Problem>(problem)),
      parameters_(problem_->parameters.data()),
      has_one_(problem.dimension() == 1 && problem.forces.has_one() && !problem.constraints),
      is_one_(problem.mass.is_one()),
      inverse_mass_(problem.dimension() == 1 ? problem.mass.inverse_entry(0, 0) : 1.0),
      scratch_(problem.dimension()) {
    if (problem.constraints) {
        manifold_ = std::make_unique<Manifold>(problem);
        free_.resize(problem.dimension());
        gradient_.resize(manifold_->entries());
        lambda_.resize(manifold_->count());
    }
}

void Acceleration::eliminate(In x, In v, double t, Out a) {
    const std::span<double> free(free_), scratch(scratch_);
    std::copy(a.begin(), a.end(), free_.begin());
    problem_->mass.to_acceleration(free, scratch);
    manifold_->gradient(x, t, gradient_);
    if (!manifold_->factorise(gradient_)) {
        std::fill(a.begin(), a.end(), std::numeric_limits<double>::quiet_NaN());
        return;
    }
    manifold_->constrain_acceleration(gradient_, x, v, t, free, lambda_);
    manifold_->transposed(gradient_, lambda_, scratch);
    add_to(a, -1, scratch);
    problem_->mass.to_acceleration(a, scratch);
}

}  // namespace lento
