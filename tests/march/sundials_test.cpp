/// SUNDIALS as a solver of y' = rate(t, y): accuracy, dense output, and every way a march can end.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "lento/base/misuse.hpp"
#include "march/sundials.hpp"
#include "papers/slope.hpp"
#include "tests/march/oscillator_tiles.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;
using View = std::span<const double>;

/// Eccentricity 0.5; one revolution returns to the start.
void kepler(double, View y, std::span<double> dy) {
    const double r = std::hypot(y[0], y[1]);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -y[0] / (r * r * r);
    dy[3] = -y[1] / (r * r * r);
}
const std::vector<double> kepler_start{0.5, 0, 0, std::sqrt(3.0)};

constexpr auto oscillator = OscillatorTiles::rate;  // from (1, 0): cos(t), -sin(t)

void blow_up(double, View y, std::span<double> dy) {
    dy[0] = y[0] * y[0];
}

TEST(Sundials, the_error_over_a_kepler_orbit_follows_the_tolerance) {
    const std::map<std::string, double> most{
        {"cvode-adams", 2e3}, {"cvode-bdf", 1e4}, {"arkode-4", 5}, {"arkode-5", 50}, {"arkode-8", 2}};
    for (const auto& name : sundials_names()) {
        std::vector<double> tolerances;
        std::vector<double> errors;
        for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
            auto y = kepler_start;
            const auto result = march_sundials(name, kepler, {0, 2 * pi}, {rtol, rtol * 1e-3}, y, {}, {}, 100'000);
            EXPECT_EQ(result.outcome, Outcome::completed) << name << ": " << result.explanation;
            EXPECT_EQ(result.reached, 2 * pi);
            double error = 0;
            for (std::size_t i = 0; i < y.size(); ++i) {
                error = std::max(error, std::abs(y[i] - kepler_start[i]));
            }
            EXPECT_LT(error, most.at(name) * rtol) << name;
            tolerances.push_back(rtol);
            errors.push_back(error);
        }
        const double order = papers::slope(tolerances, errors);
        EXPECT_GT(order, 0.6) << name;
        EXPECT_LT(order, 1.2) << name;
    }
}

TEST(Sundials, order_8_needs_a_third_of_the_steps_of_order_5_and_thirteen_rates_a_step) {
    std::map<std::string, MarchResult> results;
    std::map<std::string, std::int64_t> rates;
    for (const std::string name : {"arkode-5", "arkode-8"}) {
        auto y = kepler_start;
        const auto rate = [&](double t, View point, std::span<double> derivative) {
            ++rates[name];
            kepler(t, point, derivative);
        };
        results[name] = march_sundials(name, rate, {0, 2 * pi}, {1e-10, 1e-13}, y, {}, {}, 100'000);
    }
    EXPECT_LT(3 * results["arkode-8"].steps, results["arkode-5"].steps);
    const auto tried = results["arkode-8"].steps + results["arkode-8"].rejected;
    EXPECT_LE(rates["arkode-8"], 13 * tried + 10) << "ten to start with";
}

TEST(Sundials, every_solver_sees_a_force_of_the_time_alone) {
    const auto force = [](double t, View x, std::span<double> dx) {
        dx[0] = x[1];
        dx[1] = std::cos(t);
    };
    for (const auto& name : sundials_names()) {
        std::vector<double> x{-1, 0};
        march_sundials(name, force, {0, 100}, {1e-6, 1e-9}, x, {}, {}, 100'000);
        EXPECT_NEAR(x[0], -std::cos(100.0), 1e-3) << name;
    }
}

TEST(Sundials, dense_output_tiles_the_interval_and_is_this_accurate_between_steps) {
    // Error at rtol = atol = 1e-8: of the steps themselves for CVODE and the orders 4 and 5; of ARKODE's quintic for 8.
    const std::map<std::string, double> most{
        {"cvode-adams", 5e-6}, {"cvode-bdf", 5e-6}, {"arkode-4", 5e-8}, {"arkode-5", 1e-7}, {"arkode-8", 5e-5}};
    for (const auto& name : sundials_names()) {
        OscillatorTiles tiles;
        std::vector<double> y{1, 0};
        const auto result = march_sundials(name, oscillator, {0, 10}, {1e-8, 1e-8}, y, tiles.listener(), {}, 100'000);
        EXPECT_EQ(tiles.end, 10) << name;
        EXPECT_EQ(tiles.count, result.steps) << name;
        EXPECT_LT(tiles.error, most.at(name)) << name;
        EXPECT_LT(tiles.jump, 1e-13) << name;
        EXPECT_NEAR(tiles.last, y[0], 1e-13) << name;
    }
}

TEST(Sundials, dense_output_that_nobody_wants_is_not_made_and_costs_no_rate) {
    const auto rates = [](const StepListener& listener) {
        std::int64_t calls = 0;
        const auto rate = [&](double t, View y, std::span<double> dy) {
            ++calls;
            oscillator(t, y, dy);
        };
        std::vector<double> y{1, 0};
        const auto result = march_sundials("arkode-8", rate, {0, 10}, {1e-8, 1e-8}, y, listener, {}, 100'000);
        return std::pair(calls, result.steps);
    };
    const auto [silent, steps] = rates({[](double) { return false; }, [](const DenseStep&) { FAIL(); }});
    EXPECT_EQ(rates({}).first, silent);
    const auto told = rates({[](double) { return true; }, [](const DenseStep&) {}}).first;
    EXPECT_LE(told, silent + 3 * steps);
    EXPECT_GT(told, silent + 2 * steps);
}

TEST(Sundials, a_rate_that_is_not_finite_at_the_start_is_told_with_its_component) {
    const auto broken = [](double, View, std::span<double> dy) {
        dy[0] = 1;
        dy[1] = std::nan("");
    };
    for (const auto& name : sundials_names()) {
        std::vector<double> y{1, 2};
        const auto result = march_sundials(name, broken, {3, 4}, {1e-6, 1e-9}, y, {}, {}, 100'000);
        EXPECT_EQ(result.outcome, Outcome::diverged);
        EXPECT_EQ(result.culprit, 1U);
        EXPECT_EQ(result.reached, 3);
        EXPECT_EQ(result.explanation, "the force is not a finite number at the start, t = 3");
    }
}

TEST(Sundials, a_rate_that_stays_not_finite_ends_as_diverged_next_to_the_place) {
    const auto wall = [](double t, View, std::span<double> dy) { dy[0] = t < 0.5 ? 1.0 : std::nan(""); };
    for (const auto& name : sundials_names()) {
        std::vector<double> y{0};
        const auto result = march_sundials(name, wall, {0, 2}, {1e-6, 1e-9}, y, {}, {}, 100'000);
        EXPECT_EQ(result.outcome, Outcome::diverged) << name << ": " << result.explanation;
        EXPECT_EQ(result.culprit, 0U) << name;
        EXPECT_NEAR(result.reached, 0.5, 1e-6) << name;
        EXPECT_NEAR(y[0], result.reached, 1e-9) << name;
        EXPECT_NE(result.explanation.find("stops being finite after t = 0.5"), std::string::npos);
    }
}

TEST(Sundials, a_rate_that_is_not_finite_beyond_the_solution_is_stepped_past) {
    // y rises to 0.5 and falls again; trials that overshoot see the root of a negative number.
    const auto narrow = [](double t, View y, std::span<double> dy) {
        dy[0] = (t < 0.5 ? 1 : -1) + 0 * std::sqrt(0.5 + 1e-7 - y[0]);
    };
    for (const auto& name : sundials_names()) {
        std::vector<double> y{0};
        std::vector<double> crossings;
        const RootSearch roots{1, [](double, View point, std::span<double> values) { values[0] = point[0] - 0.25; },
                               [&](double t, std::size_t, int, View) {
                                   crossings.push_back(t);
                                   return true;
                               }};
        const auto result = march_sundials(name, narrow, {0, 2}, {1e-8, 1e-10}, y, {}, {}, 100'000, roots);
        EXPECT_EQ(result.outcome, Outcome::completed) << name << ": " << result.explanation;
        EXPECT_EQ(result.reached, 2) << name;
        EXPECT_NEAR(y[0], -1, 1e-6) << name;
        EXPECT_GT(result.rejected, 0);
        ASSERT_EQ(crossings.size(), 2U) << name;
        EXPECT_NEAR(crossings[0], 0.25, 1e-6);
        EXPECT_NEAR(crossings[1], 0.75, 1e-6);
    }
}

TEST(Sundials, a_blow_up_ends_in_an_outcome_with_a_sentence_and_nothing_is_printed) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    for (const auto& name : sundials_names()) {
        std::vector<double> y{1};  // 1 / (1 - t)
        const auto result = march_sundials(name, blow_up, {0, 2}, {1e-6, 1e-9}, y, {}, {}, 100'000);
        EXPECT_TRUE(result.outcome == Outcome::not_converged || result.outcome == Outcome::diverged) << name;
        EXPECT_NEAR(result.reached, 1, 1e-3) << name;
        EXPECT_TRUE(std::isfinite(y[0]));
        EXPECT_NE(result.explanation.find("t = "), std::string::npos) << result.explanation;

        y = {1, 1};
        const auto tight = march_sundials(name, oscillator, {0, 1}, {1e-17, 1e-17}, y, {}, {}, 100'000);
        EXPECT_EQ(tight.outcome, Outcome::not_converged);
        EXPECT_EQ(tight.explanation.find(name), 0U) << tight.explanation;
        EXPECT_NE(tight.explanation.find("loosen rtol and atol"), std::string::npos) << tight.explanation;
    }
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Sundials, a_stop_and_a_budget_end_the_march_with_what_there_is) {
    for (const auto& name : sundials_names()) {
        auto y = kepler_start;
        const auto spent = march_sundials(name, kepler, {0, 2 * pi}, {1e-10, 1e-12}, y, {}, {}, 7);
        EXPECT_EQ(spent.outcome, Outcome::budget_exhausted) << name;
        EXPECT_GE(spent.steps + spent.rejected, 7) << name;
        EXPECT_LE(spent.steps, 7) << name;
        EXPECT_GT(spent.reached, 0);
        EXPECT_NE(spent.explanation.find("7 steps were not enough"), std::string::npos) << spent.explanation;

        std::stop_source source;
        int steps = 0;
        const StepListener listener{[&](double) {
                                        if (++steps == 5) {
                                            source.request_stop();
                                        }
                                        return false;
                                    },
                                    {}};
        y = kepler_start;
        const auto stopped =
            march_sundials(name, kepler, {0, 2 * pi}, {1e-10, 1e-12}, y, listener, source.get_token(), 100'000);
        EXPECT_EQ(stopped.outcome, Outcome::interrupted) << name;
        EXPECT_EQ(stopped.steps, 5) << name;
        EXPECT_GT(stopped.reached, 0);
    }
}

TEST(Sundials, exceptions_come_through_from_wherever_they_are_thrown) {
    const auto torn = [](double t, View y, std::span<double> dy) {
        if (t > 0.5) {
            throw std::runtime_error("beyond the table");
        }
        oscillator(t, y, dy);
    };
    const StepListener everything{[](double) { return true; }, [](const DenseStep&) {}};
    const StepListener torn_listener{[](double) { return true; },
                                     [](const DenseStep&) { throw std::runtime_error("the disk is full"); }};
    const RootSearch torn_roots{1, [](double t, View, std::span<double>) {
                                    if (t > 0.5) {
                                        throw std::runtime_error("beyond the table");
                                    }
                                }};
    bool making = false;
    const StepListener making_dense{[&](double) { return making = true; }, [&](const DenseStep&) { making = false; }};
    const auto torn_between = [&](double t, View y, std::span<double> dy) {
        if (making) {
            throw std::runtime_error("within dense output");
        }
        oscillator(t, y, dy);
    };
    std::vector<double> start{1, 0};
    EXPECT_THROW(march_sundials("arkode-8", torn_between, {0, 1}, {1e-6, 1e-9}, start, making_dense, {}, 1000),
                 std::runtime_error);
    for (const auto& name : sundials_names()) {
        std::vector<double> y{1, 0};
        EXPECT_THROW(march_sundials(name, torn, {0, 1}, {1e-6, 1e-9}, y, everything, {}, 1000), std::runtime_error);
        EXPECT_THROW(march_sundials(name, torn, {0.6, 1}, {1e-6, 1e-9}, y, {}, {}, 1000), std::runtime_error);
        EXPECT_THROW(march_sundials(name, oscillator, {0, 1}, {1e-6, 1e-9}, y, torn_listener, {}, 1000),
                     std::runtime_error);
        EXPECT_THROW(march_sundials(name, oscillator, {0, 1}, {1e-6, 1e-9}, y, {}, {}, 1000, torn_roots),
                     std::runtime_error);
    }
}

TEST(Sundials, bdf_crosses_a_stiff_problem_in_few_steps_where_explicit_steps_run_out) {
    const auto stiff = [](double t, View y, std::span<double> dy) {
        dy[0] = -1e6 * (y[0] - std::cos(t)) - std::sin(t);
    };
    std::vector<double> y{2};
    const auto result = march_sundials("cvode-bdf", stiff, {0, 10}, {1e-6, 1e-9}, y, {}, {}, 10'000);
    EXPECT_EQ(result.outcome, Outcome::completed) << result.explanation;
    EXPECT_LT(result.steps, 400);
    EXPECT_GT(result.newton_iterations, result.steps / 2);
    EXPECT_NEAR(y[0], std::cos(10.0), 1e-5);
    y = {2};
    EXPECT_EQ(march_sundials("arkode-5", stiff, {0, 10}, {1e-6, 1e-9}, y, {}, {}, 10'000).outcome,
              Outcome::budget_exhausted);
}

/// Heat on a rod of n cells from its slowest mode, which decays alone. Returns how many rates were asked for at points
/// that differ from the one before in no more than two unknowns: those of the columns of a Jacobian.
std::int64_t columns_of_heat(std::size_t n) {
    const double cells = static_cast<double>(n) + 1;
    std::int64_t columns = 0;
    std::vector<double> before(n);
    const auto rate = [&](double, View u, std::span<double> du) {
        std::size_t changed = 0;
        for (std::size_t i = 0; i < n; ++i) {
            du[i] = cells * cells * ((i > 0 ? u[i - 1] : 0) - 2 * u[i] + (i + 1 < n ? u[i + 1] : 0));
            changed += u[i] != before[i] ? 1 : 0;
        }
        columns += changed == 1 || changed == 2 ? 1 : 0;
        before.assign(u.begin(), u.end());
    };
    std::vector<double> u(n);
    for (std::size_t i = 0; i < n; ++i) {
        u[i] = std::sin(pi * static_cast<double>(i + 1) / cells);
    }
    const double middle = u[n / 2];
    const auto result = march_sundials("cvode-bdf", rate, {0, 0.1}, {1e-5, 1e-8}, u, {}, {}, 100'000);
    EXPECT_EQ(result.outcome, Outcome::completed) << n << ": " << result.explanation;
    EXPECT_LT(result.steps, 50) << n;
    const double decay = 4 * cells * cells * std::pow(std::sin(pi / 2 / cells), 2);
    EXPECT_NEAR(u[n / 2], middle * std::exp(-0.1 * decay), 1e-4) << n;
    return columns;
}

TEST(Sundials, bdf_makes_a_jacobian_of_200_unknowns_and_none_of_300) {
    EXPECT_GE(columns_of_heat(200), 199);
    EXPECT_EQ(columns_of_heat(300), 0);
}

TEST(Sundials, misuse_is_told_and_an_empty_interval_is_no_march) {
    std::vector<double> y{1, 0};
    try {
        march_sundials("cvode-adam", oscillator, {0, 1}, {1e-6, 1e-9}, y, {}, {}, 1000);
        FAIL() << "a name that does not exist";
    } catch (const Misuse& misuse) {
        const std::string what = misuse.what();
        EXPECT_NE(what.find("did you mean 'cvode-adams'?"), std::string::npos) << what;
        EXPECT_NE(what.find("arkode-8"), std::string::npos) << what;
    }
    for (const auto& name : sundials_names()) {
        EXPECT_THROW(march_sundials(name, oscillator, {0, 1}, {-1e-6, 1e-9}, y, {}, {}, 1000), Misuse);
        const auto result = march_sundials(name, oscillator, {1, 1}, {1e-6, 1e-9}, y, {}, {}, 1000);
        EXPECT_EQ(result.outcome, Outcome::completed);
        EXPECT_EQ(result.steps, 0);
        EXPECT_EQ(y, (std::vector<double>{1, 0}));
        std::vector<double> nothing;
        const auto still = [](double, View, std::span<double>) {};
        EXPECT_EQ(march_sundials(name, still, {0, 1}, {1e-6, 1e-9}, nothing, {}, {}, 1000).reached, 1);
    }
}

}  // namespace
}  // namespace lento
