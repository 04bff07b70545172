/// Coefficients of explicit Runge-Kutta methods, as data:
///
///     Y_i = y_0 + h sum_{j<i} a_ij Y'_j,     y_1 = y_0 + h sum_i b_i Y'_i,     Y'_i = f(t_0 + c_i h, Y_i)
///
/// Rationals are kept as long double. Source, unless said otherwise: Hairer, Norsett, Wanner, Solving ODEs I, 2nd ed.,
/// tables II.1.1, II.1.2, II.5.2.
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

inline constexpr Tableau<1> euler_tableau{1, {0}, {{{}}}, {1}};

inline constexpr Tableau<2> midpoint_tableau{2, {0, 0.5L}, {{{}, {0.5L}}}, {0, 1}};

inline constexpr Tableau<3> heun3_tableau{
    3, {0, 1 / 3.0L, 2 / 3.0L}, {{{}, {1 / 3.0L}, {0, 2 / 3.0L}}}, {0.25L, 0, 0.75L}};

inline constexpr Tableau<4> rk4_tableau{
    4, {0, 0.5L, 0.5L, 1}, {{{}, {0.5L}, {0, 0.5L}, {0, 0, 1}}}, {1 / 6.0L, 1 / 3.0L, 1 / 3.0L, 1 / 6.0L}};

/// The half-explicit method of order 3 with three stages (stroboscopic, section 6.2), and that of order 4 with five of
/// Brasey and Hairer (1993): systems of index 2 have more conditions than differential equations.
inline constexpr Tableau<3> herk3_tableau{3, {0, 1 / 3.0L, 1}, {{{}, {1 / 3.0L}, {-1, 2}}}, {0, 0.75L, 0.25L}};

inline constexpr long double root6 = 2.44948974278317809819728L;
inline constexpr Tableau<5> herk4_tableau{
    4,
    {0, 0.3L, (4 - root6) / 10, (4 + root6) / 10, 1},
    {{{},
      {0.3L},
      {(1 + root6) / 30, (11 - 4 * root6) / 30},
      {(-79 - 31 * root6) / 150, (-1 - 4 * root6) / 30, (24 + 11 * root6) / 25},
      {(14 + 5 * root6) / 6, (-8 + 7 * root6) / 6, (-9 - 7 * root6) / 4, (9 - root6) / 4}}},
    {0, 0, (16 - root6) / 36, (16 + root6) / 36, 1 / 9.0L}};

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

/// Prince and Dormand (1981), RK8(7)13M: order 8 with an embedded method of order 7. The authors' rationals meet all
/// order conditions to 7e-18.
inline constexpr Tableau<13> prince_dormand_tableau{
    8,
    {0, 1 / 18.0L, 1 / 12.0L, 1 / 8.0L, 5 / 16.0L, 3 / 8.0L, 59 / 400.0L, 93 / 200.0L, 5490023248 / 9719169821.0L,
     13 / 20.0L, 1201146811 / 1299019798.0L, 1, 1},
    {{{},
      {1 / 18.0L},
      {1 / 48.0L, 1 / 16.0L},
      {1 / 32.0L, 0, 3 / 32.0L},
      {5 / 16.0L, 0, -75 / 64.0L, 75 / 64.0L},
      {3 / 80.0L, 0, 0, 3 / 16.0L, 3 / 20.0L},
      {29443841 / 614563906.0L, 0, 0, 77736538 / 692538347.0L, -28693883 / 1125000000.0L, 23124283 / 1800000000.0L},
      {16016141 / 946692911.0L, 0, 0, 61564180 / 158732637.0L, 22789713 / 633445777.0L, 545815736 / 2771057229.0L,
       -180193667 / 1043307555.0L},
      {39632708 / 573591083.0L, 0, 0, -433636366 / 683701615.0L, -421739975 / 2616292301.0L, 100302831 / 723423059.0L,
       790204164 / 839813087.0L, 800635310 / 3783071287.0L},
      {246121993 / 1340847787.0L, 0, 0, -37695042795 / 15268766246.0L, -309121744 / 1061227803.0L,
       -12992083 / 490766935.0L, 6005943493 / 2108947869.0L, 393006217 / 1396673457.0L, 123872331 / 1001029789.0L},
      {-1028468189 / 846180014.0L, 0, 0, 8478235783 / 508512852.0L, 1311729495 / 1432422823.0L,
       -10304129995 / 1701304382.0L, -48777925059 / 3047939560.0L, 15336726248 / 1032824649.0L,
       -45442868181 / 3398467696.0L, 3065993473 / 597172653.0L},
      {185892177 / 718116043.0L, 0, 0, -3185094517 / 667107341.0L, -477755414 / 1098053517.0L,
       -703635378 / 230739211.0L, 5731566787 / 1027545527.0L, 5232866602 / 850066563.0L, -4093664535 / 808688257.0L,
       3962137247 / 1805957418.0L, 65686358 / 487910083.0L},
      {403863854 / 491063109.0L, 0, 0, -5068492393 / 434740067.0L, -411421997 / 543043805.0L, 652783627 / 914296604.0L,
       11173962825 / 925320556.0L, -13158990841 / 6184727034.0L, 3936647629 / 1978049680.0L, -160528059 / 685178525.0L,
       248638103 / 1413531060.0L, 0}}},
    {14005451 / 335480064.0L, 0, 0, 0, 0, -59238493 / 1068277825.0L, 181606767 / 758867731.0L, 561292985 / 797845732.0L,
     -1041891430 / 1371343529.0L, 760417239 / 1151165299.0L, 118820643 / 751138087.0L, -528747749 / 2220607170.0L,
     0.25L},
    {14005451 / 335480064.0L - 13451932 / 455176623.0L, 0, 0, 0, 0,
     -59238493 / 1068277825.0L + 808719846 / 976000145.0L, 181606767 / 758867731.0L - 1757004468 / 5645159321.0L,
     561292985 / 797845732.0L - 656045339 / 265891186.0L, -1041891430 / 1371343529.0L + 3867574721 / 1518517206.0L,
     760417239 / 1151165299.0L - 465885868 / 322736535.0L, 118820643 / 751138087.0L - 53011238 / 667516719.0L,
     -528747749 / 2220607170.0L - 2 / 45.0L, 0.25L}};

}  // namespace lento
