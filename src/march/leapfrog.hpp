/// The leapfrog method on x that is consistent with slow variables (reversible, section 3): reconstructions about one
/// point after the other (`march/reconstruction.hpp`), x_{n-1}, x_n -> x_{n+1}.
///
/// Exchanging the ends of a plain run leads back to its start, to rounding. On long runs even and odd steps may drift
/// apart. Two things keep them together: taking their difference out of a pair of points every now and then
/// (`march/even_odd.hpp`), and following the true motion over some macro-steps, as section 4.2 does.
#pragma once

#include <stop_token>

#include "lento/march/result.hpp"
#include "lento/step/dense.hpp"
#include "march/even_odd.hpp"
#include "march/reconstruction.hpp"

namespace lento {

/// Gets the steps as polynomials, as recorders do, and sees the points x_n themselves.
struct StepTaker {
    std::function<bool(double to)> wants{};
    std::function<void(DenseStep)> take{};
    std::function<void(double t, const Eigen::VectorXd& x)> point{};
    /// The same with the mean rates there; how often the true motion has been followed so far.
    std::function<void(const SlowField::Point& middle, std::int64_t followed)> middle{};
};

struct LeapfrogPlan {
    Interval interval{};
    std::int64_t steps = 0;
    Reconstruct kind = Reconstruct::symmetric;
    std::int64_t longest_bridge = 20'000'000;  ///< micro-steps
    /// Where momenta are known, outputs take those of the neighbours' mean: the positions at even steps and the momenta
    /// at odd ones are a Verlet scheme of their own, and so are the others.
    std::optional<Partition> partition{};
    std::int64_t smooth_every = 0;   ///< macro-steps after which the even-odd mode is taken out; 0: never
    std::int64_t segments = 0;       ///< of the true motion, in the middles of as many equal parts of the run
    std::int64_t segment_steps = 1;  ///< how many macro-steps each is long
};

/// The last two points: exchanged, and with a negative step, they lead back.
struct LeapfrogEnd {
    Eigen::VectorXd before{}, last{};
};

struct LeapfrogResult {
    MarchResult march{};
    LeapfrogEnd end{};
    std::vector<double> final_state{};  ///< as in the outputs
    std::int64_t bridges = 0;           ///< macro-steps over which the true motion was followed for want of another way
    std::int64_t segment_steps = 0;     ///< and as planned
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
    std::int64_t followed() const { return result_.bridges + result_.segment_steps; }

    /// A step by itself: half of it by the field, and the reconstruction about its end.
    std::optional<Eigen::VectorXd> first_step(const SlowField::Point& start);
    /// The point after x0 over the middle, `length` from it.
    std::optional<Eigen::VectorXd> next(const SlowField::Point& middle, const Eigen::VectorXd& x0, double length);
    std::optional<Eigen::VectorXd> next_in_segment(const SlowField::Point& middle);
    bool in_segment(std::int64_t n) const;
    /// Takes the even-odd mode out of the points n - 1 and n.
    void smooth(std::int64_t n, Eigen::VectorXd& before, Eigen::VectorXd& x);
    /// Whether the run ends there, and says why.
    bool fails(double t, const std::optional<Eigen::VectorXd>& after);
    /// Of the outputs.
    struct Node {
        Eigen::VectorXd value, slope;
    };
    Node output(const Eigen::VectorXd& before, const Eigen::VectorXd& x, const Eigen::VectorXd& after) const;
    void remember(const Eigen::VectorXd& x);

    SlowField* field_;
    LeapfrogPlan plan_;
    LeapfrogResult result_;
    std::vector<Eigen::VectorXd> past_;  // points n - 5 to n - 1, fewer after the true motion was followed
};

}  // namespace lento
