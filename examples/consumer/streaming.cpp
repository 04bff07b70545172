// A million samples of a long run, none of them kept.
#include <algorithm>
#include <cstdio>
#include <span>

#include <lento/lento.hpp>

int main() {
    const double omega = 1e6;
    const auto pendulum = lento::vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
        f[0] = (9.8 + 4 * omega * cos(theta)) / 0.2 * sin(x[0]);
    });
    double largest = 0, mean_square = 0;
    std::size_t samples = 0;
    lento::Request request{.start = {0.5}, .t_end = 50, .method = "hmm-async", .samples = 1'000'001};
    request.sink = [&](double t, std::span<const double> y) {
        const auto state = lento::snapshot_of(t, y, 1, 0);  // of 1 coordinate and 0 constraints
        largest = std::max(largest, state.position[0]);
        mean_square += state.velocity[0] * state.velocity[0] / static_cast<double>(request.samples);
        ++samples;
    };
    request.keep = lento::Recorder::Keep::nothing;
    const auto solution = lento::solve(pendulum, request);

    std::printf("%zu samples: largest angle %.4f, mean square of the slow velocity %.3f\n", samples, largest,
                mean_square);
    std::printf("at the end %.4f; %s after %ld force evaluations\n", solution.final_state().position[0],
                lento::name_of(solution.outcome()).data(), static_cast<long>(solution.statistics().force_evaluations));
    try {
        solution.slow(25);
    } catch (const lento::Misuse& misuse) {
        std::printf("%s\n", misuse.what());
    }
}
