/// Section 5.2 of the paper stroboscopic: the van der Pol oscillator, its averaged system, and figure 5.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/lento.hpp"
#include "one_period.hpp"
#include "plain_run.hpp"
#include "power_law.hpp"
#include "reproduction.hpp"
#include "rounding.hpp"
#include "stroboscopic_runs.hpp"

namespace lento::papers {
namespace {

constexpr double pi = std::numbers::pi;

// --- Figure 5 -------------------------------------------------------------------------------------------------------

constexpr double interval = pi / 4;  // the constant macro-step, times eps
constexpr std::size_t marks = 128;   // of them
constexpr std::int64_t steps_a_period = 32;
const std::vector<double> start{0.5, 0.5};

Request averaged_request(double eps, const std::string& micro, std::size_t n) {
    Request request{.start = start,
                    .t_end = static_cast<double>(marks) * interval / eps,
                    .method = "sam",
                    .rtol = std::pow(2.0, -16),
                    .atol = std::pow(2.0, -16)};
    request.options.micro = micro;
    request.options.micro_steps_per_period = n;
    request.options.difference_order = 2;
    request.options.macro = "ode45";
    return request;
}

/// The three integrations, and errors at the ends of constant macro-steps.
struct Limit {
    double eps = 0;
    Solution run, constant_run;
    std::vector<double> adaptive, constant, conventional;

    /// How long the macro-steps are, times eps.
    std::vector<double> lengths() const {
        std::vector<double> result;
        for (const auto& step : run.trajectory().steps()) {
            result.push_back((step.to() - step.from()) * eps);
        }
        return result;
    }
};

std::vector<double> errors_of(const Solution& run, const std::vector<std::vector<double>>& truth, double eps) {
    std::vector<double> errors;
    for (std::size_t k = 0; k < marks; ++k) {
        const double t = std::min(static_cast<double>(k + 1) * interval / eps, run.record().t_end);
        errors.push_back(largest_change(run.slow(t).position, truth[k]));
    }
    return errors;
}

std::vector<std::vector<double>> resolved(double eps, const std::string& stepper) {
    const auto periods = std::llround(static_cast<double>(marks) * interval / eps / (2 * pi));
    return conventional(van_der_pol(eps), stepper, 2 * pi, steps_a_period, periods, marks, start);
}

Limit limit_cycle(int power) {
    const double eps = std::pow(2.0, -power);
    const auto system = van_der_pol(eps);
    const auto truth = resolved(eps, "dopri8");
    const auto strang = resolved(eps, "strang");
    auto request = averaged_request(eps, "strang", steps_a_period);
    auto run = plain_run(system, request);
    request.options.macro = "dopri5";
    request.options.macro_step = interval / eps;
    auto constant = plain_run(system, request);
    Limit limit{eps, std::move(run), std::move(constant), {}, {}, {}};
    limit.adaptive = errors_of(limit.run, truth, eps);
    limit.constant = errors_of(limit.constant_run, truth, eps);
    for (std::size_t k = 0; k < marks; ++k) {
        limit.conventional.push_back(largest_change(strang[k], truth[k]));
    }
    return limit;
}

void add_pictures(Result& result, const Limit& limit) {
    const double H = interval / limit.eps;
    std::vector<double> times;
    Curve adaptive{.label = "SAM, ode45", .x = {}, .y = {}, .style = Curve::Style::marked};
    double next = 1;  // of its markers, of which half an octave has one
    for (std::size_t k = 1; k <= limit.adaptive.size(); ++k) {
        times.push_back(static_cast<double>(k) * H);
        if (static_cast<double>(k) >= next) {
            adaptive.x.push_back(times.back());
            adaptive.y.push_back(limit.adaptive[k - 1]);
            next = std::max(static_cast<double>(k + 1), next * std::numbers::sqrt2);
        }
    }
    result.pictures.push_back(
        log_log("Figure 5, top: errors, eps = 2^-9", "tau", "largest error of a component",
                {adaptive,
                 {.label = "SAM, constant steps", .x = times, .y = limit.constant},
                 {.label = "conventional", .x = times, .y = limit.conventional, .style = Curve::Style::dashed}}));
    Curve chosen{.label = "SAM, ode45", .x = {}, .y = {}, .style = Curve::Style::marked};
    for (const auto& step : limit.run.trajectory().steps()) {
        chosen.x.push_back(step.from());
        chosen.y.push_back(step.to() - step.from());
    }
    result.pictures.push_back(
        {.title = "Figure 5, bottom: macro-steps",
         .x_label = "tau",
         .y_label = "macro-step H",
         .curves = {chosen, {.label = "SAM, constant steps", .x = {0, times.back()}, .y = {H, H}}}});
}

void add_rows(Result& result, const Limit& limit) {
    for (const std::size_t k : {1, 2, 4, 8, 16, 32, 64, 128}) {
        const std::string label = fmt::format("tau={} (pi/4)/eps", k);
        result.rows.push_back({label, "error ode45", {}, limit.adaptive[k - 1]});
        result.rows.push_back({label, "error constant steps", {}, limit.constant[k - 1]});
        result.rows.push_back({label, "error conventional", {}, limit.conventional[k - 1]});
    }
    const auto lengths = limit.lengths();
    for (std::size_t k = 0; k < lengths.size(); k += 4) {
        result.rows.push_back({fmt::format("step {}", k + 1), "length times eps", {}, lengths[k]});
    }
}

/// A printed number that was rounded to two digits.
Row rounded_row(std::string label, std::string column, double published, double computed) {
    return {std::move(label), std::move(column), published, computed, true, rounding(published, 2)};
}

void add_costs(Result& result, const Limit& limit) {
    const auto adaptive = limit.run.statistics();
    const auto constant = limit.constant_run.statistics();
    const double strang = limit.run.record().t_end / (2 * pi) * steps_a_period;
    result.rows.push_back(rounded_row("all", "tau_end", 51'000, limit.run.record().t_end));
    result.rows.push_back({"(i)", "macro-steps", 40, static_cast<double>(adaptive.macro_steps)});
    result.rows.push_back({"(ii)", "macro-steps", 128, static_cast<double>(constant.macro_steps)});
    result.rows.push_back(rounded_row("(iii)", "micro-steps", 260'000, strang));
    const auto micro_steps = [](const Statistics& statistics) { return static_cast<double>(statistics.micro_steps); };
    const double less = micro_steps(adaptive) / micro_steps(constant);
    const double much_less = micro_steps(constant) / strang;
    result.claims.push_back({"(i) is cheaper than (ii): micro-steps of (i) over those of (ii)", less, less < 1});
    result.claims.push_back(
        {"and both are much cheaper than (iii): micro-steps of (ii) over those of (iii)", much_less, much_less < 0.25});
    auto longer = averaged_request(limit.eps, "strang", steps_a_period);
    longer.t_end *= 2;
    const auto again = static_cast<double>(plain_run(van_der_pol(limit.eps), longer).statistics().macro_steps);
    const auto before = static_cast<double>(adaptive.macro_steps);
    result.claims.push_back(
        {"the gain would increase with a longer interval: macro-steps of (ii) over those of (i) for twice the "
         "interval, over that ratio here",
         2 * before / again, 2 * before / again > 1});
}

constexpr double substantial = 0.1;  // what an improvement has to leave of an error

/// Composed of so many steps of Strang's splitting.
struct Composition {
    const char* name;
    std::size_t stages;
};

void add_higher_orders(Result& result, const Limit& limit) {
    const auto truth = resolved(limit.eps, "dopri8");
    const auto error = [&](const std::string& micro, std::size_t n) {
        return largest(
            errors_of(plain_run(van_der_pol(limit.eps), averaged_request(limit.eps, micro, n)), truth, limit.eps));
    };
    for (const auto& [name, stages] : {Composition{"suzuki4", 5}, Composition{"kahan-li6", 9}}) {
        const double found = error(name, steps_a_period);
        const double as_dear = found / error("strang", stages * steps_a_period);
        result.claims.push_back(
            {fmt::format("higher-order splittings did not lead to substantial improvements: largest error with {} over "
                         "that with {} times as many Strang steps, for the same work",
                         name, stages),
             as_dear, as_dear > substantial});
        const double as_many = found / error("strang", steps_a_period);
        result.claims.push_back({fmt::format("over that with as many steps it is less than a tenth ({})", name),
                                 as_many, as_many < substantial, Source::lento});
    }
}

Result figure_5() {
    Result result;
    const auto limit = limit_cycle(9);
    add_rows(result, limit);
    add_pictures(result, limit);
    add_costs(result, limit);
    const auto lengths = limit.lengths();
    const double increase = lengths[lengths.size() - 2] / lengths[5];
    result.claims.push_back(
        {"the macro-step is increased once the limit cycle has been reached: last but one over sixth", increase,
         increase > 2});
    const double by_constant = largest(limit.adaptive) / largest(limit.constant);
    const double by_conventional = largest(limit.adaptive) / largest(limit.conventional);
    const auto comparable = [](double ratio) { return ratio > 0.5 && ratio < 2; };
    result.claims.push_back(
        {"the errors are comparable: largest of (i) over that of (ii)", by_constant, comparable(by_constant)});
    result.claims.push_back(
        {"the errors are comparable: largest of (i) over that of (iii)", by_conventional, comparable(by_conventional)});
    add_higher_orders(result, limit);

    const auto half = limit_cycle(10);
    const auto again = static_cast<double>(half.run.statistics().macro_steps);
    result.claims.push_back({"with eps = 2^-10 the variable-step method again uses 40 steps", again, again == 40});
    const auto other = half.lengths();
    double apart = lengths.size() == other.size() ? 0 : std::nan("");
    for (std::size_t k = 0; k < lengths.size() && !std::isnan(apart); ++k) {
        apart = larger(apart, std::abs(other[k] / lengths[k] - 1));
    }
    result.claims.push_back(
        {"and the step-size sequence remains virtually the same: largest relative difference of eps H", apart,
         apart < 0.05});
    const std::array ratios{largest(limit.adaptive) / largest(half.adaptive),
                            largest(limit.constant) / largest(half.constant),
                            largest(limit.conventional) / largest(half.conventional)};
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        result.claims.push_back(
            {fmt::format("and the errors are halved, nu = 2 in (28): those of ({}) over the new ones",
                         std::array{"i", "ii", "iii"}[i]),
             ratios[i], std::abs(ratios[i] - 2) < 0.25});
    }
    return result;
}

// --- The averaged system --------------------------------------------------------------------------------------------

using Pair = std::array<double, 2>;

/// eps F_1 + eps^2 F_2, the terms of F_2 without their factors -P/256 and Q/256.
Pair two_terms(double eps, double Q, double P, const Pair& second) {
    const double radial = -eps / 8 * (Q * Q + P * P - 4);
    return {radial * Q - eps * eps / 256 * P * second[0], radial * P + eps * eps / 256 * Q * second[1]};
}
double square(double x) {
    return x * x;
}
Pair printed_second(double Q, double P) {
    const double r2 = Q * Q + P * P;
    return {5 * r2 + 16 * r2 * r2 - 48 + 16 * square(Q * Q - 2), 5 * r2 + 80 * r2 * r2 + 16 + 16 * square(Q * Q - 4)};
}
/// By second-order averaging of the motion in a frame that turns with the oscillator.
Pair own_second(double Q, double P) {
    const double r2 = Q * Q + P * P;
    return {5 * r2 * r2 - 24 * r2 - 32 + 16 * square(Q * Q - 2), 5 * r2 * r2 + 40 * r2 - 224 + 16 * square(Q * Q - 4)};
}

/// R_1 = R^2 - factor eps P^3 Q/(Q^2 + P^2)
double R1(double factor, double eps, double Q, double P) {
    const double r2 = Q * Q + P * P;
    return r2 - factor * eps * P * P * P * Q / r2;
}
/// Its derivative along F, by differences of order 4.
double R1_rate(double factor, double eps, const std::vector<double>& y, const std::vector<double>& F) {
    const auto along = [&](double s) { return R1(factor, eps, y[0] + s * F[0], y[1] + s * F[1]); };
    const double s = 1e-3 / largest(F);
    return (8 * (along(s) - along(-s)) - (along(2 * s) - along(-2 * s))) / (12 * s);
}

const std::vector<double> away{1.3, -0.7};

std::vector<double> exact_field(double eps, const std::vector<double>& y) {
    return OnePeriod(van_der_pol(eps), 2 * pi).field(Recovery::central, 8, y);
}

/// Points of the limit cycle over a period: what is left after exp(-eps tau) = exp(-32).
std::vector<std::vector<double>> cycle(double eps) {
    const auto periods = std::llround(32 / eps / (2 * pi));
    const auto there = conventional(van_der_pol(eps), "dopri8", 2 * pi, 32, periods, 1, {2, 0})[0];
    return conventional(van_der_pol(eps), "dopri8", 2 * pi, 32, 1, 32, there);
}

constexpr const char* second_order_misprint =
    "The terms of second order stand otherwise in print: they are -(eps^2/256) P (5 R^4 - 24 R^2 - 32 + 16 (Q^2 - "
    "2)^2) and (eps^2/256) Q (5 R^4 + 40 R^2 - 224 + 16 (Q^2 - 4)^2).";
constexpr const char* radius_misprint =
    "Two factors are missing: R_1 = R^2 - 2 eps P^3 Q/(Q^2 + P^2) satisfies dR_1/dtau = -(eps/4) R_1 (R_1 - 4) + "
    "O(eps^3).";

void add_erroneous(Result& result, const Curve& curve, double expected, const char* text, const char* erratum) {
    claim_exponent(result, curve, expected, text);
    result.claims.back().erratum = erratum;
}

void add_averaged_equations(Result& result, Picture& picture) {
    const auto eps = Scan::negative_powers("eps", {5, 6, 7, 8});
    const auto left = [](const auto& second) {
        return [second](double e) {
            const auto F = exact_field(e, away);
            const auto terms = two_terms(e, away[0], away[1], second(away[0], away[1]));
            return largest_change(F, terms);
        };
    };
    const auto printed = measured_column(result, eps, "F minus the printed terms", left(printed_second));
    const auto own = measured_column(result, eps, "F minus ours", left(own_second));
    add_erroneous(result, printed, 3,
                  "the averaged system is that printed up to O(eps^3): exponent of eps of what is left",
                  second_order_misprint);
    claim_exponent(result, own, 3, "with the terms of the erratum", Source::lento);

    const auto equation = [](double factor, double rate) {
        return [factor, rate](double e) {
            const double r = R1(factor, e, away[0], away[1]);
            return std::abs(R1_rate(factor, e, away, exact_field(e, away)) + rate * e * r * (r - 4));
        };
    };
    const auto printed_rate = measured_column(result, eps, "rate of R_1 as printed", equation(1, 1));
    const auto own_rate = measured_column(result, eps, "rate of R_1, ours", equation(2, 0.25));
    add_erroneous(result, printed_rate, 3,
                  "dR_1/dtau = -eps R_1 (R_1 - 4) + O(eps^3), R_1 = R^2 - eps P^3 Q/(Q^2 + P^2): exponent of eps of "
                  "what is left",
                  radius_misprint);
    claim_exponent(result, own_rate, 3, "with the factors of the erratum", Source::lento);
    picture.curves = {printed, own, printed_rate, own_rate};
}

void add_limit_cycle(Result& result, Picture& picture) {
    const auto eps = Scan::negative_powers("eps", {5, 6, 7, 8});
    const auto off = [](double factor) {
        return [factor](double e) {
            double most = 0;
            for (const auto& y : cycle(e)) {
                most = larger(most, std::abs(R1(factor, e, y[0], y[1]) - 4));
            }
            return most;
        };
    };
    const auto printed = measured_column(result, eps, "limit cycle: R_1 - 4 as printed", off(1));
    const auto own = measured_column(result, eps, "limit cycle: R_1 - 4, ours", off(2));
    add_erroneous(result, printed, 2, "the limit cycle is R_1 = 4 up to O(eps^2): exponent of eps", radius_misprint);
    claim_exponent(result, own, 2, "with the R_1 of the erratum", Source::lento);
    const auto speed = measured_column(result, eps, "limit cycle: F",
                                       [](double e) { return largest(exact_field(e, cycle(e).front())); });
    claim_exponent(result, speed, 2, "once the limit cycle has been reached dQ/dtau and dP/dtau are O(eps^2)");
    picture.curves.insert(picture.curves.end(), {printed, own, speed});

    constexpr double e = 1.0 / 256;
    const auto near = conventional(van_der_pol(e), "dopri8", 2 * pi, 32, 2 * 64, 2, {2.02, 0});
    const auto distance = [&](const std::vector<double>& y) { return R1(2, e, y[0], y[1]) - 4; };
    const double rate = std::log(distance(near[0]) / distance(near[1])) / (64 * 2 * pi * e);
    result.claims.push_back(
        {"the limit cycle is exponentially attractive: rate of approach over eps, from R = 2.02 with eps = 2^-8", rate,
         rate > 0});
    result.claims.push_back({"by the equation of the erratum it is 1", rate, std::abs(rate - 1) < 0.05, Source::lento});
}

Result averaged_system() {
    Result result;
    auto picture = log_log("Section 5.2: what the printed equations leave, and ours", "eps", "largest difference", {});
    add_averaged_equations(result, picture);
    add_limit_cycle(result, picture);
    result.pictures.push_back(std::move(picture));
    return result;
}

}  // namespace

std::vector<Reproduction> stroboscopic_oscillator() {
    const std::string paper = "stroboscopic";
    return {{"stroboscopic/section-5.2", "Van der Pol oscillator: its averaged system and limit cycle", paper,
             "F at (1.3, -0.7) by differences of order 8 of maps in 128 steps of order 8; the limit cycle after tau = "
             "32/eps from (2, 0), in 32 steps of order 8 a period.",
             averaged_system},
            {"stroboscopic/figure-5", "Van der Pol oscillator: errors and macro-steps against time", paper,
             "eps = 2^-9 (for the claims also 2^-10), q(0) = p(0) = 0.5, 0 <= tau <= 32 pi/eps, Strang splitting with "
             "Delta tau = pi/16. SAM with second-order differences by ode45, rtol = atol = 2^-16, and by its formula "
             "in steps of (pi/4)/eps; conventional integration. Largest error of a component against 32 steps of order "
             "8 a period.",
             figure_5}};
}

}  // namespace lento::papers
