#include "judge/slow_size.hpp"

#include <algorithm>
#include <cmath>

#include "base/number.hpp"

namespace lento {

SlowSize::SlowSize(std::span<const double> x, std::span<const double> v, std::span<const double> a, double run)
    : length(largest(x)), velocity(largest(v)), acceleration(largest(a)), time(run) {
    if (acceleration > 0) {
        time = std::min(run, std::max(velocity / acceleration, std::sqrt(length / acceleration)));
    } else if (velocity > 0 && length > 0) {
        time = std::min(run, length / velocity);
    }
    length = std::max({length, velocity * time, acceleration * time * time});
    if (!(length > 0)) {
        length = 1;
    }
}

double SlowSize::move(std::span<const double> x, std::span<const double> v, std::span<const double> to_x,
                      std::span<const double> to_v) const {
    double moved = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        moved = larger(moved, std::abs(to_x[i] - x[i]) / length);
        moved = larger(moved, std::abs(to_v[i] - v[i]) * time / length);
    }
    return moved;
}

ProjectionTolerance usual_projection_tolerance(double frequency, const SlowSize& size, double rtol, double leakage) {
    const double separation = frequency * size.time;
    // The constants make the paper's 1e-7, 1e-9 at omega = 100, 1000 in its problem, whose glide they are just above.
    const double force = std::min(1e-3, 0.1 * rtol / leakage);
    const double elongation = force / std::pow(separation, 2) + 13 / std::pow(separation, 4);
    const double rate = std::min(6e-10, 6e-4 * rtol) + 1.3e-3 / std::pow(separation, 2);
    return {elongation * size.length, rate * size.length / size.time};
}

}  // namespace lento
