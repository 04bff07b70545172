#include "harmonic_tables.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/lento.hpp"
#include "uneven_pendulum.hpp"

namespace lento::papers {
namespace {

/// l = 0.2, g = 9.8, v_max = 4, from q = 0.5 at rest.
Request from_rest(std::string method, double t_end, double rtol) {
    return {.start = {0.5}, .t_end = t_end, .method = std::move(method), .rtol = rtol, .atol = rtol / 100};
}

double error_after_sweeps(double omega, std::size_t sweeps, double truth) {
    auto request = from_rest("harmonic", 1, 1e-11);
    request.options = {.macro = "arkode-8", .phases = 32, .sweeps = sweeps};
    const auto run = solve(uneven_pendulum(omega), request);
    return run.outcome() == Outcome::completed ? std::abs(run.fast(1).position[0] - truth) : NAN;
}

/// Errors in q at t = 1 for N sweeps over 32 phases.
Result orders() {
    struct Line {
        double omega;
        std::vector<double> printed;
    };
    const std::vector<Line> lines{{400, {1.4e-2, 2.7e-3, 4.6e-5, 1.4e-5, 2.2e-7, 9.5e-8}},
                                  {1e3, {5.1e-3, 4.1e-4, 2.6e-6, 3.5e-7, 2.1e-9, 3.9e-10}},
                                  {1e4, {4.8e-4, 4.2e-6, 2.5e-9, 3.6e-11}}};
    constexpr double rounding = 1e-10;  // of smaller ones direct integration is not certain
    Result result;
    for (const auto& line : lines) {
        auto request = from_rest("direct", 1, 1e-12);
        request.options = {.macro = "arkode-8"};
        const double truth = solve(uneven_pendulum(line.omega), request).final_state().position[0];
        for (std::size_t n = 0; n < line.printed.size(); ++n) {
            result.rows.push_back({.label = fmt::format("{:g}", line.omega),
                                   .column = fmt::format("N={}", n + 1),
                                   .published = line.printed[n],
                                   .computed = error_after_sweeps(line.omega, n + 1, truth),
                                   .judged = line.printed[n] > rounding,
                                   .tolerance = 0.06});
        }
    }
    return result;
}

/// The pendulum of the paper vibrated: what a tolerance costs.
Result pendulum() {
    Result result;
    double first = 0;
    for (const double omega : {1e5, 1e6, 1e7, 1e8}) {
        const auto system = vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
            f[0] = (9.8 + 4 * omega * cos(theta)) / 0.2 * sin(x[0]);
        });
        const double t_end = std::floor(omega / (2 * std::numbers::pi)) * 2 * std::numbers::pi / omega;
        const auto run = solve(system, from_rest("harmonic", t_end, 1e-6));
        const auto finer = solve(system, from_rest("harmonic", t_end, std::max(1e-10, 3e-16 * omega)));
        const auto at = [](const Solution& solution) { return solution.reconstruct(solution.final_state()); };
        const double error = std::abs(at(run).position[0] - at(finer).position[0]);
        const double velocity_error = std::abs(at(run).velocity[0] - at(finer).velocity[0]);
        const auto evaluations = static_cast<double>(run.statistics().force_evaluations);
        const auto row = [&](const char* column, double computed) {
            result.rows.push_back({.label = fmt::format("{:g}", omega),
                                   .column = column,
                                   .published = std::nullopt,
                                   .computed = computed,
                                   .judged = false});
        };
        row("evaluations", evaluations);
        row("error in q", error);
        row("error in q'", velocity_error);
        row("estimate for q", run.record().error_estimate.empty() ? NAN : run.record().error_estimate[0]);
        result.claims.push_back(
            {fmt::format("omega = {:g}: the error in q is below 1e-6", omega), error, error < 1e-6});
        result.claims.push_back(
            {fmt::format("omega = {:g}: the error in q' is below 1e-5", omega), velocity_error, velocity_error < 1e-5});
        first = first == 0 ? evaluations : first;
        result.claims.push_back({fmt::format("omega = {:g}: evaluations over those at 1e5 are at most 1.1", omega),
                                 evaluations / first, evaluations <= 1.1 * first});
    }
    return result;
}

}  // namespace

std::vector<Reproduction> harmonic_tables() {
    return {{"harmonic/orders", "Errors of harmonic averages with N sweeps", "harmonic", orders},
            {"harmonic/pendulum", "Inverted pendulum by harmonic averages", "harmonic", pendulum}};
}

}  // namespace lento::papers
