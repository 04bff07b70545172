/// A window over a system with stiff springs: from (x, v) at t the motion is followed on both sides and filtered.
///
///     Q = sum_k w_|k| q_k,   P = sum_k w_|k| p_k,   F = sum_k w_|k| a_k          (stiff, section 3; slow-manifold (10))
///
/// The motion is integrated as moves from the window's centre, so that the force of springs however stiff keeps its digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lento/average/window.hpp"
#include "lento/problem/stiff_system.hpp"
#include "lento/problem/time_scales.hpp"

namespace lento {

/// A window whose springs and stepper have been forgotten: one indirect call a window, none a micro-step.
class StiffWindow {
public:
    virtual ~StiffWindow() = default;

    /// Follows the motion from (x, v) at t, which becomes the centre.
    void operator()(double t, std::span<const double> x, std::span<const double> v) {
        centre_at(t, x);
        follow(v);
    }
    /// The same in two steps. From the second window on, the motion may start where the last one was filtered to, with the same centre:
    /// positions then keep more digits than their sum with the centre has.
    virtual void centre_at(double t, std::span<const double> x) = 0;
    void start_from_last() { start_ = move_; }
    virtual void follow(std::span<const double> v) = 0;

    // Of the last window: where it started and where the filtered position is, as moves from the centre; the filtered velocity and
    // acceleration.
    std::span<const double> start() const { return start_; }
    std::span<const double> move() const { return move_; }
    std::span<const double> velocity() const { return velocity_; }
    std::span<const double> acceleration() const { return mean_; }

    /// The measures of the springs at a move from the centre.
    virtual void measures(std::span<const double> move, std::span<double> values) = 0;

    virtual double micro_step() const = 0;
    virtual std::size_t steps_per_period() const = 0;
    virtual const FilterWeights& weights() const = 0;
    virtual std::int64_t micro_steps() const = 0;
    virtual std::int64_t force_evaluations() const = 0;
    double width() const { return 2 * static_cast<double>(weights().each_side()) * micro_step(); }

protected:
    explicit StiffWindow(std::size_t dimension)
        : start_(dimension), move_(dimension), velocity_(dimension), mean_(dimension) {}

    std::vector<double> start_, move_, velocity_, mean_;
};

template <class Springs>
class SpringsWindow final : public StiffWindow {
public:
    SpringsWindow(const StiffSystem<Springs>& system, std::string_view micro, const TimeScales& scales,
                  const WindowShape& shape)
        : StiffWindow(system.dimension()),
          force_(system.springs().centred(system.dimension())),
          system_(std::make_unique<const Moves>(
              Moves(system.dimension(), {}, Force{force_.get()}).with_mass(system.mass()))),
          acceleration_(std::make_unique<Acceleration<Moves>>(*system_)),
          window_(make_window(micro, *acceleration_, scales, shape)) {}

    void centre_at(double t, std::span<const double> x) override {
        force_->centre(x, t);
        std::fill(start_.begin(), start_.end(), 0.0);
    }
    void follow(std::span<const double> v) override {
        window_->average_motion({.x = start_, .v = v, .t = 0, .time = ExplicitTime::running}, move_, velocity_, mean_);
    }
    void measures(std::span<const double> move, std::span<double> values) override {
        force_->measures(move, 0, values);
    }

    double micro_step() const override { return window_->micro_step(); }
    std::size_t steps_per_period() const override { return window_->steps_per_period(); }
    const FilterWeights& weights() const override { return window_->weights(); }
    std::int64_t micro_steps() const override { return window_->micro_steps(); }
    std::int64_t force_evaluations() const override { return acceleration_->evaluations(); }

private:
    struct Force {
        typename Springs::Centred* force;
        void operator()(std::span<const double> d, std::span<const double> v, double s, std::span<const double> theta,
                        std::span<double> f) const {
            (*force)(d, v, s, theta, f);
        }
    };
    using Moves = VibratedSystem<Force>;

    // NOTE: each points to the one before.
    std::unique_ptr<typename Springs::Centred> force_;
    std::unique_ptr<const Moves> system_;
    std::unique_ptr<Acceleration<Moves>> acceleration_;
    std::unique_ptr<AnyWindow<Moves>> window_;
};

}  // namespace lento
