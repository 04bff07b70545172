/// A window over a system with stiff springs: from (x, v) at t the motion is followed on both sides and filtered.
///
///     Q = sum_k w_|k| q_k,   P = sum_k w_|k| p_k,   F = sum_k w_|k| a_k        (stiff, section 3; slow-manifold (10))
///
/// The motion is integrated as moves from the window's centre: the force of springs however stiff keeps its digits.
#pragma once

#include "average/window.hpp"
#include "lento/problem/problem.hpp"
#include "problem/time_scales.hpp"

namespace lento {

class StiffWindow {
public:
    StiffWindow(const Problem& problem, std::string_view micro, const TimeScales& scales, const WindowShape& shape);

    /// Follows the motion from (x, v) at t, which becomes the centre.
    void operator()(double t, In x, In v) {
        centre_at(t, x);
        follow(v);
    }
    /// The same in two steps. From the second window on, the motion may start where the last one was filtered to, with
    /// the same centre: positions then keep more digits than their sum with the centre has.
    void centre_at(double t, In x);
    void start_from_last() { start_ = move_; }
    void follow(In v);

    // Of the last window: where it started and the filtered position, as moves from the centre; the filtered velocity
    // and acceleration.
    In start() const { return start_; }
    In move() const { return move_; }
    In velocity() const { return velocity_; }
    In acceleration() const { return mean_; }

    /// The measures of the springs at a move from the centre.
    void measures(In move, Out values) { force_->measures(move, 0, values); }

    double micro_step() const { return window_->micro_step(); }
    std::size_t steps_per_period() const { return window_->steps_per_period(); }
    const FilterWeights& weights() const { return window_->weights(); }
    std::int64_t micro_steps() const { return window_->micro_steps(); }
    std::int64_t force_evaluations() const { return acceleration_->evaluations(); }
    double width() const { return window_->width(); }

private:
    // NOTE: each points to the one before.
    std::unique_ptr<CentredForce> force_;
    std::unique_ptr<Acceleration> acceleration_;
    std::unique_ptr<Window> window_;
    std::vector<double> start_, move_, velocity_, mean_;
};

}  // namespace lento
