// A run that is stopped on its way, and one that goes on from where it stood.
#include <cstdio>
#include <stop_token>

#include <lento/lento.hpp>

int main() {
    const double omega = 1e6;
    const auto pendulum = lento::vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
        f[0] = (9.8 + 4 * omega * cos(theta)) / 0.2 * sin(x[0]);
    });
    std::stop_source source;   // may also be asked by another thread
    const double rtol = 1e-3;  // what windows neglect, O(1/omega), adds up over ten units of time
    lento::Request request{
        .start = {0.5}, .t_end = 10, .method = "hmm-async", .rtol = rtol, .stop = source.get_token()};
    request.progress = [&](double t) {
        if (t > 4) {
            source.request_stop();
        }
    };
    const auto first = lento::solve(pendulum, request);
    const auto there = first.fast(first.record().t_end);  // the true state, with which a run begins
    std::printf("%s at t = %.3f; at t = 2 it was %.5f\n", lento::name_of(first.outcome()).data(), there.t,
                first.slow(2).position[0]);

    const auto second = lento::solve(pendulum, {.start = there.position,
                                                .velocity = there.velocity,
                                                .t_start = there.t,
                                                .t_end = 10,
                                                .method = "hmm-async",
                                                .rtol = rtol});
    const auto whole = lento::solve(pendulum, {.start = {0.5}, .t_end = 10, .method = "hmm-async", .rtol = rtol});
    std::printf("%s at t = %.3f: %.5f, and in one go %.5f\n", lento::name_of(second.outcome()).data(),
                second.final_state().t, second.final_state().position[0], whole.final_state().position[0]);
}
