#include "average/window.hpp"

#include "base/compensated_sum.hpp"
#include "step/catalogue.hpp"
#include "step/state.hpp"

namespace lento {

Window::Window(const TimeScales& scales, WindowShape shape)
    : weights_(std::move(shape.weights)),
      steps_per_period_(static_cast<std::int64_t>(shape.steps_per_period)),
      micro_step_(scales.fastest / static_cast<double>(shape.steps_per_period)),
      sides_(shape.sides) {}

namespace {

using S = double;

template <template <class, std::size_t> class Stepper, std::size_t extent>
class SteppedWindow final : public Window {
public:
    using State = typename Stepper<S, extent>::State;

    SteppedWindow(Acceleration& acceleration, const TimeScales& scales, const WindowShape& shape)
        : SteppedWindow(acceleration, scales, shape, acceleration.problem().dimension()) {}

    void average_acceleration(const WindowStart& start, Out result) override {
        Local<Sum> sum = sum_;
        sum.clear();
        visit(start, [&](S weight, State& state) { sum.add(weight, state.a()); });
        sum.value(view<extent>(std::span<S>(result)));
    }

    void average_motion(const WindowStart& start, Out x, Out v, Out a) override {
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

    /// A member to work on: with the dimension known, a copy on the stack, in registers; else the member.
    template <class T>
    using Local = std::conditional_t<extent == dynamic, T&, T>;

    SteppedWindow(Acceleration& acceleration, const TimeScales& scales, const WindowShape& shape, std::size_t d)
        : Window(scales, shape),
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
        S turn;
        std::int64_t step;
        S fraction;
    };

    /// Calls visitor(weight, state) at every grid point of the window.
    template <class Visitor>
    void visit(const WindowStart& start, Visitor&& visitor) {
        // NOTE: what almost every window is (one phase, no slow velocity to add, time at rest) gets a loop of its own
        // without the questions, and one coordinate another without arrays: a quarter of a step over a pendulum.
        if (ratios_.size() != 1 || !start.slow_velocity.empty() || start.time == ExplicitTime::running) {
            sweep(start, visitor, [&](Instant at, View x, View v, auto a) { evaluate(start, at, x, v, a); });
            return;
        }
        const auto theta = [phase = start.phases[0], period = S(steps_per_period_)](Instant at) {
            return phase + two_pi * ((at.turn + at.fraction) / period);
        };
        if constexpr (extent == 1) {
            if (const auto single = acceleration_->single()) {
                const auto one = [theta, t = start.t, force = *single](Instant at, View x, View v, auto a) {
                    a[0] = force(x[0], v[0], t, theta(at));
                };
                const auto two = [theta, t = start.t, force = *single](Instant at, View x, View v, auto a, View other_x,
                                                                       View from, auto other_v, S factor,
                                                                       auto other_a) {
                    const auto both = force.two(x[0], v[0], other_x[0], from[0], other_v[0], factor, t, theta(at));
                    a[0] = both.first;
                    other_v[0] = from[0] + (other_v[0] + factor * both.first);
                    other_a[0] = both.second;
                };
                sweep(start, visitor, Rates{one, two});
                return;
            }
        }
        sweep(start, visitor, [&, t = start.t](Instant at, View x, View v, auto a) {
            theta_[0] = theta(at);
            acceleration_->uncounted<extent>(x, v, t, std::span<const S>(theta_), a);
        });
    }

    template <class Visitor, class Rate>
    void sweep(const WindowStart& start, Visitor&& visitor, Rate&& rate) {
        const std::size_t each_side = weights_.each_side();
        const In weights = weights_.all();
        const auto period = static_cast<S>(steps_per_period_);
        const S two_sided = sides_ == Sides::forward ? S(2) : S(1);
        Local<State> state = state_;
        Local<Stepper<S, extent>> stepper = stepper_;

        std::copy(start.x.begin(), start.x.end(), middle_.x().begin());
        std::copy(start.v.begin(), start.v.end(), middle_.v().begin());  // of variables there are none
        rate(Instant{S(0), 0, S(0)}, View(middle_.x()), View(middle_.v()), middle_.a());
        visitor(S(weights[0]), middle_);
        std::int64_t steps = 0;
        for (const int direction : {1, -1}) {
            if (direction == -1 && sides_ == Sides::forward) {
                break;
            }
            state = middle_;
            const S h = S(direction) * micro_step_;
            S turn = 0;
            for (std::size_t k = 1; k <= each_side; ++k) {
                const auto instant = [&](S c) {
                    return Instant{turn, static_cast<std::int64_t>(k - 1) * direction, S(direction) * c};
                };
                const auto one = [&](S c, View x, View v, std::span<S, extent> a) {
                    if constexpr (extent != dynamic) {
                        // NOTE: forces are not inlined. They see copies, so that the state itself can stay in
                        // registers: over a pendulum this saves a fifth of a micro-step.
                        Vector<S, extent> position, velocity, result;
                        for (std::size_t i = 0; i < extent; ++i) {
                            position[i] = x[i];
                            velocity[i] = v[i];
                        }
                        rate(instant(c), View(position), View(velocity), std::span<S, extent>(result));
                        for (std::size_t i = 0; i < extent; ++i) {
                            a[i] = result[i];
                        }
                    } else {
                        rate(instant(c), x, v, a);
                    }
                };
                if constexpr (requires { rate.two; }) {
                    const auto two = [&](S c, auto... points) { rate.two(instant(c), points...); };
                    stepper.step(Rates{one, two}, h, state);
                } else {
                    stepper.step(one, h, state);
                }
                turn += direction;
                turn -= std::copysign(2 * std::abs(turn) > period ? period : S(0), turn);
                visitor(two_sided * S(weights[k]), state);
            }
            steps += static_cast<std::int64_t>(each_side);
        }
        micro_steps_ += steps;
        acceleration_->count(1 + steps * Stepper<S, extent>::evaluations);
    }

    /// The acceleration at an instant: several phases, slow velocity, running time.
    void evaluate(const WindowStart& start, Instant at, View x, View v, std::span<S, extent> a) {
        const S steps = S(at.step) + at.fraction;
        window_phases(start.phases, ratios_, steps, steps_per_period_, theta_);
        const S t = start.time == ExplicitTime::running ? start.t + steps * micro_step_ : start.t;
        if (!start.slow_velocity.empty()) {
            for (std::size_t i = 0; i < v.size(); ++i) {
                velocity_[i] = start.slow_velocity[i] + v[i];
            }
            v = View(velocity_);
        }
        acceleration_->uncounted<extent>(x, v, t, std::span<const S>(theta_), a);
    }

    static constexpr S two_pi = 2 * std::numbers::pi_v<S>;

    Acceleration* acceleration_;
    std::vector<S> ratios_;
    // Work space.
    std::vector<S> theta_;
    State state_, middle_;
    Stepper<S, extent> stepper_;
    Sum sum_, second_sum_, third_sum_;
    Vector<S, extent> velocity_;
};

}  // namespace

std::unique_ptr<Window> make_window(std::string_view stepper, Acceleration& acceleration, const TimeScales& scales,
                                    const WindowShape& shape) {
    const auto with = [&](auto choice) -> std::unique_ptr<Window> {
        const auto made = [&]<std::size_t Extent>() {
            using Made = SteppedWindow<decltype(choice)::template Stepper, Extent>;
            return std::make_unique<Made>(acceleration, scales, shape);
        };
        switch (acceleration.problem().dimension()) {
            case 1:
                return made.template operator()<1>();
            case 2:
                return made.template operator()<2>();
            case 3:
                return made.template operator()<3>();
            default:
                return made.template operator()<dynamic>();
        }
    };
    return acceleration.problem().second_order
               ? with_stepper(stepper, "micro", with)
               : with_stepper_of(rate_steppers, stepper, "micro", "stepper for variables",
                                 [&](auto choice) { return with(OnVariablesChoice<decltype(choice)>{}); });
}

}  // namespace lento
