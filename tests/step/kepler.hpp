/// An ellipse about the origin, x'' = -x/|x|^3, whose motion is known at every time: once round in 2 pi. With its fast
/// and slow parts no error constant stays near a zero for long, so that orders show in one revolution.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace lento {

struct Ellipse {
    static constexpr double eccentricity = 0.2;
    static constexpr double period = 2 * std::numbers::pi;

    /// x and v, from the point next to the origin on, by Kepler's equation t = E - e sin E.
    static std::array<double, 4> at(double t) {
        constexpr double e = eccentricity;
        double anomaly = t;
        for (int k = 0; k < 50; ++k) {
            anomaly -= (anomaly - e * std::sin(anomaly) - t) / (1 - e * std::cos(anomaly));
        }
        const double narrow = std::sqrt(1 - e * e);
        const double r = 1 - e * std::cos(anomaly);
        return {std::cos(anomaly) - e, narrow * std::sin(anomaly), -std::sin(anomaly) / r,
                narrow * std::cos(anomaly) / r};
    }
    template <class X, class A>
    static void acceleration(const X& x, A&& a) {
        using std::sqrt;
        const auto r2 = x[0] * x[0] + x[1] * x[1];
        const auto per_r3 = 1 / (r2 * sqrt(r2));
        a[0] = -x[0] * per_r3;
        a[1] = -x[1] * per_r3;
    }
    /// The largest difference of the components from `first` to before `last`.
    template <class Y>
    static double distance(const Y& y, double t, std::size_t first = 0, std::size_t last = 4) {
        const auto truth = at(t);
        double most = 0;
        for (std::size_t i = first; i < last; ++i) {
            most = std::max(most, std::abs(y[i] - truth[i]));
        }
        return most;
    }
};

}  // namespace lento
