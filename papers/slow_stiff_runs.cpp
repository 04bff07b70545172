#include "slow_stiff_runs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "implicit_codes.hpp"
#include "lento/run/macro.hpp"
#include "problem/acceleration.hpp"

namespace lento::papers {

Request with_code(Request request, const std::string& code, double rtol) {
    request.rtol = rtol;
    request.atol = 1e-3 * rtol;
    request.options.macro = code;
    return request;
}

namespace {

std::vector<double> beside(std::vector<double> x, int n) {
    x[1] += 1e-13 * n;
    return x;
}
template <class Measure>
Errors mean_over_starts(int count, Measure&& measure) {
    Errors sum;
    for (int n = 0; n < count; ++n) {
        const Errors one = measure(n);
        sum.q += std::log(one.q) / count;
        sum.p += std::log(one.p) / count;
        sum.evaluations += std::log(one.evaluations) / count;
    }
    return {std::exp(sum.q), std::exp(sum.p), std::exp(sum.evaluations)};
}

bool is_one_step_implicit(const std::string& code) {
    return code == "trapezoidal" || code == "tr-bdf2";
}
/// Those are expensive with the tightest tolerances, of which the paper gives no figures.
std::size_t tolerances_of(const std::string& code) {
    return is_one_step_implicit(code) ? 4 : tolerances.size();
}

/// The stiff system from a start to t = 10 by one of Lento's solvers.
Errors direct_errors(const std::string& code, double omega, const std::vector<double>& x, const std::vector<double>& v,
                     double rtol) {
    const Request request{.start = x, .velocity = v, .t_end = 10, .method = "direct", .keep = Recorder::Keep::nothing};
    return errors_of(omega, plain_run(TwoSprings{omega, omega}.plain(), with_code(request, code, rtol)));
}
/// The same by an implicit one-step code.
Errors implicit_errors(const std::string& code, double omega, const std::vector<double>& x,
                       const std::vector<double>& v, double rtol) {
    Acceleration acceleration(TwoSprings{omega, omega}.plain());
    Errors errors;
    const FirstOrderRate rate = [&](double t, std::span<const double> y, std::span<double> derivative) {
        ++errors.evaluations;
        std::ranges::copy(y.last(4), derivative.begin());
        acceleration(y.first(4), y.last(4), t, {}, derivative.last(4));
    };
    auto y = put_together(x, v);
    const bool done = march_implicit(code, rate, {0, 10}, {rtol, 1e-3 * rtol}, y);
    const std::span<const double> end = target(omega).end;
    errors.q = done ? distance(std::span(y).first(4), end.first(4)) : NAN;
    errors.p = done ? distance(std::span(y).last(4), end.last(4)) : NAN;
    return errors;
}
Errors stiff_errors(const std::string& code, double omega, Start start, double rtol) {
    const auto& slow = target(omega);
    const auto& x = start == Start::constraints ? constraint_start : slow.start;
    const auto& v = start == Start::constraints ? constraint_velocity : slow.velocity;
    if (is_one_step_implicit(code)) {
        return implicit_errors(code, omega, x, v, rtol);
    }
    return mean_over_starts(starts, [&](int n) { return direct_errors(code, omega, beside(x, n), v, rtol); });
}
/// From the projected start, projected again at some times: what all windows and the code cost.
Errors projected_errors(double omega, double rtol, const std::vector<double>& again) {
    auto request = with_code(ipa_request(omega), "ode113", rtol);
    request.options.project = again.empty() ? "start" : "times";
    if (!again.empty()) {
        request.options.project_times = again;
    }
    return mean_over_starts(starts, [&](int n) {
        request.start = beside(constraint_start, n);
        return errors_of(omega, TwoSprings{omega, omega}.solve(request));
    });
}
const Runs& projected_runs(double omega, const std::vector<double>& again) {
    static std::map<std::pair<double, std::vector<double>>, Runs> known;
    auto& runs = known[{omega, again}];
    for (std::size_t n = runs.size(); n < tolerances.size(); ++n) {
        runs.push_back(projected_errors(omega, tolerances[n], again));
    }
    return runs;
}

}  // namespace

const Runs& stiff_runs(const std::string& code, double omega, Start start) {
    static std::map<std::tuple<std::string, double, Start>, Runs> known;
    auto& runs = known[{code, omega, start}];
    for (std::size_t n = runs.size(); n < tolerances_of(code); ++n) {
        runs.push_back(stiff_errors(code, omega, start, tolerances[n]));
    }
    return runs;
}

const Runs& figure_3_runs(double omega) {
    return stiff_runs("ode113", omega, Start::constraints);
}
const Runs& figure_4_runs(double omega) {
    return projected_runs(omega, {});
}
const Runs& figure_5_runs(double omega) {
    return projected_runs(omega, {1, 2, 3, 4, 5, 6, 7, 8, 9});
}

double mean_ratio(const Runs& above, Part part, const Runs& below, Part other) {
    double sum = 0;
    for (std::size_t n = 0; n < above.size(); ++n) {
        sum += std::log(above[n].*part / below[n].*other);
    }
    return std::exp(sum / static_cast<double>(above.size()));
}
double mean_ratio(const Runs& above, const Runs& below, Part part) {
    return mean_ratio(above, part, below, part);
}
std::vector<double> ratios(const Runs& above, const Runs& below, Part part) {
    std::vector<double> result;
    std::ranges::transform(above, below, std::back_inserter(result),
                           [part](const Errors& a, const Errors& b) { return a.*part / b.*part; });
    return result;
}

double cost_below(const Runs& runs, Part part, double bound) {
    double least = HUGE_VAL;
    for (const auto& run : runs) {
        if (run.*part < bound) {
            least = std::min(least, run.evaluations);
        }
    }
    return least;
}

double least_cost_of_ode113(double omega, double bound) {
    return std::min(cost_below(figure_4_runs(omega), &Errors::q, bound),
                    cost_below(figure_5_runs(omega), &Errors::q, bound));
}

}  // namespace lento::papers
