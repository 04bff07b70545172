/// A window of a constrained system: an integration on the manifold on both sides of a point, seen through a filter.
///
///     F = sum_k w_|k| M^-1 (f_k - g'(x_k)^T lambda_k),   mean multiplier = sum_k w_|k| lambda_k    (vibrated, 4.2)
///
/// With SHAKE the multiplier at a point comes from the step to the next one; that at the last point takes a move that
/// is not a micro-step of the window, since nothing is evaluated at its end. With the others it is that of the
/// acceleration at the point. SHAKE factorises the matrix of the constraints once, at the middle, and for up to four
/// constraints the compiler knows their number. Explicit time stays at the middle's value, for forces and constraints
/// alike: the manifold of a window has a stopped clock.
#include <fmt/format.h>

#include "average/window.hpp"
#include "base/compensated_sum.hpp"
#include "lento/base/misuse.hpp"
#include "problem/fixed_manifold.hpp"
#include "step/catalogue.hpp"

namespace lento {
namespace {

/// Where and how a window failed to stay on the manifold.
struct WindowFailure {
    Convergence convergence;
    std::int64_t step = 0;  ///< micro-steps from the middle
};

template <class Stepper, class Surface>
class ConstrainedWindow final : public Window {
public:
    ConstrainedWindow(Acceleration& acceleration, Manifold& manifold, const TimeScales& scales,
                      const WindowShape& shape)
        : Window(scales, shape),
          acceleration_(&acceleration),
          surface_(manifold),
          ratios_(scales.ratios),
          theta_(ratios_.size()),
          middle_(surface_),
          state_(surface_),
          stepper_(surface_, shape.velocity),
          velocity_(manifold.dimension()),
          total_(make_vector<double, Surface::extent>(manifold.dimension())),
          lambda_(manifold.count()),
          forces_(manifold.dimension()),
          multipliers_(manifold.count()) {}

    /// The filtered acceleration, and behind it, where `result` has room, the filtered multipliers.
    void average_acceleration(const WindowStart& start, Out result) override {
        const std::size_t d = surface_.dimension();
        forces_.clear();
        multipliers_.clear();
        failure_.reset();
        sweep(start);
        if (failure_) {
            std::ranges::fill(result, NAN);
            return;
        }
        forces_.value(total_);
        std::copy_n(total_.begin(), d, result.begin());
        if (result.size() > d) {
            multipliers_.value(view<Surface::count_extent>(result.subspan(d)));
        }
    }

    void average_motion(const WindowStart&, Out, Out, Out) override {
        throw Misuse("windows on a manifold average forces, not motions");
    }

    std::optional<std::string> failure() const override {
        if (!failure_) {
            return std::nullopt;
        }
        const auto& [convergence, step] = *failure_;
        if (!convergence.independent) {
            return fmt::format("{} micro-steps from the middle of a window the constraints become dependent", step);
        }
        return fmt::format(
            "{} micro-steps from the middle of a window the constraints are not reached: the iteration stops at a "
            "residual of {:.2g}, relative, the largest in {}; take more micro_steps_per_period, unless the constraints "
            "cannot all hold there",
            step, convergence.residual, surface_.constraints().names()[convergence.worst]);
    }

private:
    static constexpr bool is_shake = std::is_same_v<Stepper, ShakeOn<Surface>>;

    void sweep(const WindowStart& start) {
        std::copy_n(start.x.begin(), surface_.dimension(), middle_.x().begin());
        std::copy_n(start.v.begin(), surface_.dimension(), middle_.v().begin());
        evaluations_ = 0;
        evaluate(start, 0, middle_.x(), middle_.v(), middle_.a());
        for (const int direction : {1, -1}) {
            if (failure_ || (direction == -1 && sides_ == Sides::forward)) {
                break;
            }
            if (const auto there = linearise(surface_, start.t, middle_); !there.converged) {
                failure_ = {there, 0};
                break;
            }
            state_ = middle_;
            if constexpr (requires { stepper_.restart(); }) {
                stepper_.restart();
            }
            const auto steps = static_cast<std::int64_t>(weights_.each_side());
            if constexpr (is_shake) {
                shake(start, direction, steps);
            } else {
                others(start, direction, steps);
            }
            micro_steps_ += steps;
        }
        acceleration_->count(evaluations_);
    }

    void shake(const WindowStart& start, int direction, std::int64_t steps) {
        const double h = direction * micro_step_;
        for (std::int64_t k = 0; k <= steps; ++k) {
            if (const auto moved = stepper_.move(start.t, h, state_); !moved.converged) {
                failure_ = {moved, direction * k};
                return;
            }
            std::ranges::copy(state_.a(), total_.begin());
            surface_.pull(state_.gradient, stepper_.multipliers(), 1, total_);
            add(direction, k, stepper_.multipliers());
            if (k < steps) {
                stepper_.evaluate(
                    [&](double, auto x, auto v, auto a) { evaluate(start, direction * (k + 1.0), x, v, a); }, h,
                    state_);
                surface_.gradient(state_.x(), start.t, state_.gradient);
            }
        }
    }

    void others(const WindowStart& start, int direction, std::int64_t steps) {
        const double h = direction * micro_step_;
        for (std::int64_t k = 0; k <= steps; ++k) {
            std::ranges::copy(state_.a(), total_.begin());
            surface_.constrain_acceleration(state_.gradient, state_.x(), state_.v(), start.t, total_, lambda_);
            add(direction, k, lambda_);
            if (k < steps) {
                const auto moved =
                    stepper_.step([&](double c, auto x, auto v,
                                      auto a) { evaluate(start, direction * (static_cast<double>(k) + c), x, v, a); },
                                  [&](double) { return start.t; }, h, state_);
                if (!moved.converged) {
                    failure_ = {moved, direction * k};
                    return;
                }
            }
        }
    }

    /// What is found k micro-steps from the middle; the middle itself belongs to the forward half.
    void add(int direction, std::int64_t k, std::span<const double, Surface::count_extent> lambda) {
        if (k == 0 && direction == -1) {
            return;
        }
        const double weight = weights_[static_cast<std::size_t>(k)] * (k > 0 && sides_ == Sides::forward ? 2.0 : 1.0);
        forces_.add(weight, total_);
        multipliers_.add(weight, lambda);
    }

    /// The active acceleration `steps` micro-steps from the middle.
    void evaluate(const WindowStart& start, double steps, In x, In v, Out a) {
        ++evaluations_;
        const std::size_t d = surface_.dimension();
        x = x.first(d);
        v = v.first(d);
        window_phases(start.phases, ratios_, steps, steps_per_period_, theta_);
        if (!start.slow_velocity.empty()) {
            std::ranges::transform(start.slow_velocity, v, velocity_.begin(), std::plus<>());
            v = velocity_;
        }
        acceleration_->uncounted(x, v, start.t, theta_, a.first(d));
    }

    /// The manifold itself is somebody else's.
    using Held = std::conditional_t<std::is_same_v<Surface, Manifold>, Manifold&, Surface>;

    Acceleration* acceleration_;
    Held surface_;
    std::optional<WindowFailure> failure_;
    std::vector<double> ratios_;
    std::int64_t evaluations_ = 0;  // in the window under way
    // Work space.
    std::vector<double> theta_;
    StateOn<Surface> middle_, state_;
    Stepper stepper_;
    std::vector<double> velocity_;
    Vector<double, Surface::extent> total_;
    std::vector<double> lambda_;
    CompensatedVectorSum<double, Surface::extent> forces_;
    CompensatedVectorSum<double, Surface::count_extent> multipliers_;
};

/// A window by SHAKE on a manifold of known size, for up to four constraints: chains in the plane, and in space
/// molecules with an atom more than bonds. None where the manifold is another.
template <std::size_t Count = 1>
std::unique_ptr<Window> fixed_shake_window(Acceleration& active, Manifold& manifold, const TimeScales& scales,
                                           const WindowShape& shape) {
    constexpr std::size_t most = 4;  // measured on chains: full rows of six take longer than sparse ones
    if constexpr (Count <= most) {
        using Flat = FixedManifold<Count, 2 * Count>;
        using Spatial = FixedManifold<Count, 3 * (Count + 1)>;
        if (Flat::suits(manifold)) {
            return std::make_unique<ConstrainedWindow<ShakeOn<Flat>, Flat>>(active, manifold, scales, shape);
        }
        if (Spatial::suits(manifold)) {
            return std::make_unique<ConstrainedWindow<ShakeOn<Spatial>, Spatial>>(active, manifold, scales, shape);
        }
        return fixed_shake_window<Count + 1>(active, manifold, scales, shape);
    } else {
        return nullptr;
    }
}

}  // namespace

std::unique_ptr<Window> make_constrained_window(std::string_view stepper, Acceleration& active, Manifold& manifold,
                                                const TimeScales& scales, const WindowShape& shape) {
    return with_constrained_stepper(stepper, "micro", [&](auto choice) -> std::unique_ptr<Window> {
        using Stepper = typename decltype(choice)::Stepper;
        if constexpr (std::is_same_v<Stepper, Shake>) {
            if (auto window = fixed_shake_window(active, manifold, scales, shape)) {
                return window;
            }
        }
        return std::make_unique<ConstrainedWindow<Stepper, Manifold>>(active, manifold, scales, shape);
    });
}

}  // namespace lento
