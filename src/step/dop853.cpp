#include "step/dop853.hpp"

namespace lento {

DenseStep dop853_dense(double from, double to, In y0, In increment, In rate0, In rate1,
                       const std::array<std::vector<double>, 4>& extension) {
    const double h = to - from;
    DenseStep dense(from, to, y0.size(), 7);
    for (std::size_t i = 0; i < y0.size(); ++i) {
        const std::array<double, 7> f{increment[i],
                                      h * rate0[i] - increment[i],
                                      2 * increment[i] - h * (rate0[i] + rate1[i]),
                                      extension[0][i],
                                      extension[1][i],
                                      extension[2][i],
                                      extension[3][i]};
        // y0 + s (f0 + (1-s) (f1 + s (f2 + (1-s) (f3 + ...)))), from the inside, in powers of s
        std::array<double, 8> p{};
        for (std::size_t level = 7; level-- > 0;) {
            p[0] += f[level];
            for (std::size_t k = 7; k > 0; --k) {
                p[k] = level % 2 == 0 ? p[k - 1] : p[k] - p[k - 1];
            }
            p[0] = level % 2 == 0 ? 0.0 : p[0];
        }
        p[0] += y0[i];
        for (std::size_t k = 0; k <= 7; ++k) {
            dense.coefficient(k)[i] = p[k];
        }
    }
    return dense;
}

}  // namespace lento
