#include "lento/step/dense.hpp"

#include <array>

namespace lento {

DenseStep quintic_hermite(double from, double to, std::span<const double> y0, std::span<const double> a0,
                          std::span<const double> y1, std::span<const double> a1) {
    const std::size_t d = a0.size();
    const double h = to - from;
    DenseStep dense(from, to, 2 * d, 5);
    for (std::size_t i = 0; i < d; ++i) {
        const double x0 = y0[i];
        const double u0 = h * y0[d + i];
        const double b0 = h * h * a0[i];
        // What the cubic part has to make up for at s = 1, in position, velocity and acceleration.
        const double position = y1[i] - x0 - u0 - b0 / 2;
        const double velocity = h * y1[d + i] - u0 - b0;
        const double acceleration = h * h * a1[i] - b0;
        const std::array<double, 6> p{x0,
                                      u0,
                                      b0 / 2,
                                      10 * position - 4 * velocity + acceleration / 2,
                                      -15 * position + 7 * velocity - acceleration,
                                      6 * position - 3 * velocity + acceleration / 2};
        for (std::size_t k = 0; k < 6; ++k) {
            dense.coefficient(k)[i] = p[k];
            if (k > 0) {
                dense.coefficient(k - 1)[d + i] = static_cast<double>(k) * p[k] / h;
            }
        }
    }
    return dense;
}

DenseStep cubic_hermite(double from, double to, std::span<const double> y0, std::span<const double> rate0,
                        std::span<const double> y1, std::span<const double> rate1) {
    const double h = to - from;
    DenseStep dense(from, to, y0.size(), 3);
    for (std::size_t i = 0; i < y0.size(); ++i) {
        const double rise = y1[i] - y0[i];
        dense.coefficient(0)[i] = y0[i];
        dense.coefficient(1)[i] = h * rate0[i];
        dense.coefficient(2)[i] = 3 * rise - h * (2 * rate0[i] + rate1[i]);
        dense.coefficient(3)[i] = h * (rate0[i] + rate1[i]) - 2 * rise;
    }
    return dense;
}

}  // namespace lento
