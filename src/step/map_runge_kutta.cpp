#include "step/map_runge_kutta.hpp"

#include <cmath>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {

namespace {

/// The sums e_M(t)/M of the eight trees with up to four nodes.
struct Sums {
    double m;
    double chain2() const { return (m - 1) / 2; }                       // [.]
    double bush3() const { return (m - 1) * (2 * m - 1) / 6; }          // [. .]
    double chain3() const { return (m - 1) * (m - 2) / 6; }             // [[.]]
    double bush4() const { return m * (m - 1) * (m - 1) / 4; }          // [. . .]
    double mixed4() const { return (bush4() - bush3()) / 2; }           // [. [.]]
    double chain4() const { return (m - 1) * (m - 2) * (m - 3) / 24; }  // [[[.]]]
};

/// Weights b/M, so that M = 0 is a number like any other.
MapTableau over_m(int order, double M) {
    const Sums e{M};
    MapTableau t{.order = order, .stages = static_cast<std::size_t>(order), .a = {}, .b = {}};
    switch (order) {
        case 1:
            t.b[0] = 1;
            return t;
        case 2:
            t.a[1][0] = e.chain2();
            t.b[1] = 1;
            return t;
        case 3: {
            // Nodes (M-1)/2 and M-1.
            const double last = (M - 1);
            t.b[1] = 2 * (M - 2) / (3 * last);
            t.b[0] = t.b[2] = (M + 1) / (6 * last);
            t.a[1][0] = last / 2;
            t.a[2][1] = 2 * e.chain3() / (t.b[2] * last);
            t.a[2][0] = last - t.a[2][1];
            return t;
        }
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

MapTableau times(MapTableau t, double M) {
    for (auto& weight : t.b) {
        weight *= M;
    }
    return t;
}

}  // namespace

MapTableau multirevolution_tableau(int order, double M) {
    return times(over_m(order, M), M);
}

MapTableau multirevolution_tableau(double c2, double c3, double M) {
    const Sums e{M};
    const double C2 = c2 * (M - 1), C3 = c3 * (M - 1), C4 = M - 1;
    MapTableau t{.order = 4, .stages = 4, .a = {}, .b = {}};
    // b_i from the bushes: sum b C^k, by Lagrange's formula on the nodes C2, C3, C4, each sum with one factor C taken out.
    const auto weight = [&](double here, double p, double q) {
        return (e.bush4() - (p + q) * e.bush3() + p * q * e.chain2()) / (here * (here - p) * (here - q));
    };
    t.b[1] = weight(C2, C3, C4);
    t.b[2] = weight(C3, C2, C4);
    t.b[3] = weight(C4, C2, C3);
    t.b[0] = 1 - t.b[1] - t.b[2] - t.b[3];
    // u = b_3 a_32 C_2 and w = b_4 (a_42 C_2 + a_43 C_3) from [[.]] and [. [.]], a_43 from [[[.]]].
    const double u = (C4 * e.chain3() - e.mixed4()) / (C4 - C3);
    const double w = e.chain3() - u;
    t.a[1][0] = C2;
    t.a[2][1] = u / (t.b[2] * C2);
    t.a[2][0] = C3 - t.a[2][1];
    t.a[3][2] = e.chain4() / (t.b[3] * t.a[2][1] * C2);
    t.a[3][1] = (w / t.b[3] - t.a[3][2] * C3) / C2;
    t.a[3][0] = C4 - t.a[3][1] - t.a[3][2];
    return times(t, M);
}

MapTableau recovery_tableau(int order) {
    return over_m(order, 0);
}

}  // namespace lento
