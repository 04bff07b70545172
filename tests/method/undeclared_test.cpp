/// What nobody has declared, and a look tells.
#include "judge/undeclared.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lento/lento.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;

bool says(const Solution& run, const std::string& part) {
    return std::ranges::any_of(run.warnings(),
                               [&](const auto& warning) { return warning.find(part) != std::string::npos; });
}

std::optional<double> frequency(const Problem& problem, const Request& request) {
    return undeclared_frequency(problem, {request.start, request.velocity, request.t_start, request.t_end, 1e-6, 1e-9});
}

TEST(Undeclared, a_long_direct_run_along_an_orbit_proposes_its_period) {
    const auto orbit = plain_system(2, [](auto x, auto v, auto, auto f) {
        const auto square = x[0] * x[0] + x[1] * x[1];
        const auto pull = (1.0 - 2e-3 / sqrt(square)) / (square * sqrt(square));
        f[0] = -pull * x[0] - 1e-6 * v[0];
        f[1] = -pull * x[1] - 1e-6 * v[1];
    });
    const Request request{.start = {0.9, 0}, .velocity = {0, 1.1}, .t_end = 1e4, .rtol = 1e-6};
    const auto run = solve(orbit, request, method::direct);
    EXPECT_TRUE(says(run, "one fast oscillation with a period of 6.1"))
        << (run.warnings().empty() ? "nothing" : run.warnings()[0]);
    EXPECT_TRUE(says(run, "try the method multirevolution"));
    EXPECT_FALSE(says(solve(orbit.with_period(2 * pi), request, method::direct), "fast oscillation"));
}

TEST(Undeclared, no_period_is_proposed_for_chaos) {
    const auto lorenz = first_order_system(3, [](auto y, auto, auto rate) {
        rate[0] = 10 * (y[1] - y[0]);
        rate[1] = y[0] * (28 - y[2]) - y[1];
        rate[2] = y[0] * y[1] - 8 * y[2] / 3;
    });
    const Request request{.start = {1, 2, 20}, .t_end = 2e3};
    std::vector<std::pair<double, std::vector<double>>> states;
    for (const double t : {1.0, 2.5, 5.0, 10.0}) {
        Request shorter = request;
        shorter.t_end = t;
        states.emplace_back(t, solve(lorenz, shorter, method::direct).final_state().position);
    }
    EXPECT_FALSE(undeclared_phase(lorenz, {request.start, {}, 0, request.t_end, 1e-6, 1e-9}, states).period);
}

TEST(Undeclared, a_vibration_written_with_the_time_is_told_from_slow_and_sudden_ones) {
    for (const double omega : {2e3, 3e4, 1e7}) {
        const auto hidden = plain_system(
            1, [=](auto x, auto, auto t, auto f) { f[0] = (9.8 + 4 * omega * cos(omega * t)) / 0.2 * sin(x[0]); });
        const auto found = frequency(hidden, {.start = {0.5}, .velocity = {0}, .t_end = 1});
        ASSERT_TRUE(found) << omega;
        EXPECT_NEAR(*found, omega, 0.01 * omega);
    }
    const auto driven = [](double omega) {
        return plain_system(1, [=](auto x, auto v, auto t, auto f) {
            f[0] = x[0] - x[0] * x[0] * x[0] - 0.06 * v[0] + 0.3 * cos(omega * t);
        });
    };
    EXPECT_TRUE(frequency(driven(50), {.start = {0.5}, .velocity = {0}, .t_end = 100}));
    EXPECT_FALSE(frequency(driven(1), {.start = {0.5}, .velocity = {0}, .t_end = 1e4})) << "as slow as the motion";
    EXPECT_FALSE(frequency(driven(50), {.start = {0.5}, .velocity = {0}, .t_end = 2})) << "so few are resolved";
    const auto burst =
        plain_system(1, [](auto x, auto, auto t, auto f) { f[0] = -x[0] + 10 * exp(-1e6 * (t - 5) * (t - 5)); });
    EXPECT_FALSE(frequency(burst, {.start = {0.5}, .velocity = {0}, .t_end = 1e3}));
    const auto chirp = plain_system(1, [](auto x, auto, auto t, auto f) { f[0] = -x[0] + cos(0.5 * t * t); });
    EXPECT_FALSE(frequency(chirp, {.start = {0.5}, .velocity = {0}, .t_end = 1e3})) << "no frequency could be declared";
}

}  // namespace
}  // namespace lento
