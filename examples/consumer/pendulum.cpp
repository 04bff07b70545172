#include <cstdio>

#include <lento/lento.hpp>

int main() {
    const double l = 0.2, g = 9.8, v_max = 4, omega = 1e6;
    auto pendulum = lento::vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
        f[0] = (g + v_max * omega * cos(theta)) / l * sin(x[0]);
    });
    auto solution = lento::solve(pendulum, {.start = {0.5}, .velocity = {0.0}, .t_end = 1.0, .rtol = 1e-6});

    for (double t : {0.25, 0.5, 0.75, 1.0}) {
        std::printf("t = %.2f  slow %+.6f  true %+.6f\n", t, solution.slow(t).position[0],
                    solution.fast(t).position[0]);
    }
    std::printf("%s after %ld force evaluations\n", lento::name_of(solution.outcome()).data(),
                static_cast<long>(solution.statistics().force_evaluations));
}
