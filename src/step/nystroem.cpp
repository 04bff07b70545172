#include "step/nystroem.hpp"

#include <algorithm>

namespace lento {
namespace {

constexpr std::size_t nodes = nystroem_places.size() + 1;
constexpr std::size_t terms = nodes + 2;  // of the acceleration as a polynomial
using Polynomial = std::array<double, terms>;

constexpr Polynomial times(const Polynomial& p, double constant, double slope) {
    Polynomial product{};
    for (std::size_t k = 0; k < terms; ++k) {
        product[k] = constant * p[k] + (k > 0 ? slope * p[k - 1] : 0.0);
    }
    return product;
}

constexpr double integral(const Polynomial& p) {
    double sum = 0;
    for (std::size_t k = 0; k < terms; ++k) {
        sum += p[k] / static_cast<double>(k + 1);
    }
    return sum;
}

constexpr double double_integral(const Polynomial& p) {
    double sum = 0;
    for (std::size_t k = 0; k < terms; ++k) {
        sum += p[k] / static_cast<double>((k + 1) * (k + 2));
    }
    return sum;
}

struct Basis {
    std::array<Polynomial, nodes> lagrange{};
    Polynomial w{1}, sw{};
    // (alpha, beta) = solve (missing velocity / h, missing position / h^2)
    double velocity_alpha, velocity_beta, position_alpha, position_beta;

    constexpr Basis() : velocity_alpha(0), velocity_beta(0), position_alpha(0), position_beta(0) {
        const auto place = [](std::size_t j) { return j + 1 < nodes ? rkn12_tableau.c[nystroem_places[j]] : 1.0; };
        for (std::size_t j = 0; j < nodes; ++j) {
            lagrange[j][0] = 1;
            for (std::size_t i = 0; i < nodes; ++i) {
                if (i != j) {
                    const double distance = place(j) - place(i);
                    lagrange[j] = times(lagrange[j], -place(i) / distance, 1 / distance);
                }
            }
            w = times(w, -place(j), 1);
        }
        sw = times(w, 0, 1);
        const double determinant = integral(w) * double_integral(sw) - integral(sw) * double_integral(w);
        velocity_alpha = double_integral(sw) / determinant;
        velocity_beta = -double_integral(w) / determinant;
        position_alpha = -integral(sw) / determinant;
        position_beta = integral(w) / determinant;
    }
};
constexpr Basis basis;

}  // namespace

DenseStep nystroem_dense(double from, double to, In y0, In increment, std::span<const double* const> accelerations) {
    const std::size_t d = y0.size() / 2;
    const double h = to - from;
    DenseStep dense(from, to, 2 * d, terms + 1);
    for (std::size_t i = 0; i < d; ++i) {
        Polynomial a{};
        for (std::size_t j = 0; j < nodes; ++j) {
            for (std::size_t k = 0; k < terms; ++k) {
                a[k] += accelerations[j][i] * basis.lagrange[j][k];
            }
        }
        const double velocity = increment[d + i] / h - integral(a);
        const double position = (increment[i] - h * y0[d + i]) / (h * h) - double_integral(a);
        const double alpha = basis.velocity_alpha * velocity + basis.position_alpha * position;
        const double beta = basis.velocity_beta * velocity + basis.position_beta * position;
        dense.coefficient(0)[i] = y0[i];
        dense.coefficient(1)[i] = h * y0[d + i];
        dense.coefficient(0)[d + i] = y0[d + i];
        for (std::size_t k = 0; k < terms; ++k) {
            const double term = h * (a[k] + alpha * basis.w[k] + beta * basis.sw[k]) / static_cast<double>(k + 1);
            dense.coefficient(k + 1)[d + i] = term;
            dense.coefficient(k + 2)[i] = h * term / static_cast<double>(k + 2);
        }
    }
    return dense;
}

}  // namespace lento
