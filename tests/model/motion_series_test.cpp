/// Taylor coefficients of motions from the text of their rates, and `direct` with steps by them.
#include "problem/motion_series.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "judge/price.hpp"
#include "lento/lento.hpp"
#include "lento/model/model.hpp"
#include "model/compile.hpp"
#include "tests/source_dir.hpp"

namespace lento {
namespace {

/// Y_0, ..., Y_order, one after the other, of the motion from y.
std::vector<double> coefficients(const Problem& problem, const std::vector<double>& y, double t, double h, int order) {
    struct alignas(MotionSeries::alignment) Aligned {
        double numbers[MotionSeries::alignment / sizeof(double)] = {};
    };
    const auto& series = *problem.forces.motion_series();
    std::vector<Aligned> space(series.space(order) * sizeof(double) / sizeof(Aligned) + 1);
    const auto theta = problem.phases_at(t);
    std::vector<double> turns, inverse_masses;
    for (const auto& phase : problem.phases) {
        turns.push_back(phase.frequency * h);
    }
    for (std::size_t i = 0; i < problem.dimension(); ++i) {
        for (std::size_t j = 0; j < problem.dimension(); ++j) {
            if (i == j || series.masses_are_coupled()) {
                inverse_masses.push_back(problem.mass.inverse_entry(i, j));
            }
        }
    }
    std::vector<double> made(y);
    made.resize(y.size() * static_cast<std::size_t>(order + 1));
    series.coefficients({t, h, theta.data(), turns.data(), problem.parameters.data(), inverse_masses.data()}, order,
                        space.front().numbers, made.data());
    return made;
}

/// The same by the series of the rates at what is known so far, one order after the other: another program, with other
/// recurrences (`base/jet.hpp`).
std::vector<double> by_rates(const Problem& problem, const std::vector<double>& y, double t, int order) {
    const std::size_t n = y.size();
    std::vector<double> made(y);
    made.resize(n * static_cast<std::size_t>(order + 1));
    const auto blocks = problem.forces.blocks();
    for (int k = 0; k < order; ++k) {
        std::vector<double> rates(n * static_cast<std::size_t>(k + 1));
        (*blocks)({.degree = k, .t = In(&t, 1), .x = made, .parameters = problem.parameters}, rates);
        for (std::size_t i = 0; i < n; ++i) {
            const auto place = static_cast<std::size_t>(k) * n + i;
            made[place + n] = rates[place] / (k + 1);
        }
    }
    return made;
}

Problem rates(const std::string& first, const std::string& second, const std::string& more = "") {
    return Model::from_text(fmt::format("lento = 1\n[parameters]\np = 0.3\n[variables]\ny = {{ start = 0.4, rate = "
                                        "\"{}\" }}\nz = {{ start = 0.7, rate = \"{}\" }}\n{}",
                                        first, second, more))
        .problem();
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    double size = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
        size = std::max(size, std::abs(expected[k]));
        EXPECT_NEAR(found[k], expected[k], tolerance * size) << "number " << k;
    }
}

Request request_of(const Problem& problem, std::vector<double> start, std::vector<double> velocity, double t_end,
                   double rtol, const std::string& macro) {
    Request request{.start = std::move(start),
                    .velocity = std::move(velocity),
                    .t_end = t_end,
                    .method = "direct",
                    .rtol = rtol,
                    .atol = 1e-3 * rtol};
    if (!macro.empty()) {
        request.options.macro = macro;
    }
    EXPECT_EQ(problem.dimension(), request.start.size());
    return request;
}

// --- coefficients ----------------------------------------------------------------------------------------------------

TEST(MotionSeriesTest, coefficients_are_those_of_rates_expanded_again_and_again) {
    constexpr int order = 12;
    for (const char* rate : {"y*z",
                             "y*y - z",
                             "2*y - p*z",
                             "z/y",
                             "p/(1 + y)",
                             "y/3",
                             "sqrt(1 + y^2)",
                             "cbrt(y + z)",
                             "exp(-y)",
                             "sin(y)*cos(z)",
                             "sin(y)",
                             "cos(y*z)",
                             "tan(y)",
                             "tanh(y - z)",
                             "sinh(y) - cosh(z)",
                             "asin(y)*acos(z/2)",
                             "atan(y + 2*z)",
                             "atan2(y, z)",
                             "atan2(y, 2)",
                             "atan2(p, z)",
                             "log(y + z)",
                             "log10(z)",
                             "y^2.5",
                             "z^p",
                             "y^z",
                             "p^y",
                             "hypot(y, z)",
                             "t*y",
                             "sin(3*t + 1)*y",
                             "exp(2*t)",
                             "cos(p*t - 2)",
                             "exp(-t^2)*z",
                             "tan(t/2)",
                             "sinh(t)",
                             "1 - p",
                             "y^-3",
                             "y^7",
                             "-(y - z)",
                             "p*(y + t)",
                             "atan2(t, y)",
                             "t^1.5"}) {
        const auto problem = rates(rate, "1 - p*y");
        ASSERT_TRUE(problem.forces.motion_series()) << rate;
        SCOPED_TRACE(rate);
        const std::vector<double> y{0.4, 0.7};
        expect_near(coefficients(problem, y, 0.2, 1, order), by_rates(problem, y, 0.2, order), 1e-12);
    }
}

TEST(MotionSeriesTest, known_series_are_met_to_rounding_at_any_order_in_units_of_any_step) {
    const auto problem = rates("y", "z^2");
    for (const int order : {1, 2, 3, 8, 9, 40}) {
        for (const double h : {0.5, 1.0, 3.0}) {
            const auto found = coefficients(problem, {1, 1}, 0, h, order);
            double exponential = 1, geometric = 1;
            for (int k = 0; k <= order; ++k) {
                EXPECT_NEAR(found[2 * static_cast<std::size_t>(k)], exponential, 1e-14 * exponential) << order;
                EXPECT_NEAR(found[2 * static_cast<std::size_t>(k) + 1], geometric, 2e-14 * geometric) << order;
                exponential *= h / (k + 1);
                geometric *= h;
            }
        }
    }
}

TEST(MotionSeriesTest, phases_turn_in_the_series_as_time_does) {
    const std::string rate = "y*sin({0}) + cos({0} - 2*z)*exp(sin({0}))";
    const auto with_phase =
        rates(fmt::format(fmt::runtime(rate), "theta"), "y + theta", "[vibration.theta]\nfrequency = 3\nstart = 0.5\n");
    const auto with_time = rates(fmt::format(fmt::runtime(rate), "(3*t + 0.5)"), "y + (3*t + 0.5)");
    expect_near(coefficients(with_phase, {0.4, 0.7}, 0.2, 0.5, 16), coefficients(with_time, {0.4, 0.7}, 0.2, 0.5, 16),
                1e-13);
}

TEST(MotionSeriesTest, accelerations_see_velocities_and_are_divided_by_masses) {
    const auto second = Model::from_text(R"toml(
lento = 1
[parameters]
m = 2.5
[coordinates]
x = { start = 0.4, velocity = 0.1 }
y = { start = 0.7 }
[mass]
x = "m"
[forces]
x = "sin(x - y) - 0.3*x_dot*y_dot"
y = "x*y"
)toml")
                            .with({{"m", 4}})
                            .problem();
    const auto first = Model::from_text(R"toml(
lento = 1
[variables]
x = { start = 0.4, rate = "u" }
y = { start = 0.7, rate = "v" }
u = { start = 0.1, rate = "(sin(x - y) - 0.3*u*v)/4" }
v = { start = 0, rate = "x*y" }
)toml")
                           .problem();
    const std::vector<double> y{0.4, 0.7, 0.1, -0.2};
    expect_near(coefficients(second, y, 0, 0.7, 20), coefficients(first, y, 0, 0.7, 20), 1e-14);
}

TEST(MotionSeriesTest, masses_may_be_coupled) {
    const auto coupled = Model::from_text(R"toml(
lento = 1
[coordinates]
x = { start = 0.4 }
y = { start = 0.7 }
[mass]
matrix = [[2, 1], [1, 3]]
[forces]
x = "sin(y)"
y = "-x*y"
)toml")
                             .problem();
    const auto divided = Model::from_text(R"toml(
lento = 1
[coordinates]
x = { start = 0.4 }
y = { start = 0.7 }
[forces]
x = "(3*sin(y) + x*y)/5"
y = "(-sin(y) - 2*x*y)/5"
)toml")
                             .problem();
    const std::vector<double> y{0.4, 0.7, 0.1, -0.2};
    expect_near(coefficients(coupled, y, 0, 0.7, 20), coefficients(divided, y, 0, 0.7, 20), 1e-14);
    EXPECT_EQ(solve(coupled, request_of(coupled, {0.4, 0.7}, {0, 0}, 5, 1e-9, "taylor")).outcome(), Outcome::completed);
}

TEST(MotionSeriesTest, forty_lanes_are_summed_as_one_is) {
    std::string text = "lento = 1\n[variables]\n";
    for (int i = 0; i < 40; ++i) {
        text += fmt::format("y{0} = {{ start = 0.5, rate = \"sin(y{0})*y{1}\" }}\n", i, (i + 1) % 40);
    }
    const auto many = coefficients(Model::from_text(text).problem(), std::vector<double>(40, 0.5), 0, 1, 20);
    const auto one = coefficients(rates("sin(y)*y", "0"), {0.5, 0}, 0, 1, 20);
    for (std::size_t k = 0; k < many.size(); ++k) {
        EXPECT_NEAR(many[k], one[2 * (k / 40)], 1e-15) << k;
    }
}

TEST(MotionSeriesTest, kinks_have_no_series) {
    for (const char* rate : {"abs(y)", "sign(y - z)", "floor(t)", "min(y, z)", "z*max(y, 0)"}) {
        EXPECT_FALSE(rates(rate, "y").forces.motion_series()) << rate;
    }
    EXPECT_TRUE(rates("abs(p)*y", "min(p, 1)").forces.motion_series()) << "of parameters alone there are none";
}

// --- direct ----------------------------------------------------------------------------------------------------------

const char* const oscillator = R"toml(
lento = 1
[coordinates]
x = { start = 1 }
[forces]
x = "-x"
)toml";

const char* const ellipse = R"toml(
lento = 1
[coordinates]
x = { start = 0.4 }
y = { start = 0, velocity = 2 }
[forces]
x = "-x/(x^2 + y^2)^1.5"
y = "-y/(x^2 + y^2)^1.5"
)toml";

std::string macro_of(const Solution& solution) {
    const auto& options = solution.record().options;
    const auto found = std::ranges::find(options, std::string("macro"), &UsedOption::name);
    return found == options.end() ? "" : found->value;
}

double energy(const Snapshot& state) {
    return 0.5 * (std::pow(state.velocity[0], 2) + std::pow(state.velocity[1], 2)) -
           1 / std::hypot(state.position[0], state.position[1]);
}

TEST(TaylorDirectTest, error_and_estimate_follow_the_tolerance) {
    const auto problem = Model::from_text(oscillator).problem();
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
        const auto solution = solve(problem, request_of(problem, {1}, {0}, 200, rtol, "taylor"));
        const double error = std::abs(solution.final_state().position[0] - std::cos(200.0));
        EXPECT_EQ(solution.outcome(), Outcome::completed) << rtol;
        EXPECT_LE(error, rtol);
        EXPECT_LE(error, 3 * solution.record().error_estimate[0] + 1e-14) << rtol;
        EXPECT_LE(solution.record().error_estimate[0], rtol);
    }
}

TEST(TaylorDirectTest, steps_hardly_become_shorter_with_the_tolerance) {
    const auto problem = Model::from_text(oscillator).problem();
    const auto steps = [&](double rtol, const char* macro) {
        auto request = request_of(problem, {1}, {0}, 1000, rtol, macro);
        request.options.estimate = "none";
        return static_cast<double>(solve(problem, request).statistics().macro_steps);
    };
    EXPECT_LE(steps(1e-12, "taylor") / steps(1e-6, "taylor"), 1.5);
    EXPECT_GE(steps(1e-12, "dop853") / steps(1e-6, "dop853"), 4);
}

TEST(TaylorDirectTest, energy_of_an_ellipse_stays_for_a_thousand_revolutions) {
    const auto problem = Model::from_text(ellipse).problem();
    auto request = request_of(problem, {0.4, 0}, {0, 2}, 2000 * std::numbers::pi, 1e-13, "taylor");
    request.options.estimate = "none";
    const auto solution = solve(problem, request);
    EXPECT_EQ(solution.outcome(), Outcome::completed);
    EXPECT_NEAR(energy(solution.final_state()), -0.5, 1e-11);
}

TEST(TaylorDirectTest, dense_output_is_as_right_as_the_steps) {
    const auto problem = Model::from_text(oscillator).problem();
    auto request = request_of(problem, {1}, {0}, 50, 1e-11, "taylor");
    const auto solution = solve(problem, request);
    for (int k = 0; k <= 1000; ++k) {
        const double t = 0.05 * k;
        EXPECT_NEAR(solution.slow(t).position[0], std::cos(t), 2e-11) << t;
        EXPECT_NEAR(solution.slow(t).velocity[0], -std::sin(t), 2e-11) << t;
    }
}

TEST(TaylorDirectTest, repeats_to_the_bit_whether_compiled_before_or_not) {
    const auto run = [](const Problem& problem) {
        const auto solution = solve(problem, request_of(problem, {0.4, 0}, {0, 2}, 100, 1e-9, "taylor"));
        return std::pair(solution.final_state().position, solution.statistics().force_evaluations);
    };
    const auto problem = Model::from_text(ellipse).problem();
    const auto first = run(problem);
    EXPECT_EQ(run(problem), first);
    EXPECT_EQ(run(Model::from_text(ellipse).problem()), first);
}

TEST(TaylorDirectTest, long_runs_take_it_by_themselves_and_short_ones_do_not) {
    const auto damped = Model::from_text(R"toml(
lento = 1
[coordinates]
x = { start = 1 }
[forces]
x = "-x - 2e-6*x_dot"
)toml")
                            .problem();
    for (const auto& [t_end, macro] : {std::pair{10.0, "dop853"}, {3e4, "taylor"}}) {
        const auto solution = solve(damped, request_of(damped, {1}, {0}, t_end, 1e-8, ""));
        const double gamma = 1e-6, frequency = std::sqrt(1 - gamma * gamma);
        const double exact =
            std::exp(-gamma * t_end) * (std::cos(frequency * t_end) + gamma / frequency * std::sin(frequency * t_end));
        EXPECT_EQ(solution.outcome(), Outcome::completed);
        EXPECT_NEAR(solution.final_state().position[0], exact, 1e-8);
        EXPECT_EQ(macro_of(solution), macro) << t_end;
    }
}

TEST(TaylorDirectTest, the_price_says_where_they_take_over) {
    using Stepper = ResolvingMarch::Stepper;
    const auto chain = Model::from_file(source_dir / "models" / "fermi-pasta-ulam.toml").problem();
    const auto satellite = Model::from_file(source_dir / "models" / "j2-satellite.toml").problem();
    EXPECT_TRUE(evaluations_before_series(satellite, Stepper::dop853, 1e-6)) << "cheaper than order 8 everywhere";
    EXPECT_TRUE(evaluations_before_series(chain, Stepper::nystroem, 1e-11)) << "a third of the time of order 12";
    EXPECT_FALSE(evaluations_before_series(satellite, Stepper::nystroem, 1e-6)) << "1.2 times it";
    EXPECT_FALSE(evaluations_before_series(rates("abs(y)", "0"), Stepper::dop853, 1e-11));
}

TEST(TaylorDirectTest, compiles_once_for_all_values_of_the_parameters) {
    const auto model = Model::from_text(
        "lento = 1\n[parameters]\nw = 2\n[coordinates]\nx = { start = 1 }\n"
        "[forces]\nx = \"-w^2*x\"\n");
    const auto at = [&](double w) {
        const auto problem = model.with({{"w", w}}).problem();
        return solve(problem, request_of(problem, {1}, {0}, 1, 1e-10, "taylor")).final_state().position[0];
    };
    EXPECT_NEAR(at(2), std::cos(2.0), 1e-10);
    const auto before = model::compilations();
    EXPECT_NEAR(at(5), std::cos(5.0), 1e-10);
    EXPECT_EQ(model::compilations(), before);
}

TEST(TaylorDirectTest, where_a_series_is_not_finite_stages_take_over) {
    // sqrt(y^2) is |y|, and its series is 0/0 where y is exactly zero, as it is at the start.
    const auto problem = rates("1 + 0*z", "sqrt(y^2)");
    const auto solution = solve(problem, request_of(problem, {0, 0}, {}, 2, 1e-8, "taylor"));
    EXPECT_EQ(solution.outcome(), Outcome::completed);
    EXPECT_EQ(macro_of(solution), "dop853");
    EXPECT_NEAR(solution.final_state().position[1], 2, 1e-7);
}

TEST(TaylorDirectTest, kinks_that_no_coefficient_tells_of_are_noticed) {
    const auto problem = rates("1 + 0*z", "sqrt(y^2)");
    const auto solution = solve(problem, request_of(problem, {-1, 0}, {}, 2, 1e-8, "taylor"));
    EXPECT_EQ(solution.outcome(), Outcome::completed);
    EXPECT_EQ(macro_of(solution), "dop853");
    EXPECT_NEAR(solution.final_state().position[1], 1, 1e-8);

    // A mass on a spring of length 0.2 that goes through the point where the spring is fixed: x'' = -x + 0.2 sign(x).
    const auto spring = Model::from_text(R"toml(
lento = 1
[coordinates]
x = { start = 1 }
y = { start = 0 }
[forces]
x = "-x*(1 - 0.2/sqrt(x^2 + y^2))"
y = "-y*(1 - 0.2/sqrt(x^2 + y^2))"
)toml")
                            .problem();
    const auto through = solve(spring, request_of(spring, {1, 0}, {0, 0}, 3, 1e-8, "taylor"));
    const double there = std::acos(-0.25), speed = 0.8 * std::sin(there);  // at x = 0, on the way to -0.2 - ...
    const double exact = -0.2 + 0.2 * std::cos(3 - there) - speed * std::sin(3 - there);
    EXPECT_EQ(through.outcome(), Outcome::completed);
    EXPECT_NEAR(through.final_state().position[0], exact, 1e-8);
}

TEST(TaylorDirectTest, poles_end_the_run_as_they_do_with_stages) {
    const auto problem = rates("y^2", "0");
    const auto solution = solve(problem, request_of(problem, {1, 0}, {}, 2, 1e-8, "taylor"));
    EXPECT_NE(solution.outcome(), Outcome::completed);
    EXPECT_NEAR(solution.record().t_end, 1, 1e-3);
}

TEST(TaylorDirectTest, what_has_no_series_refuses_it_by_name) {
    const auto kinked = rates("abs(y) + 1", "0");
    EXPECT_THROW(solve(kinked, request_of(kinked, {1, 0}, {}, 1, 1e-6, "taylor")), Misuse);
    const auto written = plain_system(1, [](auto x, auto, auto, auto f) { f[0] = -x[0]; });
    EXPECT_THROW(solve(written, request_of(written, {1}, {0}, 1, 1e-6, "taylor")), Misuse);
    EXPECT_EQ(solve(kinked, request_of(kinked, {1, 0}, {}, 1, 1e-6, "")).outcome(), Outcome::completed);
}

}  // namespace
}  // namespace lento
