#include "judge/first_return.hpp"

#include <fmt/format.h>

#include "march/adaptive.hpp"

namespace lento {
namespace {

/// Watches a motion for the first time at which its distance from the start is least, and small.
class ReturnWatch {
public:
    ReturnWatch(In start, bool pairs, In units, std::stop_source& found)
        : start_(start.begin(), start.end()),
          low_(start_),
          high_(start_),
          pairs_(pairs),
          units_(units),
          found_(&found) {}

    std::optional<double> returned;  ///< the time
    double farthest = 0;
    double nearest = 1;  ///< over the farthest

    bool wants(double) const { return true; }
    void take(const DenseStep& dense) {
        constexpr int looks = 16;
        std::vector<double> y(start_.size());
        for (int k = 1; k <= looks && !returned; ++k) {
            const double t = dense.from() + (dense.to() - dense.from()) * k / looks;
            dense.value(t, y);
            look(t, y);
        }
    }

    /// Positions share a scale and velocities do; variables have their own.
    std::vector<double> scales() const {
        std::vector<double> scale(start_.size());
        for (std::size_t i = 0; i < scale.size(); ++i) {
            scale[i] = std::max(
                {high_[i] - low_[i], std::abs(high_[i]), std::abs(low_[i]), std::numeric_limits<double>::min()});
        }
        level(scale, pairs_, 1, units_);
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
        farthest = std::max(farthest, distance);
        if (farthest > left && distance < farthest / 2) {
            nearest = std::min(nearest, distance / farthest);
        }
        if (farthest > left && last_ < back * farthest && last_ <= before_ && last_ < distance) {
            returned = last_time_;
            found_->request_stop();
        }
        before_ = last_;
        last_ = distance;
        last_time_ = t;
    }

    std::vector<double> start_, low_, high_;
    bool pairs_;
    In units_;
    std::stop_source* found_;
    double before_ = HUGE_VAL;
    double last_ = HUGE_VAL;
    double last_time_ = 0;
};

}  // namespace

void level(Out sizes, bool pairs, double share, In units) {
    const auto unit = [&](std::size_t i) { return units.empty() ? 1.0 : units[i]; };
    const auto raise = [&](std::size_t from, std::size_t to, double least_share) {
        double largest = 0;
        for (std::size_t i = from; i < to; ++i) {
            largest = std::max(largest, sizes[i] / unit(i));
        }
        for (std::size_t i = from; i < to; ++i) {
            sizes[i] = std::max(sizes[i], least_share * largest * unit(i));
        }
    };
    if (pairs) {
        raise(0, sizes.size() / 2, share);
        raise(sizes.size() / 2, sizes.size(), share);
    } else {
        raise(0, sizes.size(), 1e-3);
    }
}

FoundReturn first_return(MicroFlow& flow, Interval interval, std::vector<double> y, bool pairs,
                         const Tolerance& tolerance, const std::stop_token& stop) {
    constexpr std::int64_t most_steps = 20'000;
    std::stop_source found;
    const std::stop_callback passed_on(stop, [&] { found.request_stop(); });
    ReturnWatch watch(y, pairs, tolerance.scales, found);
    const auto rate = [&](double t, In point, Out derivative) { flow.rate(t, point, derivative); };
    const auto march =
        march_adaptive(PiController(tolerance, interval), rate, interval, y, watch, found.get_token(), most_steps);
    FoundReturn result{.period = watch.returned.value_or(0) - interval.from, .scales = watch.scales()};
    if (!(watch.farthest > 1e-9)) {
        result.failure = fmt::format(
            "no period is declared, and nothing moves up to t = {:.6g}: the start is an equilibrium", march.reached);
    } else if (!watch.returned) {
        result.failure = fmt::format(
            "no period is declared, and the motion does not return to its start: up to t = {:.6g} it comes no nearer "
            "than {:.0f} % of how far it goes{}; declare the period ([oscillation], period), or resolve the motion",
            march.reached, 100 * watch.nearest,
            march.outcome == Outcome::diverged ? " before it stops being finite" : "");
    }
    return result;
}

}  // namespace lento
