/// A window: a short integration of the fast motion on both sides of a point, seen through a filter.
///
///     F = sum_{|k| <= M} w_|k| a_k                                            (vibrated (2.11), (2.15))
///
/// with a_k the acceleration after k micro-steps h = T/N from the middle. Where the motion is even about the middle, the
/// forward half is enough (section 2.3). Phases are exact fractions k/N of a period from the start of the window, sums
/// are compensated, and nothing is allocated after construction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lento/average/filter.hpp"
#include "lento/base/compensated_sum.hpp"
#include "lento/problem/time_scales.hpp"
#include "lento/problem/vibrated_system.hpp"
#include "lento/step/catalogue.hpp"
#include "lento/step/state.hpp"
#include "lento/step/verlet.hpp"

namespace lento {

enum class Sides { both, forward };           ///< forward: the motion is even about the middle
enum class ExplicitTime { frozen, running };  ///< whether t stays at the middle's value within a window

/// What all windows of a run have in common.
struct WindowShape {
    FilterWeights weights;
    std::size_t steps_per_period = 0;  ///< of the fastest phase
    Sides sides = Sides::both;
    VelocityUse velocity = VelocityUse::possible;
};

/// Where a window starts.
template <class S, std::size_t Extent = dynamic>
struct WindowStart {
    std::span<const S, Extent> x;
    std::span<const S, Extent> v;        ///< velocity of the window's own motion at its middle
    std::span<const S> slow_velocity{};  ///< added to the window's velocity where the force sees it; may be empty
    S t{};
    std::span<const S> phases{};  ///< at the middle
    ExplicitTime time = ExplicitTime::frozen;
};

/// A window whose stepper has been forgotten: one indirect call a window, none a micro-step.
template <class System, class S = double>
class AnyWindow {
public:
    static constexpr std::size_t extent = System::extent;
    using Start = WindowStart<S, extent>;

    virtual ~AnyWindow() = default;

    /// The filtered acceleration.
    virtual void average_acceleration(const Start& start, std::span<S, extent> result) = 0;

    /// The filtered position and velocity: the slow part of a state on a fast oscillation.
    virtual void average_state(const Start& start, std::span<S, extent> x, std::span<S, extent> v) = 0;

    /// Taken so far, all windows together.
    std::int64_t micro_steps() const { return micro_steps_; }
    const FilterWeights& weights() const { return weights_; }
    std::size_t steps_per_period() const { return static_cast<std::size_t>(steps_per_period_); }
    /// The whole width, as a time.
    S width() const { return S(2 * weights_.each_side()) * micro_step_; }

protected:
    AnyWindow(const TimeScales& scales, WindowShape shape)
        : weights_(std::move(shape.weights)),
          steps_per_period_(static_cast<std::int64_t>(shape.steps_per_period)),
          micro_step_(S(scales.fastest) / S(shape.steps_per_period)) {}

    FilterWeights weights_;
    std::int64_t steps_per_period_;
    S micro_step_;
    std::int64_t micro_steps_ = 0;
};

template <class System, template <class, std::size_t> class Stepper, class S = double>
class Window final : public AnyWindow<System, S> {
    using Base = AnyWindow<System, S>;
    using Base::micro_step_, Base::micro_steps_, Base::steps_per_period_, Base::weights_;

public:
    using Base::extent;
    using typename Base::Start;
    using State = MotionState<S, extent>;

    Window(Acceleration<System, S>& acceleration, const TimeScales& scales, const WindowShape& shape)
        : Base(scales, shape),
          acceleration_(&acceleration),
          ratios_(scales.ratios.begin(), scales.ratios.end()),
          sides_(shape.sides),
          theta_(ratios_.size()),
          work_(acceleration.system().dimension(), shape.velocity) {}

    void average_acceleration(const Start& start, std::span<S, extent> result) override {
        with_work([&](Work& work) {
            work.sum.clear();
            visit(work, start, [&](S weight, State& state) { work.sum.add(weight, state.a()); });
            work.sum.value(result);
        });
    }

    void average_state(const Start& start, std::span<S, extent> x, std::span<S, extent> v) override {
        with_work([&](Work& work) {
            work.sum.clear();
            work.second_sum.clear();
            visit(work, start, [&](S weight, State& state) {
                work.sum.add(weight, state.x());
                work.second_sum.add(weight, state.v());
            });
            work.sum.value(x);
            work.second_sum.value(v);
        });
    }

private:
    struct Work {
        State state, middle;
        Stepper<S, extent> stepper;
        CompensatedVectorSum<S, extent> sum, second_sum;
        Vector<S, extent> velocity;

        Work(std::size_t d, VelocityUse use)
            : state(d),
              middle(d),
              stepper(stepper_for(d, use)),
              sum(d),
              second_sum(d),
              velocity(make_vector<S, extent>(d)) {}

        static auto stepper_for(std::size_t d, VelocityUse use) {
            if constexpr (std::is_constructible_v<Stepper<S, extent>, std::size_t, VelocityUse>) {
                return Stepper<S, extent>(d, use);
            } else {
                return Stepper<S, extent>(d);
            }
        }
    };

    // NOTE: with the dimension known, a copy of the work space on the stack lets the whole state live in registers.
    template <class Task>
    void with_work(Task&& task) {
        if constexpr (extent == dynamic) {
            task(work_);
        } else {
            Work local = work_;
            task(local);
        }
    }

    /// Calls visitor(weight, state) at every grid point of the window.
    template <class Visitor>
    void visit(Work& work, const Start& start, Visitor&& visitor) {
        const std::size_t each_side = weights_.each_side();
        const S two_sided = sides_ == Sides::forward ? S(2) : S(1);

        std::copy(start.x.begin(), start.x.end(), work.middle.x().begin());
        std::copy(start.v.begin(), start.v.end(), work.middle.v().begin());
        evaluate(work, start, 0, S(0), 0, work.middle.x(), work.middle.v(), work.middle.a());
        visitor(S(weights_[0]), work.middle);

        for (const int direction : {1, -1}) {
            if (direction == -1 && sides_ == Sides::forward) {
                break;
            }
            work.state = work.middle;
            std::int64_t turn = 0;  // micro-steps since the last whole period
            for (std::size_t k = 1; k <= each_side; ++k) {
                work.stepper.step(
                    [&](S c, std::span<const S, extent> x, std::span<const S, extent> v, std::span<S, extent> a) {
                        const auto step = static_cast<std::int64_t>(k - 1) * direction;
                        evaluate(work, start, turn, S(direction) * c, step, x, v, a);
                    },
                    S(direction) * micro_step_, work.state);
                turn += direction;
                turn -= 2 * turn > steps_per_period_ ? steps_per_period_ : 0;
                turn += 2 * turn < -steps_per_period_ ? steps_per_period_ : 0;
                visitor(two_sided * S(weights_[k]), work.state);
            }
            micro_steps_ += static_cast<std::int64_t>(each_side);
        }
    }

    /// The acceleration `c` micro-steps after the grid point `step`, whose distance from a whole period is `turn`
    /// micro-steps.
    void evaluate(Work& work, const Start& start, std::int64_t turn, S c, std::int64_t step,
                  std::span<const S, extent> x, std::span<const S, extent> v, std::span<S, extent> a) {
        constexpr S two_pi = 2 * std::numbers::pi_v<S>;
        if (theta_.size() == 1) {
            theta_[0] = start.phases[0] + two_pi * ((S(turn) + c) / S(steps_per_period_));
        } else {
            for (std::size_t j = 0; j < theta_.size(); ++j) {
                const S turns = (S(step) + c) * ratios_[j] / S(steps_per_period_);
                theta_[j] = start.phases[j] + two_pi * (turns - std::floor(turns + S(0.5)));
            }
        }
        const S t = start.time == ExplicitTime::running ? start.t + (S(step) + c) * micro_step_ : start.t;
        if (start.slow_velocity.empty()) {
            (*acceleration_)(x, v, t, std::span<const S>(theta_), a);
        } else {
            for (std::size_t i = 0; i < v.size(); ++i) {
                work.velocity[i] = start.slow_velocity[i] + v[i];
            }
            (*acceleration_)(x, std::span<const S, extent>(work.velocity), t, std::span<const S>(theta_), a);
        }
    }

    Acceleration<System, S>* acceleration_;
    std::vector<S> ratios_;
    Sides sides_;
    std::vector<S> theta_;
    Work work_;
};

/// A window with the stepper of that name (`step/catalogue.hpp`).
template <class System>
std::unique_ptr<AnyWindow<System>> make_window(std::string_view stepper, Acceleration<System>& acceleration,
                                               const TimeScales& scales, const WindowShape& shape) {
    return with_stepper(stepper, "micro", [&](auto choice) -> std::unique_ptr<AnyWindow<System>> {
        return std::make_unique<Window<System, decltype(choice)::template Stepper>>(acceleration, scales, shape);
    });
}

}  // namespace lento
