/// Section 6 of the paper slow-manifold, figures 2 and 6: slow solutions of the two springs up to t = 10 by the DAE,
/// and by projection before each evaluation.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/lento.hpp"
#include "lento/method/slow_point.hpp"
#include "problem/acceleration.hpp"
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
    std::array<Errors, 3> saturated;
    for (std::size_t k = 0; k < omegas.size(); ++k) {
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
            saturated[k] = error;
        }
    }
    add_pictures(result, 2, "solving the DAE with RATTLE");
    for (const auto& [part, name] : {std::pair{&Errors::q, "q"}, std::pair{&Errors::p, "p"}}) {
        const std::vector sizes{saturated[0].*part, saturated[1].*part, saturated[2].*part};
        const double order = -slope(omegas, sizes);
        result.claims.push_back(
            {fmt::format("the errors in {} saturate at O(omega^-2): order", name), order, std::abs(order - 2) < 0.1});
    }
    result.claims.push_back({"for omega = 100 only a very rough approximation is to be had: least error in q",
                             saturated[0].q, saturated[0].q > 1e-3});
    const double finer = rattle_errors(100, 1. / 256, "rattle6").q / saturated[0].q;
    result.claims.push_back(
        {"a more accurate DAE solver does not change that: the error of RATTLE of order 6, H = 1/256, "
         "over that limit",
         finer, std::abs(finer - 1) < 0.05});
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

Errors projected_rk4(double omega, int steps_a_unit) {
    auto request = ipa_request(omega);
    request.options.macro = "rk4";
    request.options.macro_step = 1.0 / steps_a_unit;
    request.options.guess = "none";  // as in the paper
    return errors_of(omega, TwoSprings{omega, omega}.solve(request));
}

/// How often the projection of Z^2* = z + (H/2) phi(z) from the slow point iterates.
int iterations_of_second_stage(double omega, double step) {
    const auto& slow = target(omega);
    Acceleration acceleration(TwoSprings{omega, omega}.plain());
    std::vector<double> a(4);
    acceleration(slow.start, slow.velocity, 0, {}, a);
    auto request = ipa_request(omega);
    for (std::size_t i = 0; i < 4; ++i) {
        request.start[i] = slow.start[i] + step / 2 * slow.velocity[i];
        request.velocity[i] = slow.velocity[i] + step / 2 * a[i];
    }
    return slow_point(TwoSprings{omega, omega}.stiff(), request, Extrapolation::none).iterations;
}

using Table = std::array<std::array<Errors, 3>, references.size()>;  // H = 1/2, ..., 1/64; omega

void add_orders(Result& result, const Table& table) {
    std::vector<double> steps, q, p, work;
    for (std::size_t n = 1; n < table.size(); ++n) {
        steps.push_back(1.0 / (2 << n));
        q.push_back(table[n][2].q);
        p.push_back(table[n][2].p);
        work.push_back(table[n][2].evaluations);
    }
    const double order = slope(steps, q);
    result.claims.push_back({"omega = 10000: the errors follow O(H^4)", order, order > 3.7 && order < 4.3});
    const double apart = std::abs(order - slope(steps, p));
    result.claims.push_back(
        {"errors in q and p share the same behavior: difference of their orders", apart, apart < 0.2});
    const double against_work = -slope(work, q);
    result.claims.push_back(
        {"the slopes in the figure are slightly higher than four", against_work, against_work > 4 && against_work < 5});
    const double halving = std::pow(work.back() / work.front(), 1 / static_cast<double>(work.size() - 1));
    result.claims.push_back({"since halving H less than doubles the effort: mean factor", halving, halving < 2});
}

void add_omegas(Result& result, const Table& table) {
    double apart = 0;
    double work = 0;
    double cheaper = 1;
    for (std::size_t n = 0; n < table.size(); ++n) {
        const auto& [soft, hard, hardest] = table[n];
        if (n < 4) {
            apart = larger(apart, larger(std::abs(hard.q / hardest.q - 1), std::abs(hard.p / hardest.p - 1)));
            work = larger(work, std::abs(hardest.evaluations / hard.evaluations - 1));
        }
        cheaper *= std::pow(soft.evaluations / hard.evaluations, 1. / table.size());
    }
    result.claims.push_back({"H = 1/2 to 1/16: work is independent of omega: largest difference between 1000 and 10000",
                             work, work < 0.05});
    result.claims.push_back(
        {"H = 1/2 to 1/16: accuracy is independent of omega: largest difference between 1000 and 10000", apart,
         apart < 0.05});
    result.claims.push_back({"for omega = 100 the cost for fixed H is slightly smaller: mean over that for 1000",
                             cheaper, cheaper < 1 && cheaper > 0.5});
}

void add_projection_errors(Result& result, const Table& table) {
    for (const std::size_t n : {4, 5}) {
        const double excess = table[n][1].q / table[n][2].q;
        result.claims.push_back(
            {fmt::format("omega = 1000, H = 1/{}: the errors of projections become important: error in q "
                         "over that for 10000",
                         2 << n),
             excess, excess > 1.1});
    }
    const double growth = table[5][0].q / table[4][0].q;
    result.claims.push_back(
        {"when H is small, halving it leads to an increase in error: omega = 100, q at 1/64 over 1/32", growth,
         growth > 1});
    const double fall = table[5][1].q / table[4][1].q;
    result.claims.push_back(
        {"when H is small, halving it leads to an increase in error: omega = 1000, q at 1/64 over 1/32", fall, fall > 1,
         Source::paper,
         "At omega = 1000 the error still falls from 1/32 to 1/64, where those of RK4 and of the "
         "projections are of one size, and grows with the next halving."});
    const auto next = projected_rk4(1000, 128);
    result.claims.push_back(
        {"omega = 1000: q at 1/128 over 1/64", next.q / table[5][1].q, next.q > table[5][1].q, Source::lento});
}

void add_iterations(Result& result) {
    int fewest = 100;
    int most = 0;
    for (const double omega : {1000., 10000.}) {
        for (std::size_t n = 0; n < references.size(); ++n) {
            const int iterations = iterations_of_second_stage(omega, 1.0 / (2 << n));
            result.rows.push_back(
                {fmt::format("1/{}", 2 << n), fmt::format("iterations omega={:.0f}", omega), {}, double(iterations)});
            fewest = std::min(fewest, iterations);
            most = std::max(most, iterations);
        }
    }
    result.claims.push_back(
        {"several iterations, typically 3 to 5, are required to project Z^2*: fewest, from the start", double(fewest),
         fewest >= 3});
    result.claims.push_back(
        {"several iterations, typically 3 to 5, are required to project Z^2*: most", double(most), most <= 5});
}

/// The last comparison of section 6, for omega = 10000.
void add_comparison(Result& result, const Table& table) {
    const auto least_cost = [](const std::vector<Errors>& runs, double bound) {
        double least = HUGE_VAL;
        for (const auto& run : runs) {
            least = run.q < bound ? std::min(least, run.evaluations) : least;
        }
        return least;
    };
    std::vector<Errors> dae, rk4;
    for (int n = 8; n <= 4096; n *= 2) {
        dae.push_back(rattle_errors(10000, 1.0 / n));
    }
    for (const auto& row : table) {
        rk4.push_back(row[2]);
    }
    constexpr double rough = 1e-3;
    const double gain = std::min(least_cost(rk4, rough), least_cost_of_ode113(10000, rough)) / least_cost(dae, rough);
    result.claims.push_back(
        {"omega = 10000: the DAE solver is the best option if high accuracy is not necessary: evaluations "
         "of the next best over its own, for 1e-3 in q",
         gain, gain > 1});
    constexpr double fine = 2e-7;
    const double against = std::min(least_cost(dae, fine), least_cost_of_ode113(10000, fine)) / least_cost(rk4, fine);
    result.claims.push_back(
        {"if it is, the projected RK4 is the most efficient choice: the same for it and 2e-7", against, against > 1});
}

Result figure_6() {
    Result result;
    Table table;
    for (std::size_t n = 0; n < references.size(); ++n) {
        for (std::size_t k = 0; k < omegas.size(); ++k) {
            table[n][k] = projected_rk4(omegas[k], 2 << n);
            add_rows(result, fmt::format("1/{}", 2 << n), omegas[k], table[n][k], 0.1, references[n][k]);
        }
    }
    add_pictures(result, 6, "projecting before each evaluation, RK4");
    add_orders(result, table);
    add_omegas(result, table);
    add_projection_errors(result, table);
    add_iterations(result);
    add_comparison(result, table);
    double least = HUGE_VAL;
    double most = 0;
    for (const double omega : {1e3, 1e4, 1e5, 1e6}) {
        auto request = ipa_request(omega);
        request.options = {.macro = "rk4", .macro_step = 1. / 16, .fast_energy = "none"};
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
