#include <cmath>
#include <cstdio>

#include <lento/lento.hpp>

int main() {
    const double eps = 1e-3;
    const auto whole = lento::first_order_system(2, [=](auto y, auto, auto rate) {
        rate[0] = y[1];
        rate[1] = -y[0] + eps * (1 - y[0] * y[0]) * y[1];
    });
    const auto oscillator = lento::split(whole.with_period(2 * M_PI), lento::OscillatorFlow({{0, 1, 1.0}}));
    const auto solution = lento::solve(oscillator, {.start = {0.5, 0.5}, .t_end = 1e5, .method = "multirevolution"});
    const auto& y = solution.final_state().position;
    std::printf("amplitude %.4f after %ld evaluations\n", std::hypot(y[0], y[1]),
                static_cast<long>(solution.statistics().force_evaluations));
}
