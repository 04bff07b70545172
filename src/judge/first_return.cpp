#include "judge/first_return.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "march/adaptive.hpp"

namespace lento {
namespace {

/// Watches a motion for the first time at which its distance from the start is least, and small.
class ReturnWatch {
public:
    ReturnWatch(In start, bool pairs, std::stop_source& found)
        : start_(start.begin(), start.end()), low_(start_), high_(start_), pairs_(pairs), found_(&found) {}

    bool wants(double) const { return true; }
    void take(const DenseStep& dense) {
        constexpr int looks = 16;
        std::vector<double> y(start_.size());
        for (int k = 1; k <= looks && !returned(); ++k) {
            const double t = dense.from() + (dense.to() - dense.from()) * k / looks;
            dense.value(t, y);
            look(t, y);
        }
    }

    bool returned() const { return returned_; }
    double time() const { return time_; }
    bool moved() const { return farthest_ > 1e-9; }
    double nearest() const { return nearest_; }
    /// Positions share a scale and velocities do; variables have their own, none a thousandth of the largest.
    std::vector<double> scales() const {
        std::vector<double> scale(start_.size());
        for (std::size_t i = 0; i < scale.size(); ++i) {
            scale[i] = std::max({high_[i] - low_[i], std::abs(high_[i]), std::abs(low_[i])});
        }
        const auto level = [](auto from, auto to, double share) {
            const double largest = *std::max_element(from, to);
            std::for_each(from, to, [&](double& entry) {
                entry = std::max({entry, share * largest, std::numeric_limits<double>::min()});
            });
        };
        const auto half = scale.begin() + static_cast<std::ptrdiff_t>(scale.size() / 2);
        if (pairs_) {
            level(scale.begin(), half, 1);
            level(half, scale.end(), 1);
        } else {
            level(scale.begin(), scale.end(), 1e-3);
        }
        return scale;
    }

private:
    void look(double t, In y) {
        constexpr double left = 0.5;
        constexpr double back = 0.25;
        for (std::size_t i = 0; i < y.size(); ++i) {
            low_[i] = std::min(low_[i], y[i]);
            high_[i] = std::max(high_[i], y[i]);
        }
        const auto scale = scales();
        double distance = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            distance = std::hypot(distance, (y[i] - start_[i]) / scale[i]);
        }
        farthest_ = std::max(farthest_, distance);
        if (farthest_ > left && distance < farthest_ / 2) {
            nearest_ = std::min(nearest_, distance / farthest_);
        }
        if (farthest_ > left && last_ < back * farthest_ && last_ <= before_ && last_ < distance) {
            time_ = last_time_;
            returned_ = true;
            found_->request_stop();
        }
        before_ = last_;
        last_ = distance;
        last_time_ = t;
    }

    std::vector<double> start_, low_, high_;
    bool pairs_;
    std::stop_source* found_;
    double farthest_ = 0;
    double before_ = HUGE_VAL;
    double last_ = HUGE_VAL;
    double last_time_ = 0;
    double nearest_ = 1;
    double time_ = 0;
    bool returned_ = false;
};

}  // namespace

FoundReturn first_return(MicroFlow& flow, Interval interval, std::vector<double> y, bool pairs, Tolerance tolerance,
                         const std::stop_token& stop) {
    constexpr std::int64_t most_steps = 20'000;
    std::stop_source found;
    const std::stop_callback passed_on(stop, [&] { found.request_stop(); });
    ReturnWatch watch(y, pairs, found);
    const auto rate = [&](double t, In point, Out derivative) { flow.rate(t, point, derivative); };
    const auto start = y;
    const auto march =
        march_adaptive(PiController(tolerance, interval), rate, interval, y, watch, found.get_token(), most_steps);
    FoundReturn result{.period = watch.time() - interval.from, .scales = watch.scales()};
    if (!watch.moved()) {
        result.failure = fmt::format(
            "no period is declared, and nothing moves up to t = {:.6g}: the start is an equilibrium", march.reached);
    } else if (!watch.returned()) {
        result.failure = fmt::format(
            "no period is declared, and the motion does not return to its start: up to t = {:.6g} it comes no nearer "
            "than {:.0f} % of how far it goes{}; declare the period ([oscillation], period), or resolve the motion",
            march.reached, 100 * watch.nearest(),
            march.outcome == Outcome::diverged ? " before it stops being finite" : "");
    }
    return result;
}

}  // namespace lento
