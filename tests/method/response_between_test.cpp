/// The vibration between looks at it (`Solution::reconstruction_between`), beside a look at every state.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lento/lento.hpp"
#include "model/mapped.hpp"
#include "papers/chain.hpp"

namespace lento {
namespace {

Solution pendulum(double rtol, Options options = {}) {
    const double omega = 1e6;
    const auto system = vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
        f[0] = (9.8 + 4 * omega * cos(theta)) / 0.2 * sin(x[0]);
    });
    options.estimate = "none";
    return solve(
        system,
        {.start = {0.5}, .t_end = 1, .method = "harmonic", .rtol = rtol, .atol = rtol / 100, .options = options});
}

Reconstruction between(const Solution& solution, const std::vector<double>& times) {
    return solution.reconstruction_between(model::mapped(times, [&](double t) { return solution.slow(t); }));
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        worst = std::max(worst, std::abs(a[i] - b[i]));
    }
    return worst;
}

/// In the velocity, at its worst over `length` about t = 0.2, where none of the first five derivatives of the response
/// is near zero; with so many looks that are equally far apart.
double error(const Solution& run, std::size_t looks, double length) {
    const auto at = [&](double share) { return 0.2 + length * (share - 0.5); };
    std::vector<double> times;
    for (std::size_t k = 0; k < looks; ++k) {
        times.push_back(at((static_cast<double>(k) + 0.5) / static_cast<double>(looks)));
    }
    const auto seen = between(run, times);
    double worst = 0;
    for (int k = 0; k <= 1000; ++k) {
        const auto slow = run.slow(at(k / 1000.0));
        worst = std::max(worst, distance(seen(slow).velocity, run.reconstruct(slow).velocity));
    }
    return worst;
}

TEST(ResponseBetween, errs_by_the_length_to_the_number_of_looks) {
    const auto run = pendulum(1e-10);
    for (const std::size_t looks : {1, 2, 3, 4, 5}) {
        const double order = std::log2(error(run, looks, 0.04) / error(run, looks, 0.02));
        EXPECT_NEAR(order, static_cast<double>(looks), 0.3) << error(run, looks, 0.02);
    }
}

/// Of odd and even numbers of phases.
TEST(ResponseBetween, is_the_response_itself_at_every_look) {
    const std::vector<double> looks{0.2, 0.3, 0.5, 0.6};
    for (const std::size_t phases : {2, 4, 5, 8, 11}) {
        const auto run = pendulum(1e-6, {.phases = phases});
        const auto seen = between(run, looks);
        for (const double t : looks) {
            const auto slow = run.slow(t);
            EXPECT_LT(distance(seen(slow).position, run.reconstruct(slow).position), 1e-15) << phases;
            EXPECT_LT(distance(seen(slow).velocity, run.reconstruct(slow).velocity), 1e-12) << phases;
        }
    }
}

TEST(ResponseBetween, of_variables_and_of_constraints_too) {
    const auto rate = [](auto y, auto, auto theta, auto r) {
        r[0] = y[1] * cos(theta[0]) - 0.2 * y[0];
        r[1] = -y[0] + 3 * sin(theta[0]) * y[1];
    };
    const auto variables = solve(first_order_system(2, {{.frequency = 3000}}, rate),
                                 {.start = {1, 0.5}, .t_end = 5, .method = "harmonic", .rtol = 1e-7});
    const auto chain = papers::double_pendulum();
    const auto rods = solve(chain.vibrated(1e4),
                            {.start = chain.position({0.5, 0.0}), .t_end = 0.2, .method = "harmonic", .rtol = 1e-6});
    for (const auto* run : {&variables, &rods}) {
        ASSERT_EQ(run->record().method, "harmonic");
        const double length = run->record().t_end / 100;
        const double t = run->record().t_end / 2;
        const auto seen = between(*run, {t, t + length / 2, t + length});
        for (int k = 0; k <= 20; ++k) {
            const auto slow = run->slow(t + length * k / 20);
            const auto exact = run->reconstruct(slow);
            EXPECT_LT(distance(seen(slow).position, exact.position),
                      1e-5 * distance(exact.position, slow.position) + 1e-9);
            ASSERT_EQ(seen(slow).multipliers.size(), exact.multipliers.size());
            for (std::size_t i = 0; i < exact.multipliers.size(); ++i) {
                EXPECT_NEAR(seen(slow).multipliers[i], exact.multipliers[i],
                            1e-3 * std::abs(exact.multipliers[i]) + 1e-2);
            }
        }
    }
}

TEST(ResponseBetween, other_methods_look_at_every_state) {
    const auto system =
        vibrated_system(1, 1e3, [](auto x, auto, auto, auto theta, auto f) { f[0] = -x[0] + 1e3 * cos(theta); });
    const auto run = solve(system, {.start = {0.5}, .t_end = 1, .method = "direct"});
    EXPECT_FALSE(between(run, {0.2, 0.3}));
}

}  // namespace
}  // namespace lento
