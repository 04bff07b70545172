// An ion in a trap: a field that turns over fast holds it in both directions, though at no moment it does so in more than one.
#include <cstdio>
#include <string>
#include <vector>

#include <lento/lento.hpp>

int main() {
    const double mass = 2, omega = 1e5, strength = 4;
    const auto force = [=](auto x, auto v, auto, auto theta, auto f) {
        const auto field = mass * strength * omega * cos(theta);
        f[0] = field * x[0] - 0.1 * v[0];
        f[1] = -field * x[1] - 0.1 * v[1];
    };
    const auto trap = lento::vibrated_system(2, omega, force)
                          .with_mass(lento::Mass::diagonal(std::vector{mass, mass}))
                          .with_names({"x", "y"})
                          .with_phase_start({0.5});
    const auto solution = lento::solve(trap, {.start = {1, 0.5}, .velocity = {0, 1}, .t_end = 2});

    for (const double t : {0.5, 1.0, 2.0}) {
        const auto slow = solution.slow(t), fast = solution.fast(t);
        std::printf("t = %.1f  slow (%+.5f, %+.5f)  true (%+.5f, %+.5f)  true velocity (%+.3f, %+.3f)\n", t,
                    slow.position[0], slow.position[1], fast.position[0], fast.position[1], fast.velocity[0],
                    fast.velocity[1]);
    }
    const auto& record = solution.record();
    std::printf("method %s, asked for as %s; slow means %s\n", record.method.c_str(), record.requested_method.c_str(),
                record.slow_is.c_str());
    for (const auto& option : record.options) {
        std::printf("  %s = %s\n", option.name.c_str(), option.value.c_str());
    }
    for (std::size_t i = 0; i < record.error_estimate.size(); ++i) {
        std::printf("  error of %s below %.1e\n", (trap.names[i % 2] + (i < 2 ? "" : "_dot")).c_str(),
                    record.error_estimate[i]);
    }
    for (const std::string& warning : solution.warnings()) {
        std::printf("warning: %s\n", warning.c_str());
    }
    const auto& cost = solution.statistics();
    std::printf("%s at t = %g: %ld steps, %ld force evaluations, %.2g s\n", lento::name_of(solution.outcome()).data(),
                record.t_end, static_cast<long>(cost.macro_steps), static_cast<long>(cost.force_evaluations),
                cost.wall_seconds);
    return solution.outcome() == lento::Outcome::completed ? 0 : 1;
}
