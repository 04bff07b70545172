/// What averaging needs of a vibrated system, judged at its start: each violation is an outcome with a sentence and its numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Dense>

#include "lento/average/fast_part.hpp"
#include "lento/base/number.hpp"
#include "lento/base/outcome.hpp"
#include "lento/march/result.hpp"
#include "lento/method/macro.hpp"
#include "lento/method/request.hpp"
#include "lento/problem/probe.hpp"
#include "lento/problem/time_scales.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

struct Violation {
    Outcome outcome = Outcome::refused;
    std::string sentence;
};

/// Of a start that has been put on the constraints, or could not be.
struct StartReport {
    std::vector<std::string> warnings{};
    std::optional<Violation> violation{};
};

template <class System>
class Hypotheses {
public:
    /// `velocity_rate` is how fast the active force changes with the velocity, `cancelled` the swing of the fast velocity that constraints
    /// take away.
    Hypotheses(Acceleration<System>& acceleration, const TimeScales& scales, double velocity_rate, double cancelled,
               const Request& request)
        : acceleration_(&acceleration),
          scales_(&scales),
          velocity_rate_(velocity_rate),
          least_swing_(1e-12 * cancelled),
          request_(&request) {
        if (!acceleration.system().phases().empty()) {
            profile_ = profile_at(request.start);
        } else {
            profile_.mean =
                probe_detail::acceleration_at(acceleration, request.start, request.velocity, request.t_start, {});
            profile_.velocity_swing.assign(request.start.size(), 0.0);
            profile_.largest_displacement.assign(request.start.size(), 0.0);
        }
    }

    /// The first that is violated.
    std::optional<Violation> violation() {
        for (auto check : {&Hypotheses::force_is_finite, &Hypotheses::velocity_acts_slowly,
                           &Hypotheses::leading_force_averages_to_zero, &Hypotheses::fast_displacement_is_small}) {
            if (auto found = (this->*check)()) {
                return found;
            }
        }
        return std::nullopt;
    }

    /// The amplitude of the oscillating acceleration.
    double leading_amplitude() const { return largest_swing() / 2 * 2 * std::numbers::pi / scales_->fastest; }

private:
    using Found = std::optional<Violation>;

    typename FastPart<System>::Profile profile_at(std::span<const double> x) {
        return FastPart<System>(*acceleration_, x, request_->velocity, request_->t_start)
            .profile(x, request_->velocity, request_->t_start, *scales_);
    }
    double largest_swing() const {
        return *std::max_element(profile_.velocity_swing.begin(), profile_.velocity_swing.end());
    }
    const std::string& name(std::size_t i) const { return acceleration_->system().names()[i]; }

    Found force_is_finite() {
        const auto culprit = first_not_finite(profile_.mean);
        if (!culprit) {
            return std::nullopt;
        }
        return Violation{
            Outcome::diverged,
            fmt::format("the force on {} is not a finite number at the start, t = {}; check the parameters and the "
                        "starting values",
                        name(*culprit), request_->t_start)};
    }

    /// A force whose leading part depends on the velocity changes the fast velocity by as much as itself within a period.
    Found velocity_acts_slowly() {
        if (!(velocity_rate_ * scales_->fastest > 0.5)) {
            return std::nullopt;
        }
        return Violation{
            Outcome::refused,
            fmt::format("the force changes with the velocity at a rate of {:.3g}, {:.2g} a fast period: its leading "
                        "part depends "
                        "on the velocity, which averaging of the force does not allow; use the method direct",
                        velocity_rate_, velocity_rate_ * scales_->fastest)};
    }

    /// (3.3): the mean acceleration times the period against the swing of the fast velocity.
    Found leading_force_averages_to_zero() {
        const auto answer = request_->options.mean_force.value_or("refuse");
        for (std::size_t i = 0; i < profile_.mean.size(); ++i) {
            const double swing = profile_.velocity_swing[i];
            const double kick = std::abs(profile_.mean[i]) * scales_->fastest;
            // NOTE: a coordinate that the vibration hardly moves has only slow forces; there is nothing to judge.
            const bool vibrated = swing > 1e-3 * largest_swing() && swing > 1e-9 * kick && swing > least_swing_;
            if (!vibrated || kick <= 0.1 * swing || answer == "accept") {
                continue;
            }
            const Eigen::Map<const Eigen::VectorXd> mean(profile_.mean.data(),
                                                         static_cast<Eigen::Index>(profile_.mean.size()));
            const double force = (acceleration_->system().mass().matrix() * mean)[static_cast<Eigen::Index>(i)];
            return Violation{
                Outcome::refused,
                fmt::format("the leading force on {} does not average to zero: its mean {:.4g} changes the velocity by "
                            "{:.3g} in one "
                            "period, more than a tenth of the swing {:.3g} of the fast velocity. Averaging needs a "
                            "vibration that "
                            "dominates; if this mean is an ordinary slow force beside a weak vibration, --option "
                            "mean_force=accept runs all the same",
                            name(i), force, kick, swing)};
        }
        return std::nullopt;
    }

    /// The vibration must hardly change over the distance that it moves the system itself.
    Found fast_displacement_is_small() {
        if (!(largest_swing() > least_swing_)) {
            return std::nullopt;
        }
        double change = 0;
        for (const double side : {1.0, -1.0}) {
            const auto moved = profile_at(probe_detail::combined(request_->start, side, profile_.largest_displacement));
            for (std::size_t i = 0; i < moved.velocity_swing.size(); ++i) {
                change =
                    larger(change, std::abs(moved.velocity_swing[i] - profile_.velocity_swing[i]) / largest_swing());
            }
        }
        if (change <= 0.3) {
            return std::nullopt;
        }
        return Violation{Outcome::no_scale_separation,
                         fmt::format("the vibration moves the system so far that its own strength changes by {:.0f} % "
                                     "on the way; the frequency is "
                                     "too low, or the vibration too strong, for averaging: use the method direct",
                                     100 * change)};
    }

    Acceleration<System>* acceleration_;
    const TimeScales* scales_;
    double velocity_rate_;
    double least_swing_;  // below this it is rounding
    const Request* request_;
    typename FastPart<System>::Profile profile_;
};

/// The rate at which the averaged force drives a stiff coordinate away from its slow motion. The average of a stiff
/// force -w^2 z is to vanish; what the window lets through, kappa z, grows like exp(sqrt(kappa) t) if kappa > 0.
template <class System>
double spurious_growth(Acceleration<System>& acceleration, const TimeScales& scales, const AveragedAcceleration& force,
                       double t, const std::vector<double>& X, const std::vector<double>& V) {
    constexpr auto extent = System::extent;
    const std::size_t d = X.size();
    std::vector<double> here(d);
    std::vector<double> there(d);
    std::vector<double> raw_here(d);
    std::vector<double> raw_there(d);
    const auto raw = [&](const std::vector<double>& x, std::vector<double>& a) {
        acceleration(view<extent>(std::span<const double>(x)), view<extent>(std::span<const double>(V)), t, {},
                     view<extent>(std::span<double>(a)));
    };
    force(t, X, V, here);
    raw(X, raw_here);
    double growth = 0;
    for (std::size_t i = 0; i < d; ++i) {
        const double offset = 1e-4 * (1e-2 + std::abs(X[i]));
        std::vector<double> displaced = X;
        displaced[i] += offset;
        raw(displaced, raw_there);
        const double stiffness = (raw_there[i] - raw_here[i]) / offset;
        if (std::abs(stiffness) * scales.fastest * scales.fastest < 4) {
            continue;  // slow along this coordinate
        }
        force(t, displaced, V, there);
        growth = std::max(growth, std::sqrt(std::max(0.0, (there[i] - here[i]) / offset)));
    }
    return growth;
}

}  // namespace lento
