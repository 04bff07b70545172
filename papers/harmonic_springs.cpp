#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harmonic_tables.hpp"
#include "lento/lento.hpp"
#include "lento/method/slow_point.hpp"
#include "plain_run.hpp"
#include "two_springs.hpp"

namespace lento::papers {
namespace {

Request over_ten(std::string method, double tolerance) {
    return {.start = {1, 0, 2, 0},
            .velocity = {0, -0.5, 0, 0.5},
            .t_end = 10,
            .method = std::move(method),
            .rtol = tolerance,
            .atol = tolerance};
}

double largest_error(const Solution& run, const Solution& truth) {
    double error = run.outcome() == Outcome::completed ? 0.0 : NAN;
    for (int k = 0; k <= 100 && !std::isnan(error); ++k) {
        const double t = std::min(k / 10.0, truth.record().t_end);
        error = larger(error, largest_component(run.slow(t).position, truth.slow(t).position));
    }
    return error;
}

/// The two springs of the paper slow-manifold, section 5.1, at omega = 1000: the slow point, and errors in position
/// over T = 10 with n sweeps.
Result two_springs() {
    const auto system = TwoSprings{1000, 1000}.stiff();
    const auto point = slow_point(system, over_ten("bounded-derivative", 1e-10), Extrapolation::none);
    Result result;
    result.references = of_the_prototype;
    result.not_judged = "Of errors as small as that for n = 2, direct integration is not certain.";
    result.rows.push_back({.label = "slow point",
                           .column = "x1-1",
                           .computed = point.elongations[0],
                           .tolerance = 1e-9,
                           .reference = 1.500045071e-6});
    // From the slow point, where there are next to no oscillations to leave out.
    const auto from_there = [&](const std::string& method, double tolerance) {
        auto request = over_ten(method, tolerance);
        request.start = point.position;
        request.velocity = point.velocity;
        return request;
    };
    auto resolved = from_there("direct", 1e-13);
    resolved.options = {.macro = "arkode-8"};
    const auto truth = plain_run(system, resolved);
    const std::array<double, 3> prototype{2.2e-5, 1.4e-9, 2.7e-11};
    for (std::size_t n = 0; n < prototype.size(); ++n) {
        auto request = from_there("bounded-derivative", 1e-12);
        request.options = {.fast_energy = "none", .sweeps = n};
        const double error = largest_error(plain_run(system, request), truth);
        result.rows.push_back({.label = fmt::format("n={}", n),
                               .column = "error",
                               .computed = error,
                               .judged = n < 2,
                               .tolerance = 0.15,
                               .reference = prototype[n]});
    }
    auto usual = from_there("bounded-derivative", 1e-8);
    usual.options.fast_energy = "none";
    const auto run = solve(system, usual);
    const double error = largest_error(run, truth);
    const auto sides = static_cast<double>(run.statistics().slow_evaluations);
    const auto row = [&](const char* column, double computed) {
        result.rows.push_back({.label = "rtol=1e-8", .column = column, .computed = computed});
    };
    row("error", error);
    row("right-hand sides", sides);
    row("force evaluations", run.statistics().all_evaluations());
    row("direct, force evaluations", static_cast<double>(truth.statistics().force_evaluations));
    result.claims.push_back({"at rtol = 1e-8 the error is below 1e-8", error, error < 1e-8, Source::lento});
    result.claims.push_back({"with at most 1,500 right-hand sides", sides, sides <= 1500, Source::lento});
    return result;
}

}  // namespace

std::vector<Reproduction> harmonic_springs() {
    return {{"harmonic/two-springs", "Two stiff springs by the expansion of their multipliers", "harmonic",
             "omega_1 = omega_2 = 1000, from the slow point nearest to q = (1, 0, 2, 0), p = (0, -0.5, 0, 0.5), T = "
             "10. Expansion with n = 0, 1, "
             "2 sweeps, rtol = atol = 1e-12, and with all options at their defaults, rtol = atol = 1e-8; largest error "
             "in a coordinate against direct integration to order 8, rtol = atol = 1e-13.",
             two_springs}};
}

}  // namespace lento::papers
