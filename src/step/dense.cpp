#include "lento/step/dense.hpp"

#include <array>

#include "step/runge_kutta.hpp"

namespace lento {

DenseStep quintic_hermite(double from, double to, In y0, In a0, In y1, In a1) {
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

DenseStep cubic_hermite(double from, double to, In y0, In rate0, In y1, In rate1) {
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

DenseStep continuous_extension(double from, double to, const DormandPrince<double>& method, In y1) {
    constexpr std::array<double, 7> weights{-12715105075.0 / 11282082432.0,  0,
                                            87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                            701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                            69997945.0 / 29380423.0};
    const double h = to - from;
    const auto& y0 = method.start();
    const auto& rates = method.rates();
    DenseStep dense(from, to, y1.size(), 4);
    for (std::size_t i = 0; i < y1.size(); ++i) {
        const double difference = y1[i] - y0[i];
        const double bend = h * rates[0][i] - difference;
        const double twist = difference - h * rates[6][i] - bend;
        double quartic = 0;
        for (std::size_t j = 0; j < 7; ++j) {
            quartic += h * weights[j] * rates[j][i];
        }
        // y0 + s (difference + (1-s) (bend + s (twist + (1-s) quartic))), in powers of s
        dense.coefficient(0)[i] = y0[i];
        dense.coefficient(1)[i] = difference + bend;
        dense.coefficient(2)[i] = twist + quartic - bend;
        dense.coefficient(3)[i] = -twist - 2 * quartic;
        dense.coefficient(4)[i] = quartic;
    }
    return dense;
}

}  // namespace lento
