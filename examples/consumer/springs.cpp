// Two masses on two stiff springs: a double pendulum without gravity that gives a little.
#include <cstdio>
#include <lento/lento.hpp>

int main() {
    const double omega = 1e6;
    const auto no_force = [](auto, auto, auto, auto f) { f[0] = f[1] = f[2] = f[3] = 0; };
    const auto springs = lento::stiff_system(4, no_force, {omega, omega}, [](auto q, auto, auto g) {
        g[0] = hypot(q[0], q[1]) - 1;
        g[1] = hypot(q[0] - q[2], q[1] - q[3]) - 1;
    });
    const auto solution =
        lento::solve(springs, {.start = {1, 0, 2, 0}, .velocity = {0, -0.5, 0, 0.5}, .t_end = 10, .method = "ipa"});
    const auto end = solution.slow(10).position;
    std::printf("(%.4f, %.4f) and (%.4f, %.4f), %lld force evaluations\n", end[0], end[1], end[2], end[3],
                static_cast<long long>(solution.statistics().force_evaluations));
    return solution.outcome() == lento::Outcome::completed ? 0 : 1;
}
