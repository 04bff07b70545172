/// Section 6.1 of the paper stroboscopic: half-explicit Runge-Kutta methods, and the one-period map on constraints.
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "base/number.hpp"
#include "double_pendulum.hpp"
#include "lento/lento.hpp"
#include "one_period.hpp"
#include "power_law.hpp"
#include "reproduction.hpp"
#include "stroboscopic_runs.hpp"

namespace lento::papers {
namespace {

constexpr double pi = std::numbers::pi;
const Chain pendulum = double_pendulum();

/// How far a state is off the rods' lengths and velocities.
double off_the_rods(std::span<const double> state) {
    const std::size_t d = state.size() / 2;
    double off = 0;
    for (std::size_t j = 0; j < pendulum.links(); ++j) {
        double length = 0;
        double rate = 0;
        for (std::size_t c = 2 * j; c < 2 * j + 2; ++c) {
            const double x = state[c] - (j > 0 ? state[c - 2] : 0.0);
            const double u = state[d + c] - (j > 0 ? state[d + c - 2] : 0.0);
            length += x * x;
            rate += x * u;
        }
        off = larger(off, larger(std::abs(length - pendulum.lengths[j] * pendulum.lengths[j]), std::abs(rate)));
    }
    return off;
}

Result half_explicit() {
    Result result;
    constexpr std::int64_t periods = 16;
    constexpr double eps = 1.0 / 1024;
    const auto exact = conventional(in_angles(1 / eps), "dopri8", 2 * pi * eps, 128, periods, 1, {0.5, 0, 0, 0})[0];
    double off = 0;
    const auto order = measured_column(
        result, Scan::parts("n", 2 * pi, {16, 32, 64, 128}), "HERK3, largest error of an angle", [&](double step) {
            const auto n = std::lround(2 * pi / step);
            const auto states = conventional(pendulum.vibrated(1 / eps), "herk3", 2 * pi * eps, n, periods,
                                             static_cast<std::size_t>(n * periods), start_on_rods());
            for (const auto& state : states) {
                off = larger(off, off_the_rods(state));
            }
            return larger(std::abs(pendulum.angle(states.back(), 0) - exact[0]),
                          std::abs(pendulum.angle(states.back(), 1) - exact[1]));
        });
    claim_exponent(result, order, 3, "HERK3 is of order 3: exponent of h, 16 periods, eps = 2^-10");
    result.claims.push_back(
        {"(46), (48): every step ends on the constraints (39), (40): largest residual", off, off < 1e-12});

    double off_after = 0;
    const auto change =
        measured_column(result, Scan::negative_powers("eps", {10, 12, 14, 16}), "change over a period", [&](double e) {
            const auto after = OnePeriod(pendulum.vibrated(1 / e), 2 * pi * e, "herk4").after(1, start_on_rods());
            off_after = larger(off_after, off_the_rods(after));
            return largest_change(after, start_on_rods());
        });
    claim_exponent(
        result, change, 1,
        "there is an averaged system (41) to (44): the one-period map is O(eps) from the identity: exponent");
    result.claims.push_back({"on the same constraints: largest residual after a period", off_after, off_after < 1e-12});
    result.pictures.push_back(log_log("Section 6.1: HERK3 on the double pendulum", "Delta tau",
                                      "largest error of an angle",
                                      {order, power_line("third order", order.x, 0.4 * order.y.front(), 3)}));
    return result;
}

}  // namespace

std::vector<Reproduction> stroboscopic_half_explicit() {
    return {
        {"stroboscopic/section-6.1", "Constrained systems: the half-explicit method and the one-period map",
         "stroboscopic",
         double_pendulum_parameters() +
             "; omega = 1/eps. HERK3 with h = 2 pi eps/n against the angles in 128 steps of order 8 a period; the map "
             "in 128 steps of the half-explicit method of order 4.",
         half_explicit}};
}

}  // namespace lento::papers
