/// Newton's iteration with a matrix that is kept, for residuals of constraints: to rounding, or until it is known that
/// it does not get there. Where it contracts slowly, the matrix is renewed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "base/number.hpp"
#include "base/vector.hpp"

namespace lento {

/// How an iteration ended. Residuals are relative: g_j over sum_i |g'_ji x_i|, and alike for velocities.
struct [[nodiscard]] Convergence {
    bool converged = true;
    double residual = 0;      ///< the largest, where it stopped
    std::size_t worst = 0;    ///< the constraint that has it
    bool independent = true;  ///< false: the constraints are dependent there, to rounding
    bool settled = true;      ///< false: the force does not settle, and `residual` is how far it still moves the point
};

/// With its work space; the number of constraints may be known to the compiler.
template <std::size_t Extent = dynamic>
struct SimplifiedNewton {
    Vector<double, Extent> residual, scale, correction;

    explicit SimplifiedNewton(std::size_t count)
        : residual(make_vector<double, Extent>(count)),
          scale(make_vector<double, Extent>(count)),
          correction(make_vector<double, Extent>(count)) {}

    Convergence largest_residual() const {
        const auto [size, worst] = largest();
        return {.residual = size, .worst = worst};
    }

    /// evaluate(k) sets `residual`, renew() the matrix, divide(correction) divides by it, apply() takes the correction.
    template <class Evaluate, class Renew, class Divide, class Apply>
    Convergence solve(std::span<double, Extent> total, Evaluate&& evaluate, Renew&& renew, Divide&& divide,
                      Apply&& apply) {
        constexpr double rounding = std::numeric_limits<double>::epsilon();
        constexpr double stalled = 5e-13;  // residuals that no iteration improves are taken for rounding up to here
        constexpr int most_iterations = 50;
        constexpr int most_setbacks = 4;
        constexpr double slow = 0.25;
        std::fill(total.begin(), total.end(), 0.0);
        double before = std::numeric_limits<double>::infinity();
        int setbacks = 0;
        // NOTE: numbers, not a Convergence: its copies, of parts just written, would be waited for.
        Largest found;
        bool independent = true;
        for (int k = 0; k < most_iterations; ++k) {
            evaluate(k);
            found = largest();
            if (!std::isfinite(found.residual)) {
                break;
            }
            if (found.residual > slow * before) {
                if (found.residual <= stalled) {
                    return {.residual = found.residual, .worst = found.worst};
                }
                setbacks += found.residual > before ? 1 : 0;
                if (setbacks > most_setbacks) {
                    break;
                }
                if (!renew()) {
                    independent = false;
                    break;
                }
            }
            // NOTE: also where the residual is zero: whether it is, or a unit in the last place, cannot be foretold.
            correction = residual;
            divide(std::span<double, Extent>(correction));
            apply();
            for (std::size_t j = 0; j < total.size(); ++j) {
                total[j] += correction[j];
            }
            // NOTE: the contraction seen tells the next residual well enough; where it is rounding, nobody has to look.
            const double expected = std::isfinite(before) ? found.residual * found.residual / before : found.residual;
            if (expected < 0.1 * rounding) {
                return {.residual = expected, .worst = found.worst};
            }
            before = found.residual;
        }
        return {.converged = false, .residual = found.residual, .worst = found.worst, .independent = independent};
    }

private:
    struct Largest {
        double residual = 0;
        std::size_t worst = 0;
    };

    Largest largest() const {
        Largest found{std::abs(residual[0]) / scale[0], 0};
        for (std::size_t j = 1; j < residual.size(); ++j) {
            const double relative = std::abs(residual[j]) / scale[j];
            if (!(relative <= found.residual)) {
                found = {larger(found.residual, relative), j};
            }
        }
        return found;
    }
};

}  // namespace lento
