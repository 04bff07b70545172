/// Constraints as one-step methods of Runge-Kutta type see them: a chain of points, each on the constraints, reached
/// along the normals at the point before it (the Gear-Gupta-Leimkuhler form, stroboscopic (37) to (40)):
///
///     x - M^-1 g'(x_before)^T mu      with  g(x, t) = 0
///     v - M^-1 g'(x_before)^T lambda  with  g'(x, t) v + g_t = 0
///
/// y = (x, v).
#pragma once

#include "problem/manifold.hpp"

namespace lento {

class Ground {
public:
    explicit Ground(const Problem& problem)
        : manifold_(problem),
          last_(manifold_.entries()),
          here_(manifold_.entries()),
          mu_(manifold_.count()),
          lambda_(manifold_.count()) {}

    /// The chain begins at y, which is on the constraints.
    void begin(double t, In y) { manifold_.gradient(y.first(d()), t, last_); }

    /// Moves y onto the constraints along the normals at the last point; it is the last point then.
    Convergence along(double t, Out y) {
        const auto x = y.first(d());
        if (!manifold_.factorise(last_)) {
            return {.converged = false, .independent = false};
        }
        if (const auto reached = manifold_.to_position(last_, t, x, mu_); !reached.converged) {
            return reached;
        }
        manifold_.gradient(x, t, here_);
        const auto reached = manifold_.to_velocity_along(last_, here_, x, t, y.last(d()), lambda_);
        std::swap(last_, here_);
        return reached;
    }

    /// Moves y onto the constraints along the normals at y itself. The chain is at its end.
    Convergence settle(double t, Out y) {
        begin(t, y);
        return along(t, y);
    }

    /// Both sets of multipliers of the last move. A half-explicit step moves by h times the weight of a stage: mu and
    /// lambda of that stage are these over that.
    In position_multipliers() const { return mu_; }
    In velocity_multipliers() const { return lambda_; }

    const std::vector<std::string>& names() const { return manifold_.constraints().names(); }
    std::int64_t iterations() const { return manifold_.iterations(); }
    Manifold& manifold() { return manifold_; }

private:
    std::size_t d() const { return manifold_.dimension(); }

    Manifold manifold_;
    std::vector<double> last_, here_, mu_, lambda_;
};

}  // namespace lento
