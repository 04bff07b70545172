/// Tables 2.1, 2.2, 2.3 and figure 2.1 of the paper vibrated.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "average/filter.hpp"
#include "base/number.hpp"
#include "lento/lento.hpp"
#include "pendulum.hpp"
#include "plain_run.hpp"
#include "reproduction.hpp"

namespace lento::papers {
namespace {

constexpr std::array<std::size_t, 4> steps_a_second{10, 20, 40, 80};
const Pendulum pendulum;

struct Column {
    double omega;
    std::array<double, 4> published;
    bool judged;
};

struct Table {
    std::string title, method, filter;
    std::size_t periods;
    std::array<double, 4> micro_steps;
    std::vector<Column> columns;
};

const std::array<double, 4> averaged_column{2.74e-1, 7.43e-2, 1.90e-2, 4.72e-3};

Solution table_run(const Table& table, double omega, std::size_t steps) {
    return plain_run(pendulum.vibrated(omega), {.start = {0.5},
                                                .t_end = 1,
                                                .method = table.method,
                                                .options = {.macro = "verlet",
                                                            .steps = steps,
                                                            .micro = "verlet",
                                                            .micro_steps_per_period = steps,
                                                            .filter = table.filter,
                                                            .window_periods = static_cast<double>(table.periods),
                                                            .initial = "averaged"}});
}

/// Errors against H, of all columns.
Picture picture_of(const Table& table, const Result& result) {
    std::vector<double> H;
    for (const std::size_t steps : steps_a_second) {
        H.push_back(1.0 / static_cast<double>(steps));
    }
    auto picture = log_log(table.title, "macro-step H", "largest error in Q", {});
    for (const auto& column : table.columns) {
        const auto exponent = std::lround(std::log10(column.omega));
        picture.curves.push_back({.label = fmt::format("HMM, omega = 10^{}", exponent),
                                  .x = H,
                                  .y = result.column(fmt::format("HMM omega=1e{}", exponent)),
                                  .style = Curve::Style::marked});
    }
    picture.curves.push_back({.label = "averaged equation",
                              .x = H,
                              .y = result.column("Averaged"),
                              .style = Curve::Style::marked,
                              .colour = 4,
                              .marker = Marker::cross});
    picture.curves.push_back(power_line("H^2", H, 0.6 * result.column("Averaged").front(), 2));
    return picture;
}

Result recompute(const Table& table) {
    Result result;
    if (!std::ranges::all_of(table.columns, &Column::judged)) {
        result.not_judged =
            "At omega = 1e8 the exponential filter lets through so much of the vibration that it is seen in the "
            "errors.";
    }
    const auto reference = pendulum.averaged_reference();
    for (std::size_t r = 0; r < steps_a_second.size(); ++r) {
        const std::size_t steps = steps_a_second[r];
        const std::string label = fmt::format("1/{}", steps);
        std::vector<Row> errors;
        double micro_steps = 0;
        for (const auto& column : table.columns) {
            const auto run = table_run(table, column.omega, steps);
            // The printed counts leave out the closing window, which only gives the velocity at the end.
            micro_steps = static_cast<double>(run.statistics().micro_steps) * static_cast<double>(steps) /
                          static_cast<double>(steps + 1);
            const int exponent = static_cast<int>(std::lround(std::log10(column.omega)));
            errors.push_back({label, fmt::format("HMM omega=1e{}", exponent), column.published[r],
                              largest_error(run, reference), column.judged, 0.02});
        }
        const auto averaged =
            plain_run(pendulum.averaged(),
                      {.start = {0.5}, .t_end = 1, .method = "direct", .options = {.macro = "verlet", .steps = steps}});
        result.rows.push_back({label, "HMM Microsteps", table.micro_steps[r], micro_steps, true, 0});
        result.rows.insert(result.rows.end(), errors.begin(), errors.end());
        result.rows.push_back({label, "Averaged", averaged_column[r], largest_error(averaged, reference), true, 0.01});
    }
    result.pictures.push_back(picture_of(table, result));
    return result;
}

const Table table_2_1{"Table 2.1: synchronous algorithm, exponential filter",
                      "hmm-sync",
                      "exponential",
                      40,
                      {4000, 16000, 64000, 256000},
                      {{1e4, {4.04e-1, 1.05e-1, 2.51e-2, 4.76e-3}, true},
                       {1e6, {4.08e-1, 1.07e-1, 2.70e-2, 6.72e-3}, true},
                       {1e8, {4.04e-1, 1.08e-1, 2.61e-2, 6.69e-3}, false}}};
const Table table_2_2{"Table 2.2: asynchronous algorithm, exponential filter",
                      "hmm-async",
                      "exponential",
                      40,
                      {2000, 8000, 32000, 128000},
                      {{1e4, {4.10e-1, 1.10e-1, 2.95e-2, 9.11e-3}, true},
                       {1e6, {4.08e-1, 1.07e-1, 2.71e-2, 6.74e-3}, true},
                       {1e8, {4.05e-1, 1.05e-1, 2.51e-2, 4.81e-3}, false}}};
const Table table_2_3{"Table 2.3: asynchronous algorithm, one-period filter",
                      "hmm-async",
                      "period",
                      1,
                      {50, 200, 800, 3200},
                      {{1e3, {3.86e-1, 9.11e-2, 1.15e-2, 8.67e-3}, true},
                       {1e4, {4.05e-1, 1.05e-1, 2.55e-2, 5.20e-3}, true},
                       {1e6, {4.07e-1, 1.07e-1, 2.70e-2, 6.70e-3}, true},
                       {1e8, {4.07e-1, 1.07e-1, 2.70e-2, 6.71e-3}, true}}};

/// The largest relative difference, over the rows of a table, between its errors at two frequencies.
double spread_between(const Table& table, double omega, double other) {
    const auto reference = pendulum.averaged_reference();
    double spread = 0;
    for (const auto steps : steps_a_second) {
        const double one = largest_error(table_run(table, omega, steps), reference);
        const double two = largest_error(table_run(table, other, steps), reference);
        spread = larger(spread, std::abs(one - two) / two);
    }
    return spread;
}

/// The last row of table 2.2 at omega = 1e8 as the leakage of the filter predicts it: the force of the leak-free limit
/// plus the share of the vibration that comes through.
double error_predicted_from_leakage(double omega, std::size_t steps) {
    const Filter filter("exponential");
    const double leaked = filter.leakage(40) * pendulum.v_max * omega / pendulum.l;
    const auto limit = vibrated_system(1, omega, [&](auto x, auto, auto, auto theta, auto f) {
        f[0] = (pendulum.g + leaked * pendulum.l + pendulum.v_max * omega * cos(theta)) / pendulum.l * sin(x[0]);
    });
    const auto run = plain_run(limit, {.start = {0.5},
                                       .t_end = 1,
                                       .method = "hmm-async",
                                       .options = {.macro = "verlet",
                                                   .steps = steps,
                                                   .micro = "verlet",
                                                   .micro_steps_per_period = steps,
                                                   .filter = "period",
                                                   .initial = "averaged"}});
    return largest_error(run, pendulum.averaged_reference());
}

Result recompute_2_2() {
    Result result = recompute(table_2_2);
    const auto reference = pendulum.averaged_reference();
    const double found = largest_error(table_run(table_2_2, 1e8, 80), reference);
    const double predicted = error_predicted_from_leakage(1e8, 80);
    result.claims.push_back(
        {fmt::format(
             "the leakage {:.3g} of the exponential filter over 40 periods predicts the error at omega = 1e8, H = 1/80 "
             "(found {:.3e}, predicted {:.3e}): relative difference",
             Filter("exponential").leakage(40), found, predicted),
         std::abs(predicted - found) / found, std::abs(predicted - found) / found < 0.02, Source::lento});
    Table cosine = table_2_2;
    cosine.filter = "cos8";
    cosine.periods = 12;
    const double spread = spread_between(cosine, 1e8, 1e6);
    result.claims.push_back(
        {"with the cos8 filter over 12 periods the errors at omega = 1e8 and 1e6 agree in every row: largest relative "
         "difference",
         spread, spread < 0.01, Source::lento});
    return result;
}

Result recompute_2_3() {
    Result result = recompute(table_2_3);
    const double spread = spread_between(table_2_3, 1e8, 1e6);
    result.claims.push_back(
        {"with the one-period filter the errors at omega = 1e8 and 1e6 agree in every row: largest relative difference",
         spread, spread < 0.01});
    const auto accurate = plain_run(pendulum.vibrated(1e8), {.start = {0.5},
                                                             .t_end = 1,
                                                             .method = "hmm-async",
                                                             .options = {.macro = "verlet8",
                                                                         .steps = 80,
                                                                         .micro = "verlet8",
                                                                         .micro_steps_per_period = 16,
                                                                         .filter = "cos8",
                                                                         .initial = "averaged"}});
    const double error = largest_error(accurate, pendulum.averaged_reference());
    result.claims.push_back({"with steppers of order 8 on both scales the error at omega = 1e8 is below 1e-6", error,
                             error < 1e-6, Source::lento});
    return result;
}

/// q and q' for omega = 200, oscillatory and averaged: the curves at ten times, and what the picture shows.
Result recompute_figure_2_1() {
    constexpr double omega = 200;
    const auto oscillatory =
        solve(pendulum.vibrated(omega), {.start = {0.5}, .t_end = 1, .method = "direct", .rtol = 1e-10, .atol = 1e-12});
    const auto averaged =
        plain_run(pendulum.vibrated(omega), {.start = {0.5}, .t_end = 1, .method = "hmm-async", .rtol = 1e-8});
    Result result;
    double displacement = 0;
    double velocity = 0;
    double highest = 0;
    Picture angle{
        "Figure 2.1, left: pendulum angle, omega = 200", "t", "q", {{"oscillatory", {}, {}}, {"averaged", {}, {}}}};
    Picture rate{
        "Figure 2.1, right: angular velocity, omega = 200", "t", "q'", {{"oscillatory", {}, {}}, {"averaged", {}, {}}}};
    const auto draw = [](Curve& curve, double t, double value) {
        curve.x.push_back(t);
        curve.y.push_back(value);
    };
    constexpr int samples = 2000;
    for (int k = 0; k <= samples; ++k) {
        const double t = static_cast<double>(k) / samples;
        const auto q = oscillatory.slow(t);
        const auto Q = averaged.slow(t);
        if (k % (samples / 10) == 0) {
            const std::string label = fmt::format("{:.1f}", t);
            result.rows.push_back({label, "q", std::nullopt, q.position[0], true, 0});
            result.rows.push_back({label, "q averaged", std::nullopt, Q.position[0], true, 0});
            result.rows.push_back({label, "q'", std::nullopt, q.velocity[0], true, 0});
            result.rows.push_back({label, "q' averaged", std::nullopt, Q.velocity[0], true, 0});
        }
        draw(angle.curves[0], t, q.position[0]);
        draw(angle.curves[1], t, Q.position[0]);
        draw(rate.curves[0], t, q.velocity[0]);
        draw(rate.curves[1], t, Q.velocity[0]);
        displacement = larger(displacement, std::abs(q.position[0] - Q.position[0]));
        velocity = larger(velocity, std::abs(q.velocity[0] - Q.velocity[0]));
        highest = larger(highest, std::abs(q.position[0]));
    }
    result.pictures = {angle, rate};
    result.claims.push_back({"the pendulum oscillates around the upward position: largest |q|", highest, highest < 1});
    result.claims.push_back(
        {"q is an averaged motion plus a rapid oscillation of small amplitude v_max/(l omega) sin Q: largest |q - Q|",
         displacement, displacement < 0.2});
    result.claims.push_back(
        {"the difference between q' and its average is not small: largest |q' - Q'|", velocity, velocity > 5});
    return result;
}

}  // namespace

std::vector<Reproduction> vibrated_tables() {
    const std::string paper = "vibrated";
    const auto table = [](const std::string& algorithm) {
        return pendulum_parameters() + ", Q(0) = 0.5, P(0) = 0, T = 1. " + algorithm +
               ", Verlet on both scales, 1/H micro-steps a period. Largest error in Q at the ends of macro-steps, "
               "against (2.5) integrated to order 8 in steps of 1/1600.";
    };
    return {
        {"vibrated/table-2.1", "Errors in the averaged angle, synchronous algorithm, exponential filter", paper,
         table("Algorithm 1, kernel exp(5/(xi^2 - 1)) over eta = 40 periods"), [] { return recompute(table_2_1); }},
        {"vibrated/table-2.2", "Errors in the averaged angle, asynchronous algorithm, exponential filter", paper,
         table("Algorithm 2, kernel exp(5/(xi^2 - 1)) over eta = 40 periods, half of them by symmetry"), recompute_2_2},
        {"vibrated/table-2.3", "Errors in the averaged angle, asynchronous algorithm, one-period filter", paper,
         table("Algorithm 2, one-period filter, half of it by symmetry"), recompute_2_3},
        {"vibrated/figure-2.1", "Pendulum angle and velocity for omega = 200, oscillatory and averaged", paper,
         pendulum_parameters() + ", omega = 200, q(0) = 0.5, q'(0) = 0, T = 1. Oscillatory: direct integration with "
                                 "rtol = 1e-10, atol = 1e-12; averaged: Algorithm 2 with rtol = 1e-8, atol = 1e-9.",
         recompute_figure_2_1}};
}

}  // namespace lento::papers
