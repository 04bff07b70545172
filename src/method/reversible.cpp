#include "lento/method/reversible.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "lento/average/slow_field.hpp"
#include "lento/base/misuse.hpp"
#include "lento/base/number.hpp"
#include "lento/march/leapfrog.hpp"
#include "lento/method/first_return.hpp"
#include "lento/method/hypotheses.hpp"
#include "lento/method/macro.hpp"
#include "slow_prediction.hpp"
#include "slow_windows.hpp"

namespace lento {
namespace {

bool is_leapfrog(const std::string& macro) {
    return macro == "leapfrog" || macro == "leapfrog1" || macro == "naive";
}

const MacroSolvers& slow_solvers() {
    static const MacroSolvers solvers = [] {
        MacroSolvers made = rate_solvers();
        made.usual = "leapfrog";
        made.fixed.insert(made.fixed.begin(), {"leapfrog", "leapfrog1", "naive"});
        return made;
    }();
    return solvers;
}

std::vector<double> start_of(const SlowProblem& problem, const Request& request) {
    std::vector<double> x = request.start;
    if (problem.second_order()) {
        x.insert(x.end(), request.velocity.begin(), request.velocity.end());
    }
    return x;
}

class ReversibleRun {
public:
    ReversibleRun(SharedSlow problem, const Request& request)
        : began_(std::chrono::steady_clock::now()),
          problem_(std::move(problem)),
          request_(checked(request, problem_->names().size())),
          x_(start_of(*problem_, request_)) {
        const auto& options = request_.options;
        require_options_apply(options, reversible_description);
        macro_ = macro_choice(options, {request_.t_start, request_.t_end}, slow_solvers());
        reconstruction_ = options.reconstruction.value_or("symmetric");
        require_one_of("reconstruction", reconstruction_, {"symmetric", "nearest"});
        if (macro_.name == "naive" && reconstruction_ == "nearest") {
            throw Misuse(
                "macro = naive is the step (2.7), which has no reconstruction = nearest; take leapfrog1, which is "
                "(3.9)");
        }
        if (options.reconstruction && !is_leapfrog(macro_.name)) {
            throw Misuse(fmt::format("reconstruction = {} is for the leapfrog; macro = {} has none", reconstruction_,
                                     macro_.name));
        }
        if (options.micro_step && options.micro_steps_per_period) {
            throw Misuse("both micro_step and micro_steps_per_period are given; one decides the other");
        }
        if (options.window && options.window_periods) {
            throw Misuse("both window and window_periods are given; one decides the other");
        }
        windows_.micro = options.micro.value_or("dopri8");
        windows_.filter = options.filter.value_or("cos8");
        if (Filter(windows_.filter).is_one_period()) {
            throw Misuse("filter = period is for windows from a phase of symmetry; take a kernel, such as cos8");
        }
        average_ = problem_->average(windows_.micro, request_.t_start, x_);
        find_period();
    }

    bool ready() const { return !violation_; }

    /// With the same stepper on both motions: what a coarse one is wrong by would look like motion.
    SlowReport judge(const FasterMotion& faster) {
        const auto average = problem_->average("dopri8", request_.t_start, x_);
        auto report = slow_report(*problem_, *average, look(), faster);
        report.evaluations += average->flow().evaluations();
        return report;
    }

    Solution solve(const FasterMotion& faster) {
        if (ready()) {
            accept(judge(faster));
        }
        if (ready()) {
            choose_windows();
        }
        if (!ready()) {
            return finished(
                {.outcome = violation_->outcome, .reached = request_.t_start, .explanation = violation_->sentence}, {},
                x_);
        }
        return is_leapfrog(macro_.name) ? by_leapfrog() : by_rate();
    }

    const std::optional<Violation>& violation() const { return violation_; }

private:
    const Options& options() const { return request_.options; }
    void refuse(Outcome outcome, std::string sentence) { violation_ = Violation{outcome, std::move(sentence)}; }

    SlowLook look() const {
        return {.t = request_.t_start,
                .period = windows_.period > 0 ? windows_.period : options().window.value_or(0),
                .length = request_.t_end - request_.t_start,
                .start = x_,
                .period_is_known = windows_.period > 0};
    }

    void find_period() {
        std::vector<double> rate(x_.size());
        average_->flow().rate(request_.t_start, x_, rate);
        if (const auto culprit = first_not_finite(rate)) {
            return refuse(Outcome::diverged,
                          fmt::format("the rate of {} is not a finite number at the start, t = {}",
                                      problem_->names()[*culprit % problem_->names().size()], request_.t_start));
        }
        if (!problem_->phases().empty() && !problem_->period()) {
            throw Misuse(
                "the phases have no common period of less than 64 turns of the slowest; the method reversible needs "
                "one: use "
                "hmm-async, or direct");
        }
        if (const auto known = problem_->period()) {
            windows_.period = *known;
        } else if (!(options().window && options().micro_step)) {
            const auto found = first_return(average_->flow(), {request_.t_start, request_.t_end}, x_,
                                            problem_->second_order(), {1e-8, 1e-11}, request_.stop);
            if (!found.failure.empty()) {
                return refuse(Outcome::refused,
                              fmt::format("the fast period is not known: {}; or give the options window and micro_step",
                                          found.failure));
            }
            windows_.period = found.period;
        }
        if (windows_.period > 0 && !(windows_.period < request_.t_end - request_.t_start)) {
            refuse(Outcome::no_scale_separation,
                   fmt::format("the run lasts {:.4g}, less than one fast period of {:.4g}: use the method direct",
                               request_.t_end - request_.t_start, windows_.period));
        }
    }

    void accept(const SlowReport& report) {
        record_.statistics.force_evaluations = report.evaluations;
        if (!report.problem.empty()) {
            return refuse(Outcome::refused, report.problem);
        }
        for (const auto& measure : report.outputs) {
            if (!measure.faster_swing && measure.swing > visible_swing) {
                record_.warnings.push_back(fmt::format(
                    "the slow variable {} moves by {:.2g} of its size within a fast period; whether it is slow cannot "
                    "be told before the model says what makes the fast motion faster: [oscillation] small",
                    measure.name, measure.swing));
            }
        }
        if (report.contraction) {
            if (is_leapfrog(macro_.name)) {
                return refuse(
                    Outcome::refused,
                    fmt::format(
                        "the fast motion falls onto a limit cycle, shrinking by {:.2g} a period: it cannot be followed "
                        "backward, as macro = {} needs; take rk4 or leave out macro_step",
                        *report.contraction, macro_.name));
            }
            constexpr double settled = 1e-8;
            constexpr double most_periods = 30;
            settling_periods_ =
                std::min(most_periods, std::ceil(std::log(settled) / std::log(std::max(settled, *report.contraction))));
        }
    }

    void choose_windows() {
        SlowWindowChoice choice(*average_, request_, look(), windows_);
        windows_ = choice.chosen(settling_periods_);
        record_.warnings.insert(record_.warnings.end(), choice.warnings().begin(), choice.warnings().end());
        const double share_of_run = windows_.width / (request_.t_end - request_.t_start);
        if (share_of_run > 0.25) {
            return refuse(Outcome::no_scale_separation,
                          fmt::format("the windows are {:.3g} wide, {:.0f} % of the run: the fast motion is too slow "
                                      "beside it; use the method direct, or give a "
                                      "narrower window",
                                      windows_.width, 100 * share_of_run));
        }
        if (share_of_run > 0.05) {
            record_.warnings.push_back(fmt::format(
                "the windows are {:.3g} wide, {:.0f} % of the run: what is slow and what is fast are not well apart",
                windows_.width, 100 * share_of_run));
        }
    }

    Solution by_leapfrog() {
        SlowField field = windows_.field(*average_);
        const Interval interval{request_.t_start, request_.t_end};
        LeapfrogPlan plan{.interval = interval,
                          .steps = static_cast<std::int64_t>(std::ceil(interval.length() / *macro_.step - 1e-9)),
                          .order = macro_.name == "leapfrog" ? 2 : 1,
                          .kind = reconstruction_ == "nearest" ? Reconstruct::nearest : Reconstruct::symmetric,
                          .partition = problem_->partition(request_.t_start, x_)};
        const auto steps = plan.steps;
        macro_.step = interval.length() / static_cast<double>(steps);  // equal ones
        Recorder recorder(interval, request_.samples, request_.sink, request_.keep, request_.progress);
        recorder.begin(x_);
        LeapfrogMarch march(field, std::move(plan));
        std::optional<SlowPrediction> prediction;
        std::int64_t known_bridges = 0;
        const auto middle = [&](const SlowField::Point& point, std::int64_t bridges) {
            if (!prediction) {
                prediction.emplace(field, point);
            } else if (bridges > known_bridges) {
                prediction->moved(point);
            } else {
                prediction->evaluated(point);
                prediction->reached(point.t, {point.x.data(), x_.size()});
            }
            known_bridges = bridges;
        };
        auto result = march.from(Eigen::Map<const Eigen::VectorXd>(x_.data(), static_cast<Eigen::Index>(x_.size())),
                                 {[&](double to) { return recorder.wants(to); },
                                  [&](DenseStep step) { recorder.take(std::move(step)); },
                                  {},
                                  middle},
                                 request_.stop);
        if (const auto lost = prediction ? prediction->lost() : std::nullopt;
            lost && result.march.outcome == Outcome::completed) {
            result.march.outcome = Outcome::unstable;
            result.march.explanation =
                *lost +
                "; where the slow motion loses energy the leapfrog is unstable, however short its steps: rk4, or no "
                "macro_step at all, suits it";
        }
        if (result.bridges > 0) {
            record_.warnings.push_back(
                fmt::format("{} of {} macro-steps were bridged by direct integration, where the reconstruction did not "
                            "converge: they are "
                            "not reversible; try a shorter macro_step, or alternatives to slow variables whose "
                            "gradients become dependent",
                            result.bridges, steps));
        }
        if (result.parted) {
            record_.warnings.push_back(fmt::format(
                "even and odd macro-steps drifted apart at t = {:.4g}, by up to {:.2g} of the range of a slow "
                "variable: values at single "
                "times are no better than that, means over some steps may be; a shorter macro_step parts later",
                *result.parted, result.gap));
        }
        note("reconstruction", reconstruction_);
        record_.statistics.bridges = result.bridges;
        constexpr double most_bridged = 0.05;
        if (result.march.outcome == Outcome::completed &&
            static_cast<double>(result.bridges) > most_bridged * static_cast<double>(steps)) {
            result.march.outcome = Outcome::not_converged;
            result.march.explanation = fmt::format(
                "the reconstruction did not converge at {} of {} macro-steps: the slow variables are too curved for "
                "steps of {:.3g}, or their "
                "gradients become dependent; try a shorter macro_step, alternatives, or the method direct",
                result.bridges, steps, *macro_.step);
        }
        return finished(std::move(result.march), std::move(recorder).trajectory(), std::move(result.final_state));
    }

    Solution by_rate() {
        SlowField field = windows_.field(*average_);
        if (windows_.settling) {
            settle(field);
        }
        SlowMotion motion;
        std::int64_t evaluations = 0;
        std::int64_t dependent = 0;
        SlowPrediction prediction(field, field.at(request_.t_start, x_));
        motion.rate = [&](double t, std::span<const double> x, std::span<double> rate) {
            const auto point = field.at(t, x);
            const auto F = SlowField::field(point);
            std::copy(F.begin(), F.end(), rate.begin());
            ++evaluations;
            prediction.evaluated(point);
            dependent += (point.gradients * F - point.rates).norm() > 1e-6 * point.rates.norm() ? 1 : 0;
        };
        motion.wants_projection = [&](double t, std::span<const double> x) {
            prediction.reached(t, x);
            return false;
        };
        Request controlled = request_;
        controlled.rtol *= sharpness(field);
        controlled.atol *= sharpness(field);
        controlled.most_steps = std::min(controlled.most_steps, affordable_steps());
        auto marched = march_macro(macro_, motion, controlled, x_);
        if (const auto lost = prediction.lost(); lost && marched.result.outcome == Outcome::completed) {
            marched.result.outcome = Outcome::not_converged;
            marched.result.explanation = *lost;
        }
        if (dependent > 0) {
            record_.warnings.push_back(
                fmt::format("at {} of {} points the gradients of the slow variables were dependent, and these could "
                            "not follow their rates: give alternatives, or "
                            "compare with direct",
                            dependent, evaluations));
        }
        return finished(std::move(marched.result), std::move(marched.trajectory),
                        std::move(marched.final_state.position));
    }

    /// So many that the windows take some times the micro-steps of the whole run.
    std::int64_t affordable_steps() const {
        constexpr double times_direct = 10;
        constexpr double rates_a_step = 6;
        constexpr std::int64_t least = 1000;
        const double whole = (request_.t_end - request_.t_start) / windows_.h;
        const double window = windows_.width / windows_.h + static_cast<double>(windows_.settling.value_or(0));
        return std::max(least, static_cast<std::int64_t>(times_direct * whole / (rates_a_step * window)));
    }

    /// The share of the tolerance that the unknowns may have so that the slow variables have it: these may be differences of large terms.
    double sharpness(SlowField& field) {
        constexpr double least = 0.02;  // a variable that starts at zero is not one that cancels to it
        const auto point = field.at(request_.t_start, x_);
        const auto values = field.values(request_.t_start, x_);
        const double length = request_.t_end - request_.t_start;
        double share_of_tolerance = 1;
        for (std::size_t k = 0; k < point.charts.size(); ++k) {
            const auto i = static_cast<Eigen::Index>(k);
            const double size = std::max(std::abs(values[static_cast<Eigen::Index>(point.charts[k])]),
                                         length * std::abs(point.rates[i]));
            const double terms = point.gradients.row(i).cwiseAbs() * windows_.scales;
            share_of_tolerance = size > 0 ? std::min(share_of_tolerance, 4 * size / terms) : share_of_tolerance;
        }
        return std::max(least, share_of_tolerance);
    }

    /// Follows the start onto the limit cycle, and leads it back to its time along the slow motion.
    void settle(SlowField& field) {
        const double length = windows_.h * static_cast<double>(*windows_.settling);
        Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(x_.data(), static_cast<Eigen::Index>(x_.size()));
        if (field.follow(request_.t_start, length, *windows_.settling, x)) {
            x -= length * SlowField::field(field.at(request_.t_start + length, {x.data(), x_.size()}));
            x_.assign(x.begin(), x.end());
        }
    }

    void note(std::string name, std::string value) { record_.options.push_back({std::move(name), std::move(value)}); }

    Solution finished(MarchResult result, Trajectory trajectory, std::vector<double> x) {
        auto& statistics = record_.statistics;
        record_.method = reversible_description.name;
        record_.requested_method = request_.method;
        record_.slow_is = reversible_description.slow_is;
        record_.outcome = result.outcome;
        record_.explanation = std::move(result.explanation);
        if (result.culprit) {
            record_.explanation += fmt::format(" (first in {}); try shorter steps",
                                               problem_->names()[*result.culprit % problem_->names().size()]);
        }
        record_.t_end = result.reached;
        statistics.macro_steps = result.steps;
        statistics.rejected_steps = result.rejected;
        statistics.newton_iterations = result.newton_iterations;
        statistics.micro_steps = average_->flow().micro_steps();
        statistics.force_evaluations += average_->flow().evaluations();
        note("macro", macro_.name);
        if (macro_.step) {
            note("macro_step", fmt::format("{}", *macro_.step));
        }
        note("micro", windows_.micro);
        note("filter", windows_.filter);
        if (windows_.h > 0) {
            note("micro_step", fmt::format("{}", windows_.h));
            note("window", fmt::format("{}", windows_.width));
            warn_of_cost(result);
        }
        statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
        const auto state = problem_->second_order() ? snapshot_of(result.reached, x, problem_->names().size(), 0)
                                                    : Snapshot{.t = result.reached, .position = std::move(x)};
        return Solution(std::move(record_), std::move(trajectory), state, {});
    }

    void warn_of_cost(const MarchResult& result) {
        const double direct = (result.reached - request_.t_start) / windows_.h;
        if (result.outcome == Outcome::completed && static_cast<double>(average_->flow().micro_steps()) > direct) {
            record_.warnings.push_back(fmt::format(
                "{} micro-steps, where {:.0f} of the same length fill the whole run: the method direct is the "
                "better choice here",
                average_->flow().micro_steps(), direct));
        }
    }

    static constexpr double visible_swing = 1e-3;

    std::chrono::steady_clock::time_point began_;
    SharedSlow problem_;
    Request request_;
    std::vector<double> x_;
    MacroChoice macro_;
    std::string reconstruction_;
    SlowWindows windows_;
    double settling_periods_ = 0;
    std::unique_ptr<SlowAverage> average_;
    std::optional<Violation> violation_;
    RunRecord record_;
};

}  // namespace

Solution reversible(SharedSlow problem, const Request& request, const FasterMotion& faster) {
    return ReversibleRun(std::move(problem), request).solve(faster);
}

SlowReport judged_slow_variables(const SlowProblem& problem, const Request& request, const FasterMotion& faster) {
    Request plain = request;
    plain.method = reversible_description.name;
    ReversibleRun run(SharedSlow(&problem, [](const SlowProblem*) {}), plain);
    if (!run.ready()) {
        return {.problem = run.violation()->sentence};
    }
    return run.judge(faster);
}

}  // namespace lento
