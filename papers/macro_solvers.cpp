/// What macro-solvers ask of averaged forces, which are expensive: the fewest evaluations for a given error.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "harmonic_tables.hpp"
#include "lento/lento.hpp"
#include "lento/run/macro.hpp"
#include "march/stoermer_cowell.hpp"
#include "pendulum.hpp"
#include "problem/acceleration.hpp"
#include "two_springs.hpp"

namespace lento::papers {
namespace {

struct SlowProblem {
    std::string name;
    Problem problem;
    std::vector<double> x, v;
    double t_end;
};

constexpr std::int64_t most_steps = 100'000;  // of tolerances that rounding makes impossible

struct Spent {
    double evaluations = 0;
    std::vector<double> end{};  ///< (x, v)
};

Spent spend(const SlowProblem& slow, const std::string& solver, double tolerance) {
    Acceleration acceleration(slow.problem);
    Spent spent;
    const AveragedAcceleration force = [&](double t, In x, In v, Out a) {
        ++spent.evaluations;
        acceleration(x, v, t, {}, a);
    };
    if (solver == "stoermer-cowell") {
        const std::size_t d = slow.x.size();
        AccelerationForce multistep(force, d);
        MultistepStart start{.y = put_together(slow.x, slow.v), .series = std::vector<double>(d)};
        multistep.evaluate(0, start.y, {}, start.series, {});
        MultistepMarch march(multistep, {tolerance, tolerance},
                             {.longest = slow.t_end / 10, .shortest = 1e-9, .most_steps = most_steps});
        const auto result = march.run(start, slow.t_end, {}, {});
        spent.end = result.outcome == Outcome::completed ? march.state() : std::vector<double>(2 * d, NAN);
        return spent;
    }
    const Request request{
        .start = slow.x, .t_end = slow.t_end, .rtol = tolerance, .atol = tolerance, .keep = Recorder::Keep::nothing};
    const auto marched = march_macro({solver, {}}, force, request, slow.x, slow.v);
    spent.end = put_together(marched.final_state.position, marched.final_state.velocity);
    if (marched.result.outcome != Outcome::completed) {
        std::ranges::fill(spent.end, NAN);
    }
    return spent;
}

/// In so many equal steps of order 5 that what they leave out is below rounding.
std::vector<double> truth_of(const SlowProblem& slow) {
    constexpr double steps = 20'000;
    Acceleration acceleration(slow.problem);
    const AveragedAcceleration force = [&](double t, In x, In v, Out a) { acceleration(x, v, t, {}, a); };
    const Request request{.start = slow.x, .t_end = slow.t_end, .keep = Recorder::Keep::nothing};
    const auto marched = march_macro({"dopri5", slow.t_end / steps}, force, request, slow.x, slow.v);
    return put_together(marched.final_state.position, marched.final_state.velocity);
}

constexpr std::array<double, 4> wanted{1e-4, 1e-6, 1e-8, 1e-10};

struct Found {
    std::vector<double> evaluations, errors;  ///< of all tolerances, tightest last
    std::array<double, 4> least{};            ///< evaluations from which on errors are smaller than wanted
};

/// Over tolerances a fourth of a power of ten apart. An error that is small by chance does not count: all tighter
/// tolerances have to be within it as well.
Found look(const SlowProblem& slow, const std::string& solver, const std::vector<double>& truth) {
    Found found;
    for (int quarter = 8; quarter <= 52; ++quarter) {
        const auto spent = spend(slow, solver, std::pow(10, -quarter / 4.0));
        found.evaluations.push_back(spent.evaluations);
        found.errors.push_back(largest_change(spent.end, truth));
    }
    for (std::size_t w = 0; w < wanted.size(); ++w) {
        std::size_t n = found.errors.size();
        while (n > 0 && found.errors[n - 1] < wanted[w]) {
            --n;
        }
        found.least[w] = n < found.errors.size() ? found.evaluations[n] : NAN;
    }
    return found;
}

constexpr std::array solvers{"ode113", "dopri5", "cvode-adams", "arkode-8", "stoermer-cowell"};

Result macro_solvers() {
    const TwoSprings springs{1, 500};
    const std::array problems{SlowProblem{"pendulum", Pendulum{}.averaged(), {0.5}, {0}, 1},
                              SlowProblem{"springs", springs.underlying(), {1, 0, 2, 0}, {0, -0.5, 0, 0.5}, 10}};
    Result result;
    std::map<std::string, std::map<std::string, Found>> all;
    for (const auto& slow : problems) {
        auto& found = all[slow.name];
        const auto truth = truth_of(slow);
        for (const std::string solver : solvers) {
            found[solver] = look(slow, solver, truth);
        }
        auto picture = log_log(fmt::format("Macro-solvers: {}", slow.name), "averaged forces", "error at the end", {});
        for (const auto& [solver, one] : found) {
            picture.curves.push_back({.label = solver, .x = one.evaluations, .y = one.errors});
        }
        result.pictures.push_back(std::move(picture));
    }
    for (const auto& slow : problems) {
        for (std::size_t w = 0; w < wanted.size(); ++w) {
            for (const std::string solver : solvers) {
                result.rows.push_back(
                    {fmt::format("{}: {:.0e}", slow.name, wanted[w]), solver, {}, all[slow.name][solver].least[w]});
            }
        }
    }
    double against_others = 0;
    double against_own = 0;
    for (const auto& [name, found] : all) {
        for (std::size_t w = 0; w < wanted.size(); ++w) {
            const double own = found.at("ode113").least[w];
            for (const char* other : {"dopri5", "cvode-adams", "arkode-8"}) {
                against_others = larger(against_others, own / found.at(other).least[w]);
            }
            against_own = larger(against_own, own / found.at("stoermer-cowell").least[w]);
        }
    }
    result.claims.push_back(
        {"ode113 needs fewer evaluations than dopri5, cvode-adams and arkode-8 for each error: the "
         "largest ratio",
         against_others, against_others < 1, Source::lento});
    result.claims.push_back(
        {"and about as many as stoermer-cowell: the largest ratio", against_own, against_own < 1.3, Source::lento});
    return result;
}

}  // namespace

std::vector<Reproduction> macro_solver_tables() {
    return {
        {"harmonic/macro-solvers", "Averaged forces that macro-solvers need for an error", "harmonic",
         "The averaged force of the inverted pendulum, " + pendulum_parameters() +
             ", from Q = 0.5 at rest to t = 1; the underlying system of the two springs of stiff, case (i), from q = "
             "(1, 0, 2, 0), p = (0, -0.5, 0, 0.5) to t = 10. The fewest evaluations from which on, over tolerances "
             "rtol = atol = 1e-2, ..., 1e-13, "
             "the largest error of position and velocity at the end stays below the one given; against dopri5 in "
             "20,000 equal steps.",
         macro_solvers}};
}

}  // namespace lento::papers
