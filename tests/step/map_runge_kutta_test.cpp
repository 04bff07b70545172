#include "step/map_methods.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "lento/base/misuse.hpp"
#include "papers/slope.hpp"

namespace lento {
namespace {

using Point = std::array<double, 2>;
using Map = std::function<Point(Point)>;

Point applied(const MapTableau& tableau, const Map& psi, Point z, bool recovers = false) {
    std::array<Point, MapTableau::most> D{};
    Point result = recovers ? Point{} : z;
    for (std::size_t i = 0; i < tableau.stages; ++i) {
        Point Z = z;
        for (std::size_t j = 0; j < i; ++j) {
            Z[0] += tableau.a[i][j] * D[j][0];
            Z[1] += tableau.a[i][j] * D[j][1];
        }
        const auto image = psi(Z);
        D[i] = {image[0] - Z[0], image[1] - Z[1]};
        result[0] += tableau.b[i] * D[i][0];
        result[1] += tableau.b[i] * D[i][1];
    }
    return result;
}

Point field(Point z) {
    return {z[1], -std::sin(z[0]) - 0.3 * z[1] * z[0]};
}

/// The flow of the field over a time eps, as good as exact.
Map flow(double eps) {
    return [eps](Point z) {
        constexpr int steps = 8;
        const double h = eps / steps;
        for (int n = 0; n < steps; ++n) {
            const auto at = [&](double s, Point k) { return field({z[0] + s * k[0], z[1] + s * k[1]}); };
            const auto k1 = field(z), k2 = at(h / 2, k1), k3 = at(h / 2, k2), k4 = at(h, k3);
            for (std::size_t i = 0; i < 2; ++i) {
                z[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
            }
        }
        return z;
    };
}

double apart(Point a, Point b) {
    return std::hypot(a[0] - b[0], a[1] - b[1]);
}

double order_over_an_interval(const std::function<MapTableau(double)>& tableau) {
    constexpr int periods = 4096;
    const double eps = 2.0 / periods;
    Point exact{1, 0.5};
    for (int n = 0; n < periods; ++n) {
        exact = flow(eps)(exact);
    }
    std::vector<double> lengths, errors;
    for (const int M : {128, 256, 512}) {
        Point z{1, 0.5};
        for (int n = 0; n < periods; n += M) {
            z = applied(tableau(M), flow(eps), z);
        }
        lengths.push_back(M);
        errors.push_back(apart(z, exact));
    }
    return papers::slope(lengths, errors);
}

TEST(Multirevolution, methods_have_their_order) {
    for (const int order : {1, 2, 3, 4}) {
        EXPECT_NEAR(order_over_an_interval([&](double M) { return multirevolution_tableau(order, M); }), order, 0.25)
            << order;
    }
}

TEST(Multirevolution, iterates_linear_maps_exactly_up_to_four_times) {
    // A linear map has no trees but the chains, and up to four nodes the methods know them all.
    const Map linear = [](Point z) { return Point{z[0] + 0.1 * z[1], z[1] - 0.2 * z[0]}; };
    for (const int M : {2, 3, 4}) {
        Point exact{1, 2};
        for (int n = 0; n < M; ++n) {
            exact = linear(exact);
        }
        EXPECT_LT(apart(applied(multirevolution_tableau(4, M), linear, {1, 2}), exact), 1e-14) << M;
    }
}

TEST(Recovery, finds_the_field_of_a_flow_with_its_order) {
    for (const int order : {1, 2, 3, 4}) {
        std::vector<double> lengths, errors;
        for (const double eps : {0.2, 0.1, 0.05}) {
            const auto recovered = applied(recovery_tableau(order), flow(eps), {1, 0.5}, true);
            lengths.push_back(eps);
            errors.push_back(apart({recovered[0] / eps, recovered[1] / eps}, field({1, 0.5})));
        }
        EXPECT_NEAR(papers::slope(lengths, errors), order, 0.3) << order;
    }
}

TEST(Recovery, of_order_two_is_kirchgrabers) {
    const auto tableau = recovery_tableau(2);
    EXPECT_EQ(tableau.a[1][0], -0.5);  // (29): Psi(3/2 Y - 1/2 Psi(Y)) - (3/2 Y - 1/2 Psi(Y))
    EXPECT_EQ(tableau.b[0], 0);
    EXPECT_EQ(tableau.b[1], 1);
}

TEST(Multirevolution, orders_that_are_not_there_are_refused) {
    EXPECT_THROW(multirevolution_tableau(5, 100), Misuse);
    EXPECT_THROW(recovery_tableau(0), Misuse);
}

}  // namespace
}  // namespace lento
