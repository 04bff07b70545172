#include "problem/acceleration.hpp"

namespace lento {

Acceleration::Acceleration(const Problem& problem)
    : problem_(std::make_unique<const Problem>(problem)),
      parameters_(problem_->parameters.data()),
      has_one_(problem.dimension() == 1 && problem.forces.has_one() && !problem.constraints),
      is_one_(problem.mass.is_one() || problem.mass.varies()),
      inverse_mass_(problem.dimension() == 1 && !is_one_ ? problem.mass.inverse_entry(0, 0) : 1.0),
      scratch_(problem.dimension()) {
    if (problem.constraints) {
        manifold_ = std::make_unique<Manifold>(problem);
        pull_.resize(problem.dimension());
        gradient_.resize(manifold_->entries());
        lambda_.resize(manifold_->count());
    }
}

void Acceleration::eliminate(In x, In v, double t, Out a) {
    problem_->mass.to_acceleration(a, Out(scratch_));
    manifold_->gradient(x, t, gradient_);
    if (!manifold_->factorise(gradient_)) {
        std::fill(a.begin(), a.end(), std::numeric_limits<double>::quiet_NaN());
        return;
    }
    // NOTE: what constraints do to a coordinate is summed before it is added: tensions may be far larger than their
    // sum.
    std::ranges::copy(a, pull_.begin());
    manifold_->constrain_acceleration(gradient_, x, v, t, pull_, lambda_);
    std::ranges::fill(pull_, 0.0);
    manifold_->pull(gradient_, lambda_, 1, pull_);
    add_to(a, 1, pull_);
}

}  // namespace lento
