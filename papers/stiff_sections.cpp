/// Sentences of the paper stiff outside its experiments: the strong spring of section 2, the oscillators of section 5.
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/lento.hpp"
#include "plain_run.hpp"
#include "reproduction.hpp"
#include "slope.hpp"

namespace lento::papers {
namespace {

Request resolved(std::vector<double> start, std::vector<double> velocity, double t_end) {
    return {.start = std::move(start),
            .velocity = std::move(velocity),
            .t_end = t_end,
            .method = "direct",
            .rtol = 1e-11,
            .atol = 1e-13,
            .options = {.macro = "ode113"},
            .keep = Recorder::Keep::everything};
}

double radius(const Snapshot& state) {
    return std::hypot(state.position[0], state.position[1]);
}

/// Example 2: a unit mass on a spring of unit length and frequency omega in the plane.
Result section_2() {
    Result result;
    const std::vector<double> omegas{100, 200, 400};
    std::vector<double> amplitudes, centres;
    for (const double omega : omegas) {
        const auto spring = oscillating_system(2, 2 * std::numbers::pi / omega, [omega](auto q, auto, auto, auto f) {
            const auto r = hypot(q[0], q[1]);
            const auto pull = omega * omega * (r - 1) / r;
            f[0] = -pull * q[0];
            f[1] = -pull * q[1];
        });
        const auto run = plain_run(spring, resolved({1 + 1 / omega, 0}, {0, 1}, 1));
        double least = HUGE_VAL;
        double most = 0;
        for (int n = 0; n <= 4000; ++n) {
            const double r = radius(run.slow(n / 4000.0));
            least = std::min(least, r);
            most = larger(most, r);
        }
        amplitudes.push_back((most - least) / 2);
        centres.push_back((most + least) / 2 - 1);
        const std::string label = fmt::format("{:.0f}", omega);
        result.rows.push_back({label, "amplitude of r", {}, amplitudes.back()});
        result.rows.push_back({label, "centre of r - 1", {}, centres.back()});
    }
    const double first = -slope(omegas, amplitudes);
    result.claims.push_back({"r oscillates with amplitude O(1/omega): order", first, std::abs(first - 1) < 0.1});
    const double second = -slope(omegas, centres);
    result.claims.push_back({"around r_0 = 1 + O(omega^-2): order", second, std::abs(second - 2) < 0.2});
    // The underlying system (7): r^2 changes linearly, whatever the start.
    const auto underlying = plain_system(2, [](auto q, auto v, auto, auto f) {
        const auto r2 = q[0] * q[0] + q[1] * q[1];
        const auto square = v[0] * v[0] + v[1] * v[1];
        f[0] = -square * q[0] / r2;
        f[1] = -square * q[1] / r2;
    });
    const auto spiral = plain_run(underlying, resolved({1.3, 0.2}, {0.05, 0.7}, 5));
    const auto r2 = [&](double t) { return std::pow(radius(spiral.slow(t)), 2); };
    double bent = 0;
    for (int n = 1; n < 50; ++n) {
        const double t = 0.1 * n;
        bent = larger(bent, std::abs(r2(t) - (r2(0) + (r2(5) - r2(0)) * t / 5)));
    }
    result.claims.push_back(
        {"solutions of the underlying system spiral with r^2 changing linearly with t: the largest "
         "departure",
         bent, bent < 1e-8});
    const auto circle = plain_run(underlying, resolved({1.3, 0}, {0, 0.7}, 5));
    const double off = std::abs(radius(circle.slow(5)) - 1.3);
    result.claims.push_back(
        {"all uniform circular motions are solutions of it, regardless of r: change of r = 1.3", off, off < 1e-9});
    return result;
}

constexpr const char* fast_factors =
    "The fast factors are cos((1 + psi) t) in q_1 and sin((1 + psi) t) in q_2, with psi as printed.";

/// Two weakly coupled oscillators.
Result section_5() {
    constexpr double eps = 0.01;
    const double psi = (std::sqrt(1 + 2 * eps) - 1) / 2;
    const auto coupled = plain_system(2, [](auto q, auto, auto, auto f) {
        f[0] = -q[0] - eps * (q[0] - q[1]);
        f[1] = -q[1] + eps * (q[0] - q[1]);
    });
    const double exchange = std::numbers::pi / (2 * psi);
    const auto run = plain_run(coupled, resolved({1, 0}, {0, 0}, exchange));
    std::array<double, 2> printed{}, corrected{};
    for (int n = 0; n <= 1000; ++n) {
        const double t = exchange * n / 1000;
        const auto& q = run.slow(t).position;
        printed[0] = larger(printed[0], std::abs(q[0] - std::cos(psi * t) * std::cos(t)));
        printed[1] = larger(printed[1], std::abs(q[1] - std::sin(psi * t) * std::cos(t)));
        corrected[0] = larger(corrected[0], std::abs(q[0] - std::cos(psi * t) * std::cos((1 + psi) * t)));
        corrected[1] = larger(corrected[1], std::abs(q[1] - std::sin(psi * t) * std::sin((1 + psi) * t)));
    }
    Result result;
    for (std::size_t i = 0; i < 2; ++i) {
        result.claims.push_back(
            {fmt::format("the solution is q_{} = {}(psi t) cos t: largest departure up to t = pi/(2 psi), "
                         "eps = 0.01",
                         i + 1, i == 0 ? "cos" : "sin"),
             printed[i], printed[i] < 1e-8, Source::paper, fast_factors});
        result.claims.push_back(
            {fmt::format("with the other factor: q_{}", i + 1), corrected[i], corrected[i] < 1e-8, Source::lento});
    }
    const auto end = run.slow(exchange);
    const double left = (std::pow(end.position[0], 2) + std::pow(end.velocity[0], 2)) / 2;
    result.claims.push_back(
        {"the energy moves to the second oscillator: what is left in the first, of 1/2, at t = "
         "pi/(2 psi)",
         left, left < 1e-3});
    result.claims.push_back({"in a time-scale O(1/eps): that time by eps", exchange * eps, exchange * eps < 4});
    result.claims.push_back({"psi is about eps/2: their ratio", psi / (eps / 2), std::abs(psi / (eps / 2) - 1) < 0.01});
    return result;
}

}  // namespace

std::vector<Reproduction> stiff_sections() {
    const std::string paper = "stiff";
    return {
        {"stiff/section-2", "A strong spring in the plane, and its underlying system", paper,
         "Example 2: omega = 100, 200, 400, from q = (1 + 1/omega, 0), p = (0, 1) to t = 1; the underlying system from "
         "(1.3, 0.2), (0.05, 0.7) and from a circle of radius 1.3 to t = 5. ode113 with rtol = 1e-11.",
         section_2},
        {"stiff/section-5", "Two weakly coupled oscillators", paper,
         "eps = 0.01, from q = (1, 0) at rest to t = pi/(2 psi); ode113 with rtol = 1e-11.", section_5}};
}

}  // namespace lento::papers
