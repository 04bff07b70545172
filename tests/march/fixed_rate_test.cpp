/// Fixed steps of Runge-Kutta methods on y' = rate(t, y), and the point where a step's result starts (slow-manifold
/// (38)).
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "march/adaptive.hpp"
#include "march/controller.hpp"
#include "march/fixed.hpp"
#include "papers/slope.hpp"
#include "step/runge_kutta.hpp"

namespace lento {
namespace {

struct Tiles {
    std::vector<DenseStep> steps{};
    bool wants(double) const { return true; }
    void take(DenseStep step) { steps.push_back(std::move(step)); }
};

/// A length that the compiler does not see through: g++ 12 warns of copies that cannot happen where it knows it.
std::size_t of_length(std::size_t n) {
    volatile std::size_t length = n;
    return length;
}

void oscillator(double, std::span<const double> y, std::span<double> dy) {
    dy[0] = y[1];
    dy[1] = -y[0];
}

TEST(FixedRate, steps_have_the_order_of_their_method_and_dense_output_of_order_4) {
    std::vector<double> steps{0.1, 0.05, 0.025}, errors, between;
    for (const double step : steps) {
        RungeKutta4<double> method(2);
        FirstOrderState<double> state(of_length(2));
        state.y[0] = 1;
        Tiles tiles;
        const auto result = march_fixed_rate(method, oscillator, {0, 3}, step, state, tiles, {});
        EXPECT_EQ(result.outcome, Outcome::completed);
        EXPECT_EQ(result.reached, 3);
        errors.push_back(std::hypot(state.y[0] - std::cos(3), state.y[1] + std::sin(3)));
        double worst = 0;
        for (const auto& tile : tiles.steps) {
            std::vector<double> y(2);
            const double t = (tile.from() + tile.to()) / 2;
            tile.value(t, y);
            worst = std::max(worst, std::abs(y[0] - std::cos(t)));
        }
        between.push_back(worst);
    }
    EXPECT_NEAR(papers::slope(steps, errors), 4, 0.1);
    EXPECT_NEAR(papers::slope(steps, between), 4, 0.2);
}

/// Evaluations happen at twice the point, and results start there.
struct Doubling {
    std::vector<double> at{}, from{};

    std::size_t controlled(std::size_t components) const { return components; }
    void begin() { from = at; }
    std::span<const double> base() const { return from; }
    bool operator()(double, std::span<double>) {
        from = at;
        return true;
    }
};

TEST(FixedRate, results_start_from_where_the_step_was_evaluated) {
    Doubling doubling;
    const auto rate = [&](double, std::span<const double> y, std::span<double> dy) {
        doubling.at.assign(2, 0.0);
        doubling.at[0] = 2 * y[0];
        doubling.at[1] = 2 * y[1];
        dy[0] = 1;
        dy[1] = 0;
    };
    RungeKutta4<double> method(2);
    FirstOrderState<double> state(of_length(2));
    state.y[0] = 1;
    Tiles tiles;
    march_fixed_rate(method, rate, {0, 2}, 1, state, tiles, {}, doubling);
    // z1 = 2 z0 + 1 = 3, z2 = 2 z1 + 1 = 7
    EXPECT_DOUBLE_EQ(state.y[0], 7);
    std::vector<double> y(2);
    tiles.steps[1].value(1, y);
    EXPECT_DOUBLE_EQ(y[0], 6);  // dense output goes from base to base
    tiles.steps[1].value(2, y);
    EXPECT_DOUBLE_EQ(y[0], 14);
}

TEST(FixedRate, a_rate_that_is_not_finite_ends_the_march_at_the_last_good_state) {
    RungeKutta4<double> method(1);
    FirstOrderState<double> state(of_length(1));

    Tiles tiles;
    const auto result = march_fixed_rate(
        method, [](double t, std::span<const double>, std::span<double> dy) { dy[0] = t > 0.55 ? NAN : 1; }, {0, 1},
        0.1, state, tiles, {});
    EXPECT_EQ(result.outcome, Outcome::diverged);
    EXPECT_NEAR(result.reached, 0.5, 1e-12);
    EXPECT_NEAR(state.y[0], 0.5, 1e-12);
    EXPECT_EQ(tiles.steps.size(), 5u);
}

}  // namespace
}  // namespace lento
