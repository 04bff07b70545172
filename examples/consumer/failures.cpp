// What goes wrong before a run is an exception, what goes wrong in it an outcome; both say what to do.
#include <cstdio>

#include <lento/lento.hpp>

int main() {
    const auto pendulum = [](double omega, double bias) {
        return lento::vibrated_system(1, omega,
                                      [=](auto x, auto, auto, auto theta, auto f) {
                                          f[0] = 49 * sin(x[0]) + omega * (bias + 20 * cos(theta)) * sin(x[0]);
                                      })
            .with_names({"q"});
    };
    const auto attempt = [&](double omega, double bias, const lento::Request& request) {
        try {
            const auto solution = lento::solve(pendulum(omega, bias), request);
            std::printf("%s at t = %g after %ld evaluations: %s\n\n", lento::name_of(solution.outcome()).data(),
                        solution.record().t_end, static_cast<long>(solution.statistics().force_evaluations),
                        solution.explanation().c_str());
        } catch (const lento::Misuse& misuse) {
            std::printf("misuse: %s\n\n", misuse.what());
        }
    };
    attempt(1e5, 0, {.start = {0.5}, .t_end = 1, .method = "hmm-asynch"});
    attempt(1e5, 0, {.start = {0.5}, .t_end = 1, .method = "direct", .options = {.filter = "cos8"}});
    attempt(1e5, 0, {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.macro = "rk4"}});
    attempt(1e5, 0, {.start = {0.5, 0.1}, .t_end = 1});
    attempt(1e5, 5, {.start = {0.5}, .t_end = 1, .method = "hmm-async"});  // a fast force with a mean
    attempt(200, 0, {.start = {0.5}, .t_end = 0.1, .method = "hmm-async", .options = {.filter = "cos8"}});
    attempt(1e5, 0, {.start = {0.5}, .t_end = 1, .method = "hmm-async", .options = {.macro_step = 0.3}});
    attempt(1e5, 0, {.start = {0.5}, .t_end = 1, .method = "direct", .most_steps = 1000});
    attempt(1e5, 0, {.start = {0.5}, .t_end = 1});
}
