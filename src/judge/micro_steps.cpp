#include "judge/micro_steps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/number.hpp"

namespace lento {

bool MicroStepSearch::settled(std::span<const double> force) {
    const bool first = coarse_.empty();
    coarse_.resize(force.size(), 0.0);
    const double last_change = change_;
    double size = 0;
    change_ = 0;
    for (std::size_t i = 0; i < force.size(); ++i) {
        change_ = larger(change_, std::abs(force[i] - coarse_[i]));
        size = larger(size, std::abs(force[i]));
    }
    coarse_.assign(force.begin(), force.end());
    // The time in which this force moves the system by its own size: the slow time, as far as one point tells.
    const double slow_time = std::clamp(std::sqrt(scales_.extent / size), 0.01 * scales_.length, scales_.length);
    const double target = 0.1 * std::max(scales_.rtol, std::min(scales_.fast_period / slow_time, 1e-2));
    // NOTE: at an equilibrium there is no averaged force to compare with; what then counts is the vibration's own size.
    const bool converged = change_ <= std::max(target * size, 1e-15 * scales_.amplitude);
    const bool at_rounding = change_ <= 1e-6 * size && change_ > 0.25 * last_change;
    return !first && (converged || at_rounding);
}

double coarseness(std::string_view micro, std::size_t steps_per_period) {
    const bool second_order = micro == "verlet" || micro == "shake" || micro == "rattle" || micro == "midpoint";
    const double angle = 2 * std::numbers::pi / static_cast<double>(steps_per_period);
    return second_order ? angle * angle / 12 : 0.0;
}

}  // namespace lento
