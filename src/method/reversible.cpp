/// The reversible multiscale method (reversible, sections 2 and 3): x' = f(x)/eps + g(x) through slow variables xi(x).
///
///     (1) follow x(t) for a short time forward and backward from x_n
///     (2) average the rates of the slow variables with a kernel                               (2.11)
///     (3) step to x_{n+1} so that the slow variables change as their averaged rates say       (3.11), (2.6)
///
/// The leapfrog step is reversible in x itself (`method/slow_leapfrog.hpp`). Any other solver is applied to x' = F(x),
/// F the shortest field that is consistent with the averaged rates (`average/slow_field.hpp`): Euler's method is (2.6).
///
/// The slow variables are right to O(eps); the fast phase of x is of no meaning.
#include <fmt/format.h>

#include "average/slow_average.hpp"
#include "average/slow_field.hpp"
#include "judge/first_return.hpp"
#include "lento/base/misuse.hpp"
#include "lento/run/run.hpp"
#include "method/slow_check.hpp"
#include "method/slow_leapfrog.hpp"
#include "method/slow_prediction.hpp"
#include "method/slow_windows.hpp"
#include "problem/time_scales.hpp"

namespace lento {
namespace {

constexpr std::array options{
    Method::Option{"macro",
                   "leapfrog with macro_step or steps, else dopri5; leapfrog-tangent, leapfrog-field, euler, midpoint, "
                   "rk4, ..."},
    Method::Option{"macro_step", "adaptive"},
    Method::Option{"steps", "adaptive"},
    Method::Option{"reconstruction", "symmetric"},
    Method::Option{"smoothing", "even-odd; segments, none"},
    Method::Option{"segments", "with smoothing = segments: as many as make 1 % of the run"},
    Method::Option{"segment_steps", "1"},
    Method::Option{"micro", "dopri8; rk4, verlet"},
    Method::Option{"micro_step", "from micro_steps_per_period"},
    Method::Option{"micro_steps_per_period", "as the tolerance needs"},
    Method::Option{"filter", "cos8"},
    Method::Option{"window", "from window_periods"},
    Method::Option{"window_periods", "as the tolerance needs, from P/2 + 2 for cosP, 40 for exponential and gentle"},
    Method::Option{"estimate", "yes"}};

Verdict judge(const Problem& problem, const Request&) {
    if (problem.constraints) {
        return {false, "the system has rigid constraints"};
    }
    if (!problem.slow) {
        return {false, "no slow variables are declared"};
    }
    if (!problem.phases.empty() && !common_period(problem)) {
        return {false, "the phases have no common period of less than 64 turns of the slowest"};
    }
    if (finds_limit_cycle(problem)) {
        constexpr double evaluations = 2e6;  // of windows that wait until the fast motion has found its cycle
        return {true,
                "fewer slow variables are declared than would tell the state: the fast motion finds the rest by itself",
                evaluations};
    }
    return {true, "slow variables are declared or were found"};
}

class ReversibleRun : public MethodRun {
public:
    explicit ReversibleRun(Run& run) : MethodRun(run), x_(run.start()) {
        const auto& options = run.options();
        MacroSolvers solvers = rate_solvers();
        solvers.usual = "leapfrog";
        solvers.fixed.insert(solvers.fixed.begin(), leapfrogs().begin(), leapfrogs().end());
        macro_ = macro_choice(options, run.interval(), solvers);
        require_leapfrog_options(options, macro_.name);
        require_not_both(options, "micro_step", "micro_steps_per_period");
        require_not_both(options, "window", "window_periods");
        windows_.micro = options.micro.value_or("dopri8");
        windows_.filter = options.filter.value_or("cos8");
        if (Filter(windows_.filter).is_one_period()) {
            throw Misuse("filter = period is for windows from a phase of symmetry; take a kernel, such as cos8");
        }
        average_ = slow_average(problem(), windows_.micro, run.request().t_start, x_);
        run.count_with([this] { count(); });
        if (ready()) {
            find_period();
        }
    }

    bool ready() const { return run_->goes_on(); }

    /// With the same stepper on both motions: what a coarse one is wrong by would look like motion.
    SlowReport judge() {
        const auto average = slow_average(problem(), "dopri8", request().t_start, x_);
        auto report = slow_report(problem(), *average, look());
        report.evaluations += average->flow().evaluations();
        return report;
    }

    Solution solve() {
        if (ready()) {
            accept(judge());
        }
        if (ready()) {
            choose_windows();
        }
        if (!ready()) {
            return run_->not_started();
        }
        return is_leapfrog(macro_.name) ? by_leapfrog() : by_rate();
    }

private:
    SlowLook look() const {
        return {.t = request().t_start,
                .period = windows_.period > 0 ? windows_.period : options().window.value_or(0),
                .length = run_->length(),
                .start = x_,
                .period_is_known = windows_.period > 0};
    }

    void find_period() {
        std::vector<double> rate(x_.size());
        average_->flow().rate(request().t_start, x_, rate);
        if (const auto culprit = first_not_finite(rate)) {
            return run_->refuse(Outcome::diverged,
                                fmt::format("the rate of {} is not a finite number at the start, t = {}",
                                            problem().names[*culprit % problem().names.size()], request().t_start));
        }
        if (const auto known = common_period(problem())) {
            windows_.period = *known;
        } else if (!(options().window && options().micro_step)) {
            const auto found = first_return(average_->flow(), run_->interval(), x_, problem().second_order,
                                            {1e-8, 1e-11, request().scales}, request().stop);
            if (!found.failure.empty()) {
                return run_->refuse(
                    Outcome::refused,
                    fmt::format("the fast period is not known: {}; or give the options window and micro_step",
                                found.failure));
            }
            windows_.period = found.period;
        }
        if (windows_.period > 0 && !(windows_.period < run_->length())) {
            run_->refuse(Outcome::no_scale_separation,
                         fmt::format("the run lasts {:.4g}, less than one fast period of {:.4g}", run_->length(),
                                     windows_.period),
                         Remedy::resolve);
        }
    }

    void accept(const SlowReport& report) {
        run_->statistics().force_evaluations = report.evaluations;
        if (!report.problem.empty()) {
            return run_->refuse(Outcome::refused, report.problem);
        }
        for (const auto& measure : report.outputs) {
            if (!measure.faster_swing && measure.swing > visible_swing) {
                run_->warn(fmt::format(
                    "the slow variable {} moves by {:.2g} of its size within a fast period; whether it is slow cannot "
                    "be told before the model says what makes the fast motion faster: [oscillation] small",
                    measure.name, measure.swing));
            }
        }
        if (report.contraction) {
            if (is_leapfrog(macro_.name)) {
                return run_->refuse(
                    Outcome::refused,
                    fmt::format("the fast motion falls onto a limit cycle, shrinking by {:.2g} a period: it cannot be "
                                "followed backward, as macro = {} needs; take rk4 or leave out macro_step",
                                *report.contraction, macro_.name));
            }
            constexpr double settled = 1e-8;
            constexpr double most_periods = 30;
            settling_periods_ =
                std::min(most_periods, std::ceil(std::log(settled) / std::log(std::max(settled, *report.contraction))));
        }
    }

    void choose_windows() {
        SlowWindowChoice choice(*average_, request(), look(), windows_);
        windows_ = choice.chosen(settling_periods_);
        for (const auto& warning : choice.warnings()) {
            run_->warn(warning);
        }
        const double share_of_run = windows_.width / run_->length();
        if (share_of_run > 0.25) {
            return run_->refuse(
                Outcome::no_scale_separation,
                fmt::format("the windows are {:.3g} wide, {:.0f} % of the run: the fast motion is too slow "
                            "beside it; give a narrower window, or use the method {}",
                            windows_.width, 100 * share_of_run, method::direct.name));
        }
        if (share_of_run > 0.05) {
            run_->warn(fmt::format(
                "the windows are {:.3g} wide, {:.0f} % of the run: what is slow and what is fast are not well apart",
                windows_.width, 100 * share_of_run));
        }
    }

    Solution by_leapfrog() {
        SlowField field = windows_.field(*average_);
        SlowLeapfrog leapfrog(*run_, macro_);
        macro_.step = leapfrog.step();  // all are equal
        return finished(leapfrog.from(field, x_));
    }

    Solution by_rate() {
        SlowField field = windows_.field(*average_);
        if (windows_.settling) {
            settle(field);
        }
        SlowMotion motion;
        std::int64_t evaluations = 0;
        std::int64_t dependent = 0;
        SlowPrediction prediction(field, field.at(request().t_start, x_));
        motion.rate = [&](double t, In x, Out rate) {
            const auto point = field.at(t, x);
            const auto F = SlowField::field(point);
            std::ranges::copy(F, rate.begin());
            ++evaluations;
            prediction.evaluated(point);
            dependent += (point.gradients * F - point.rates).norm() > 1e-6 * point.rates.norm() ? 1 : 0;
        };
        motion.wants_projection = [&](double t, In x) {
            prediction.reached(t, x);
            return false;
        };
        Request controlled = request();
        controlled.rtol *= sharpness(field);
        controlled.atol *= sharpness(field);
        controlled.most_steps = std::min(controlled.most_steps, affordable_steps());
        auto marched = march_macro(macro_, motion, controlled, x_);
        if (const auto lost = prediction.lost(); lost && marched.result.outcome == Outcome::completed) {
            end_as(marched.result, Outcome::not_converged, *lost);
        }
        if (dependent > 0) {
            run_->warn(
                fmt::format("at {} of {} points the gradients of the slow variables were dependent, and these could "
                            "not follow their rates: give alternatives, or compare with the method {}",
                            dependent, evaluations, method::direct.name));
        }
        return finished(std::move(marched));
    }

    /// So many that the windows take some times the micro-steps of the whole run.
    std::int64_t affordable_steps() const {
        constexpr double times_direct = 10;
        constexpr double rates_a_step = 6;
        constexpr std::int64_t least = 1000;
        const double whole = run_->length() / windows_.h;
        const double window = windows_.width / windows_.h + static_cast<double>(windows_.settling.value_or(0));
        return std::max(least, static_cast<std::int64_t>(times_direct * whole / (rates_a_step * window)));
    }

    /// What share of the tolerance unknowns may have so that slow variables, maybe differences of large terms, have it.
    double sharpness(SlowField& field) {
        constexpr double least = 0.02;  // a variable that starts at zero is not one that cancels to it
        const auto point = field.at(request().t_start, x_);
        const auto values = field.values(request().t_start, x_);
        const double length = run_->length();
        double share_of_tolerance = 1;
        for (Eigen::Index i = 0; i < point.rates.size(); ++i) {
            const auto chart = static_cast<Eigen::Index>(point.charts[static_cast<std::size_t>(i)]);
            const double size = std::max(std::abs(values[chart]), length * std::abs(point.rates[i]));
            const double terms = point.gradients.row(i).cwiseAbs() * windows_.scales;
            share_of_tolerance = size > 0 ? std::min(share_of_tolerance, 4 * size / terms) : share_of_tolerance;
        }
        return std::max(least, share_of_tolerance);
    }

    /// Follows the start onto the limit cycle, and leads it back to its time along the slow motion.
    void settle(SlowField& field) {
        const double length = windows_.h * static_cast<double>(*windows_.settling);
        Eigen::VectorXd x = vector_of(x_);
        if (field.follow(request().t_start, length, *windows_.settling, x)) {
            x -= length * SlowField::field(field.at(request().t_start + length, span_of(x)));
            x_.assign(x.begin(), x.end());
        }
    }

    void count() {
        run_->statistics().micro_steps = average_->flow().micro_steps();
        run_->statistics().force_evaluations += average_->flow().evaluations();
        run_->note(macro_);
        run_->note("micro", windows_.micro);
        run_->note("filter", windows_.filter);
        if (windows_.h > 0) {
            run_->note("micro_step", fmt::format("{}", windows_.h));
            run_->note("window", fmt::format("{}", windows_.width));
        }
    }

    Solution finished(Marched marched) {
        const double direct = (marched.result.reached - request().t_start) / windows_.h;
        if (marched.result.outcome == Outcome::completed &&
            static_cast<double>(average_->flow().micro_steps()) > direct) {
            run_->warn(
                fmt::format("{} micro-steps, where {:.0f} of the same length fill the whole run: the method {} is the "
                            "better choice here",
                            average_->flow().micro_steps(), direct, method::direct.name));
        }
        const auto state = snapshot_of(marched.result.reached, marched.final_state.position, problem().names.size(), 0);
        return run_->finished({.result = std::move(marched.result),
                               .trajectory = std::move(marched.trajectory),
                               .final_state = state,
                               .advice = "; try shorter steps"});
    }

    static constexpr double visible_swing = 1e-3;

    std::vector<double> x_;
    MacroChoice macro_;
    SlowWindows windows_;
    double settling_periods_ = 0;
    std::unique_ptr<SlowAverage> average_;
};

}  // namespace

SlowReport judged_slow_variables(const Problem& problem, const Request& request) {
    Run under_way(problem, request, method::reversible);
    ReversibleRun run(under_way);
    return run.ready() ? run.judge() : SlowReport{.problem = under_way.violation()->sentence};
}

constinit const Method method::reversible{
    .name = "reversible",
    .problems = "declared slow variables",
    .paper = "reversible",
    .slow_is = SlowMeaning::slow_variables,
    .summary =
        "averages the rates of slow variables over short windows; a leapfrog macro-step in the original variables that "
        "can be run backward to its start",
    .options = options,
    .judge = judge,
    .solve = [](Run& run) { return ReversibleRun(run).solve(); }};

}  // namespace lento
