// A satellite over an oblate earth for thirty days. How long a revolution takes nobody says: it is found, and carried along.
#include <cmath>
#include <cstdio>

#include <lento/lento.hpp>

int main() {
    const double mu = 398600.4418, radius = 6378.137, J2 = 1.08262668e-3, day = 86400;
    const double a = 7178.137, inclination = 50 * M_PI / 180;
    const auto satellite = lento::first_order_system(6, [=](auto y, auto, auto rate) {
        const auto square = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
        const auto pull = mu / (square * sqrt(square));
        const auto bulge = 1.5 * J2 * radius * radius / square;
        const auto tilt = 5 * y[2] * y[2] / square;
        rate[0] = y[3];
        rate[1] = y[4];
        rate[2] = y[5];
        rate[3] = -pull * y[0] * (1 + bulge * (1 - tilt));
        rate[4] = -pull * y[1] * (1 + bulge * (1 - tilt));
        rate[5] = -pull * y[2] * (1 + bulge * (3 - tilt));
    });
    const double speed = std::sqrt(mu / a);
    const auto solution =
        lento::solve(satellite, {.start = {a, 0, 0, 0, speed * std::cos(inclination), speed * std::sin(inclination)},
                                 .t_end = 30 * day,
                                 .method = "multirevolution",
                                 .rtol = 1e-5});
    for (const double t : {10 * day, 30 * day}) {
        const auto y = solution.fast(t).position;  // of a first-order system all unknowns are its position
        const double node = std::atan2(y[1] * y[5] - y[2] * y[4], y[0] * y[5] - y[2] * y[3]);
        std::printf("day %2.0f: (%.1f, %.1f, %.1f) km, node %.2f degrees, revolution %.3f\n", t / day, y[0], y[1], y[2],
                    node * 180 / M_PI, solution.slow(t).revolutions.value_or(NAN));
    }
    std::printf("%s after %ld evaluations, %.0f a revolution\n", lento::name_of(solution.outcome()).data(),
                static_cast<long>(solution.statistics().force_evaluations),
                static_cast<double>(solution.statistics().force_evaluations) /
                    solution.final_state().revolutions.value_or(NAN));
    return solution.outcome() == lento::Outcome::completed ? 0 : 1;
}
