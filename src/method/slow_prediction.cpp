#include "method/slow_prediction.hpp"

#include <fmt/format.h>

#include "lento/run/method.hpp"

namespace lento {
namespace {

/// In the charts of a point.
Eigen::VectorXd of(const SlowField::Point& point, const Eigen::VectorXd& values) {
    Eigen::VectorXd chosen(static_cast<Eigen::Index>(point.charts.size()));
    for (std::size_t k = 0; k < point.charts.size(); ++k) {
        chosen[static_cast<Eigen::Index>(k)] = values[static_cast<Eigen::Index>(point.charts[k])];
    }
    return chosen;
}

}  // namespace

SlowPrediction::SlowPrediction(SlowField& field, const SlowField::Point& start)
    : field_(&field), now_(start), before_(start), t_(start.t) {
    actual_ = of(start, field.values(start.t, span_of(start.x)));
    predicted_ = actual_;
    travelled_ = actual_.cwiseAbs();
}

void SlowPrediction::reached(double t, In x) {
    const auto values = field_->values(t, x);
    if (now_.charts == before_.charts) {
        const Eigen::VectorXd change = (t - t_) / 2 * (before_.rates + now_.rates);
        predicted_ += change + of(before_, values - field_->values(t_, x));  // and what the time does to them by itself
        travelled_ += change.cwiseAbs();
    } else {
        predicted_ += of(before_, values) - actual_;  // another chart: nothing is said of this step
    }
    actual_ = of(before_, values);
    if (now_.charts != before_.charts) {
        predicted_ += of(now_, values) - actual_;
        travelled_ = travelled_.cwiseMax(of(now_, values).cwiseAbs());
        actual_ = of(now_, values);
    }
    before_ = now_;
    t_ = t;
}

void SlowPrediction::moved(const SlowField::Point& point) {
    const auto values = field_->values(point.t, span_of(point.x));
    const Eigen::VectorXd gap = actual_ - predicted_;
    actual_ = of(point, values);
    predicted_ = actual_ - gap;
    travelled_ = travelled_.cwiseMax(actual_.cwiseAbs());
    now_ = before_ = point;
    t_ = point.t;
}

std::optional<std::string> SlowPrediction::lost() const {
    constexpr double most = 0.3;  // of what it is and moves; the sum over steps is itself no better than some per cent
    for (Eigen::Index k = 0; k < actual_.size(); ++k) {
        const double gap = std::abs(actual_[k] - predicted_[k]);
        if (gap > most * travelled_[k] && gap > 1e-9 * travelled_.maxCoeff()) {
            return fmt::format(
                "the slow variable {} came to {:.4g}, where its mean rates lead to {:.4g}: it is too curved, or in "
                "unknowns too stiff, for these macro-steps; give a shorter macro_step, other unknowns, or use the "
                "method {}",
                field_->average().names()[static_cast<std::size_t>(k)].name, actual_[k], predicted_[k],
                method::direct.name);
        }
    }
    return std::nullopt;
}

}  // namespace lento
