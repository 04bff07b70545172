/// The Verlet method, velocity form, order 2; one evaluation a step:
///
///     v_{1/2} = v_0 + h/2 a_0,   x_1 = x_0 + h v_{1/2},   v_1 = v_{1/2} + h/2 a_1          (vibrated, section 2.5)
///
/// Symmetric and symplectic for accelerations that depend on the position alone. Where they depend on the velocity, a_1
/// is taken at the predicted velocity v_{1/2} + h/2 a_0: still explicit and of order 2, no longer symmetric. This is
/// the prediction P^_n of vibrated, Algorithm 1, step 4.
///
/// And its symmetric compositions of orders 4, 6 and 8, for accelerations that depend on the position alone: otherwise
/// the Verlet step is not symmetric and the order stays 2.
///
///     Phi_h = phi_{g_s h} o ... o phi_{g_1 h},     g_i = g_{s+1-i},  sum g_i = 1
///
/// Coefficients: Hairer, Lubich, Wanner, Geometric Numerical Integration, 2nd ed., section V.3.2, after Suzuki (1990)
/// for order 4 and Kahan and Li (1997) for orders 6 and 8.
#pragma once

#include <array>

#include "step/state.hpp"

namespace lento {

/// Whether accelerations may depend on the velocity. Where they do not, the prediction is left out: a tenth of the time
/// of a step over 16 coordinates.
enum class VelocityUse { possible, none };

template <class S, std::size_t Extent = dynamic>
class Verlet {
public:
    static constexpr int order = 2;
    static constexpr int evaluations = 1;
    using State = MotionState<S, Extent>;

    explicit Verlet(std::size_t dimension, VelocityUse use = VelocityUse::possible)
        : use_(use), predicted_(make_vector<S, Extent>(dimension)) {}

    /// Advances by h. `end` is the fraction of the caller's step at which this one ends: 1, unless it is part of a
    /// composition.
    template <class Acceleration>
    void step(Acceleration&& acceleration, S h, State& state, S end = S(1)) {
        const auto x = state.x();
        const auto v = state.v();
        const auto a = state.a();
        const S half = h / S(2);
        for (std::size_t i = 0; i < x.size(); ++i) {
            v[i] += half * a[i];
            x[i] += h * v[i];
        }
        if (use_ == VelocityUse::none) {
            acceleration(end, std::span<const S, Extent>(x), std::span<const S, Extent>(v), a);
        } else {
            for (std::size_t i = 0; i < x.size(); ++i) {
                predicted_[i] = v[i] + half * a[i];
            }
            acceleration(end, std::span<const S, Extent>(x), std::span<const S, Extent>(predicted_), a);
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            v[i] += half * a[i];
        }
    }

private:
    VelocityUse use_;
    Vector<S, Extent> predicted_;
};

/// The first half of the symmetric sequence g_1, ..., g_s; the middle one makes the sum 1.
template <std::size_t Half>
struct CompositionCoefficients {
    static constexpr std::size_t parts = 2 * Half + 1;

    int order;
    std::array<long double, Half> half;

    /// g_1, ..., g_s in the precision of S.
    template <class S>
    constexpr std::array<S, parts> weights() const {
        std::array<S, parts> g{};
        long double middle = 1;
        for (std::size_t i = 0; i < Half; ++i) {
            g[i] = g[parts - 1 - i] = S(half[i]);
            middle -= 2 * half[i];
        }
        g[Half] = S(middle);
        return g;
    }
    /// g_1 + ... + g_i: where each part ends. The last is exactly 1, so that grid points keep exact phases.
    template <class S>
    constexpr std::array<S, parts> ends() const {
        const auto g = weights<long double>();
        std::array<S, parts> sums{};
        long double sum = 0;
        for (std::size_t i = 0; i < parts; ++i) {
            sums[i] = S(sum += g[i]);
        }
        sums[parts - 1] = S(1);
        return sums;
    }
};

// 1 / (4 - 4^(1/3)), twice.
inline constexpr CompositionCoefficients<2> suzuki4{4, {0.41449077179437573714L, 0.41449077179437573714L}};
inline constexpr CompositionCoefficients<4> kahan_li6{
    6, {0.39216144400731413928L, 0.33259913678935943860L, -0.70624617255763935981L, 0.08221359629355080023L}};
inline constexpr CompositionCoefficients<8> kahan_li8{
    8,
    {0.13020248308889008088L, 0.56116298177510838456L, -0.38947496264484728641L, 0.15884190655515560090L,
     -0.39590389413323757734L, 0.18453964097831570709L, 0.25837438768632204729L, 0.29501172360931029887L}};

template <const auto& Coefficients, class S, std::size_t Extent = dynamic>
class Composition {
public:
    static constexpr int order = Coefficients.order;
    static constexpr int evaluations = static_cast<int>(Coefficients.parts);
    using State = MotionState<S, Extent>;

    explicit Composition(std::size_t dimension, VelocityUse use = VelocityUse::possible) : verlet_(dimension, use) {}

    template <class Acceleration>
    void step(Acceleration&& acceleration, S h, State& state) {
        static constexpr auto weights = Coefficients.template weights<S>();
        static constexpr auto ends = Coefficients.template ends<S>();
        for (std::size_t i = 0; i < weights.size(); ++i) {
            verlet_.step(acceleration, weights[i] * h, state, ends[i]);
        }
    }

private:
    Verlet<S, Extent> verlet_;
};

template <class S, std::size_t Extent = dynamic>
using Verlet4 = Composition<suzuki4, S, Extent>;
template <class S, std::size_t Extent = dynamic>
using Verlet6 = Composition<kahan_li6, S, Extent>;
template <class S, std::size_t Extent = dynamic>
using Verlet8 = Composition<kahan_li8, S, Extent>;

}  // namespace lento
