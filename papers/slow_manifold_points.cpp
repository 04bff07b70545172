/// Section 5 of the paper slow-manifold: table 1, the slow points (33) to (36), the multipliers; and the model problems
/// of sections 2 and 4.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "average/filter.hpp"
#include "average/projection.hpp"
#include "lento/lento.hpp"
#include "lento/method/slow_point.hpp"
#include "method/stiff_run.hpp"
#include "reproduction.hpp"
#include "slope.hpp"
#include "two_springs.hpp"

namespace lento::papers {
namespace {

Problem two_springs(double omega) {
    return TwoSprings{omega, omega}.stiff();
}

Request projection_request(std::vector<double> start, std::vector<double> velocity, double tolerance) {
    Request request{.start = std::move(start), .velocity = std::move(velocity), .t_end = 10, .method = "ipa"};
    request.options.projection_tolerance = tolerance;
    request.options.fast_energy = "none";
    return request;
}

const std::vector<double> off_start{1, 0.25, 2, 0};         // (29)
const std::vector<double> on_start{1, 0, 2, 0};             // (31)
const std::vector<double> start_velocity{0, -0.5, 0, 0.5};  // (30), (32)

// --- Table 1 -------------------------------------------------------------------------------------------------------

struct Block {
    double omega;
    std::array<std::array<double, 4>, 6> published;
    /// (iteration, column) of a misprint.
    std::array<std::size_t, 2> misprint;
};

const std::array<Block, 2> blocks{{{1000,
                                    {{{3.08e-2, 3.08e-2, -1.21e-1, -2.42e-1},
                                      {-3.40e-4, -2.41e-4, 2.36e-3, 5.25e-3},
                                      {9.71e-7, 8.11e-7, 2.01e-5, 1.18e-5},
                                      {1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6},
                                      {1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6},
                                      {1.01e-6, 8.95e-7, 2.43e-6, 1.61e-6}}},
                                    {1, 2}},
                                   {10000,
                                    {{{3.08e-2, 3.08e-2, -1.21e-1, -2.42e-1},
                                      {-3.40e-4, -2.41e-4, 2.34e-3, 5.28e-3},
                                      {-3.00e-8, 7.49e-8, 1.75e-5, 1.02e-5},
                                      {1.01e-8, 8.91e-9, 3.00e-8, 1.45e-8},
                                      {1.01e-8, 8.95e-9, 2.43e-8, 1.61e-8},
                                      {1.01e-8, 8.95e-9, 2.43e-8, 1.62e-8}}},
                                    {2, 1}}}};

/// Sizes of the constraint functions after each iteration.
Picture picture_of_table_1(const Result& result, const std::array<const char*, 4>& columns) {
    Picture picture{.title = "Table 1: constraint functions as the projection proceeds",
                    .x_label = "iteration",
                    .y_label = "absolute value",
                    .curves = {},
                    .y_scale = Scale::logarithmic};
    constexpr std::array<const char*, 4> names{"g_1", "g_2", "g_1'", "g_2'"};
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            Curve curve{.label = fmt::format("{}, omega = {:.0f}", names[c], blocks[b].omega),
                        .x = {},
                        .y = {},
                        .style = Curve::Style::marked,
                        .colour = c,
                        .marker = b == 0 ? Marker::star : Marker::diamond};
            const auto values = result.column(columns[c]);
            for (std::size_t m = 0; m < values.size() / blocks.size(); ++m) {
                curve.x.push_back(static_cast<double>(m));
                curve.y.push_back(std::abs(values[b * values.size() / blocks.size() + m]));
            }
            picture.curves.push_back(std::move(curve));
        }
    }
    return picture;
}

constexpr const char* misprints =
    "Two printed figures are misprints: for omega = 10000, iteration 2, g_2 lacks its sign; for omega = 1000, "
    "iteration 1, g1_dot has another digit.";

Result table_1() {
    constexpr std::array<const char*, 4> columns{"g_1", "g_2", "g1_dot", "g2_dot"};
    Result result;
    for (const auto& block : blocks) {
        Run under_way(two_springs(block.omega), projection_request(off_start, start_velocity, 1e-9), method::ipa);
        StiffRun run(under_way, ipa_window);
        auto x = off_start;
        auto v = start_velocity;
        auto g = TwoSprings::elongations(x, v);
        for (std::size_t m = 0; m <= 5; ++m) {
            for (std::size_t c = 0; c < 4; ++c) {
                const double published = block.published[m][c];
                const Row row{fmt::format("{:.0f}: {}", block.omega, m), columns[c], published, g[c], true,
                              one_unit_after_rounding(published, 3)};
                const bool misprint = block.misprint[0] == m && block.misprint[1] == c;
                result.rows.push_back(misprint ? row.misprinted(misprints) : row);
            }
            const auto point = run.projection().once(0, x, v);
            x = point.position;
            v = point.velocity;
            const auto rates = TwoSprings::elongations(x, v);
            g = {point.measures[0], point.measures[1], rates[2], rates[3]};
        }
        const auto projected = run.projected(0, off_start, start_velocity);
        const double iterations = projected ? projected->iterations : NAN;
        result.claims.push_back(
            {fmt::format("omega = {:.0f}: the algorithm takes five iterations to meet 1e-9", block.omega), iterations,
             iterations == 5});
    }
    result.pictures.push_back(picture_of_table_1(result, columns));
    return result;
}

// --- Slow points ---------------------------------------------------------------------------------------------------

Result slow_points() {
    struct Printed {
        double omega, x1, x2, y1_dot, y2_dot, x_digit, v_digit;
    };
    constexpr std::array<Printed, 2> published{
        {{1000, 1.00000150, 2.00000275, -0.4999951, 0.4999973, 1e-8, 1e-7},
         {10000, 1.0000000150, 2.0000000275, -0.499999952, 0.499999973, 1e-10, 1e-9}}};
    Result result;
    for (const auto& printed : published) {
        const auto point = slow_point(two_springs(printed.omega), projection_request(on_start, start_velocity, 1e-9),
                                      Extrapolation::none);
        const std::string label = fmt::format("{:.0f}", printed.omega);
        const auto row = [&](const char* name, double value, double computed, double digit) {
            result.rows.push_back({label, name, value, computed, true, digit / std::abs(value)});
        };
        row("x1", printed.x1, point.position[0], printed.x_digit);
        row("x2", printed.x2, point.position[2], printed.x_digit);
        row("y1'", printed.y1_dot, point.velocity[1], printed.v_digit);
        row("y2'", printed.y2_dot, point.velocity[3], printed.v_digit);
        double zero = 0;
        for (const double value : {point.position[1], point.position[3], point.velocity[0], point.velocity[2]}) {
            zero = larger(zero, std::abs(value));
        }
        result.claims.push_back({fmt::format("omega = {}: y1, y2, x1', x2' stay zero", label), zero, zero < 1e-14});
        result.claims.push_back({fmt::format("omega = {}: two iterations are required", label),
                                 double(point.iterations), point.iterations == 2});
    }
    return result;
}

Result multipliers() {
    constexpr std::array<double, 2> exact{1.5, 1.25};  // printed to three digits
    const auto request = projection_request(on_start, start_velocity, 1e-12);
    const auto plain = slow_point(two_springs(1e4), request, Extrapolation::none);
    const auto extrapolated = slow_point(two_springs(1e4), request, Extrapolation::richardson);
    Result result;
    result.references = "The reference figures are the exact multipliers, those of the constraints.";
    for (std::size_t j = 0; j < 2; ++j) {
        const std::string column = fmt::format("lambda_{}", j + 1);
        result.rows.push_back({"10000", column, exact[j], plain.multipliers[j], true, rounding(exact[j], 3)});
        result.rows.push_back({.label = "10000",
                               .column = column + ", Richardson",
                               .computed = extrapolated.multipliers[j],
                               .tolerance = rounding(exact[j], 6),
                               .reference = exact[j]});
    }
    const auto coarse = slow_point(two_springs(1e3), request, Extrapolation::none);
    const double fall = (1.5 - coarse.multipliers[0]) / (1.5 - plain.multipliers[0]);
    result.claims.push_back({"omega^2 g approaches the multiplier with O(omega^-2): error at 1000 over that at 10000",
                             fall, fall > 80 && fall < 120});
    return result;
}

// --- Model problems ------------------------------------------------------------------------------------------------

/// The limit point of the projection for q'' = -omega^2 (q - cos t) at t = 1 (5), beside x'' = -x, and its distance
/// from the slow solution.
struct LimitPoint {
    double position = 0, velocity = 0;  ///< distances
    double contraction = 0;             ///< R: of the first iteration, far from the limit
    double glide = 0;                   ///< of x in one iteration
};
LimitPoint limit_point(double omega, const std::string& micro, std::size_t steps) {
    const auto system = stiff_system(
        2,
        [](auto q, auto, auto, auto f) {
            f[0] = -q[0];
            f[1] = 0;
        },
        {omega}, [](auto q, auto t, auto g) { g[0] = q[1] - cos(t); });
    const double t = 1;
    const double amplitude = omega * omega / (omega * omega - 1);
    Request request{.start = {1, amplitude * std::cos(t) + 0.01},
                    .velocity = {1, -amplitude * std::sin(t)},
                    .t_start = t,
                    .t_end = 10,
                    .method = "ipa"};
    request.options.micro = micro;
    request.options.micro_steps_per_period = steps;
    Run under_way(system, request, method::ipa);
    StiffRun run(under_way, ipa_window);
    LimitPoint limit;
    auto point = run.projection().once(t, request.start, request.velocity);
    limit.contraction = (point.position[1] - amplitude * std::cos(t)) / 0.01;
    limit.glide = std::abs(point.position[0] - 1);
    for (int m = 0; m < 12; ++m) {
        point = run.projection().once(t, point.position, point.velocity);
    }
    // NOTE: from the measure, which has more digits than the position: g = q - cos t, and the slow solution has g = (A
    // - 1) cos t.
    limit.position = std::abs(point.measures[0] - (amplitude - 1) * std::cos(t));
    limit.velocity = std::abs(point.velocity[1] + amplitude * std::sin(t));
    return limit;
}

Result linear_example() {
    const std::vector<double> omegas{100, 200, 400, 800};
    std::vector<double> q_error, p_error, fine_p_error, glide, contraction;
    for (const double omega : omegas) {
        const auto verlet = limit_point(omega, "verlet", 6);
        q_error.push_back(verlet.position);
        p_error.push_back(verlet.velocity);
        glide.push_back(verlet.glide);
        contraction.push_back(verlet.contraction);
        fine_p_error.push_back(limit_point(omega, "verlet8", 12).velocity);
    }
    Result result;
    for (std::size_t n = 0; n < omegas.size(); ++n) {
        const std::string label = fmt::format("{:.0f}", omegas[n]);
        result.rows.push_back({label, "|q - slow|", {}, q_error[n]});
        result.rows.push_back({label, "|p - slow|", {}, p_error[n]});
        result.rows.push_back({label, "|p - slow| finer", {}, fine_p_error[n]});
        result.rows.push_back({label, "R", {}, contraction[n]});
        result.rows.push_back({label, "glide of x", {}, glide[n]});
    }
    result.pictures.push_back(log_log("Linear example: limit point of the projection", "omega", "distance",
                                      {{"from the slow solution in q", omegas, q_error, Curve::Style::marked},
                                       {"in p", omegas, p_error, Curve::Style::marked},
                                       {"in p, finer micro-steps", omegas, fine_p_error, Curve::Style::marked},
                                       {"glide of x in one iteration", omegas, glide, Curve::Style::marked},
                                       power_line("omega^-2", omegas, 2 * p_error.front(), -2),
                                       power_line("omega^-4", omegas, 0.4 * q_error.front(), -4)}));
    const auto order = [&](const std::vector<double>& errors) { return -slope(omegas, errors); };
    const auto claim = [&](const std::string& text, double measured, double from, double to,
                           Source source = Source::paper) {
        result.claims.push_back({text, measured, measured > from && measured < to, source});
    };
    claim("(16): the limit point is omega^-4 from the slow solution in q", order(q_error), 3.8, 4.2);
    claim("in p too, with a micro-integrator accurate enough (verlet8, 12 steps a period)", order(fine_p_error), 3.7,
          4.3);
    claim("with Verlet, six steps a period, its own error leaves omega^-2 in p", order(p_error), 1.8, 2.3,
          Source::lento);
    claim("section 4.2: one iteration glides along the manifold by omega^-4", order(glide), 3.8, 4.2);
    const auto [least, most] = std::minmax_element(contraction.begin(), contraction.end());
    // What the slow motion adds is of the next order.
    const double beyond = 1 / (omegas.front() * omegas.front());
    claim("the contraction factor R does not depend on omega: its spread", *most - *least, -1, beyond);
    // Verlet's own frequency, of six steps a period: sin(phase/2) = omega h/2.
    const double phase = 2 * std::asin(std::numbers::pi / 6);
    const double passed = FilterWeights(Filter("cubic"), 18).leakage(2 * std::numbers::pi / phase);
    claim("R is what the filter lets through of the oscillation, as Verlet's method has it: difference from that",
          std::abs(contraction.back() - passed), 0, beyond, Source::lento);
    return result;
}

/// The root of omega^2 r^3 (r - 1) = 4 M^2 as r - 1, with all its digits (section 2.3).
double circle_elongation(double omega, double areal_velocity) {
    double excess = 4 * areal_velocity * areal_velocity / (omega * omega);
    for (int n = 0; n < 50; ++n) {
        excess = 4 * areal_velocity * areal_velocity / (omega * omega * std::pow(1 + excess, 3));
    }
    return excess;
}

Result spring_in_the_plane() {
    Result result;
    result.references = "The reference figures are roots of the equation in section 2.3.";
    std::vector<double> omegas{100, 200, 400, 800, 1600};
    std::vector<double> off;
    for (const double omega : omegas) {
        const auto system = stiff_system(
            2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0; }, {omega},
            [](auto q, auto, auto g) { g[0] = hypot(q[0], q[1]) - 1; });
        const auto point = slow_point(system, {.start = {1, 0}, .velocity = {0.001, 1}, .t_end = 1, .method = "ipa"},
                                      Extrapolation::none);
        const double areal = (point.position[0] * point.velocity[1] - point.position[1] * point.velocity[0]) / 2;
        const double exact = circle_elongation(omega, areal);
        result.rows.push_back({.label = fmt::format("{:.0f}", omega),
                               .column = "r - 1",
                               .computed = point.elongations[0],
                               .tolerance = 2e2 / (omega * omega),
                               .reference = exact});
        off.push_back(std::abs(point.elongations[0] - exact));
    }
    result.pictures.push_back(log_log(
        "Section 2.3: distance of the projected point from the circle", "omega", "distance in r",
        {{"projection", omegas, off, Curve::Style::marked}, power_line("omega^-4", omegas, 0.4 * off.front(), -4)}));
    const double order = -slope(omegas, off);
    result.claims.push_back(
        {"the projected point is omega^-4 from the circle of section 2.3", order, order > 3.6 && order < 4.4});
    return result;
}

}  // namespace

std::vector<Reproduction> slow_manifold_points() {
    const std::string paper = "slow-manifold";
    const std::string on =
        "omega_1 = omega_2 = omega, from (31), (32): q = (1, 0, 2, 0), p = (0, -0.5, 0, 0.5). Projection: " +
        projection_window();
    return {
        {"slow-manifold/table-1", "Constraint functions as the projection proceeds", paper,
         "omega_1 = omega_2 = 1000 and 10000, from (29), (30): q = (1, 0.25, 2, 0), p = (0, -0.5, 0, 0.5). "
         "Projection: " +
             projection_window() + ", stopping tolerance 1e-9.",
         table_1},
        {"slow-manifold/slow-points", "Slow points (33) to (36)", paper,
         on + ", stopping tolerance 1e-9; omega = 1000 and 10000.", slow_points},
        {"slow-manifold/multipliers", "Lagrange multipliers from the projection, section 5.4", paper,
         on + ", stopping tolerance 1e-12; omega = 10000 (and 1000 for the claim), with and without Richardson "
              "extrapolation in omega.",
         multipliers},
        {"slow-manifold/linear-example", "The linear example (5), sections 4.1 and 4.2", paper,
         "q'' = -omega^2 (q - cos t) beside x'' = -x at t = 1, omega = 100 to 800; from 0.01 beside the slow solution "
         "in q, x = x' = 1, 13 iterations. Projection: " +
             projection_window() + "; finer: 12 steps of order 8 a period.",
         linear_example},
        {"slow-manifold/spring-in-the-plane", "The closed form of section 2.3", paper,
         "A unit mass on a spring of unit length, omega = 100 to 1600, from q = (1, 0), p = (0.001, 1). Projection: " +
             projection_window() + ", stopping tolerance as omega suggests.",
         spring_in_the_plane}};
}

}  // namespace lento::papers
