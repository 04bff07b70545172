#include "lento/method/stiff_run.hpp"

namespace lento {

ProjectionTolerance usual_projection_tolerance(double frequency, const SlowSize& size, double rtol, double leakage) {
    const double separation = frequency * size.time();
    const double length = size.length > 0 ? size.length : 1;
    const double force = std::min(8e-3, rtol / leakage);
    const double elongation = force / std::pow(separation, 2) + 1300 / std::pow(separation, 4);
    const double rate = std::min(2e-9, 2e-3 * rtol) + 0.04 / std::pow(separation, 2);
    return {elongation * length, rate * length / size.time()};
}

}  // namespace lento
