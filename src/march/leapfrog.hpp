/// The leapfrog method on x that is consistent with slow variables (reversible, section 3). From x_0, over the middle
/// point x_1 where the mean rates were found, to x_2; with v_k and A_k the gradient and the Hessian of xi_k at x_1,
///
///     w_k . (x_2 - x_0) = 2 H <xi_k'>,     w_k = v_k + A_k ((x_0 + x_2)/2 - x_1)    (3.11), in this form; A = 0: (3.9)
///
/// These are fewer equations than unknowns. The reconstruction says which solution is meant:
///
/// `symmetric`   x_2 - x_0 in the span of the w_k. Exchanging x_0 and x_2 changes signs: reversible from any phase.
/// `nearest`     that nearest to x_1 (3.12), which going back is another one: reversible for special phases only.
///
/// Order 2; order 1 with A = 0, which with `symmetric` is the naive method (2.7).
#pragma once

#include <stop_token>

#include "average/slow_field.hpp"
#include "lento/march/result.hpp"
#include "lento/step/dense.hpp"

namespace lento {

enum class Reconstruct { symmetric, nearest };

struct Reconstructed {
    Eigen::VectorXd x{};
    int iterations = 0;  ///< linear systems solved after the first guess
    bool converged = false;
};

/// x_2 by Newton's method from the solution with A = 0; damped, and in the manner of Levenberg and Marquardt where that
/// does not help. `change` is 2 H (<xi'> - xi_t).
Reconstructed reconstructed(Reconstruct kind, const SlowField::Point& middle, const Curvatures& curvatures,
                            const Eigen::VectorXd& x0, const Eigen::VectorXd& change);

/// Gets the steps as polynomials, as recorders do, and sees the points x_n themselves.
struct StepTaker {
    std::function<bool(double to)> wants{};
    std::function<void(DenseStep)> take{};
    std::function<void(double t, const Eigen::VectorXd& x)> point{};
    /// The same with the mean rates there; bridges so far.
    std::function<void(const SlowField::Point& middle, std::int64_t bridges)> middle{};
};

struct LeapfrogPlan {
    Interval interval{};
    std::int64_t steps = 0;
    int order = 2;
    Reconstruct kind = Reconstruct::symmetric;
    std::int64_t longest_bridge = 20'000'000;  ///< micro-steps
    /// Where momenta are known, outputs take those of the neighbours' mean: the positions at even steps and the momenta
    /// at odd ones are a Verlet scheme of their own, and so are the others.
    std::optional<Partition> partition{};
};

/// The last two points: exchanged, and with a negative step, they lead back.
struct LeapfrogEnd {
    Eigen::VectorXd before{}, last{};
};

struct LeapfrogResult {
    MarchResult march{};
    LeapfrogEnd end{};
    std::vector<double> final_state{};  ///< as in the outputs
    std::int64_t bridges = 0;           ///< macro-steps that were integrated directly
    int most_iterations = 0;            ///< of one macro-step
    std::optional<double> parted{};     ///< when even and odd steps had drifted apart
    double gap = 0;                     ///< by how much of a slow variable's range at most
};

class LeapfrogMarch {
public:
    LeapfrogMarch(SlowField& field, LeapfrogPlan plan);

    /// From x_0: half a step by the field, and the first step is the reconstruction about its end.
    LeapfrogResult from(const Eigen::VectorXd& x0, const StepTaker& taker, const std::stop_token& stop);

    /// From the points at the start of the interval and one step later: x_0, x_1. The interval may lead backward.
    LeapfrogResult from(const Eigen::VectorXd& x0, const Eigen::VectorXd& x1, const StepTaker& taker,
                        const std::stop_token& stop);

private:
    double time(std::int64_t n) const;
    double step() const { return plan_.interval.length() / static_cast<double>(plan_.steps); }

    /// A step by itself: half of it by the field, and the reconstruction about its end.
    std::optional<Eigen::VectorXd> first_step(const SlowField::Point& start);
    /// The point after x0 over the middle, `length` from it.
    std::optional<Eigen::VectorXd> next(const SlowField::Point& middle, const Eigen::VectorXd& x0, double length);
    Eigen::VectorXd output(const Eigen::VectorXd& before, const Eigen::VectorXd& x, const Eigen::VectorXd& after) const;
    void watch_parity(double t, const Eigen::VectorXd& x);

    SlowField* field_;
    LeapfrogPlan plan_;
    LeapfrogResult result_;
    std::vector<Eigen::VectorXd> recent_;  // slow variables at the last points
    Eigen::VectorXd least_, greatest_;     // of the slow variables so far
    int apart_ = 0;                        // points in a row
};

}  // namespace lento
