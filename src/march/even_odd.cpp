#include "march/even_odd.hpp"

#include <algorithm>
#include <array>

namespace lento {

using Eigen::Index;
using Eigen::VectorXd;

VectorXd even_odd_mode(std::span<const VectorXd> points) {
    // 4^-4 (-1)^j C(8, 4 + j)
    constexpr std::array weights{1 / 256.0,   -8 / 256.0, 28 / 256.0, -56 / 256.0, 70 / 256.0,
                                 -56 / 256.0, 28 / 256.0, -8 / 256.0, 1 / 256.0};
    static_assert(weights.size() == 2 * even_odd_reach + 1);
    VectorXd mode = VectorXd::Zero(points.front().size());
    for (std::size_t k = 0; k < weights.size(); ++k) {
        mode += weights[k] * points[k];
    }
    return mode;
}

void EvenOddWatch::see(double t, const VectorXd& slow_variables) {
    constexpr double visible = 0.02;  // of the range of a slow variable
    constexpr int in_a_row = 6;
    recent_.push_back(slow_variables);
    const VectorXd& xi = recent_.back();
    least_ = least_.size() == 0 ? xi : VectorXd(least_.cwiseMin(xi));
    greatest_ = greatest_.size() == 0 ? xi : VectorXd(greatest_.cwiseMax(xi));
    if (recent_.size() < 5) {
        return;
    }
    const VectorXd close = (recent_[3] - 2 * recent_[2] + recent_[1]).cwiseAbs();
    const VectorXd far = (recent_[4] - 2 * recent_[2] + recent_[0]).cwiseAbs();
    recent_.erase(recent_.begin());
    double worst = 0;
    for (Index k = 0; k < close.size(); ++k) {
        // NOTE: what hardly changes at all may do so in zigzags.
        const double size = std::max(std::abs(greatest_[k]), std::abs(least_[k]));
        const double range = std::max(greatest_[k] - least_[k], 0.1 * size);
        const double gap = (close[k] - far[k]) / 2;
        if (gap > visible * range) {
            worst = std::max(worst, gap / range);
        }
    }
    apart_ = worst > 0 ? apart_ + 1 : 0;
    if (apart_ >= in_a_row) {
        gap_ = std::max(gap_, worst);
        if (!parted_) {
            parted_ = t;
        }
    }
}

}  // namespace lento
