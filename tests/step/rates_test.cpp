/// Evaluations of a Runge-Kutta step that share their time.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "step/catalogue.hpp"

namespace lento {
namespace {

using View = std::span<const double>;

/// Steps of a driven oscillator, and how often it was asked for its cosine.
struct Counted {
    int cosines = 0;
    std::vector<double> end{};
};

template <class Method>
Counted steps(bool together) {
    Counted result;
    int k = 0;
    const auto drive = [&](double c) {
        ++result.cosines;
        return std::cos(0.3 * (k + c));
    };
    const auto one = [&](double c, View x, View v, std::span<double> a) {
        const double driven = drive(c);
        for (std::size_t i = 0; i < x.size(); ++i) {
            a[i] = driven * std::sin(x[i]) - 0.1 * v[i];
        }
    };
    const auto two = [&](double c, View x, View v, std::span<double> at_x, View other_x, View from,
                         std::span<double> other_v, double factor, std::span<double> at_other) {
        const double driven = drive(c);
        for (std::size_t i = 0; i < x.size(); ++i) {
            at_x[i] = driven * std::sin(x[i]) - 0.1 * v[i];
            other_v[i] = from[i] + (other_v[i] + factor * at_x[i]);
            at_other[i] = driven * std::sin(other_x[i]) - 0.1 * other_v[i];
        }
    };
    Method method(2);
    typename Method::State state(2);
    state.y = {0.3, 1.2, 0.1, -0.4};
    one(0, state.x(), state.v(), state.a());
    result.cosines = 0;
    for (; k < 20; ++k) {
        if (together) {
            method.step(Rates{one, two}, 0.3, state);
        } else {
            method.step(one, 0.3, state);
        }
    }
    result.end = state.y;
    result.end.insert(result.end.end(), state.rate.begin(), state.rate.end());
    return result;
}

template <class Method>
void expect_cosines_a_step(int alone, int together) {
    const auto apart = steps<Method>(false);
    const auto shared = steps<Method>(true);
    EXPECT_EQ(apart.cosines, 20 * alone);
    EXPECT_EQ(shared.cosines, 20 * together);
    EXPECT_EQ(apart.end, shared.end);
}

TEST(Rates, stages_at_one_time_share_it_and_keep_their_bits) {
    expect_cosines_a_step<OnMotion<RungeKutta4, double>>(4, 2);
    expect_cosines_a_step<OnMotion<DormandPrince, double>>(6, 5);
    expect_cosines_a_step<OnMotion<PrinceDormand, double>>(13, 12);
    expect_cosines_a_step<OnMotion<Heun3, double>>(3, 3);
    expect_cosines_a_step<OnMotion<Midpoint, double>>(2, 2);
}

}  // namespace
}  // namespace lento
