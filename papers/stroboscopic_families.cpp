/// Section 2 of the paper stroboscopic: motions that change much within a period and little from one period to the
/// next.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/lento.hpp"
#include "pendulum.hpp"
#include "power_law.hpp"
#include "reproduction.hpp"
#include "stroboscopic_runs.hpp"

namespace lento::papers {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::int64_t steps_a_period = 128;  // of order 8

/// The largest change of each component within the period that follows y, and the change at its end.
struct Changes {
    std::vector<double> within, at_end;
};

Changes changes_over(double period, const Problem& problem, const std::vector<double>& y) {
    Changes changes{std::vector<double>(y.size(), 0.0), std::vector<double>(y.size(), 0.0)};
    for (const auto& state : conventional(problem, "dopri8", period, steps_a_period, 1, steps_a_period, y)) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            changes.at_end[i] = std::abs(state[i] - y[i]);
            changes.within[i] = larger(changes.within[i], changes.at_end[i]);
        }
    }
    return changes;
}

/// The largest component of the change over a period.
double change_after(double period, const Problem& problem, const std::vector<double>& y) {
    return largest(changes_over(period, problem, y).at_end);
}

// --- Families (ii) and (iii) ----------------------------------------------------------------------------------------

void add_pendulum(Result& result, Picture& picture) {
    const auto eps = Scan::negative_powers("eps", {8, 10, 12, 14});
    const auto changes = [](double value) {
        return changes_over(2 * pi * value, Pendulum{}.vibrated(1 / value, 1.0), {0.5, 0.3});
    };
    const auto q =
        measured_column(result, eps, "(13): q within a period", [&](double e) { return changes(e).within[0]; });
    const auto p =
        measured_column(result, eps, "(13): p within a period", [&](double e) { return changes(e).within[1]; });
    const auto end =
        measured_column(result, eps, "(13): at its end", [&](double e) { return largest(changes(e).at_end); });
    claim_exponent(result, p, 0, "(ii): within a period p changes by O(1): exponent of eps, inverted pendulum");
    claim_exponent(result, q, 1, "(ii): within a period q changes by O(eps): exponent of eps, inverted pendulum");
    claim_exponent(result, end, 1, "at the end of the period both are O(eps) away from where they were");
    picture.curves.insert(picture.curves.end(), {p, q, end});
}

void add_oscillator(Result& result, Picture& picture) {
    const auto eps = Scan::negative_powers("eps", {8, 10, 12, 14});
    const auto changes = [](double value) { return changes_over(2 * pi, van_der_pol(value), {0.5, 0.5}); };
    const auto within =
        measured_column(result, eps, "(17): within a period", [&](double e) { return largest(changes(e).within); });
    const auto end =
        measured_column(result, eps, "(17): at its end", [&](double e) { return largest(changes(e).at_end); });
    claim_exponent(result, within, 0, "(iii): within a period y changes by O(1): exponent of eps, van der Pol");
    claim_exponent(result, end, 1, "at its end it is O(eps) away from where it was");
    picture.curves.insert(picture.curves.end(), {within, end});
}

// --- Family (iv) ----------------------------------------------------------------------------------------------------

using Orbit = std::vector<double>;
const std::array<Orbit, 3> orbits{{{1, 0, 0, 1}, {1, 0, 0, 1.1}, {0.9, 0.3, -0.4, 0.8}}};
const Orbit elliptic = orbits[1];

Problem in_its_own_time(double eps) {
    return kepler_system(eps, [](const auto&, const auto&, const auto&, const auto&) { return 1.0; });
}

/// |v|^2/2 - mu/r.
double energy(const Orbit& y, double mu) {
    return (y[2] * y[2] + y[3] * y[3]) / 2 - mu / std::hypot(y[0], y[1]);
}
double period_of(const Orbit& y) {
    return 2 * pi * std::pow(-2 * energy(y, 1), -1.5);
}

void add_periods(Result& result) {
    double own = 0;
    double stretched = 0;
    for (const auto& y : orbits) {
        own = larger(own, change_after(period_of(y), in_its_own_time(0), y));
        stretched = larger(stretched, change_after(2 * pi, perturbed_kepler(0), y));
    }
    constexpr double returned = 1e-10;
    const double printed = 2 * pi * std::pow(-2 * energy(elliptic, 2), 1.5) / period_of(elliptic);
    result.claims.push_back(
        {"(iv): the period of (18) without perturbation is T = 2 pi (-2E)^(3/2) with E = |v|^2/2 - 2/r: over the time "
         "of return, from x = (1, 0), v = (0, 1.1)",
         printed, std::abs(printed - 1) < 1e-6, Source::paper,
         "The energy is E = |v|^2/2 - 1/r and the period T = 2 pi (-2E)^(-3/2): both stand otherwise in print."});
    result.claims.push_back(
        {"with E = |v|^2/2 - 1/r and T = 2 pi (-2E)^(-3/2) three orbits return: largest distance from their starts",
         own, own < returned, Source::lento});
    const double lambda = std::pow(-2 * energy(elliptic, 1), -1.5);
    const double fictitious = lambda * period_of(elliptic) / (2 * pi);
    result.claims.push_back(
        {"the fictitious time is tau = lambda s, lambda = (-2E)^(-3/2): the period in it over 2 pi, the same orbit",
         fictitious, std::abs(fictitious - 1) < 1e-6, Source::paper,
         "The fictitious time of (19) is tau = s/lambda; (19) itself is right."});
    result.claims.push_back(
        {"all solutions of (19) of negative energy are 2 pi-periodic without perturbation: largest distance of three "
         "from their starts",
         stretched, stretched < returned});
}

void add_kepler(Result& result, Picture& picture) {
    const auto eps = Scan::negative_powers("eps", {8, 10, 12, 14});
    const auto stretched = measured_column(
        result, eps, "(19): over 2 pi", [](double e) { return change_after(2 * pi, perturbed_kepler(e), elliptic); });
    const auto own = measured_column(result, eps, "(18): over 2 pi",
                                     [](double e) { return change_after(2 * pi, in_its_own_time(e), elliptic); });
    claim_exponent(result, stretched, 1,
                   "averaging is applicable to (19): its map over 2 pi is O(eps) from the identity");
    claim_exponent(result, own, 0, "but not to (18): its map is O(1) from the identity");
    picture.curves.insert(picture.curves.end(), {stretched, own});
}

Result families() {
    Result result;
    auto picture = log_log("Section 2: changes of the state", "eps", "largest change of a component", {});
    add_pendulum(result, picture);
    add_oscillator(result, picture);
    add_kepler(result, picture);
    add_periods(result);
    picture.curves.push_back(power_line("eps", {std::pow(2.0, -14), std::pow(2.0, -8)}, std::pow(2.0, -16), 1));
    result.pictures.push_back(std::move(picture));
    return result;
}

}  // namespace

std::vector<Reproduction> stroboscopic_families() {
    return {{"stroboscopic/section-2", "Families of oscillatory problems: how much they change in a period",
             "stroboscopic",
             "(13): " + pendulum_parameters() +
                 ", theta_0 = 1, from q = 0.5, p = 0.3; (17): from q = p = 0.5; (18), (19): from x = (1, 0), v = (0, "
                 "1.1), periods also from v = (0, 1) and from x = (0.9, 0.3), v = (-0.4, 0.8). One period in 128 steps "
                 "of order 8.",
             families}};
}

}  // namespace lento::papers
