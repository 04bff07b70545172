#include "average/period_map.hpp"

#include <fmt/format.h>

#include "base/number.hpp"

namespace lento {

std::vector<double> PeriodMap::followed(In z, double t) {
    const std::size_t d = flow_->dimension();
    std::vector<double> y(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(d));
    const double way = t - z[d];
    if (!(std::abs(way) < 1e6 * period_)) {  // an orbit that has come to its end
        return std::vector<double>(d, NAN);
    }
    const auto steps =
        static_cast<std::int64_t>(std::ceil(static_cast<double>(steps_) * std::abs(way) / period_ - 1e-9));
    if (steps > 0) {
        std::vector<double> increment(d);
        const double h = way / static_cast<double>(steps);
        flow_->follow({.t = z[d], .h = h, .turns = h / period_, .steps = steps}, y, increment);
        add_to(y, 1, increment);
    }
    return y;
}

void FixedPeriod::iterate(In z, int direction, std::size_t count, Out changes) {
    const std::size_t d = flow_->dimension();
    increments_.resize(count * d);
    const auto steps = static_cast<double>(steps_);
    flow_->follow({.t = z[d],
                   .h = direction * period_ / steps,
                   .turns = direction / steps,
                   .steps = static_cast<std::int64_t>(steps_),
                   .marks = count},
                  z.first(d), increments_);
    failure_ = flow_->failure();
    for (std::size_t k = 0; k < count; ++k) {
        std::ranges::copy(In(increments_).subspan(k * d, d), changes.subspan(k * (d + 1)).begin());
        changes[k * (d + 1) + d] = direction * static_cast<double>(k + 1) * period_;
    }
}

FirstReturn::FirstReturn(MicroFlow& flow, double period, std::size_t steps, std::vector<double> scales)
    : PeriodMap(flow, period, steps),
      scales_(std::move(scales)),
      here_(flow.dimension()),
      point_(flow.dimension()),
      section_(flow.dimension()),
      rate_(flow.dimension()),
      increment_(flow.dimension()) {}

double FirstReturn::across(In a, In b) const {
    double sum = 0;
    for (std::size_t i = 0; i < scales_.size(); ++i) {
        sum += a[i] / scales_[i] * (b[i] / scales_[i]);
    }
    return sum;
}

void FirstReturn::iterate(In z, int direction, std::size_t count, Out changes) {
    const std::size_t n = dimension();
    failure_.reset();
    for (std::size_t k = 0; k < count; ++k) {
        const auto change = changes.subspan(k * n, n);
        std::ranges::fill(change, 0.0);
        if (k > 0) {
            std::ranges::copy(changes.subspan((k - 1) * n, n), change.begin());
        }
        if (failure_ || !go_on(z, direction, change)) {
            std::ranges::fill(change, NAN);
        }
    }
}

bool FirstReturn::go_on(In z, int direction, Out change) {
    constexpr int most_corrections = 30;
    constexpr double far = 0.4;  // of a period; beyond, this is another return
    // Of a period; within, the flow is a line to rounding. Backwards corrections contract only by the size of a change:
    // there the last of them has to be less.
    const double straight = direction > 0 ? 1e-9 : 1e-12;
    const std::size_t d = scales_.size();
    for (std::size_t i = 0; i < d; ++i) {
        here_[i] = point_[i] = z[i] + change[i];
    }
    const double t = z[d] + change[d];
    flow_->rate(t, here_, section_);
    std::vector<double> way(d, 0.0);  // from here
    double passed = 0;
    const auto follow = [&](double time, std::int64_t steps) {
        const double h = time / static_cast<double>(steps);
        flow_->follow({.t = t + passed, .h = h, .turns = 0, .steps = steps}, point_, increment_);
        for (std::size_t i = 0; i < d; ++i) {
            way[i] += increment_[i];
            point_[i] = here_[i] + way[i];
        }
        passed += time;
    };
    follow(direction * period_, static_cast<std::int64_t>(steps_));
    for (int k = 0; k < most_corrections; ++k) {
        flow_->rate(t + passed, point_, rate_);
        // NOTE: backwards the section is that of the point looked for, so that one way is the inverse of the other.
        const auto& normal = direction > 0 ? section_ : rate_;
        const double correction = -across(normal, way) / across(normal, rate_);
        if (!(std::abs(passed + correction - direction * period_) < far * period_)) {
            failure_ = fmt::format(
                "the motion does not return: after t = {:.6g} it does not come back to where it was in about {:.3g}, "
                "as it did before; it escapes, or turns into a motion of another kind",
                t, period_);
            return false;
        }
        if (std::abs(correction) < straight * period_) {
            for (std::size_t i = 0; i < d; ++i) {
                change[i] += way[i] + correction * rate_[i];
            }
            change[d] += passed + correction;
            period_ = std::abs(passed + correction);
            return true;
        }
        follow(correction, 1 + static_cast<std::int64_t>(static_cast<double>(steps_) * std::abs(correction) / period_));
    }
    failure_ = fmt::format("Newton's iteration for the return of the motion after t = {:.6g} does not converge", t);
    return false;
}

}  // namespace lento
