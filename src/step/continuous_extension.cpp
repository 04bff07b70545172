#include "step/continuous_extension.hpp"

#include <array>

namespace lento {

DenseStep continuous_extension(double from, double to, const DormandPrince<double>& method,
                               std::span<const double> y1) {
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
