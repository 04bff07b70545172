/// Symmetric compositions of the Verlet method, of orders 4, 6 and 8:
///
///     Phi_h = phi_{g_s h} o ... o phi_{g_1 h},     g_i = g_{s+1-i},  sum g_i = 1
///
/// For accelerations that depend on the position alone: otherwise the Verlet step is not symmetric and the order
/// stays 2. Coefficients: Hairer, Lubich, Wanner, Geometric Numerical Integration, 2nd ed., section V.3.2, after Suzuki
/// (1990) for order 4 and Kahan and Li (1997) for orders 6 and 8.
#pragma once

#include <array>
#include <cstddef>

#include "step/verlet.hpp"

namespace lento {

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
