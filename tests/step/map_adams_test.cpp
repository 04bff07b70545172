#include "step/map_methods.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "papers/slope.hpp"

namespace lento {
namespace {

TEST(AdamsWeights, sum_polynomials_exactly) {
    const std::vector<double> points{0, -3, -10, -11, -30, 7, -50, -70};
    for (const double N : {1., 2., 7., 100.}) {
        for (std::size_t count = 1; count <= points.size(); ++count) {
            const auto w = adams_weights(std::span(points).first(count), N);
            for (std::size_t power = 0; power < count; ++power) {
                double exact = 0, sum = 0, size = 1;
                for (int m = 0; m < N; ++m) {
                    exact += std::pow(m / 50., double(power));
                }
                for (std::size_t j = 0; j < count; ++j) {
                    const double term = w[j] * std::pow(points[j] / 50, double(power));
                    sum += term;
                    size += std::abs(term);
                }
                EXPECT_NEAR(sum, exact, 1e-14 * size) << N << " " << count << " " << power;
            }
        }
    }
}

TEST(AdamsWeights, are_those_of_adams_for_many_periods) {
    const double N = 1e9;
    const auto explicit_3 = adams_weights(std::vector<double>{0, -N, -2 * N}, N);
    EXPECT_NEAR(explicit_3[0] / N, 23. / 12, 1e-8);
    EXPECT_NEAR(explicit_3[1] / N, -16. / 12, 1e-8);
    EXPECT_NEAR(explicit_3[2] / N, 5. / 12, 1e-8);
    const auto implicit_3 = adams_weights(std::vector<double>{N, 0, -N}, N);
    EXPECT_NEAR(implicit_3[0] / N, 5. / 12, 1e-8);
    EXPECT_NEAR(implicit_3[1] / N, 8. / 12, 1e-8);
    EXPECT_NEAR(implicit_3[2] / N, -1. / 12, 1e-8);
}

TEST(AdamsWeights, keep_their_digits_for_millions_of_periods) {
    std::vector<double> points;
    for (int j = 0; j < 9; ++j) {
        points.push_back(-1e6 * j);
    }
    const auto w = adams_weights(points, 1e6);
    EXPECT_NEAR(std::accumulate(w.begin(), w.end(), 0.0), 1e6, 1e-8);
}

/// Predictor and corrector, each followed by an evaluation, from exact starting values: the largest error on the way of
/// a logistic growth.
double pece_error(int order, int N) {
    const double eps = 4.0 / 4096;
    const auto exact = [](double t) { return 1 / (1 + 3 * std::exp(-t)); };
    const auto D = [&](double z) { return z * std::exp(eps) / (1 + z * std::expm1(eps)) - z; };
    std::vector<double> past;  // newest first
    std::vector<double> behind, ahead{double(N)};
    int m = 0;
    for (int j = 0; j < order; ++j, m += N) {
        past.insert(past.begin(), D(exact(eps * m)));
        behind.push_back(-double(N) * j);
        ahead.push_back(-double(N) * j);
    }
    m -= N;
    ahead.pop_back();
    const auto predictor = adams_weights(behind, N);
    const auto corrector = adams_weights(ahead, N);
    double z = exact(eps * m);
    double largest = 0;
    for (; m < 4096; m += N) {
        const auto step = [&](const std::vector<double>& weights) {
            double sum = z;
            for (std::size_t j = 0; j < weights.size(); ++j) {
                sum += weights[j] * past[j];
            }
            return sum;
        };
        const double predicted = step(predictor);
        past.insert(past.begin(), D(predicted));
        z = step(corrector);
        past[0] = D(z);
        past.resize(static_cast<std::size_t>(order));
        largest = std::max(largest, std::abs(z - exact(eps * (m + N))));
    }
    return largest;
}

TEST(AdamsWeights, make_methods_of_orders_two_to_eight) {
    for (int order = 2; order <= 8; ++order) {
        std::vector<double> lengths, errors;
        for (const int N : std::vector{32, 64, 128}) {
            lengths.push_back(N);
            errors.push_back(pece_error(order, N));
        }
        EXPECT_NEAR(papers::slope(lengths, errors), order, 0.5) << order;
    }
}

TEST(AdamsWeights, of_one_period_are_the_map_itself) {
    const auto w = adams_weights(std::vector<double>{0, -1, -2, -3}, 1);
    EXPECT_NEAR(w[0], 1, 1e-16);
    for (const std::size_t j : {1u, 2u, 3u}) {
        EXPECT_NEAR(w[j], 0, 1e-16);
    }
}

}  // namespace
}  // namespace lento
