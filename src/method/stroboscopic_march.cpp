/// The marches of methods on one-period maps.
#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "march/fixed.hpp"
#include "march/map_march.hpp"
#include "method/stroboscopic_run.hpp"
#include "step/half_explicit.hpp"

namespace lento {
namespace {

/// What a step times the slope of the field may be on the real axis (Hairer, Wanner, Solving ODEs II, section IV.2).
double stability_limit(std::string_view macro) {
    const bool second = macro == "midpoint" || macro == "rk2";
    const bool third = macro == "heun3" || macro == "rk3" || macro == "herk3";
    return second ? 2.0 : third ? 2.51 : macro == "dopri5" ? 3.3 : 2.78;
}

}  // namespace

SampleSink StroboscopicRun::sink() {
    if (!request().sink) {
        return {};
    }
    return [this, complete = completion(), y = std::vector<double>()](double t, In given) mutable {
        y.assign(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(d()));
        if (complete) {
            complete(t, y);
        }
        request().sink(t, y);
    };
}

Solution StroboscopicRun::follow_field(const MapField& given) {
    MapField field = given;
    MacroSolvers solvers = rate_solvers();
    if (ground_) {
        solvers.fixed = {"herk3", "herk4"};
        solvers.usual = "herk3";
    }
    const auto macro = macro_choice(options(), run_->interval(), solvers);
    const std::size_t extra = known_period() ? 0 : 1;
    std::vector<double> z(d() + 1), F(d() + 1), last_y, last_rate;
    double steepest = 0;
    double longest_move = 0;
    const FirstOrderRate rate = [&, onto = onto_constraints()](double t, In y, Out result) {
        std::copy_n(y.begin(), d(), z.begin());
        z[d()] = t;
        onto(t, std::span(z).first(d()));
        watch_micro_steps(z);
        field(*map_, z, F, onto);
        for (std::size_t i = 0; i < d(); ++i) {
            result[i] = F[i] / F[d()];
        }
        if (extra > 0) {
            result[d()] = 1 / F[d()];
        }
        if (macro.step && !last_y.empty()) {  // two evaluations tell a slope; of velocities by positions its root
            const std::size_t half = problem().second_order ? d() / 2 : d();
            const double apart = largest_change(y.first(half), last_y);
            const double change = largest_change(result.subspan(d() - half, half), In(last_rate).subspan(d() - half));
            if (apart > 0.1 * longest_move) {
                const double slope = change / apart;
                steepest = std::max(steepest, *macro.step * (problem().second_order ? std::sqrt(slope) : slope));
            }
            longest_move = std::max(longest_move, apart);
        }
        last_y.assign(y.begin(), y.end());
        last_rate.assign(result.begin(), result.end());
    };
    auto y = run_->start();
    y.resize(d() + extra, 0.0);
    Request sampled = request();
    sampled.sink = sink();
    run_->note(macro);
    auto marched = macro.name.starts_with("herk") ? march_half_explicit(macro, rate, std::move(y))
                                                  : march_macro(macro, {.rate = rate}, sampled, std::move(y));
    return finished(std::move(marched), steepest, stability_limit(macro.name), "macro_step");
}

Marched StroboscopicRun::march_half_explicit(const MacroChoice& macro, const FirstOrderRate& rate,
                                             std::vector<double> y) {
    Recorder recorder(run_->interval(), request().samples, sink(), request().keep, request().progress);
    recorder.begin(y);
    const auto ground = std::make_unique<Ground>(problem());  // a chain of its own: rates settle points in between
    FirstOrderState<double> state(y.size());
    state.y = y;
    rate(request().t_start, state.y, state.rate);
    MarchResult result{.reached = request().t_start};
    const auto with = [&](auto stepper) {
        auto before = state;
        const auto one = [&](double t, double h, double next, MarchResult& march) {
            before = state;
            ground->begin(t, state.y);
            const auto reached =
                stepper.step([&](double c, In point, Out r) { rate(t + c * h, point, r); },
                             [&](double c, Out point) { return ground->along(t + c * h, point); }, h, state);
            if (!reached.converged) {
                march.outcome = Outcome::not_converged;
                march.explanation = fmt::format(
                    "the step from t = {:.6g} to {:.6g} does not reach the constraints: the residual of {} stays at "
                    "{:.2g}; take a smaller macro_step",
                    t, next, ground->names()[reached.worst], reached.residual);
                state = before;
            } else if (!is_finite(state.y, state.rate, t, next, march)) {
                state = before;
            } else if (recorder.wants(next)) {
                recorder.take(cubic_hermite(t, next, before.y, before.rate, state.y, state.rate));
            }
        };
        result = march_steps(run_->interval(), *macro.step, request().stop, one);
    };
    if (const auto culprit = first_not_finite(state.rate)) {
        result = not_finite_at_start(request().t_start, culprit);
    } else if (macro.name == "herk3") {
        with(HalfExplicit3(y.size()));
    } else {
        with(HalfExplicit4(y.size()));
    }
    const double reached = result.reached;
    return {std::move(result), std::move(recorder).trajectory(), {.t = reached, .position = state.y}};
}

Solution StroboscopicRun::follow_map() {
    const std::string macro = options().macro.value_or("adams");
    require_one_of("macro", macro, {"adams", "rk2", "rk3", "rk4"});
    const bool adams = macro == "adams";
    auto periods = options().periods_per_step;
    require_not_both(options(), "periods_per_step", "steps");
    if (options().steps) {
        periods = static_cast<std::size_t>(
            std::max(1.0, std::ceil(revolutions() / static_cast<double>(*options().steps) - 1e-9)));
    }
    if (!adams && !periods) {
        throw Misuse(
            fmt::format("macro = {} takes steps over a fixed number of periods: give periods_per_step or steps; macro "
                        "= adams chooses it",
                        macro));
    }
    if (periods) {
        run_->note("periods_per_step", fmt::format("{}", *periods));
    }
    run_->note("macro", macro);
    if (estimates_) {
        return estimated();
    }
    Recorder recorder(run_->interval(), request().samples, sink(), request().keep, request().progress);
    auto z = start();
    recorder.begin(z);
    auto march = march_map(settings(adams ? 8 : macro.back() - '0', periods), adams, recorder, z);
    const double reached = march.result.reached;
    return finished({std::move(march.result),
                     std::move(recorder).trajectory(),
                     {.t = reached, .position = std::move(march.final_y)}},
                    adams ? 0 : march.steepest, stability_limit(macro), "periods_per_step");
}

MapMarchSettings StroboscopicRun::settings(int order, std::optional<std::size_t> periods) const {
    MapMarchSettings settings{.t_end = request().t_end,
                              .tolerance = request().tolerance().times(tightness_),
                              .scales = scales_,
                              .time_tolerance = known_period() ? 0.0 : tolerance_of(d(), {}),
                              .order = order,
                              .pairs = problem().second_order,
                              .revolutions = !known_period(),
                              .budget = request().most_steps};
    if (periods) {
        settings.periods_per_step = static_cast<std::int64_t>(*periods);
    }
    return settings;
}

MapMarch StroboscopicRun::march_map(const MapMarchSettings& settings, bool adams, Recorder& recorder,
                                    std::vector<double>& z) {
    const StepListener listener{[&](double to) { return recorder.wants(to); },
                                [&](DenseStep dense) {
                                    note_strobes(dense);
                                    recorder.take(std::move(dense));
                                }};
    const MapChange D = [&](In point, Out result) { change(point, result); };
    return adams ? march_map_adams(D, settings, z, listener, request().stop)
                 : march_map_runge_kutta(D, settings, z, listener, request().stop);
}

}  // namespace lento
