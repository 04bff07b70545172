#include "method/slow_windows.hpp"

#include <fmt/format.h>

#include "average/filter.hpp"
#include "lento/base/misuse.hpp"
#include "lento/base/options.hpp"

namespace lento {
namespace {

constexpr double share = 0.1;  // of the tolerance, for windows

}  // namespace

SlowField SlowWindows::field(SlowAverage& average) const {
    return {average,
            {.h = h, .turns = turns(), .settling = settling},
            FilterWeights::over(Filter(filter), width / 2 / h),
            scales};
}

SlowWindows SlowWindowChoice::chosen(double settling_periods) {
    const Options& options = request_->options;
    windows_.h = options.micro_step.value_or(0);
    windows_.width = options.window.value_or(0);
    for (const auto& given : {options.micro_step, options.window, options.window_periods}) {
        require_positive(given.value_or(1), "micro_step, window or window_periods");
    }
    if (windows_.period > 0) {
        windows_.width = options.window.value_or(windows_.period * options.window_periods.value_or(fewest_periods()));
        if (windows_.width < windows_.period) {
            throw Misuse(fmt::format("the window is {:.4g} wide, less than one fast period of {:.4g}", windows_.width,
                                     windows_.period));
        }
    }
    const int order = average_->flow().order();
    const double fewest = order >= 8 ? 4 : order >= 4 ? 12 : 32;
    if (!options.micro_step) {
        windows_.h = windows_.period /
                     static_cast<double>(options.micro_steps_per_period.value_or(static_cast<std::size_t>(fewest)));
    }
    if (windows_.width < 2 * windows_.h) {
        throw Misuse(fmt::format("the window is {:.4g} wide, and a micro-step {:.4g}: there must be one on each side",
                                 windows_.width, windows_.h));
    }
    windows_.scales = scales();
    if (settling_periods > 0) {
        windows_.settling = static_cast<std::int64_t>(std::ceil(settling_periods * look_.period / windows_.h));
    }
    if (!options.micro_step && !options.micro_steps_per_period) {
        refine_micro_steps();
    }
    if (!options.window && !options.window_periods) {
        widen();
    }
    return windows_;
}

/// That let nothing of a tone and its harmonics through, and for other filters their usual ones.
double SlowWindowChoice::fewest_periods() const {
    const Filter filter(windows_.filter);
    const bool cosine = windows_.filter.starts_with("cos");
    return cosine ? (filter.smoothness() - 1) / 2 + 2 : filter.usual_periods();
}

/// Halves micro-steps until that makes no difference.
void SlowWindowChoice::refine_micro_steps() {
    constexpr int most = 7;
    constexpr double small = 1e-4;
    auto coarse = mean_rates();
    double last = HUGE_VAL;
    for (int k = 0; k < most; ++k) {
        const SlowWindows before = windows_;
        windows_.h /= 2;
        windows_.settling = windows_.settling ? std::optional(*windows_.settling * 2) : std::nullopt;
        auto fine = mean_rates();
        const double change = difference(coarse, fine);
        if (!(change > share * request_->rtol) || (change < small && change > 0.5 * last)) {
            windows_ = before;  // good enough, or as good as rounding allows
            return;
        }
        coarse = std::move(fine);
        last = change;
    }
    warnings_.push_back(
        "shorter micro-steps still change the mean rates of the slow variables by more than the tolerance");
}

/// Doubles windows until that makes no difference, or more of it than before: then it is the slow motion that they see.
void SlowWindowChoice::widen() {
    constexpr double widest = 0.1;  // of the run
    const double length = request_->t_end - request_->t_start;
    auto narrow = mean_rates();
    double last = HUGE_VAL;
    while (2 * windows_.width <= widest * length) {
        const double before = windows_.width;
        windows_.width *= 2;
        auto wide = mean_rates();
        const double change = difference(narrow, wide);
        if (!(change > share * request_->rtol) || change > 0.5 * last) {
            windows_.width = change > last ? before / 2 : before;
            return;
        }
        narrow = std::move(wide);
        last = change;
    }
}

/// How large the unknowns are within a fast period, or become as they drift: lengths are measured in these.
Eigen::VectorXd SlowWindowChoice::scales() {
    constexpr std::int64_t looks = 32;
    const auto d = static_cast<Eigen::Index>(look_.start.size());
    const Stretch stretch{.t = look_.t, .h = look_.period / looks, .turns = 1.0 / looks, .steps = looks};
    Eigen::VectorXd largest = Eigen::VectorXd::Zero(d);
    Eigen::VectorXd drift = largest;
    // NOTE: aside of the start too, where unknowns drift that stand still at it.
    for (const auto& point : points_near(*average_, look_)) {
        const auto from = vector_of(point);
        Eigen::VectorXd seen = Eigen::VectorXd::Zero(d);
        Eigen::VectorXd end = from;
        average_->look(stretch, point, [&](std::int64_t, In x, auto, auto) {
            end = vector_of(x);
            seen = seen.cwiseMax(end.cwiseAbs());
        });
        if (end.allFinite()) {
            drift = drift.cwiseMax((end - from).cwiseAbs() / look_.period);
            largest = largest.maxCoeff() == 0 ? seen : largest;  // that of the start itself
        }
    }
    double time = look_.length;
    for (Eigen::Index i = 0; i < d; ++i) {
        time = largest[i] > 0.1 * largest.maxCoeff() && drift[i] > 0 ? std::min(time, largest[i] / drift[i]) : time;
    }
    Eigen::VectorXd reached = largest.cwiseMax(0.3 * time * drift);
    for (Eigen::Index i = 0; i < d; ++i) {
        // NOTE: what is small but not zero may be so by its unit; what starts at zero will not stay there.
        if (look_.start[static_cast<std::size_t>(i)] == 0) {
            reached[i] = std::max(reached[i], 1e-3 * largest.maxCoeff());
        }
    }
    const double otherwise = reached.maxCoeff() > 0 ? reached.maxCoeff() : 1.0;
    return reached.unaryExpr([&](double size) { return size > 0 && std::isfinite(size) ? size : otherwise; });
}

/// At the start and at a point near it.
std::vector<SlowField::Point> SlowWindowChoice::mean_rates() {
    auto points = points_near(*average_, look_);
    points.resize(2);
    SlowField field = windows_.field(*average_);
    std::vector<SlowField::Point> found;
    for (const auto& point : points) {
        found.push_back(field.at(request_->t_start, point));
    }
    return found;
}

/// Over what the slow variables are, or become within the run.
double SlowWindowChoice::difference(const std::vector<SlowField::Point>& a, const std::vector<SlowField::Point>& b) {
    const double length = request_->t_end - request_->t_start;
    std::vector<double> values(average_->outputs());
    double largest = 0;
    for (std::size_t p = 0; p < a.size(); ++p) {
        const bool finite = a[p].rates.allFinite() && b[p].rates.allFinite();
        if (!finite && p > 0 && !a[p].rates.allFinite() && !b[p].rates.allFinite()) {
            continue;  // a point aside, outside of where the model is defined
        }
        if (!finite) {
            return HUGE_VAL;  // micro-steps too long to follow the motion
        }
        average_->values(request_->t_start, span_of(a[p].x), values);
        for (std::size_t k = 0; k < a[p].charts.size(); ++k) {
            const auto i = static_cast<Eigen::Index>(k);
            const double size = std::max(std::abs(values[a[p].charts[k]]), length * b[p].rates.cwiseAbs().maxCoeff());
            largest = std::max(largest, length * std::abs(a[p].rates[i] - b[p].rates[i]) /
                                            std::max(size, std::numeric_limits<double>::min()));
        }
    }
    return largest;
}

}  // namespace lento
