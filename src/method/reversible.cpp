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

/// What the windows are like.
struct Windows {
    std::string micro{}, filter{};
    double period = 0;  ///< 0 if nobody knows it
    double h = 0;
    double width = 0;
    std::optional<std::int64_t> settling{};
    Eigen::VectorXd scales{};  ///< of the unknowns

    double turns() const { return period > 0 ? h / period : 0; }
    SlowField field(SlowAverage& average) const {
        return {average,
                {.h = h, .turns = turns(), .settling = settling},
                FilterWeights::over(Filter(filter), width / 2 / h),
                scales};
    }
};

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

    SlowReport judge(const FasterMotion& faster) { return slow_report(*problem_, *average_, look(), faster); }

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
                .start = x_};
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
        record_.statistics.force_evaluations = report.faster_evaluations;
        if (!report.problem.empty()) {
            return refuse(Outcome::refused, report.problem);
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

    /// As given, or so fine and so wide that it makes no difference to the tolerance.
    void choose_windows() {
        windows_.h = options().micro_step.value_or(0);
        windows_.width = options().window.value_or(0);
        for (const auto& given : {options().micro_step, options().window, options().window_periods}) {
            require_positive(given.value_or(1), "micro_step, window or window_periods");
        }
        if (windows_.period > 0) {
            windows_.width =
                options().window.value_or(windows_.period * options().window_periods.value_or(fewest_periods()));
            if (windows_.width < windows_.period) {
                throw Misuse(fmt::format("the window is {:.4g} wide, less than one fast period of {:.4g}",
                                         windows_.width, windows_.period));
            }
        }
        const int order = average_->flow().order();
        const double fewest = order >= 8 ? 4 : order >= 4 ? 12 : 32;
        if (!options().micro_step) {
            windows_.h =
                windows_.period /
                static_cast<double>(options().micro_steps_per_period.value_or(static_cast<std::size_t>(fewest)));
        }
        if (windows_.width < 2 * windows_.h) {
            throw Misuse(
                fmt::format("the window is {:.4g} wide, and a micro-step {:.4g}: there must be one on each side",
                            windows_.width, windows_.h));
        }
        windows_.scales = scales();
        if (settling_periods_ > 0) {
            windows_.settling = static_cast<std::int64_t>(std::ceil(settling_periods_ * look().period / windows_.h));
        }
        if (!options().micro_step && !options().micro_steps_per_period) {
            refine_micro_steps();
        }
        if (!options().window && !options().window_periods) {
            widen();
        }
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
    /// That let nothing of a tone and its harmonics through, and for other filters their usual ones.
    double fewest_periods() const {
        const Filter filter(windows_.filter);
        const bool cosine = windows_.filter.starts_with("cos");
        return cosine ? (filter.smoothness() - 1) / 2 + 2 : filter.usual_periods();
    }

    /// Halves micro-steps until that makes no difference.
    void refine_micro_steps() {
        constexpr int most = 7;
        constexpr double small = 1e-4;
        auto coarse = mean_rates();
        double last = HUGE_VAL;
        for (int k = 0; k < most; ++k) {
            const Windows before = windows_;
            windows_.h /= 2;
            windows_.settling = windows_.settling ? std::optional(*windows_.settling * 2) : std::nullopt;
            auto fine = mean_rates();
            const double change = difference(coarse, fine);
            if (!(change > share * request_.rtol) || (change < small && change > 0.5 * last)) {
                windows_ = before;  // good enough, or as good as rounding allows
                return;
            }
            coarse = std::move(fine);
            last = change;
        }
        record_.warnings.push_back(
            "shorter micro-steps still change the mean rates of the slow variables by more than the tolerance");
    }

    /// Doubles windows until that makes no difference, or more of it than before: then it is the slow motion that they see.
    void widen() {
        constexpr double widest = 0.1;  // of the run
        const double length = request_.t_end - request_.t_start;
        auto narrow = mean_rates();
        double last = HUGE_VAL;
        while (2 * windows_.width <= widest * length) {
            const double before = windows_.width;
            windows_.width *= 2;
            auto wide = mean_rates();
            const double change = difference(narrow, wide);
            if (!(change > share * request_.rtol) || change > 0.5 * last) {
                windows_.width = change > last ? before / 2 : before;
                return;
            }
            narrow = std::move(wide);
            last = change;
        }
    }

    /// How large the unknowns are within a fast period, or become as they drift: lengths in the state are measured in these.
    Eigen::VectorXd scales() {
        constexpr std::int64_t looks = 32;
        const auto d = static_cast<Eigen::Index>(x_.size());
        const SlowLook seen = look();
        const Stretch stretch{.t = seen.t, .h = seen.period / looks, .turns = 1.0 / looks, .steps = looks};
        Eigen::VectorXd largest = Eigen::VectorXd::Zero(d);
        Eigen::VectorXd end = largest;
        average_->look(stretch, x_, [&](std::int64_t, std::span<const double> x, auto, auto) {
            end = Eigen::Map<const Eigen::VectorXd>(x.data(), d);
            largest = largest.cwiseMax(end.cwiseAbs());
        });
        const Eigen::VectorXd drift = (end - Eigen::Map<const Eigen::VectorXd>(x_.data(), d)).cwiseAbs() / seen.period;
        double time = seen.length;
        for (Eigen::Index i = 0; i < d; ++i) {
            time = largest[i] > 0.1 * largest.maxCoeff() && drift[i] > 0 ? std::min(time, largest[i] / drift[i]) : time;
        }
        const Eigen::VectorXd reached = largest.cwiseMax(0.3 * time * drift);
        const double otherwise = reached.maxCoeff() > 0 ? reached.maxCoeff() : 1.0;
        return reached.unaryExpr([&](double size) { return size > 0 && std::isfinite(size) ? size : otherwise; });
    }

    /// At the start and at a point near it.
    std::vector<SlowField::Point> mean_rates() {
        auto points = points_near(*average_, look());
        points.resize(2);
        SlowField field = windows_.field(*average_);
        std::vector<SlowField::Point> found;
        for (const auto& point : points) {
            found.push_back(field.at(request_.t_start, point));
        }
        return found;
    }
    /// Over what the slow variables are, or become within the run.
    double difference(const std::vector<SlowField::Point>& a, const std::vector<SlowField::Point>& b) {
        const double length = request_.t_end - request_.t_start;
        std::vector<double> values(average_->outputs());
        double largest = 0;
        for (std::size_t p = 0; p < a.size(); ++p) {
            const bool finite = a[p].rates.allFinite() && b[p].rates.allFinite();
            if (!finite && p > 0 && !a[p].rates.allFinite() && !b[p].rates.allFinite()) {
                continue;  // a point aside, outside of where the model is defined
            }
            if (!finite) {
                return HUGE_VAL;  // micro-steps too long to follow the motion
            }
            average_->values(request_.t_start, {a[p].x.data(), x_.size()}, values);
            for (std::size_t k = 0; k < a[p].charts.size(); ++k) {
                const auto i = static_cast<Eigen::Index>(k);
                const double size =
                    std::max(std::abs(values[a[p].charts[k]]), length * b[p].rates.cwiseAbs().maxCoeff());
                largest = std::max(largest, length * std::abs(a[p].rates[i] - b[p].rates[i]) /
                                                std::max(size, std::numeric_limits<double>::min()));
            }
        }
        return largest;
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
        auto result = march.from(
            Eigen::Map<const Eigen::VectorXd>(x_.data(), static_cast<Eigen::Index>(x_.size())),
            {[&](double to) { return recorder.wants(to); }, [&](DenseStep step) { recorder.take(std::move(step)); }},
            request_.stop);
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
        motion.rate = [&](double t, std::span<const double> x, std::span<double> rate) {
            const auto point = field.at(t, x);
            const auto F = SlowField::field(point);
            std::copy(F.begin(), F.end(), rate.begin());
            ++evaluations;
            dependent += (point.gradients * F - point.rates).norm() > 1e-6 * point.rates.norm() ? 1 : 0;
        };
        Request controlled = request_;
        controlled.rtol *= sharpness(field);
        controlled.atol *= sharpness(field);
        auto marched = march_macro(macro_, motion, controlled, x_);
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

    /// The share of the tolerance that the unknowns may have so that the slow variables have it: these may be differences of large terms.
    double sharpness(SlowField& field) {
        constexpr double least = 1e-5;
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

    static constexpr double share = 0.1;  // of the tolerance, for windows

    std::chrono::steady_clock::time_point began_;
    SharedSlow problem_;
    Request request_;
    std::vector<double> x_;
    MacroChoice macro_;
    std::string reconstruction_;
    Windows windows_;
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
