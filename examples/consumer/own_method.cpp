/// A method of one's own, in one file: the mean force over the phase, with the response of the motion to the phase in leading order
/// (one sweep of `lento/average/harmonic.hpp`), marched by any solver. The start is taken as averaged.
#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <utility>

#include <lento/average/harmonic.hpp>
#include <lento/average/phase_field.hpp>
#include <lento/lento.hpp>

const lento::MethodDescription leading_order_description{
    .name = "leading-order",
    .problems = "vibrated",
    .paper = "",
    .slow_is = "averaged",
    .summary = "the mean over nine phases, with the response in leading order",
    .options = {
        {"macro", "verlet with macro_step or steps, else dopri5"}, {"macro_step", "adaptive"}, {"steps", "adaptive"}}};

template <class System>
lento::Solution leading_order(const System& system, const lento::Request& given) {
    const auto request = lento::checked(given, system.dimension());
    lento::require_options_apply(request.options, leading_order_description);
    lento::CoordinatesField<System> field(system);
    lento::HarmonicAverage average(field, 9);
    const lento::AveragedAcceleration force = [&](double t, std::span<const double> x, std::span<const double> v,
                                                  std::span<double> a) {
        average.sweep(1, t, x, v);
        std::copy(average.force().begin(), average.force().end(), a.begin());
    };
    const auto macro = lento::macro_choice(request.options, {request.t_start, request.t_end}, lento::free_solvers());
    auto marched = lento::march_macro(macro, force, request, request.start, request.velocity);
    lento::RunRecord record{.method = leading_order_description.name,
                            .requested_method = request.method,
                            .slow_is = leading_order_description.slow_is,
                            .outcome = marched.result.outcome,
                            .explanation = marched.result.explanation,
                            .t_end = marched.result.reached};
    record.statistics.macro_steps = marched.result.steps;
    record.statistics.force_evaluations = field.evaluations();
    return {std::move(record), std::move(marched.trajectory), std::move(marched.final_state), {}};
}

int main() {
    const double l = 0.2, g = 9.8, v_max = 4;
    // What somebody would find on paper, in the limit of large omega: vibrated (2.5).
    const auto limit = lento::oscillating_system(1, 1e-6, [=](auto x, auto, auto, auto f) {
        f[0] = (g / l - v_max * v_max / (2 * l * l) * cos(x[0])) * sin(x[0]);
    });
    const lento::Request request{.start = {0.5}, .t_end = 1, .rtol = 1e-9, .atol = 1e-12};
    const double expected = lento::direct(limit, request).slow(1).position[0];
    for (const double omega : {1e4, 1e6, 1e8}) {
        const auto pendulum = lento::vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
            f[0] = (g + v_max * omega * cos(theta)) / l * sin(x[0]);
        });
        const auto run = leading_order(pendulum, request);
        std::printf("omega = %g: %s after %ld evaluations, %.1e from the limit\n", omega,
                    lento::name_of(run.outcome()).data(), static_cast<long>(run.statistics().force_evaluations),
                    run.slow(1).position[0] - expected);
    }
}
