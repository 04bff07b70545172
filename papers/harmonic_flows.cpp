#include "harmonic_flows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "harmonic_tables.hpp"
#include "lento/lento.hpp"
#include "slope.hpp"
#include "stroboscopic_runs.hpp"

namespace lento::papers {
namespace {

using std::numbers::pi;

double eps_of(int power) {
    return std::pow(2.0, -power);
}

/// A system of the paper for any eps, over the time t_slow/eps, which is whole periods of 2 pi.
class Study {
public:
    using Make = Problem (*)(double eps);

    Study(Make make, std::vector<double> start, std::size_t phases)
        : make_(make), start_(std::move(start)), phases_(phases) {}

    struct Run {
        double evaluations, error, estimate;
    };
    /// The true state at the end, by harmonic averages.
    Run harmonic(int power, double t_slow, double rtol, const Options& options = {}) const {
        Request request{
            .start = start_, .t_end = t_slow / eps_of(power), .method = "harmonic", .rtol = rtol, .atol = rtol};
        request.options = options;
        const auto run = solve(make_(eps_of(power)), request);
        if (run.outcome() != Outcome::completed) {
            return {NAN, NAN, NAN};
        }
        const auto end = run.reconstruct(run.final_state()).position;
        const auto truth = resolved(power, t_slow);
        Run result{run.statistics().all_evaluations(), 0, 0};
        for (std::size_t i = 0; i < end.size(); ++i) {
            result.error = larger(result.error, std::abs(end[i] - truth[i]));
        }
        for (const double estimate : run.record().error_estimate) {
            result.estimate = larger(result.estimate, estimate);
        }
        return result;
    }

    /// N sweeps, the slow motion by the pair of Dormand and Prince.
    Run sweeps(int power, double t_slow, std::size_t sweeps, double rtol) const {
        return harmonic(power, t_slow, rtol,
                        {.macro = "dopri5", .phases = phases_, .sweeps = sweeps, .estimate = "none"});
    }

    /// Errors of N sweeps fall as eps^(N+1).
    void add_orders(Result& result, std::vector<int> powers, double t_slow, std::size_t most_sweeps) const {
        auto& picture =
            result.pictures.emplace_back(log_log(fmt::format("Harmonic averages with N sweeps over {} phases", phases_),
                                                 "eps", "largest error of a component at the end", {}));
        for (std::size_t n = 1; n <= most_sweeps; ++n) {
            std::vector<double> eps;
            std::vector<double> errors;
            for (const int power : powers) {
                eps.push_back(eps_of(power));
                errors.push_back(sweeps(power, t_slow, n, 1e-12).error);
                result.rows.push_back({.label = fmt::format("2^-{}", power),
                                       .column = fmt::format("N={} error", n),
                                       .computed = errors.back()});
            }
            picture.curves.push_back({fmt::format("N = {}", n), eps, errors, Curve::Style::marked});
            picture.curves.push_back(
                power_line(fmt::format("eps^{}", n + 1), eps, 0.5 * errors.front(), static_cast<double>(n + 1)));
            const double order = slope(eps, errors);
            result.claims.push_back({fmt::format("the error of N = {} is O(eps^{})", n, n + 1), order,
                                     std::abs(order - static_cast<double>(n + 1)) < 0.4, Source::lento});
        }
    }

private:
    /// By steps of order 8.
    std::vector<double> resolved(int power, double t_slow) const {
        constexpr std::int64_t steps_a_period = 64;
        const auto periods = static_cast<std::int64_t>(std::round(t_slow / eps_of(power) / (2 * pi)));
        return conventional(make_(eps_of(power)), "dopri8", 2 * pi, steps_a_period, periods, 1, start_)[0];
    }

    Make make_;
    std::vector<double> start_;
    std::size_t phases_;
};

/// Figures of the prototype for N = 1, m = 16, and the tolerance of the macro-solver that comes near them.
struct Prototype {
    int power;
    double t_slow, evaluations, error, rtol;
};

/// What N = 1 costs and errs by, in the prototype and here; and what a tolerance costs.
void add_costs(Result& result, const Study& study, const Prototype& prototype) {
    result.references = of_the_prototype;
    result.not_judged = "The prototype had another macro-solver, and did not count its start.";
    const std::string label = fmt::format("2^-{}", prototype.power);
    const auto row = [&](std::string column, std::optional<double> reference, double computed) {
        result.rows.push_back({.label = label,
                               .column = std::move(column),
                               .computed = computed,
                               .judged = !reference,
                               .reference = reference});
    };
    const auto one = study.sweeps(prototype.power, prototype.t_slow, 1, prototype.rtol);
    row("N=1 evaluations", prototype.evaluations, one.evaluations);
    row("N=1 error", prototype.error, one.error);
    result.claims.push_back({"the error of N = 1 over that of the prototype is at most 2", one.error / prototype.error,
                             one.error <= 2 * prototype.error, Source::lento});
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        const auto run = study.harmonic(prototype.power, prototype.t_slow, rtol);
        row(fmt::format("rtol={:g} evaluations", rtol), std::nullopt, run.evaluations);
        row(fmt::format("rtol={:g} error", rtol), std::nullopt, run.error);
        row(fmt::format("rtol={:g} estimate", rtol), std::nullopt, run.estimate);
        result.claims.push_back({fmt::format("rtol = atol = {:g}: the error over rtol is at most 2", rtol),
                                 run.error / rtol, run.error <= 2 * rtol, Source::lento});
        result.claims.push_back({fmt::format("rtol = atol = {:g}: the error over its estimate is at most 1", rtol),
                                 run.error / run.estimate, run.error <= run.estimate, Source::lento});
    }
}

Result kepler() {
    Result result;
    add_costs(result, Study(perturbed_kepler, kepler_start, 16),
              {.power = 12, .t_slow = pi / 8, .evaluations = 832, .error = 1.2e-7, .rtol = 1e-7});
    Study(perturbed_kepler, kepler_start, 32).add_orders(result, {7, 8, 9}, pi / 8, 3);
    return result;
}

Result oscillator() {
    Result result;
    add_costs(result, Study(van_der_pol, {0.5, 0.5}, 16),
              {.power = 9, .t_slow = 32 * pi, .evaluations = 10300, .error = 9.5e-7, .rtol = 1e-6});
    Study(van_der_pol, {0.5, 0.5}, 24).add_orders(result, {4, 5, 6}, pi, 3);
    return result;
}

}  // namespace

std::vector<Reproduction> harmonic_flows() {
    const std::string paper = "harmonic";
    const auto study = [](const std::string& system, const std::string& one, const std::string& orders) {
        return system +
               " N = 1 sweep over 16 phases, slow motion by the pair of Dormand and Prince with rtol = atol = " + one +
               "; all options at their defaults with rtol = atol = 1e-4, 1e-6, 1e-8; orders: " + orders +
               ", rtol = atol = 1e-12. Largest error of a component of the true state at the end, against 64 steps of "
               "order 8 a period.";
    };
    return {{"harmonic/kepler", "Perturbed Kepler motion by harmonic averages", paper,
             study("x(0) = (1, 0), v(0) = (0, 1), 0 <= tau <= (pi/8)/eps, eps = 2^-12.", "1e-7",
                   "eps = 2^-7, 2^-8, 2^-9, N = 1, 2, 3 over 32 phases"),
             kepler},
            {"harmonic/van-der-pol", "Van der Pol's oscillator by harmonic averages", paper,
             study("q(0) = p(0) = 0.5, 0 <= tau <= 32 pi/eps, eps = 2^-9.", "1e-6",
                   "eps = 2^-4, 2^-5, 2^-6, 0 <= tau <= pi/eps, N = 1, 2, 3 over 24 phases"),
             oscillator}};
}

}  // namespace lento::papers
