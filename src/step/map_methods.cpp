#include "step/map_methods.hpp"

#include <numeric>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

/// Weights b/M, so that M = 0 is a number like any other.
MapTableau over_m(int order, double M) {
    MapTableau t{.stages = static_cast<std::size_t>(order)};
    switch (order) {
        case 1:
            t.b[0] = 1;
            return t;
        case 2:
            t.a[1][0] = (M - 1) / 2;
            t.b[1] = 1;
            return t;
        case 3:  // nodes (M-1)/2 and M-1
            t.b[1] = 2 * (M - 2) / (3 * (M - 1));
            t.b[0] = t.b[2] = (M + 1) / (6 * (M - 1));
            t.a[1][0] = (M - 1) / 2;
            t.a[2][1] = 2 * ((M - 1) * (M - 2) / 6) / (t.b[2] * (M - 1));
            t.a[2][0] = (M - 1) - t.a[2][1];
            return t;
        case 4:
            t.b[0] = t.b[3] = (M + 1) / (6 * (M - 1));
            t.b[1] = t.b[2] = (M - 2) / (3 * (M - 1));
            t.a[1][0] = (M - 1) / 2;
            t.a[2][0] = 1;
            t.a[2][1] = (M - 3) / 2;
            t.a[3][0] = 1;
            t.a[3][1] = 2 * (M - 2) / (M + 1);
            t.a[3][2] = (M - 1) * (M - 2) / (M + 1);
            return t;
        default:
            throw Misuse(fmt::format("methods for maps have orders 1 to 4, not {}", order));
    }
}

/// The coefficients of sum_{i=0}^{m-1} (i/N)^k by powers of s = m/N, from s^1 on: Faulhaber's formula
///     N/(k+1) sum_j C(k+1, j) B_j N^-j s^(k+1-j)
std::vector<long double> power_sum(std::size_t k, long double N) {
    constexpr std::array<long double, 12> bernoulli{1,         -1.0L / 2, 1.0L / 6,   0, -1.0L / 30, 0,
                                                    1.0L / 42, 0,         -1.0L / 30, 0, 5.0L / 66,  0};
    std::vector<long double> c(k + 1);
    long double factor = N / static_cast<long double>(k + 1);  // with C(k+1, j) N^-j
    for (std::size_t j = 0; j <= k; ++j) {
        c[k - j] = factor * bernoulli[j];
        factor *= static_cast<long double>(k + 1 - j) / (static_cast<long double>(j + 1) * N);
    }
    return c;
}

/// The Lagrange polynomial of point j by powers of m/N, from the zeroth on.
std::vector<long double> lagrange(In points, std::size_t j, long double N) {
    std::vector<long double> l{1};
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (i == j) {
            continue;
        }
        const long double root = points[i] / N;
        const long double scale = (points[j] - static_cast<long double>(points[i])) / N;
        l.push_back(0);
        for (std::size_t k = l.size(); k-- > 0;) {
            l[k] = ((k > 0 ? l[k - 1] : 0) - root * l[k]) / scale;
        }
    }
    return l;
}

std::vector<long double> summed(In points, std::size_t j, long double N) {
    std::vector<long double> w(points.size());
    const auto l = lagrange(points, j, N);
    for (std::size_t k = 0; k < l.size(); ++k) {
        const auto sum = power_sum(k, N);
        for (std::size_t i = 0; i < sum.size(); ++i) {
            w[i] += l[k] * sum[i];
        }
    }
    return w;
}

}  // namespace

MapTableau multirevolution_tableau(int order, double M) {
    MapTableau t = over_m(order, M);
    for (auto& weight : t.b) {
        weight *= M;
    }
    return t;
}

MapTableau recovery_tableau(int order) {
    return over_m(order, 0);
}

std::vector<std::vector<double>> adams_polynomials(In points, double N) {
    std::vector<std::vector<double>> polynomials;
    for (std::size_t j = 0; j < points.size(); ++j) {
        const auto w = summed(points, j, N);
        polynomials.emplace_back(w.begin(), w.end());
    }
    return polynomials;
}

std::vector<double> adams_weights(In points, double N) {
    std::vector<double> weights;
    for (std::size_t j = 0; j < points.size(); ++j) {
        const auto w = summed(points, j, N);
        weights.push_back(static_cast<double>(std::accumulate(w.begin(), w.end(), 0.0L)));
    }
    return weights;
}

}  // namespace lento
