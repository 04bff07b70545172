#include "average/constrained_field.hpp"

namespace lento {

ConstrainedField::ConstrainedField(const Problem& problem)
    : PhaseField(problem),
      problem_(problem),
      forces_(problem.forces.blocks()),
      elimination_(problem_),
      ground_(problem),
      mean_(problem.constraints->count()),
      force_(problem.dimension()) {}

void ConstrainedField::leave(double t, Out y) {
    before_.assign(y.begin(), y.end());
    if (!ground_.settle(t, y).converged) {
        std::ranges::copy(before_, y.begin());
    }
}

void ConstrainedField::multipliers(double t, In y, Out lambda) {
    const auto x = y.first(dimension());
    const auto v = y.last(dimension());
    const auto theta = problem_.phases_at(t);
    problem_.forces.at(x.data(), v.data(), t, theta.data(), problem_.parameters.data(), force_.data());
    elimination_({.t = {&t, 1}, .x = x, .v = v, .theta = theta, .parameters = problem_.parameters}, force_);
    std::ranges::copy(elimination_.multipliers(), lambda.begin());
}

void ConstrainedField::blocks(int degree, double t, In x, In v, Out a) {
    const auto points = block(degree, t, x, v, problem_.parameters);
    (*forces_)(points, a);
    elimination_(points, a);
    elimination_.mean_multipliers(mean_);
}

}  // namespace lento
