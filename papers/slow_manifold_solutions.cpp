/// Section 6 of the paper slow-manifold, figures 2 and 6: slow solutions of the two springs up to t = 10 by the DAE, and
/// by projection before each evaluation.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/lento.hpp"
#include "reproduction.hpp"
#include "slope.hpp"
#include "slow_solutions.hpp"
#include "two_springs.hpp"

namespace lento::papers {
namespace {

// --- Figure 2: the DAE ---------------------------------------------------------------------------------------------

Result figure_2() {
    constexpr std::array<double, 3> at_sixteenth{1.13e-2, 6.98e-3, 6.93e-3};
    constexpr std::array<double, 3> limits{4.4e-3, 4.5e-5, 5.5e-7};
    Result result;
    std::vector<double> steps, errors;
    double least = HUGE_VAL;
    double most = 0;
    for (std::size_t k = 0; k < omegas.size(); ++k) {
        double last = 0;
        for (int n = 8; n <= 4096; n *= 2) {
            const auto error = rattle_errors(omegas[k], 1.0 / n);
            const Reference reference = n == 16     ? Reference{at_sixteenth[k]}
                                        : n == 4096 ? Reference{limits[k]}
                                                    : Reference{};
            add_rows(result, fmt::format("1/{}", n), omegas[k], error, within, reference);
            if (k == 2 && n <= 512) {
                steps.push_back(1.0 / n);
                errors.push_back(error.q);
            }
            last = error.q;
        }
        least = std::min(least, last * omegas[k] * omegas[k]);
        most = larger(most, last * omegas[k] * omegas[k]);
    }
    add_pictures(result, 2, "solving the DAE with RATTLE");
    result.claims.push_back({"the errors in q saturate at O(omega^-2): times omega^2, largest over least", most / least,
                             most < 60 && least > 40});
    const double order = slope(steps, errors);
    result.claims.push_back({"RATTLE at omega = 10000: O(H^2)", order, order > 1.9 && order < 2.1, Source::lento});
    return result;
}

// --- Figure 6: projected RK4 -----------------------------------------------------------------------------------------

constexpr std::array<std::array<Reference, 3>, 6> references{
    {{{{3.8e-2, 2.3e-2}, {3.48e-2, 2.12e-2}, {3.47e-2, 2.12e-2}}},
     {{{4.0e-3, 1.6e-3}, {4.69e-3, 2.02e-3}, {4.68e-3, 2.02e-3}}},
     {{{5.1e-4, 8.0e-4}, {4.03e-4, 1.79e-4}, {4.05e-4, 1.80e-4}}},
     {{{2.0e-3, 1.1e-3}, {2.73e-5, 1.21e-5}, {2.80e-5, 1.23e-5}}},
     {{{6.1e-3, 2.9e-3}, {2.02e-6, 8.4e-7}, {1.78e-6, 7.8e-7}}},
     {{{1.9e-2, 8.9e-3}, {1.78e-6, 8.1e-7}, {1.12e-7, 4.8e-8}}}}};

Result figure_6() {
    Result result;
    std::vector<double> steps, errors;
    double most_apart = 0;
    for (std::size_t n = 0; n < references.size(); ++n) {
        const double step = 1.0 / (2 << n);
        std::array<Errors, 3> error{};
        for (std::size_t k = 0; k < omegas.size(); ++k) {
            auto request = ipa_request(omegas[k]);
            request.options.macro = "rk4";
            request.options.macro_step = step;
            request.options.guess = "none";  // as in the paper
            error[k] = errors_of(omegas[k], TwoSprings{omegas[k], omegas[k]}.solve(request));
            add_rows(result, fmt::format("1/{}", 2 << n), omegas[k], error[k], 0.1, references[n][k]);
        }
        steps.push_back(step);
        errors.push_back(error[2].q);
        most_apart = larger(most_apart, std::abs(error[2].evaluations / error[1].evaluations - 1));
    }
    add_pictures(result, 6, "projecting before each evaluation, RK4");
    const double order = slope(std::span(steps).subspan(1), std::span(errors).subspan(1));
    result.claims.push_back({"omega = 10000: the errors follow O(H^4)", order, order > 3.7 && order < 4.3});
    result.claims.push_back(
        {"work is independent of omega: largest difference between 1000 and 10000", most_apart, most_apart < 0.05});
    double least = HUGE_VAL;
    double most = 0;
    for (const double omega : {1e3, 1e4, 1e5, 1e6}) {
        auto request = ipa_request(omega);
        request.options = {.macro = "rk4", .macro_step = 1. / 16};
        const auto evaluations = double(TwoSprings{omega, omega}.solve(request).statistics().force_evaluations);
        least = std::min(least, evaluations);
        most = larger(most, evaluations);
        result.rows.push_back({"guessed, 1/16", fmt::format("evaluations omega={:.0f}", omega), {}, evaluations});
    }
    result.claims.push_back(
        {"and from 1e3 to 1e6 with a tolerance that follows omega, when projections begin with the "
         "last elongations: largest over least",
         most / least, most / least < 1.2, Source::lento});
    return result;
}

}  // namespace

std::vector<Reproduction> slow_manifold_solutions() {
    const std::string paper = "slow-manifold";
    const std::string system = slow_solution_setting();
    const std::string projection = slow_solution_projection();
    std::vector<Reproduction> figures{{"slow-manifold/figure-2", "Solving the DAE with RATTLE", paper,
                                       system + "RATTLE from the slow point, H = 1/8, 1/16, ..., 1/4096." + projection,
                                       figure_2}};
    std::ranges::move(slow_manifold_stiff(), std::back_inserter(figures));
    figures.push_back({"slow-manifold/figure-6", "Projecting before each evaluation: RK4", paper,
                       system +
                           "RK4 with H = 1/2, 1/4, ..., 1/64, each stage projected without a guess, its force filtered "
                           "in the last window." +
                           projection,
                       figure_6});
    return figures;
}

}  // namespace lento::papers
