#include "march/constrained.hpp"

namespace lento {

DenseStep constrained_dense(const std::optional<ConstrainedPoint>& earlier, const ConstrainedPoint& from,
                            const ConstrainedPoint& to) {
    const std::size_t motion = 2 * from.acceleration.size();
    auto moving = quintic_hermite(from.t, to.t, std::span(from.y).first(motion), from.acceleration,
                                  std::span(to.y).first(motion), to.acceleration);
    DenseStep dense(from.t, to.t, from.y.size(), 5);
    for (std::size_t k = 0; k <= 5; ++k) {
        std::copy_n(moving.coefficient(k).begin(), motion, dense.coefficient(k).begin());
    }
    for (std::size_t j = motion; j < from.y.size(); ++j) {
        const double rise = to.y[j] - from.y[j];
        double bend = 0;  // of the parabola through the three points, in s
        if (earlier) {
            const double before = (earlier->t - from.t) / (to.t - from.t);
            bend = ((earlier->y[j] - from.y[j]) / before - rise) / (before - 1);
        }
        dense.coefficient(0)[j] = from.y[j];
        dense.coefficient(1)[j] = rise - bend;
        dense.coefficient(2)[j] = bend;
    }
    return dense;
}

std::string sentence_of(const Convergence& failure, const std::vector<std::string>& constraints) {
    if (!failure.independent) {
        return "the constraints become dependent there, as where a mechanism locks or folds";
    }
    if (!failure.settled) {
        return fmt::format(
            "the force within the step does not settle, it still moves a point by {:.2g} of its size; take a smaller "
            "step",
            failure.residual);
    }
    return fmt::format(
        "the iteration stops at a residual of {:.2g}, relative, the largest in {}; take a smaller step, unless the "
        "constraints cannot all hold there",
        failure.residual, constraints[failure.worst]);
}

}  // namespace lento
