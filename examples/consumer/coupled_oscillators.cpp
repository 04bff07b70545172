// Two van der Pol oscillators in resonance: their amplitudes and what their phases differ by are slow. The difference is seen in two ways,
// of which now the one and now the other tells it better.
#include <cstdio>

#include <lento/lento.hpp>

int main() {
    const double eps = 1e-4, coupling = 0.5, detuning = 0.3;
    const auto pair = lento::first_order_system(4, [=](auto y, auto, auto rate) {
        rate[0] = y[1] / eps;
        rate[1] = -y[0] / eps + (1 - y[0] * y[0]) * y[1] + coupling * (y[3] - y[1]);
        rate[2] = y[3] / eps;
        rate[3] = -y[2] / eps + (1 - y[2] * y[2]) * y[3] + coupling * (y[1] - y[3]) - detuning * y[2];
    });
    const auto variables = [](auto y, auto xi) {
        xi[0] = y[0] * y[0] + y[1] * y[1];
        xi[1] = y[2] * y[2] + y[3] * y[3];
        xi[2] = y[0] * y[2] + y[1] * y[3];  // phi
        xi[3] = y[0] * y[3] - y[1] * y[2];  // its alternative, psi
    };
    const auto slow = lento::slow_system(pair.with_period(2 * M_PI * eps), {{"I1"}, {"I2"}, {"phi", "psi"}}, variables);
    bool completed = true;
    for (const char* method : {"reversible", "multirevolution"}) {  // the second needs no slow variables
        const auto solution =
            lento::solve(slow, {.start = {1, 0, 0.3, 0.4}, .t_end = 3, .method = method, .rtol = 1e-3});
        double xi[4];
        variables(solution.final_state().position, xi);
        std::printf("%-15s I1 %.4f, I2 %.4f, phi %.4f, psi %.4f; %s after %ld evaluations\n", method, xi[0], xi[1],
                    xi[2], xi[3], lento::name_of(solution.outcome()).data(),
                    static_cast<long>(solution.statistics().force_evaluations));
        completed = completed && solution.outcome() == lento::Outcome::completed;
    }
    return completed ? 0 : 1;
}
