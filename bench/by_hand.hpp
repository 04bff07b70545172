/// The loops a careful programmer would write for one problem and one method, without a library. Each does the same
/// work as a window: steps of one side, exact phases, a compensated weighted sum.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "average/filter.hpp"

namespace by_hand {

inline constexpr double omega = 1e6;
inline constexpr int steps_per_period = 80;
inline constexpr std::size_t each_side = 400;
inline constexpr std::size_t links = 16;
inline constexpr double two_pi = 2 * std::numbers::pi;
inline constexpr double h = two_pi / omega / steps_per_period;

inline double pendulum_force(double x, double theta) {
    constexpr double l = 0.2;
    constexpr double g = 9.8;
    constexpr double v_max = 4;
    return (g + v_max * omega * std::cos(theta)) / l * std::sin(x);
}

/// Masses in a row, neighbours joined by hardening springs, both ends held, all shaken in proportion to their
/// displacement.
template <class X, class F>
inline void chain_force(const X& x, double theta, F& f) {
    const double shake = omega * std::cos(theta);
    const std::size_t masses = x.size();
    for (std::size_t i = 0; i < masses; ++i) {
        const double before = i > 0 ? x[i] - x[i - 1] : x[i];
        const double after = i + 1 < masses ? x[i + 1] - x[i] : -x[i];
        f[i] = after - before + after * after * after - before * before * before + shake * x[i];
    }
}

/// The phase `c` steps after the grid point whose distance from a whole period is `turn` steps.
inline double phase(int turn, double c) {
    return two_pi * ((turn + c) / steps_per_period);
}
inline int next(int turn) {
    return 2 * (turn + 1) > steps_per_period ? turn + 1 - steps_per_period : turn + 1;
}

struct Sum {
    double sum = 0;
    double carry = 0;
    void add(double term) {
        const double total = sum + term;
        const double taken = total - sum;
        carry += (sum - (total - taken)) + (term - taken);
        sum = total;
    }
};

inline double verlet_pendulum(double start, const lento::FilterWeights& w) {
    double x = start;
    double v = 0;
    double a = pendulum_force(x, 0);
    Sum sum;
    sum.add(w[0] * a);
    int turn = 0;
    for (std::size_t k = 1; k <= each_side; ++k) {
        v += h / 2 * a;
        x += h * v;
        a = pendulum_force(x, phase(turn, 1));
        v += h / 2 * a;
        turn = next(turn);
        sum.add(2 * w[k] * a);
    }
    return sum.sum + sum.carry;
}

inline double verlet4_pendulum(double start, const lento::FilterWeights& w) {
    constexpr double g = 0.41449077179437573714;
    constexpr std::array<double, 5> part{g, g, 1 - 4 * g, g, g};
    constexpr std::array<double, 5> end{g, 2 * g, 1 - 2 * g, 1 - g, 1};
    double x = start;
    double v = 0;
    double a = pendulum_force(x, 0);
    Sum sum;
    sum.add(w[0] * a);
    int turn = 0;
    for (std::size_t k = 1; k <= each_side; ++k) {
        for (std::size_t i = 0; i < part.size(); ++i) {
            v += part[i] * h / 2 * a;
            x += part[i] * h * v;
            a = pendulum_force(x, phase(turn, end[i]));
            v += part[i] * h / 2 * a;
        }
        turn = next(turn);
        sum.add(2 * w[k] * a);
    }
    return sum.sum + sum.carry;
}

inline double rk4_pendulum(double start, const lento::FilterWeights& w) {
    double x = start;
    double v = 0;
    double a1 = pendulum_force(x, 0);
    Sum sum;
    sum.add(w[0] * a1);
    int turn = 0;
    for (std::size_t k = 1; k <= each_side; ++k) {
        const double v1 = v;
        const double v2 = v + h / 2 * a1;
        const double a2 = pendulum_force(x + h / 2 * v1, phase(turn, 0.5));
        const double v3 = v + h / 2 * a2;
        const double a3 = pendulum_force(x + h / 2 * v2, phase(turn, 0.5));
        const double v4 = v + h * a3;
        const double a4 = pendulum_force(x + h * v3, phase(turn, 1));
        x += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        a1 = pendulum_force(x, phase(turn, 1));
        turn = next(turn);
        sum.add(2 * w[k] * a1);
    }
    return sum.sum + sum.carry;
}

/// The mean force is made of that at a few phases, which are always the same.
inline std::array<double, 5> phases{0, two_pi / 5, 2 * two_pi / 5, 3 * two_pi / 5, 4 * two_pi / 5};
inline double five_phases_of_pendulum(double start, const lento::FilterWeights&) {
    std::array<double, phases.size()> x{}, f{};
    double sum = 0;
    for (std::size_t k = 0; k < each_side; ++k) {
        for (std::size_t i = 0; i < phases.size(); ++i) {
            x[i] = start + 1e-3 * static_cast<double>(k + i);
            f[i] = pendulum_force(x[i], phases[i]);
        }
        for (const double value : f) {
            sum += value;
        }
    }
    return sum;
}

/// What one-period maps do: the increments of x and v over five periods, in a frame that moves with the velocity at the
/// start.
inline double verlet_map_pendulum(double start, const lento::FilterWeights&) {
    const double velocity = 1.5;
    double x = 0;
    double v = 0;
    double a = pendulum_force(start, 0);
    int turn = 0;
    for (std::size_t k = 1; k <= each_side; ++k) {
        v += h / 2 * a;
        x += h * v;
        a = pendulum_force(start + (static_cast<double>(k) * h * velocity + x), phase(turn, 1));
        v += h / 2 * a;
        turn = next(turn);
    }
    return x + each_side * h * velocity;
}

inline double rk4_map_pendulum(double start, const lento::FilterWeights&) {
    const double velocity = 1.5;
    const auto force = [&](double x, double steps, int turn, double c) {
        return pendulum_force(start + ((steps + c) * h * velocity + x), phase(turn, c));
    };
    double x = 0;
    double v = 0;
    double a1 = pendulum_force(start, 0);
    int turn = 0;
    for (std::size_t k = 0; k < each_side; ++k) {
        const auto steps = static_cast<double>(k);
        const double v2 = v + h / 2 * a1;
        const double a2 = force(x + h / 2 * v, steps, turn, 0.5);
        const double v3 = v + h / 2 * a2;
        const double a3 = force(x + h / 2 * v2, steps, turn, 0.5);
        const double v4 = v + h * a3;
        const double a4 = force(x + h * v3, steps, turn, 1);
        x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        a1 = force(x, steps, turn, 1);
        turn = next(turn);
    }
    return x + each_side * h * velocity;
}

inline void verlet_chain(const std::array<double, links>& start, const lento::FilterWeights& w,
                         std::array<double, links>& average) {
    std::array<double, links> x = start;
    std::array<double, links> v{};
    std::array<double, links> a;
    std::array<double, links> sum{};
    std::array<double, links> carry{};
    const auto add = [&](double weight) {
        for (std::size_t i = 0; i < links; ++i) {
            Sum one{sum[i], carry[i]};
            one.add(weight * a[i]);
            sum[i] = one.sum;
            carry[i] = one.carry;
        }
    };
    chain_force(x, 0, a);
    add(w[0]);
    int turn = 0;
    for (std::size_t k = 1; k <= each_side; ++k) {
        for (std::size_t i = 0; i < links; ++i) {
            v[i] += h / 2 * a[i];
            x[i] += h * v[i];
        }
        chain_force(x, phase(turn, 1), a);
        for (std::size_t i = 0; i < links; ++i) {
            v[i] += h / 2 * a[i];
        }
        turn = next(turn);
        add(2 * w[k]);
    }
    for (std::size_t i = 0; i < links; ++i) {
        average[i] = sum[i] + carry[i];
    }
}

/// The pendulum as a point in the plane, on its rod by SHAKE, multipliers by simplified Newton iterations to rounding.
inline double shake_pendulum(double angle, const lento::FilterWeights& w) {
    constexpr double l = 0.2;
    constexpr double inverse = 1 / (4 * l * l);  // of g' g'^T at the start
    double x = l * std::sin(angle);
    double y = l * std::cos(angle);
    double u = 0;
    double v = 0;
    Sum first;
    Sum second;
    Sum multiplier;
    int turn = 0;
    double theta = 0;
    for (std::size_t k = 0; k <= each_side; ++k) {
        const double a = -9.8 - 4 * omega * std::cos(theta);
        const double kick = k == 0 ? h / 2 : h;
        const double gx = 2 * x;
        const double gy = 2 * y;
        const double scale = std::abs(gx * x) + std::abs(gy * y);
        v += kick * a;
        double to_x = x + h * u;
        double to_y = y + h * v;
        double mu = 0;
        double before = HUGE_VAL;
        for (int iteration = 0; iteration < 50; ++iteration) {
            const double residual = to_x * to_x + to_y * to_y - l * l;
            const double now = std::abs(residual) / scale;
            if (now == 0 || (now > 0.25 * before && before < 1e-13)) {
                break;
            }
            const double correction = residual * inverse;
            mu += correction;
            to_x -= gx * correction;
            to_y -= gy * correction;
            if ((before < HUGE_VAL ? now * now / before : now) < 2e-17) {
                break;
            }
            before = now;
        }
        u -= gx * mu / h;
        v -= gy * mu / h;
        const double lambda = mu / (h * kick);
        const double weight = k == 0 ? w[0] : 2 * w[k];
        first.add(weight * (-gx * lambda));
        second.add(weight * (a - gy * lambda));
        multiplier.add(weight * lambda);
        x = to_x;
        y = to_y;
        theta = phase(turn, 1);
        turn = next(turn);
    }
    return first.sum + first.carry + 0 * (second.sum + multiplier.sum);
}

/// The mean rates of the slow variables of the pendulum with an oscillator (reversible (4.2), (4.3)), half of the steps
/// on each side.
inline double slow_pendulum(double start, const lento::FilterWeights& w) {
    constexpr double l = 0.05;
    constexpr double c = 1 / (two_pi * l);
    constexpr double fast = two_pi / 1e-5;
    const double step = 1e-5 / 25;
    double mean[3]{};
    for (const double side : {1.0, -1.0}) {
        const double k = side * step;
        double theta = start, velocity = -0.4, psi1 = 0.6, psi2 = 0.8;
        double sine = std::sin(theta);
        double force = (0.1 + psi1 / 1e-5) / l * sine;
        for (std::size_t n = 0; n <= each_side / 2; ++n) {
            if (n > 0) {
                const double half_velocity = velocity + k / 2 * force;
                const double half_psi = psi2 - k / 2 * fast * psi1;
                theta += k * half_velocity;
                psi1 += k * fast * half_psi;
                sine = std::sin(theta);
                force = (0.1 + psi1 / 1e-5) / l * sine;
                velocity = half_velocity + k / 2 * force;
                psi2 = half_psi - k / 2 * fast * psi1;
            }
            if (n > 0 || side > 0) {
                mean[0] += w[n] * velocity;
                mean[1] += w[n] * (2 * psi1 * (fast * psi2) + 2 * psi2 * (-fast * psi1));
                mean[2] += w[n] * (force + c * (-fast * psi1 * sine + psi2 * std::cos(theta) * velocity));
            }
        }
    }
    return mean[2] + 0 * (mean[0] + mean[1]);
}

}  // namespace by_hand
