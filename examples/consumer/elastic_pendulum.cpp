// A pendulum on a stiff spring: its slow motion without micro-steps, and the tension of the spring at the start.
#include <cmath>
#include <cstdio>
#include <vector>

#include <lento/lento.hpp>
#include <lento/method/slow_point.hpp>

int main() {
    const double mass = 0.5, stiffness = 1e8;
    const auto weight = [=](auto, auto, auto, auto f) {
        f[0] = 0;
        f[1] = -mass * 9.8;
    };
    const auto elongation = [](auto q, auto, auto g) { g[0] = hypot(q[0], q[1]) - 1; };
    // The frequency is the root of the stiffness, whatever the mass: the true one is found.
    const auto pendulum = lento::stiff_system(2, weight, {std::sqrt(stiffness)}, elongation)
                              .with_mass(lento::Mass::diagonal(std::vector{mass, mass}));
    const lento::Request request{
        .start = {0.6, -0.8}, .velocity = {0.8, 0.6}, .t_end = 3, .method = "bounded-derivative", .rtol = 1e-8};

    const auto point = lento::slow_point(pendulum, request, lento::Extrapolation::none);
    std::printf("slow point (%.10f, %.10f): the spring is %.3e longer, and pulls with %.6f\n", point.position[0],
                point.position[1], point.elongations[0], point.multipliers[0]);

    const auto solution = lento::solve(pendulum, request);
    for (const double t : {1.0, 2.0, 3.0}) {
        const auto slow = solution.slow(t);
        std::printf("t = %.0f  (%+.7f, %+.7f)\n", t, slow.position[0], slow.position[1]);
    }
    const auto& record = solution.record();
    std::printf("%s by %s, %s; error below %.1e, %ld slow evaluations; fast motion: %s\n",
                lento::name_of(record.outcome).data(), record.method.c_str(), record.slow_is.c_str(),
                record.error_estimate.at(0), static_cast<long>(record.statistics.slow_evaluations),
                solution.has_fast() ? "known" : "taken out");
    return record.outcome == lento::Outcome::completed ? 0 : 1;
}
