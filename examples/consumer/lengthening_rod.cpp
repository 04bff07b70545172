// A pendulum upside down on a vibrating pivot, while its rod becomes longer: a constraint that moves.
#include <cmath>
#include <cstdio>
#include <vector>

#include <lento/lento.hpp>

int main() {
    const double omega = 1e5, l0 = 0.1, rate = 0.02;
    const auto free = lento::vibrated_system(2, omega, [=](auto, auto, auto, auto theta, auto f) {
        f[0] = 0;
        f[1] = -9.8 - 4 * omega * cos(theta);
    });
    const auto rod = [=](auto x, auto t, auto values) {
        const auto l = l0 + rate * t;
        values[0] = x[0] * x[0] + x[1] * x[1] - l * l;
    };
    const auto pendulum = lento::constrained(free, 1, rod).with_constraint_names({"rod"});
    const std::vector<double> direction{std::sin(0.3), std::cos(0.3)};
    lento::Request request{.start = {l0 * direction[0], l0 * direction[1]}, .t_end = 2};

    const auto at_rest = lento::solve(pendulum, request);  // a mass at rest would leave the end of its rod
    std::printf("%s: %s\n", lento::name_of(at_rest.outcome()).data(), at_rest.explanation().c_str());

    request.velocity = {rate * direction[0], rate * direction[1]};
    const auto solution = lento::solve(pendulum, request);
    for (const double t : {0.5, 1.0, 2.0}) {
        const auto slow = solution.slow(t), fast = solution.fast(t);
        const double l = l0 + rate * t;
        std::printf("t = %.1f  angle %+.4f  mean pull %+.3f  pull now %+.0f  true length off by %.0e\n", t,
                    std::atan2(slow.position[0], slow.position[1]), 2 * l * slow.total_multipliers[0],
                    2 * l * fast.multipliers[0], std::hypot(fast.position[0], fast.position[1]) - l);
    }
    std::printf("%s, by %s\n", lento::name_of(solution.outcome()).data(), solution.record().method.c_str());
    return solution.outcome() == lento::Outcome::completed ? 0 : 1;
}
