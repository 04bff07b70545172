/// One leapfrog step on x that is consistent with slow variables (reversible, sections 2.2 and 3): from x_0, over the
/// middle point x_1 where the mean rates were found, to x_2. With v_k and A_k the gradient and the Hessian of xi_k at
/// x_1,
///
///     w_k . (x_2 - x_0) = 2 H <xi_k'>,     w_k = v_k + A_k ((x_0 + x_2)/2 - x_1)                  (3.11), in this form
///     v_k . (x_2 - x_0) = 2 H <xi_k'>                                                             (3.9): A = 0
///
/// These are fewer equations than unknowns. The reconstruction says which equations, and which solution of them:
///
/// `symmetric`   (3.11), x_2 - x_0 in the span of the w_k. Exchanging x_0 and x_2 changes signs: reversible from any
///               phase.
/// `nearest`     (3.11), nearest to x_1: (3.12). Going back it is another one: reversible for special phases only.
/// `tangent`     (3.9), nearest to x_1, as printed.
/// `field`       (3.9), x_2 - x_0 in the span of the v_k: x_2 = x_0 + 2 H F(x_1) with the field F of (2.6), which is
///               (2.7).
///
/// Order 2. With A = 0 it is 1 where x_0 and x_1 differ in their fast phase by O(H) and nothing brings them together
/// again.
#pragma once

#include "average/slow_field.hpp"

namespace lento {

enum class Reconstruct { symmetric, nearest, tangent, field };

struct Reconstructed {
    Eigen::VectorXd x{};
    int iterations = 0;  ///< linear systems solved after the first guess
    bool converged = false;
};

/// Whether its equations have the Hessians.
constexpr bool is_curved(Reconstruct kind) {
    return kind == Reconstruct::symmetric || kind == Reconstruct::nearest;
}

/// x_2 by Newton's method from the solution with A = 0; damped, and in the manner of Levenberg and Marquardt where that
/// does not help. `change` is 2 H (<xi'> - xi_t); the curvatures are those of a curved reconstruction, else none.
Reconstructed reconstructed(Reconstruct kind, const SlowField::Point& middle, const Curvatures& curvatures,
                            const Eigen::VectorXd& x0, const Eigen::VectorXd& change);

}  // namespace lento
