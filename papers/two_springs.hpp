/// Two unit masses in the plane, the first on a spring to the origin, the second on a spring to the first (stiff,
/// section 4; slow-manifold, section 5.1).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/number.hpp"
#include "lento/lento.hpp"
#include "march/adaptive.hpp"
#include "march/controller.hpp"
#include "plain_run.hpp"
#include "problem/acceleration.hpp"
#include "rounding.hpp"

namespace lento::papers {

struct TwoSprings {
    double omega1 = 1, omega2 = 1;

    static auto first_elongation() {
        return [](auto q, auto, auto g) { g[0] = hypot(q[0], q[1]) - 1; };
    }
    static auto second_elongation() {
        return [](auto q, auto, auto g) { g[0] = hypot(q[0] - q[2], q[1] - q[3]) - 1; };
    }
    static auto both_elongations() {
        return [](auto q, auto, auto g) {
            g[0] = hypot(q[0], q[1]) - 1;
            g[1] = hypot(q[0] - q[2], q[1] - q[3]) - 1;
        };
    }

    /// The springs of the given frequencies; zero leaves one out.
    static auto force(double first, double second) {
        return [first, second](auto q, auto, auto, auto f) {
            const auto r1 = hypot(q[0], q[1]);
            const auto r12 = hypot(q[0] - q[2], q[1] - q[3]);
            const auto pull = first * first * (r1 - 1) / r1;
            const auto link = second * second * (r12 - 1) / r12;
            f[0] = -pull * q[0] - link * (q[0] - q[2]);
            f[1] = -pull * q[1] - link * (q[1] - q[3]);
            f[2] = link * (q[0] - q[2]);
            f[3] = link * (q[1] - q[3]);
        };
    }

    /// The springs that the case declares stiff: a frequency of 1 makes a spring soft.
    Problem stiff() const {
        if (omega1 == 1) {
            return stiff_system(4, force(1, 0), {omega2}, second_elongation());
        }
        if (omega2 == 1) {
            return stiff_system(4, force(0, 1), {omega1}, first_elongation());
        }
        return stiff_system(4, force(0, 0), {omega1, omega2}, both_elongations());
    }

    Solution solve(const Request& request) const { return plain_run(stiff(), request); }

    /// The stiff system written by hand.
    Problem plain() const {
        return oscillating_system(4, 2 * std::numbers::pi / std::max(omega1, omega2), force(omega1, omega2));
    }

    /// The underlying system (stiff (7)), in which springs are rods at the level of accelerations: an ordinary
    /// differential equation, which nothing puts back onto the constraints.
    Problem underlying() const {
        const Springs springs = *stiff().springs;
        const auto rods =
            std::make_shared<Acceleration>(constrained(coordinates_problem(4, {}, springs.slow), springs.measures));
        return plain_system(4, [rods](In x, In v, double t, Out a) { (*rods)(x, v, t, {}, a); }).with_period(1);
    }

    /// (g1, g2, g1', g2')
    static std::array<double, 4> elongations(std::span<const double> q, std::span<const double> p) {
        const double r1 = std::hypot(q[0], q[1]);
        const double r12 = std::hypot(q[0] - q[2], q[1] - q[3]);
        return {r1 - 1, r12 - 1, (q[0] * p[0] + q[1] * p[1]) / r1,
                ((q[0] - q[2]) * (p[0] - p[2]) + (q[1] - q[3]) * (p[1] - p[3])) / r12};
    }
};

/// The projection of the paper slow-manifold (section 5.2), in words.
inline std::string projection_window() {
    return "cubic filter with L = 6 pi (six periods 2 pi/omega in all), Verlet micro-steps h = (2 pi/omega)/6";
}

/// The true motion at given ascending times, from an integration with tight tolerances that keeps nothing else.
inline std::vector<std::vector<double>> true_motion(const TwoSprings& springs, const Request& request,
                                                    const std::vector<double>& times, double rtol) {
    struct At {
        const std::vector<double>& times;
        std::vector<std::vector<double>> states{};

        bool wants(double to) const { return states.size() < times.size() && times[states.size()] <= to; }
        void take(const DenseStep& dense) {
            while (wants(dense.to())) {
                std::vector<double> y(dense.dimension());
                dense.value(times[states.size()], y);
                states.push_back(std::move(y));
            }
        }
    };
    const auto plain = springs.plain();
    Acceleration acceleration(plain);
    const Interval interval{request.t_start, request.t_end};
    std::vector<double> y = request.start;
    y.insert(y.end(), request.velocity.begin(), request.velocity.end());
    At at{times};
    while (at.states.size() < times.size() && times[at.states.size()] <= request.t_start) {
        at.states.push_back(y);
    }
    const auto rate = [&](double t, std::span<const double> z, std::span<double> dz) {
        std::copy_n(z.begin() + 4, 4, dz.begin());
        acceleration(z.first(4), z.last(4), t, {}, dz.last(4));
    };
    march_adaptive(PiController({rtol, 1e-3 * rtol}, interval), rate, interval, y, at, {}, 1'000'000'000);
    at.states.resize(times.size(), std::vector<double>(8, std::nan("")));
    return std::move(at.states);
}

/// The ends of the macro-steps of a run, its start included.
inline std::vector<double> step_times(const Solution& run) {
    std::vector<double> times{run.trajectory().from()};
    for (const auto& step : run.trajectory().steps()) {
        times.push_back(step.to());
    }
    return times;
}

/// Euclidean.
inline double distance(std::span<const double> a, std::span<const double> b) {
    double square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        square += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return std::sqrt(square);
}

/// The largest component of a - b.
inline double largest_component(std::span<const double> a, std::span<const double> b) {
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        size = larger(size, std::abs(a[i] - b[i]));
    }
    return size;
}

}  // namespace lento::papers
