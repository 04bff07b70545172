#include <cmath>
#include <cstdio>
#include <vector>

#include <lento/lento.hpp>

int main() {
    const double m1 = 0.01, m2 = 0.005, l1 = 0.2, l2 = 0.1, g = 9.8, v_max = 4, omega = 1e6;
    const auto free = lento::vibrated_system(4, omega, [=](auto, auto, auto, auto theta, auto f) {
        f[0] = f[2] = 0.0;
        f[1] = -m1 * (g + v_max * omega * cos(theta));
        f[3] = -m2 * (g + v_max * omega * cos(theta));
    });
    const auto masses = lento::Mass::diagonal(std::vector<double>{m1, m1, m2, m2});
    const auto rods = [=](auto x, auto, auto values) {
        values[0] = x[0] * x[0] + x[1] * x[1] - l1 * l1;
        values[1] = (x[2] - x[0]) * (x[2] - x[0]) + (x[3] - x[1]) * (x[3] - x[1]) - l2 * l2;
    };
    const auto pendulum = lento::constrained(free.with_mass(masses), 2, rods).with_constraint_names({"lower", "upper"});

    const double x = l1 * std::sin(0.5), y = l1 * std::cos(0.5);
    auto solution = lento::solve(pendulum, {.start = {x, y, x, y + l2}, .t_end = 0.5, .method = "rattle-shake"});
    for (double t : {0.1, 0.3, 0.5}) {
        const auto slow = solution.slow(t);
        std::printf("t = %.1f  lower rod %+.4f rad, pull %+.4f N\n", t, std::atan2(slow.position[0], slow.position[1]),
                    2 * l1 * slow.total_multipliers[0]);
    }
    std::printf("%s after %ld force evaluations\n", lento::name_of(solution.outcome()).data(),
                static_cast<long>(solution.statistics().force_evaluations));
}
