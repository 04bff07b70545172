/// Constraints as one-step methods of Runge-Kutta type see them: a chain of points, each on the constraints, reached along the normals at
/// the point before it (the Gear-Gupta-Leimkuhler form, stroboscopic (37) to (40)):
///
///     x - M^-1 g'(x_before)^T mu      with  g(x, t) = 0
///     v - M^-1 g'(x_before)^T lambda  with  g'(x, t) v + g_t = 0
///
/// y = (x, v). The type of the constraints is behind one call a point.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lento/problem/manifold.hpp"

namespace lento {

class Ground {
public:
    virtual ~Ground() = default;

    /// The chain begins at y, which is on the constraints.
    virtual Convergence begin(double t, std::span<const double> y) = 0;
    /// Moves y onto the constraints along the normals at the last point; it is the last point then.
    virtual Convergence along(double t, std::span<double> y) = 0;
    /// Moves y onto the constraints along the normals at y itself. The chain is at its end.
    virtual Convergence settle(double t, std::span<double> y) = 0;

    virtual const std::vector<std::string>& names() const = 0;
    virtual std::int64_t iterations() const = 0;
};

template <class Constraints>
class ManifoldGround final : public Ground {
public:
    ManifoldGround(const Mass& mass, const Constraints& constraints)
        : manifold_(mass, constraints),
          last_(manifold_.entries()),
          here_(manifold_.entries()),
          multipliers_(manifold_.count()) {}

    Convergence begin(double t, std::span<const double> y) override {
        manifold_.gradient(y.first(d()), t, last_);
        return {};
    }

    Convergence along(double t, std::span<double> y) override {
        const auto x = y.first(d());
        if (!manifold_.factorise(last_)) {
            return {.converged = false, .independent = false};
        }
        if (const auto reached = manifold_.to_position(last_, t, x, multipliers_); !reached.converged) {
            return reached;
        }
        manifold_.gradient(x, t, here_);
        const auto reached = manifold_.to_velocity_along(last_, here_, x, t, y.last(d()), multipliers_);
        std::swap(last_, here_);
        return reached;
    }

    Convergence settle(double t, std::span<double> y) override {
        if (const auto begun = begin(t, y); !begun.converged) {
            return begun;
        }
        return along(t, y);
    }

    const std::vector<std::string>& names() const override { return manifold_.constraints().names(); }
    std::int64_t iterations() const override { return manifold_.iterations(); }
    Manifold<Constraints>& manifold() { return manifold_; }

private:
    std::size_t d() const { return manifold_.dimension(); }

    Manifold<Constraints> manifold_;
    std::vector<double> last_, here_, multipliers_;
};

}  // namespace lento
