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
#include <optional>
#include <span>
#include <string>
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

/// The phases `steps` micro-steps from the middle of a window.
template <class S>
void window_phases(std::span<const S> middle, std::span<const S> ratios, S steps, std::int64_t steps_per_period,
                   std::span<S> theta) {
    for (std::size_t j = 0; j < theta.size(); ++j) {
        const S turns = steps * ratios[j] / S(steps_per_period);
        theta[j] = middle[j] + 2 * std::numbers::pi_v<S> * (turns - std::floor(turns + S(0.5)));
    }
}

/// A window whose stepper has been forgotten: one indirect call a window, none a micro-step.
template <class System, class S = double>
class AnyWindow {
public:
    static constexpr std::size_t extent = System::extent;
    using Start = WindowStart<S, extent>;

    virtual ~AnyWindow() = default;

    /// The filtered acceleration.
    virtual void average_acceleration(const Start& start, std::span<S, extent> result) = 0;

    /// The filtered position, velocity and acceleration: the slow part of a motion with a fast oscillation.
    virtual void average_motion(const Start& start, std::span<S, extent> x, std::span<S, extent> v,
                                std::span<S, extent> a) = 0;

    /// Why the last window could not be run to its end, as a sentence; nothing if it could.
    virtual std::optional<std::string> failure() const { return std::nullopt; }

    /// Taken so far, all windows together.
    std::int64_t micro_steps() const { return micro_steps_; }
    std::int64_t micro_steps_a_window() const {
        return static_cast<std::int64_t>(weights_.each_side()) * (sides_ == Sides::both ? 2 : 1);
    }
    const FilterWeights& weights() const { return weights_; }
    std::size_t steps_per_period() const { return static_cast<std::size_t>(steps_per_period_); }
    S micro_step() const { return micro_step_; }
    /// The whole width, as a time.
    S width() const { return S(2 * weights_.each_side()) * micro_step_; }

protected:
    AnyWindow(const TimeScales& scales, WindowShape shape)
        : weights_(std::move(shape.weights)),
          steps_per_period_(static_cast<std::int64_t>(shape.steps_per_period)),
          micro_step_(S(scales.fastest) / S(shape.steps_per_period)),
          sides_(shape.sides) {}

    FilterWeights weights_;
    std::int64_t steps_per_period_;
    S micro_step_;
    Sides sides_;
    std::int64_t micro_steps_ = 0;
};

/// `Extent` is that of the window's own arithmetic: known for few coordinates even where the system's is not.
template <class System, template <class, std::size_t> class Stepper, class S = double,
          std::size_t Extent = System::extent>
class Window final : public AnyWindow<System, S> {
    using Base = AnyWindow<System, S>;
    using Base::micro_step_, Base::micro_steps_, Base::sides_, Base::steps_per_period_, Base::weights_;

public:
    static constexpr std::size_t extent = Extent;
    using typename Base::Start;
    using State = MotionState<S, extent>;

    Window(Acceleration<System, S>& acceleration, const TimeScales& scales, const WindowShape& shape)
        : Window(acceleration, scales, shape, acceleration.system().dimension()) {}

    void average_acceleration(const Start& start, std::span<S, Base::extent> result) override {
        Local<Sum> sum = sum_;
        sum.clear();
        visit(start, [&](S weight, State& state) { sum.add(weight, state.a()); });
        sum.value(view<extent>(std::span<S>(result)));
    }

    void average_motion(const Start& start, std::span<S, Base::extent> x, std::span<S, Base::extent> v,
                        std::span<S, Base::extent> a) override {
        Local<Sum> positions = sum_;
        Local<Sum> velocities = second_sum_;
        Local<Sum> accelerations = third_sum_;
        positions.clear();
        velocities.clear();
        accelerations.clear();
        const auto add = [&](S weight, State& state) {
            positions.add(weight, state.x());
            velocities.add(weight, state.v());
            accelerations.add(weight, state.a());
        };
        sweep(start, add, [&](Instant at, View x_, View v_, auto a_) { evaluate(start, at, x_, v_, a_); });
        positions.value(view<extent>(std::span<S>(x)));
        velocities.value(view<extent>(std::span<S>(v)));
        accelerations.value(view<extent>(std::span<S>(a)));
    }

private:
    using Sum = CompensatedVectorSum<S, extent>;
    using View = std::span<const S, extent>;

    /// A member to work on: with the dimension known, a copy on the stack, which lives in registers; else the member itself.
    template <class T>
    using Local = std::conditional_t<extent == dynamic, T&, T>;

    Window(Acceleration<System, S>& acceleration, const TimeScales& scales, const WindowShape& shape, std::size_t d)
        : Base(scales, shape),
          acceleration_(&acceleration),
          ratios_(scales.ratios.begin(), scales.ratios.end()),
          theta_(ratios_.size()),
          state_(d),
          middle_(d),
          stepper_(stepper_for(d, shape.velocity)),
          sum_(d),
          second_sum_(d),
          third_sum_(d),
          velocity_(make_vector<S, extent>(d)) {}

    static Stepper<S, extent> stepper_for(std::size_t d, VelocityUse use) {
        if constexpr (std::is_constructible_v<Stepper<S, extent>, std::size_t, VelocityUse>) {
            return Stepper<S, extent>(d, use);
        } else {
            return Stepper<S, extent>(d);
        }
    }

    /// A moment of the window: `fraction` micro-steps after the grid point `step`, which is `turn` micro-steps from a
    /// whole period.
    struct Instant {
        std::int64_t turn;
        std::int64_t step;
        S fraction;
    };

    /// Calls visitor(weight, state) at every grid point of the window.
    template <class Visitor>
    void visit(const Start& start, Visitor&& visitor) {
        // NOTE: what almost every window is (one phase, no slow velocity to add, time at rest) gets a loop of its own
        // without the questions; they cost a tenth of a step over a pendulum.
        if (ratios_.size() == 1 && start.slow_velocity.empty() && start.time == ExplicitTime::frozen) {
            sweep(start, visitor, [&, phase = start.phases[0], t = start.t](Instant at, View x, View v, auto a) {
                theta_[0] = phase + two_pi * ((S(at.turn) + at.fraction) / S(steps_per_period_));
                acceleration_->template uncounted<extent>(x, v, t, std::span<const S>(theta_), a);
            });
        } else {
            sweep(start, visitor, [&](Instant at, View x, View v, auto a) { evaluate(start, at, x, v, a); });
        }
    }

    template <class Visitor, class Rate>
    void sweep(const Start& start, Visitor&& visitor, Rate&& rate) {
        const std::size_t each_side = weights_.each_side();
        const std::int64_t period = steps_per_period_;
        const S two_sided = sides_ == Sides::forward ? S(2) : S(1);
        Local<State> state = state_;
        Local<Stepper<S, extent>> stepper = stepper_;

        std::copy(start.x.begin(), start.x.end(), middle_.x().begin());
        std::copy(start.v.begin(), start.v.end(), middle_.v().begin());
        rate(Instant{0, 0, S(0)}, View(middle_.x()), View(middle_.v()), middle_.a());
        visitor(S(weights_[0]), middle_);
        std::int64_t steps = 0;
        for (const int direction : {1, -1}) {
            if (direction == -1 && sides_ == Sides::forward) {
                break;
            }
            state = middle_;
            const S h = S(direction) * micro_step_;
            std::int64_t turn = 0;
            for (std::size_t k = 1; k <= each_side; ++k) {
                const auto acceleration = [&](S c, View x, View v, std::span<S, extent> a) {
                    const auto step = static_cast<std::int64_t>(k - 1) * direction;
                    if constexpr (System::fixed_windows && extent != dynamic) {
                        // NOTE: a force compiled from text is not inlined. It sees copies, so that the state itself can stay in
                        // registers: over a pendulum this saves a fifth of a micro-step.
                        Vector<S, extent> position, velocity, result;
                        for (std::size_t i = 0; i < extent; ++i) {
                            position[i] = x[i];
                            velocity[i] = v[i];
                        }
                        rate(Instant{turn, step, S(direction) * c}, View(position), View(velocity),
                             std::span<S, extent>(result));
                        for (std::size_t i = 0; i < extent; ++i) {
                            a[i] = result[i];
                        }
                    } else {
                        rate(Instant{turn, step, S(direction) * c}, x, v, a);
                    }
                };
                stepper.step(acceleration, h, state);
                turn += direction;
                turn -= 2 * turn > period ? period : 0;
                turn += 2 * turn < -period ? period : 0;
                visitor(two_sided * S(weights_[k]), state);
            }
            steps += static_cast<std::int64_t>(each_side);
        }
        micro_steps_ += steps;
        acceleration_->count(1 + steps * Stepper<S, extent>::evaluations);
    }

    /// The acceleration at an instant: several phases, slow velocity, running time.
    void evaluate(const Start& start, Instant at, View x, View v, std::span<S, extent> a) {
        const S steps = S(at.step) + at.fraction;
        window_phases<S>(start.phases, ratios_, steps, steps_per_period_, theta_);
        const S t = start.time == ExplicitTime::running ? start.t + steps * micro_step_ : start.t;
        if (!start.slow_velocity.empty()) {
            for (std::size_t i = 0; i < v.size(); ++i) {
                velocity_[i] = start.slow_velocity[i] + v[i];
            }
            v = View(velocity_);
        }
        acceleration_->template uncounted<extent>(x, v, t, std::span<const S>(theta_), a);
    }

    static constexpr S two_pi = 2 * std::numbers::pi_v<S>;

    Acceleration<System, S>* acceleration_;
    std::vector<S> ratios_;
    // Work space.
    std::vector<S> theta_;
    State state_, middle_;
    Stepper<S, extent> stepper_;
    Sum sum_, second_sum_, third_sum_;
    Vector<S, extent> velocity_;
};

/// A window with the stepper of that name (`step/catalogue.hpp`). Where the system asks for it, the length is made known to the
/// compiler for up to three coordinates: the loop then runs in registers.
template <class System>
std::unique_ptr<AnyWindow<System>> make_window(std::string_view stepper, Acceleration<System>& acceleration,
                                               const TimeScales& scales, const WindowShape& shape) {
    return with_stepper(stepper, "micro", [&](auto choice) -> std::unique_ptr<AnyWindow<System>> {
        const auto made = [&]<std::size_t Extent>() {
            using Made = Window<System, decltype(choice)::template Stepper, double, Extent>;
            return std::make_unique<Made>(acceleration, scales, shape);
        };
        if constexpr (System::fixed_windows) {
            switch (acceleration.system().dimension()) {
                case 1:
                    return made.template operator()<1>();
                case 2:
                    return made.template operator()<2>();
                case 3:
                    return made.template operator()<3>();
                default:
                    break;
            }
        }
        return made.template operator()<System::extent>();
    });
}

}  // namespace lento
