// The same run by several methods: what each costs, how far off it is, and whether it knows.
#include <cmath>
#include <cstdio>
#include <string>

#include <lento/lento.hpp>

int main() {
    const double omega = 1e4;
    const auto pendulum = lento::vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
        f[0] = (9.8 + 4 * omega * cos(theta)) / 0.2 * sin(x[0]);
    });
    const auto run = [&](const std::string& method, double rtol, const lento::Options& options) {
        return lento::solve(
            pendulum,
            {.start = {0.5}, .t_end = 1, .method = method, .rtol = rtol, .atol = rtol / 100, .options = options});
    };
    const double truth = run("direct", 1e-11, {}).final_state().position[0];

    lento::Options from_text;  // as --option NAME=VALUE does
    lento::set_option(from_text, "macro", "rk4");
    lento::set_option(from_text, "steps", "200");

    struct Case {
        std::string method;
        double rtol;
        lento::Options options{};
    };
    for (const Case& one : {Case{"harmonic", 1e-4}, Case{"harmonic", 1e-8}, Case{"multirevolution", 1e-6},
                            Case{"hmm-async", 1e-6}, Case{"hmm-async", 1e-6, from_text},
                            Case{"hmm-sync", 1e-6, {.steps = 200, .micro = "verlet8", .filter = "cos8"}}}) {
        const auto solution = run(one.method, one.rtol, one.options);
        const auto& estimate = solution.record().error_estimate;
        std::printf("%-16s rtol %.0e  error %.1e  estimated %.1e  %6ld evaluations, %s\n", one.method.c_str(), one.rtol,
                    std::abs(solution.fast(1).position[0] - truth), estimate.empty() ? NAN : estimate[0],
                    static_cast<long>(solution.statistics().force_evaluations),
                    lento::name_of(solution.outcome()).data());
    }
}
