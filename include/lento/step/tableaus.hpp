/// Coefficients of explicit Runge-Kutta methods, as data:
///
///     Y_i = y_0 + h sum_{j<i} a_ij Y'_j,     y_1 = y_0 + h sum_i b_i Y'_i,     Y'_i = f(t_0 + c_i h, Y_i)
///
/// Rationals are kept as long double. Source: Hairer, Norsett, Wanner, Solving ODEs I, 2nd ed., tables II.1.1, II.1.2,
/// II.5.2.
#pragma once

#include <array>
#include <cstddef>

namespace lento {

template <std::size_t Stages, class S = long double>
struct Tableau {
    static constexpr std::size_t stages = Stages;

    int order;
    std::array<S, Stages> c;
    std::array<std::array<S, Stages>, Stages> a;  // row i uses its first i entries
    std::array<S, Stages> b;
    std::array<S, Stages> error{};    // b minus the embedded weights; zero if there are none
    bool first_same_as_last = false;  // the last stage is the rate at the new point

    /// The same in the precision of R.
    template <class R>
    constexpr Tableau<Stages, R> in() const {
        Tableau<Stages, R> other{order, {}, {}, {}, {}, first_same_as_last};
        for (std::size_t i = 0; i < Stages; ++i) {
            other.c[i] = R(c[i]);
            other.b[i] = R(b[i]);
            other.error[i] = R(error[i]);
            for (std::size_t j = 0; j < i; ++j) {
                other.a[i][j] = R(a[i][j]);
            }
        }
        return other;
    }
};

inline constexpr Tableau<2> midpoint_tableau{2, {0, 0.5L}, {{{}, {0.5L}}}, {0, 1}};

inline constexpr Tableau<3> heun3_tableau{
    3, {0, 1 / 3.0L, 2 / 3.0L}, {{{}, {1 / 3.0L}, {0, 2 / 3.0L}}}, {0.25L, 0, 0.75L}};

inline constexpr Tableau<4> rk4_tableau{
    4, {0, 0.5L, 0.5L, 1}, {{{}, {0.5L}, {0, 0.5L}, {0, 0, 1}}}, {1 / 6.0L, 1 / 3.0L, 1 / 3.0L, 1 / 6.0L}};

/// Dormand and Prince (1980), order 5 with an embedded method of order 4.
inline constexpr Tableau<7> dormand_prince_tableau{
    5,
    {0, 0.2L, 0.3L, 0.8L, 8 / 9.0L, 1, 1},
    {{{},
      {0.2L},
      {3 / 40.0L, 9 / 40.0L},
      {44 / 45.0L, -56 / 15.0L, 32 / 9.0L},
      {19372 / 6561.0L, -25360 / 2187.0L, 64448 / 6561.0L, -212 / 729.0L},
      {9017 / 3168.0L, -355 / 33.0L, 46732 / 5247.0L, 49 / 176.0L, -5103 / 18656.0L},
      {35 / 384.0L, 0, 500 / 1113.0L, 125 / 192.0L, -2187 / 6784.0L, 11 / 84.0L}}},
    {35 / 384.0L, 0, 500 / 1113.0L, 125 / 192.0L, -2187 / 6784.0L, 11 / 84.0L, 0},
    {71 / 57600.0L, 0, -71 / 16695.0L, 71 / 1920.0L, -17253 / 339200.0L, 22 / 525.0L, -1 / 40.0L},
    true};

}  // namespace lento
