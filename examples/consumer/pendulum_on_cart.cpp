// A pendulum upside down on a cart, on a track that vibrates up and down: masses depend on the angle.
#include <cmath>
#include <cstdio>

#include <lento/lento.hpp>

int main() {
    const double cart = 0.5, bob = 0.1, l = 0.3, k = 2, g = 9.8, v_max = 6, omega = 1e5;
    const auto force = [=](auto x, auto v, auto, auto theta, auto f) {
        f[0] = bob * l * sin(x[1]) * v[1] * v[1] - k * x[0];
        f[1] = bob * l * (g + v_max * omega * cos(theta)) * sin(x[1]);
    };
    const auto masses = [=](auto x, auto, auto M) {
        M(0, 0) = cart + bob;
        M(0, 1) = bob * l * cos(x[1]);  // and so is M(1, 0)
        M(1, 1) = bob * l * l;
    };
    const auto system = lento::vibrated_system(2, omega, force).with_mass(lento::Mass::function(2, masses));

    const auto solution = lento::solve(system, {.start = {0, 0.4}, .t_end = 3});
    for (double t : {1.0, 2.0, 3.0}) {
        const auto state = solution.fast(t);
        std::printf("t = %.0f  cart %+.6f  angle %+.6f\n", t, state.position[0], state.position[1]);
    }
    std::printf("%s by %s\n", lento::name_of(solution.outcome()).data(), solution.record().method.c_str());
}
