#include <cstdio>

#include <lento/lento.hpp>

int main() {
    const double eps = 1e-4;
    auto spiral = lento::first_order_system(2, [=](auto z, auto t, auto rate) {
                      (void)t;
                      rate[0] = -z[1] / eps + z[0];
                      rate[1] = z[0] / eps + z[1];
                  }).with_period(6.283185307179586 * eps);
    auto slow = lento::slow_system(spiral, {{"r2"}}, [](auto z, auto xi) { xi[0] = z[0] * z[0] + z[1] * z[1]; });
    auto solution = lento::solve(slow, {.start = {1, 0}, .t_end = 1, .method = "reversible"});
    const auto& z = solution.final_state().position;
    std::printf("r2 = %.4f, e^2 = 7.3891, %lld evaluations\n", z[0] * z[0] + z[1] * z[1],
                static_cast<long long>(solution.statistics().force_evaluations));
    return solution.outcome() == lento::Outcome::completed ? 0 : 1;
}
