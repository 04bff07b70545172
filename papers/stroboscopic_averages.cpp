/// Sections 3 and 4 of the paper stroboscopic: the averaged system, how it is recovered from the one-period map, and
/// what that is wrong by.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "kepler_runs.hpp"
#include "lento/lento.hpp"
#include "one_period.hpp"
#include "pendulum.hpp"
#include "plain_run.hpp"
#include "power_law.hpp"
#include "reproduction.hpp"
#include "step/map_methods.hpp"
#include "stroboscopic_runs.hpp"

namespace lento::papers {
namespace {

constexpr double pi = std::numbers::pi;

// --- Differences ----------------------------------------------------------------------------------------------------

/// A damped oscillator of family (iii), q' = p, p' = -q - 2 eps p, whose averaged system is known: with its matrix A
/// and w^2 = 1 - eps^2
///
///     F = (1 - 1/w) A - (eps/w) I
const std::vector<double> damped_start{1, 0.5};

double damped_error(double eps, Recovery recovery, int order) {
    const auto damped = first_order_system(2, [eps](auto y, auto, auto rate) {
        rate[0] = y[1];
        rate[1] = -y[0] - 2 * eps * y[1];
    });
    const double q = damped_start[0];
    const double p = damped_start[1];
    const double w = std::sqrt(1 - eps * eps);
    const double turn = -eps * eps / (w * (1 + w));  // 1 - 1/w, with all its digits
    const std::vector<double> exact{turn * p - eps / w * q, -turn * (q + 2 * eps * p) - eps / w * p};
    const auto found = OnePeriod(damped, 2 * pi).field(recovery, order, damped_start);
    return largest_change(found, exact) / eps;  // a unit of t = eps tau
}

Curve add_damped(Result& result, const std::string& column, Recovery recovery, int order) {
    return measured_column(result, Scan::negative_powers("eps", {7, 8, 9, 10}), column,
                           [&](double eps) { return damped_error(eps, recovery, order); });
}

// --- Micro-integrations ---------------------------------------------------------------------------------------------

/// A system at a point, for any eps; F of (25) is compared in t = eps tau.
struct Family {
    std::string name, micro;
    std::vector<double> point;
    Problem (*system)(double eps);
    bool in_tau;  // its period is 2 pi, else 2 pi eps
};
const Family kepler_by_rk4{"(19), RK4", "rk4", {1, 0, 0, 1.1}, perturbed_kepler, true};
const Family kepler_by_splitting{"(19), splitting", "strang", {1, 0, 0, 1.1}, perturbed_kepler, true};
const Family oscillator_by_splitting{"(17), splitting", "strang", {0.5, 0.5}, van_der_pol, true};
const Family pendulum_by_rk4{
    "(13), RK4", "rk4", {0.5, 0.3}, [](double eps) { return Pendulum{}.vibrated(1 / eps, 1.0); }, false};

/// What micro-steps of length 2 pi/n in tau make F wrong by.
double micro_error(const Family& family, double eps, std::size_t n) {
    const double period = family.in_tau ? 2 * pi : 2 * pi * eps;
    const auto problem = family.system(eps);
    const auto found = OnePeriod(problem, period, family.micro, n).field(Recovery::central, 2, family.point);
    const auto exact = OnePeriod(problem, period).field(Recovery::central, 2, family.point);
    return largest_change(found, exact) / (family.in_tau ? eps : 1.0);
}

void add_micro_errors(Result& result, const Family& family, double order, double exponent, const std::string& claim) {
    constexpr double eps = 1.0 / 1024;
    const auto steps = Scan::parts("n", 2 * pi, {16, 32, 64, 128});
    const auto against_step = measured_column(result, steps, family.name + ", eps=2^-10", [&](double step) {
        return micro_error(family, eps, static_cast<std::size_t>(std::lround(2 * pi / step)));
    });
    const auto against_eps =
        measured_column(result, Scan::negative_powers("eps", {7, 8, 9, 10}), family.name + ", n=64",
                        [&](double e) { return micro_error(family, e, 64); });
    claim_exponent(result, against_step, order, claim + ": exponent of Delta tau");
    claim_exponent(result, against_eps, exponent, claim + ": exponent of eps");
}

// --- Whole runs -----------------------------------------------------------------------------------------------------

void add_runs(Result& result, Picture& picture) {
    KeplerRuns kepler;
    Options options{.macro = "rk4", .micro = "dopri8", .micro_steps_per_period = 64};
    const auto error = [&](int power, std::size_t N, int order) {
        options.steps = N;
        options.difference_order = order;
        return kepler.averaged(power, "sam", options).error;
    };
    const auto H = measured_column(result, Scan::parts("N", pi / 8, {2, 4, 8, 16}), "SAM, order 8, eps=2^-12",
                                   [&](double step) { return error(12, std::lround(pi / 8 / step), 8); });
    claim_exponent(result, H, 4, "(27): the error of SAM is O(H^P), P = 4 for the classical Runge-Kutta method");
    for (const int order : {2, 4}) {
        const auto curve = measured_column(
            result, Scan::negative_powers("eps", {7, 8, 9, 10}), fmt::format("SAM, N=128, order {}", order),
            [&](double eps) { return error(static_cast<int>(std::lround(-std::log2(eps))), 128, order); });
        claim_exponent(result, curve, order, fmt::format("(27): and O(eps^delta), delta = {}", order));
        picture.curves.push_back(curve);
    }
}

/// Y by SAM beside y, the vibrated pendulum from q = 0.5 at rest.
void add_coincidence(Result& result) {
    constexpr double eps = 1.0 / 1024;
    const auto system = Pendulum{}.vibrated(1 / eps);
    Request request{.start = {0.5}, .t_end = 1, .method = "sam", .rtol = 1e-11, .atol = 1e-13};
    request.options.difference_order = 8;
    const auto averaged = plain_run(system, request);
    const auto truth =
        plain_run(system, {.start = {0.5}, .t_end = 1, .method = "direct", .rtol = 1e-12, .atol = 1e-14});
    double meeting = 0;
    double between = 0;
    const auto apart = [&](double t) {
        return larger(largest_change(averaged.slow(t).position, truth.slow(t).position),
                      largest_change(averaged.slow(t).velocity, truth.slow(t).velocity));
    };
    const double period = 2 * pi * eps;
    for (int n = 1; (n + 0.25) * period < 1; ++n) {
        meeting = larger(meeting, apart(n * period));
        between = larger(between, apart((n + 0.25) * period));
    }
    result.claims.push_back(
        {"(20), (22): Y coincides with y at the stroboscopic times: largest difference over that a quarter of a "
         "period later, (13) with eps = 2^-10",
         meeting / between, meeting < 1e-6 * between});

    const std::vector<double> y{0.5, 0.3};
    const auto field = [&](double phase) {
        return OnePeriod(Pendulum{}.vibrated(1 / eps, phase), period).field(Recovery::central, 8, y);
    };
    const auto here = field(0);
    const auto there = field(1);
    const double relative = largest_change(here, there) / largest(here);
    result.claims.push_back(
        {"windows that begin at the phase of the current time give another averaged system: difference of F at phases "
         "0 and 1 over F",
         relative, relative > 0.1});
}

Result averages() {
    Result result;
    auto differences = log_log("Section 3.2: differences of the one-period map", "eps", "error of F, a unit of t", {});
    const auto second = add_damped(result, "(25)", Recovery::central, 2);
    const auto fourth = add_damped(result, "(26)", Recovery::central, 4);
    differences.curves = {second, fourth};
    claim_exponent(result, second, 2, "(25) is an O(eps^2) approximation of F: exponent of eps");
    claim_exponent(result, fourth, 4, "(26) has an O(eps^4) error");
    add_micro_errors(result, kepler_by_rk4, 4, -1, "(27): micro-steps of order p = 4 leave O((Delta tau)^p/eps) in F");
    add_micro_errors(result, pendulum_by_rk4, 4, 0,
                     "(28): for family (ii) and Runge-Kutta micro-steps nu = 1, O((Delta tau)^p)");
    add_micro_errors(result, oscillator_by_splitting, 2, 1, "(28): with splittings, here (17), nu = 2 and p = 2");
    add_runs(result, differences);
    add_coincidence(result);
    result.pictures.push_back(std::move(differences));
    return result;
}

// --- Section 4 ------------------------------------------------------------------------------------------------------

/// z* of (30), (31) from (32), for the perturbed Kepler motion with eps = 2^-14.
class Multirevolution {
public:
    static constexpr double eps = 1.0 / 16384;

    std::vector<double> stepped(std::size_t M) {
        const auto tableau = multirevolution_tableau(4, static_cast<double>(M));
        std::vector<std::vector<double>> changes;
        const auto combined = [&](const auto& weights) {
            auto z = kepler_start;
            for (std::size_t j = 0; j < changes.size(); ++j) {
                add_to(z, weights[j], changes[j]);
            }
            return z;
        };
        for (std::size_t i = 0; i < tableau.stages; ++i) {
            const auto stage = combined(tableau.a[i]);
            changes.push_back(map_.after(1, stage));
            add_to(changes.back(), -1, stage);
        }
        return combined(tableau.b);
    }
    std::vector<double> exact(std::size_t M) { return map_.after(M, kepler_start); }

private:
    OnePeriod map_{perturbed_kepler(eps), 2 * pi};
};

void add_multirevolution(Result& result) {
    Multirevolution method;
    Scan H;
    for (const std::size_t M : {128, 256, 512, 1024}) {
        H.values.push_back(2 * pi * static_cast<double>(M) * Multirevolution::eps);
        H.labels.push_back(fmt::format("M={}", M));
    }
    const auto periods = [](double step) {
        return static_cast<std::size_t>(std::lround(step / (2 * pi * Multirevolution::eps)));
    };
    const auto local = measured_column(result, H, "(32) minus Psi^M", [&](double step) {
        return largest_change(method.stepped(periods(step)), method.exact(periods(step)));
    });
    const auto printed = measured_column(result, H, "(32) minus Psi", [&](double step) {
        return largest_change(method.stepped(periods(step)), method.exact(1));
    });
    claim_exponent(result, printed, 5, "z* and Psi(z) differ in O(H^(P+1)), P = 4 for (32): exponent of H");
    result.claims.back().erratum = "Psi^M(z) is meant: from Psi(z) itself z* differs by O(H).";
    claim_exponent(result, local, 5, "z* and Psi^M(z) differ in O(H^(P+1))", Source::lento);
    result.pictures.push_back(log_log("Section 4.2: a step of (32), perturbed Kepler motion, eps = 2^-14", "H",
                                      "largest difference of a component",
                                      {local, printed, power_line("H^5", H.values, local.y.front() / 3, 5)}));

    const auto limit =
        measured_column(result, Scan::parts("M", 1, {64, 128, 256, 512}), "(32) minus RK4", [](double inverse) {
            const double M = 1 / inverse;
            const auto map = multirevolution_tableau(4, M);
            constexpr std::array<double, 4> b{1 / 6., 1 / 3., 1 / 3., 1 / 6.};
            constexpr std::array<double, 3> a{1 / 2., 1 / 2., 1};
            double largest = 0;
            for (std::size_t i = 0; i < 4; ++i) {
                largest = larger(largest, std::abs(map.b[i] / M - b[i]));
                for (std::size_t j = 0; j < i; ++j) {
                    const double rk4 = j + 1 == i ? a[j] : 0.0;
                    largest = larger(largest, std::abs(map.a[i][j] / M - rk4));
                }
            }
            return largest;
        });
    claim_exponent(result, limit, 1,
                   "the coefficients of (32) converge to those of the classical Runge-Kutta method: exponent of 1/M");
}

/// (33), (34) over the whole interval: with coefficients that depend on M, and with those of a Runge-Kutta method.
void add_whole_runs(Result& result) {
    KeplerRuns kepler;
    const auto error = [&](const char* method, int power, std::size_t N) {
        Options options{.macro = "rk4", .steps = N, .micro = "dopri8", .micro_steps_per_period = 64};
        if (method == std::string("sam")) {
            options.difference = "forward";
            options.difference_order = 1;
        }
        return kepler.averaged(power, method, options).error;
    };
    const auto power_of = [](double eps) { return static_cast<int>(std::lround(-std::log2(eps))); };
    const auto H =
        measured_column(result, Scan::parts("N", pi / 8, {2, 4, 8, 16}), "(32), eps=2^-14",
                        [&](double step) { return error("multirevolution", 14, std::lround(pi / 8 / step)); });
    claim_exponent(result, H, 4, "(35): the error of (32) is O(H^P), P = 4: exponent of H");
    const auto eps = Scan::negative_powers("eps", {13, 14, 15, 16});
    const auto adjusted = measured_column(result, eps, "(32), N=8",
                                          [&](double value) { return error("multirevolution", power_of(value), 8); });
    claim_exponent(result, adjusted, 0, "(35): and has no term eps^delta: exponent of eps for constant H");
    const auto fixed = measured_column(result, eps, "RK4, forward differences, N=8",
                                       [&](double value) { return error("sam", power_of(value), 8); });
    claim_exponent(result, fixed, 1,
                   "with M-independent coefficients (33), (34) are SAM with forward differences: exponent of eps");
    result.pictures.push_back(log_log("Section 4.2: errors for constant H, N = 8", "eps",
                                      "largest error of a component at the end", {adjusted, fixed}));
}

Result alternatives() {
    Result result;
    auto recoveries = log_log("Section 4.1: recovery of F", "eps", "error of F, a unit of t", {});
    for (const int order : {2, 3, 4}) {
        const auto curve = add_damped(result, fmt::format("nested, order {}", order), Recovery::nested, order);
        claim_exponent(result, curve, order,
                       order == 2 ? std::string("(29) is an O(eps^2) approximation of F: exponent of eps")
                                  : fmt::format("formulas with errors O(eps^{})", order));
        const auto maps = static_cast<double>(MapField(Recovery::nested, order).periods());
        result.claims.push_back({"based on so many micro-integrations over one period", maps, maps == order});
        recoveries.curves.push_back(curve);
    }
    result.pictures.push_back(std::move(recoveries));
    add_multirevolution(result);
    add_whole_runs(result);
    return result;
}

}  // namespace

std::vector<Reproduction> stroboscopic_averages() {
    const std::string paper = "stroboscopic";
    const std::string damped =
        "Differences: q' = p, p' = -q - 2 eps p at (1, 0.5), whose averaged system is known, 128 steps of order 8 a "
        "period. ";
    const std::string kepler = "(19) from x = (1, 0), v = (0, 1) over 0 <= tau <= (pi/8)/eps";
    return {{"stroboscopic/section-3", "Stroboscopic averaging: orders of its three errors", paper,
             damped +
                 "Micro-steps: F of (25) against that with 128 steps of order 8 a period; (19) at x = (1, 0), v = (0, "
                 "1.1), (17) at (0.5, 0.5), (13) with " +
                 pendulum_parameters() + ", theta_0 = 1 at q = 0.5, p = 0.3. Runs: " + kepler +
                 ", RK4 macro-steps, 64 micro-steps of order 8. Coincidence: (13) from q = 0.5 at rest, rtol = 1e-11, "
                 "against rtol = 1e-12.",
             averages},
            {"stroboscopic/section-4", "Recovery without differences, and multirevolution methods", paper,
             damped + "(32): " + kepler + ", eps = 2^-14, maps in 128 steps of order 8; over the whole interval in 64.",
             alternatives}};
}

}  // namespace lento::papers
