#include "judge/hypotheses.hpp"

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/march/result.hpp"
#include "problem/probe.hpp"

namespace lento {

Hypotheses::Hypotheses(Acceleration& acceleration, const TimeScales& scales, double velocity_rate, double cancelled,
                       const Outset& outset, MeanForce mean)
    : acceleration_(&acceleration),
      scales_(&scales),
      velocity_rate_(velocity_rate),
      least_swing_(1e-12 * cancelled),
      outset_(outset),
      mean_(mean) {
    const std::vector<double> none(outset.start.size());
    profile_ = acceleration.problem().phases.empty()
                   ? FastPart::Profile{acceleration.at(outset.start, outset.velocity, outset.t_start, {}), none, none}
                   : profile_at(outset.start);
}

double Hypotheses::leading_amplitude() const {
    return largest_swing() * std::numbers::pi / scales_->fastest;
}

std::optional<Violation> Hypotheses::violation() {
    for (auto check :
         {&Hypotheses::force_is_finite, &Hypotheses::velocity_acts_slowly, &Hypotheses::leading_force_averages_to_zero,
          &Hypotheses::mean_rates_are_slow, &Hypotheses::fast_displacement_is_small}) {
        if (auto found = (this->*check)()) {
            return found;
        }
    }
    return std::nullopt;
}

FastPart::Profile Hypotheses::profile_at(In x) {
    return FastPart(*acceleration_, x, outset_.velocity, outset_.t_start)
        .profile(x, outset_.velocity, outset_.t_start, *scales_);
}

double Hypotheses::largest_swing() const {
    return std::ranges::max(profile_.swing);
}

Hypotheses::Found Hypotheses::force_is_finite() {
    const auto culprit = first_not_finite(profile_.mean);
    if (!culprit) {
        return std::nullopt;
    }
    return Violation{
        Outcome::diverged,
        fmt::format("the {} {} is not a finite number at the start, t = {}; check the parameters and the starting "
                    "values",
                    has_variables() ? "rate of" : "force on", name(*culprit), outset_.t_start)};
}

Hypotheses::Found Hypotheses::velocity_acts_slowly() {
    if (!(velocity_rate_ * scales_->fastest > 0.5)) {
        return std::nullopt;
    }
    return Violation{Outcome::refused,
                     fmt::format("the force changes with the velocity at a rate of {:.3g}, {:.2g} a fast period: its "
                                 "leading part depends on the velocity, which averaging of the force does not allow",
                                 velocity_rate_, velocity_rate_ * scales_->fastest),
                     Remedy::resolve};
}

Hypotheses::Found Hypotheses::leading_force_averages_to_zero() {
    for (std::size_t i = 0; i < profile_.mean.size() && !has_variables(); ++i) {
        const double swing = profile_.swing[i];
        const double kick = std::abs(profile_.mean[i]) * scales_->fastest;
        // NOTE: a coordinate that the vibration hardly moves has only slow forces; there is nothing to judge.
        const bool vibrated = swing > 1e-3 * largest_swing() && swing > 1e-9 * kick && swing > least_swing_;
        if (!vibrated || kick <= 0.1 * swing || mean_ == MeanForce::accepted) {
            continue;
        }
        const double force = acceleration_->problem().mass.at(outset_.start, outset_.t_start).times(profile_.mean)[i];
        return Violation{
            Outcome::refused,
            fmt::format("the leading force on {} does not average to zero: its mean {:.4g} changes the velocity by "
                        "{:.3g} in one period, more than a tenth of the swing {:.3g} of the fast velocity. Averaging "
                        "needs a vibration that dominates; if this mean is an ordinary slow force beside a weak "
                        "vibration, --option mean_force=accept runs all the same",
                        name(i), force, kick, swing)};
    }
    return std::nullopt;
}

Hypotheses::Found Hypotheses::mean_rates_are_slow() {
    constexpr double most = 0.3;  // as of the fast displacement
    if (!has_variables()) {
        return std::nullopt;
    }
    const auto ahead = combined(outset_.start, scales_->fastest, profile_.mean);
    const double change = largest_change(profile_at(ahead).mean, profile_.mean) / largest(profile_.mean);
    // NOTE: at an equilibrium there is only rounding to compare with.
    const bool moves = largest_change(ahead, outset_.start) > 1e-6 * largest(outset_.start);
    if (!moves || change <= most) {
        return std::nullopt;
    }
    return Violation{Outcome::no_scale_separation,
                     fmt::format("within one fast period, {:.3g}, the mean rates move the variables so far that they "
                                 "change by {:.0f} % themselves: the variables are as fast as the phase",
                                 scales_->fastest, 100 * change),
                     Remedy::resolve};
}

Hypotheses::Found Hypotheses::fast_displacement_is_small() {
    if (!(largest_swing() > least_swing_)) {
        return std::nullopt;
    }
    double change = 0;
    for (const double side : {1.0, -1.0}) {
        const auto moved = profile_at(combined(outset_.start, side, profile_.largest_displacement));
        change = larger(change, largest_change(moved.swing, profile_.swing) / largest_swing());
    }
    if (change <= 0.3) {
        return std::nullopt;
    }
    return Violation{Outcome::no_scale_separation,
                     fmt::format("the vibration moves the system so far that its own strength changes by {:.0f} % on "
                                 "the way; the frequency is too low, or the vibration too strong, for averaging{}",
                                 100 * change,
                                 has_variables() ? ". Rates that grow with the frequency may become bounded in other "
                                                   "variables, as with the momentum of the Lagrangian for a velocity"
                                                 : ""),
                     Remedy::resolve};
}

double spurious_growth(Acceleration& acceleration, const TimeScales& scales, const AveragedAcceleration& force,
                       double t, const std::vector<double>& X, const std::vector<double>& V) {
    std::vector<double> here(X.size());
    std::vector<double> there(X.size());
    force(t, X, V, here);
    const auto raw_here = acceleration.at(X, V, t, {});
    double growth = 0;
    for (std::size_t i = 0; i < X.size(); ++i) {
        const auto& sizes = acceleration.problem().scales;
        const double offset = 1e-4 * (1e-2 * (sizes.empty() ? 1.0 : sizes[i]) + std::abs(X[i]));
        std::vector<double> displaced = X;
        displaced[i] += offset;
        const double stiffness = (acceleration.at(displaced, V, t, {})[i] - raw_here[i]) / offset;
        if (std::abs(stiffness) * scales.fastest * scales.fastest < 4) {
            continue;  // slow along this coordinate
        }
        force(t, displaced, V, there);
        growth = std::max(growth, std::sqrt(std::max(0.0, (there[i] - here[i]) / offset)));
    }
    return growth;
}

MacroWatch::MacroWatch(AveragedAcceleration force, Ground ground, std::optional<double> macro_step,
                       std::function<void(In)> first_value)
    : force_(std::move(force)),
      ground_(std::move(ground)),
      macro_step_(macro_step),
      first_value_(std::move(first_value)) {}

void MacroWatch::operator()(double t, In x, In v, Out result) {
    force_(t, x, v, result);
    along_.assign(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(x.size()));
    ground_.along(t, x, along_);
    const In a = along_;
    for (const double component : a) {
        largest_force_ = std::max(largest_force_, std::abs(component));
    }
    if (last_x_.empty()) {
        first_value_(a);
    } else if (macro_step_) {
        const double distance = largest_change(x, last_x_);
        const double square = *macro_step_ * *macro_step_;
        // NOTE: short moves, as near turning points, tell more of noise than of the slope; long ones of neither.
        if (distance > 0.1 * longest_) {
            steepest_ = std::max(steepest_, largest_change(a, last_a_) / distance * square);
        }
        if (distance > longest_ && distance > 2 * farthest_) {
            steepest_ = std::max(steepest_, slope_at_last_point(t, x, v) * square);
        }
        longest_ = std::max(longest_, distance);
    }
    for (const double component : x) {
        farthest_ = std::max(farthest_, std::abs(component));
    }
    last_x_.assign(x.begin(), x.end());
    last_a_.assign(a.begin(), a.end());
}

double MacroWatch::slope_at_last_point(double t, In target, In v) {
    const double distance = largest_change(target, last_x_);
    const double share = 1e-3 * farthest_ / distance;
    std::vector<double> near = last_x_;
    for (std::size_t i = 0; i < near.size(); ++i) {
        near[i] += share * (target[i] - near[i]);
    }
    ground_.settle(t, near);
    std::vector<double> there(near.size());
    force_(t, near, v, there);
    ground_.along(t, near, there);
    const double moved = largest_change(near, last_x_);
    return moved > 0 ? largest_change(there, last_a_) / moved : 0.0;
}

double phase_noise(const AveragedAcceleration& force, double t, double fast_period, double length, In x, In v,
                   In scales) {
    std::vector<double> here(x.begin(), x.end());
    std::vector<double> ahead = here;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double scale = scales.empty() ? 1.0 : scales[i];
        ahead[i] += 0.05 * length * (v.empty() ? 0.0 : v[i]) + 0.1 * (0.1 * scale + std::abs(x[i]));
    }
    std::vector<double> first(x.size());
    std::vector<double> other(x.size());
    double change = 0;
    double size = 0;
    for (const auto& place : {here, ahead}) {
        force(t, place, v, first);
        for (const double share : {1.0 / 3, 2.0 / 3}) {
            force(t + share * fast_period, place, v, other);
            change = larger(change, largest_change(other, first));
            size = larger(size, largest(first));
        }
    }
    return change / size;
}

}  // namespace lento
