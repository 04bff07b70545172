/// HMM for stiff springs (stiff, section 3). The slow motion obeys the underlying system
///
///     q' = p,   p' = F(q, p)                                  (11)
///
/// whose force is found from the stiff system itself: a window of +-eta around (q, p), and
///
///     F = sum_k w_|k| a(q_k),     q_0 = q,  p_0 = p             (section 3.1)
///
/// p is known and never averaged. The start is projected by filtering the state in the same way (section 3.2).
/// Solutions of the underlying system drift off the length of the springs, and are projected again at given times, or
/// when what the springs have gathered moves the slow motion.
///
/// What the oscillation of the start does to the slow motion comes to F where it was projected away
/// (`judge/fast_energy.hpp`). Where nothing is projected, the first window sees it.
#include <numeric>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "method/relaxed_run.hpp"
#include "method/stiff_run.hpp"
#include "problem/spring_spectrum.hpp"

namespace lento {
namespace {

constexpr std::array options{
    Method::Option{"macro", "rk4 with macro_step or steps, else dopri5"},
    Method::Option{"macro_step", "adaptive"},
    Method::Option{"steps", "adaptive"},
    Method::Option{"micro", "verlet"},
    Method::Option{"micro_step", "from micro_steps_per_period"},
    Method::Option{"micro_steps_per_period", "6, more where springs move faster together"},
    Method::Option{"filter", "flat8 to flat32, by leakage; exponential where the start holds fast oscillations"},
    Method::Option{"window", "from window_periods"},
    Method::Option{"window_periods", "12, or 20 with exponential; more where springs move slower together"},
    Method::Option{"project", "auto; or start, times, never"},
    Method::Option{"project_times", "none"},
    Method::Option{"fast_energy", "adiabatic; or none, as in the papers; none with project = never"},
    Method::Option{"estimate", "yes"}};

/// Decides when to project again, after each step: where the springs have gathered energy that could matter beside the
/// slow motion's, state and averaged force are compared with those at the projected point. A filter moves a point a
/// little along the slow manifold as well; what that changes is seen from a second projection, and does not count.
class ReprojectionWatch {
public:
    /// NOTE: no finer than what was taken out at the start, whose energy acts on the true motion.
    explicit ReprojectionWatch(StiffRun& run)
        : run_(&run),
          tolerated_force_(run.start_was_fast() ? 0.08 : std::min(0.005, 10 * run.request().rtol)),
          tolerated_move_(run.start_was_fast() ? HUGE_VAL : 10 * run.request().rtol) {}

    bool operator()(double t, In y) {
        const auto x = y.first(y.size() / 2);
        const auto v = y.last(y.size() / 2);
        if (!(spring_energy(run_->problem(), t, x, v) >
              0.4 * tolerated_force_ * kinetic_energy(run_->problem(), t, x, v))) {
            return false;
        }
        const auto here = run_->filtered(t, x, v);
        const auto there = run_->filtered(t, here.position, here.velocity);
        const double force = distance(here.acceleration, there.acceleration) / norm(there.acceleration);
        const double move = run_->size().move(x, v, here.position, here.velocity);
        if (force <= tolerated_force_ && move <= tolerated_move_) {
            return false;
        }
        const auto beyond = run_->filtered(t, there.position, there.velocity);
        const double force_glide = distance(there.acceleration, beyond.acceleration) / norm(there.acceleration);
        const double glide = run_->size().move(here.position, here.velocity, there.position, there.velocity);
        return !(force <= tolerated_force_ + 2 * force_glide && move <= tolerated_move_ + 2 * glide);
    }

private:
    static double norm(In a) { return distance(a, std::vector<double>(a.size())); }
    static double distance(In a, In b) {
        return std::sqrt(std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                                            [](double x, double y) { return (x - y) * (x - y); }));
    }

    StiffRun* run_;
    double tolerated_force_;  // share of the averaged force
    double tolerated_move_;   // share of the slow motion's size
};

/// The longest time between two projections.
double longest_piece(const Request& request, std::vector<double> times) {
    times.insert(times.begin(), request.t_start);
    times.push_back(request.t_end);
    std::adjacent_difference(times.begin(), times.end(), times.begin());
    return *std::max_element(times.begin() + 1, times.end());
}

/// The paper's window where the start holds fast oscillations: taking them out is an error that a finer average would
/// not mend, and what grows is projected away. Else a filter with three vanishing moments, as smooth as leakage asks.
WindowDefaults usual_window(const Problem& problem, const Request& request, bool fast) {
    const bool papers = fast || request.options.filter == "exponential";
    return {.filters = papers ? std::vector<std::string>{"exponential"}
                              : std::vector<std::string>{"flat8", "flat12", "flat16", "flat24", "flat32"},
            .periods = papers ? 20. : 12.,
            .steps_per_period = 6,
            .least_periods = papers ? 12. : 8.,
            .least_steps = 3.5,
            .most_growth = fast ? 10 : 2.5,
            .margin = problem.springs->entries.size() > 1 && !fast ? 1.7 : 1};
}

/// Found out by a projection with the window for starts that hold none, whose evaluations are counted in `spent`.
bool start_holds_fast_oscillations(const Run& given, std::int64_t& spent) {
    Run trial(given.problem(), given.request(), given.method());
    StiffRun run(trial, usual_window(given.problem(), given.request(), false));
    if (run.violation()) {
        return false;
    }
    const auto& start = run.filtered(run.request().t_start, run.request().start, run.request().velocity);
    const auto projected = run.filtered(run.request().t_start, start.position, start.velocity);
    run.judge_start(projected.position, projected.velocity, projected.acceleration);
    spent = run.window().force_evaluations();
    return run.start_was_fast();
}

Solution on_springs(Run& under_way) {
    constexpr double most_growth = 30;
    const auto& given = under_way.options();
    const bool window_is_given = given.filter && (given.window || given.window_periods);
    std::int64_t spent = 0;
    const bool fast = !window_is_given && start_holds_fast_oscillations(under_way, spent);
    StiffRun run(under_way, usual_window(under_way.problem(), under_way.request(), fast));
    run.count_evaluations(spent);
    const auto project = run.options().project.value_or(run.options().project_times ? "times" : "auto");
    require_one_of("project", project, {"start", "times", "auto", "never"});
    SlowMotion motion;
    run.schedule(project, motion);
    if (run.violation()) {
        return under_way.not_started();
    }
    const double piece = longest_piece(run.request(), motion.projection_times);
    const double growth = leakage(run.window().weights(), run.chosen().micro.value_or("verlet"),
                                  run.window().micro_step(), run.spectrum())
                              .frequency;
    if (growth * piece > most_growth) {
        under_way.refuse(
            Outcome::unstable,
            fmt::format("a window of {:.3g} periods through the filter {} leaves of the springs a force that "
                        "makes the slow motion grow, or swing, like exp({:.3g} t): {}. Or use the method {}",
                        run.window().width() / run.scales().slowest, *run.chosen().filter, growth,
                        better_windows(run.chosen(), run.scales(), run.spectrum(), most_growth / piece / 3),
                        method::ipa.name));
        return under_way.not_started();
    }

    motion.acceleration = [&](double t, In X, In V, Out F) {
        std::ranges::copy(run.filtered(t, X, V).acceleration, F.begin());
        run.push(t, X, V, F);
    };
    motion.rate = first_order_rate(motion.acceleration);
    motion.project = [&](double t, Out y) {
        if (run.violation()) {
            return false;
        }
        const auto X = y.first(y.size() / 2);
        const auto V = y.last(y.size() / 2);
        const auto point = run.projection().once(t, X, V);
        if (t > run.request().t_start) {
            run.course.moved += run.size().move(X, V, point.position, point.velocity);
        }
        put_together(point.position, point.velocity, y);
        return true;
    };
    auto y = under_way.start();
    if (project != "never") {
        motion.project(run.request().t_start, y);
    }
    const auto X = In(y).first(run.problem().dimension());
    const auto V = In(y).last(run.problem().dimension());
    run.judge_glide(X, V);
    run.course.averages_forces = true;
    run.judge_start(X, V, run.filtered(run.request().t_start, X, V).acceleration);
    if (run.start_pushes()) {
        y = run.slow_start();
    }
    if (run.violation()) {
        return under_way.not_started();
    }
    motion.wants_projection = [&, watch = ReprojectionWatch(run), looked_at = 0.0](double t, In y) mutable {
        const auto X = y.first(y.size() / 2);
        const auto V = y.last(y.size() / 2);
        run.require_frequencies(t, X);
        if (run.violation()) {
            return true;
        }
        if (const double longest = run.largest_measure(t, X); !(longest < run.size().length / 2)) {
            under_way.refuse(
                Outcome::unstable,
                fmt::format("a spring has been stretched by {:.2g} at t = {:.6g}, where coordinates are of size "
                            "{:.2g}: what the window lets through of its force is amplified at each macro-step. Take a "
                            "smaller macro_step, or project = auto, or a better window: {}. Or use the method {}",
                            longest, t, run.size().length,
                            better_windows(run.chosen(), run.scales(), run.spectrum(), 1 / piece), method::ipa.name));
            return true;
        }
        if (project == "auto") {
            return watch(t, y);
        }
        // Who asks for no projection is told when one would have been needed.
        const double energy = spring_energy(run.problem(), t, X, V);
        if (!run.course.drifted_at && energy > 2 * looked_at) {
            looked_at = energy;
            if (watch(t, y)) {
                run.course.drifted_at = t;
            }
        }
        return false;
    };

    return run.solve(motion, spring_solvers(), std::move(y));
}

}  // namespace

constinit const Method method::hmm_stiff{
    .name = "hmm-stiff",
    .problems = "stiff springs, constraints",
    .paper = "stiff",
    .slow_is = SlowMeaning::averaged,
    .summary = "forces averaged by a kernel in windows around the current state; any solver for the slow motion",
    .options = options,
    .judge = [](const Problem& problem, const Request&) { return springs_verdict(problem, 2e6); },
    .solve = [](Run& run) { return solve_on_springs(run, on_springs); }};

}  // namespace lento
