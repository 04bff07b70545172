/// A request under way: the only place with a clock, a record, a stop source and counters. Methods are written in terms
/// of it; what all of them share is here once:
///
///     check the request, put the start on the constraints      Run(problem, request, method, by)
///     say what does not hold, or what was chosen                refuse, warn, note
///     march                                                     march_macro (`run/macro.hpp`)
///     report                                                    finished, not_started, leave_to
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lento/judge/outset.hpp"
#include "lento/judge/violation.hpp"
#include "lento/problem/problem.hpp"
#include "lento/run/macro.hpp"
#include "lento/run/method.hpp"
#include "lento/run/request.hpp"
#include "lento/solution/solution.hpp"

namespace [[gnu::visibility("default")]] lento {

/// Who chose the method. One that was asked for runs, or fails with its reason; one that `auto` chose may leave the
/// problem to another, unless that one has failed already.
enum class ChosenBy { name, automatic, automatic_at_last };

/// Ends a march in another way than it says; no component is to blame for that.
void end_as(MarchResult& result, Outcome outcome, std::string explanation);

class Run {
public:
    /// Throws Misuse for what no run could make sense of. A start off the constraints is moved onto them, or is a
    /// violation.
    Run(const Problem& problem, const Request& request, const Method& method, ChosenBy by = ChosenBy::name);
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    const Problem& problem() const { return problem_; }
    /// With the start on the constraints. Marches stop where the run is refused.
    const Request& request() const { return request_; }
    const Options& options() const { return request_.options; }
    const Method& method() const { return *method_; }
    Interval interval() const { return {request_.t_start, request_.t_end}; }
    double length() const { return request_.t_end - request_.t_start; }
    /// The start as marches know it: y = (x, v), or the variables.
    std::vector<double> start() const;
    Outset outset() const {
        return {request_.start, request_.velocity, request_.t_start, request_.t_end, request_.rtol, request_.atol};
    }
    bool by_auto() const { return by_ == ChosenBy::automatic; }

    /// An average that is known to less than this cannot be followed any finer.
    void loosen(double rtol, double atol) {
        request_.rtol = rtol;
        request_.atol = atol;
    }
    /// As it was asked for.
    double asked_rtol() const { return asked_.relative; }
    void allow_steps(std::int64_t most) { request_.most_steps = std::min(request_.most_steps, most); }

    void warn(std::string warning) { record_.warnings.push_back(std::move(warning)); }
    /// An option as it was used, given or chosen.
    void note(std::string name, std::string value) { record_.options.push_back({std::move(name), std::move(value)}); }
    void note(const MacroChoice& macro);
    Statistics& statistics() { return record_.statistics; }
    /// Of the true solution's components, the largest over the run; `sizes` are the largest |y_i|. What is above the
    /// tolerance makes a run that completes end as tolerance_missed; `why` says what keeps it there.
    /// What times lose by rounding is added, with the largest |y_i'| where the method knows them, else as at the start.
    void estimate(std::vector<double> errors, std::span<const double> sizes, std::string why = {},
                  std::vector<double> rates = {});
    /// Amplitudes of oscillations that the slow solution omits by definition, the largest over the run.
    void leave_out(std::vector<double> amplitudes) { record_.left_out = std::move(amplitudes); }
    /// Whether nobody asked for one plain run.
    bool estimates() const { return request_.options.estimate.value_or("yes") != "none"; }

    /// What the method relies on does not hold; a march under way ends at its next step. The first is the cause of the
    /// others.
    void refuse(const Violation& violation);
    void refuse(Outcome outcome, std::string sentence, Remedy remedy = Remedy::in_the_sentence) {
        refuse({outcome, std::move(sentence), remedy});
    }
    const std::optional<Violation>& violation() const { return violation_; }
    /// With the name of the method that is its remedy.
    static std::string sentence_of(const Violation& violation);
    bool goes_on() const { return !violation_; }

    /// Called as the run ends, started or not: puts counters and the options as they were used into the record.
    void count_with(std::function<void()> count) { count_ = std::move(count); }

    /// Ends the run: by the violation, if there is one, whatever the march says. A march that failed names the
    /// component it failed in, with this advice. One that took more evaluations than direct ones would, warns.
    struct Ending {
        MarchResult result{};
        Trajectory trajectory{};
        Snapshot final_state{};
        Reconstruction reconstruction{};
        Settling settling{};
        Vibration vibration{};
        std::string advice{};
        std::optional<double> price_of_direct{};
    };
    Solution finished(Ending ending);
    /// Ends it before the march: there is only the true start, and the violation.
    Solution not_started();
    Solution not_started(const Violation& violation) {
        refuse(violation);
        return not_started();
    }
    /// Ends it before the march, because another method does with less work, or at all, what this one was chosen for.
    Solution leave_to(const Method& other, std::string why);

private:
    /// A march that failed may have met the end of masses that vary.
    void explain_by_masses(Ending& ending) const;

    std::chrono::steady_clock::time_point began_;
    Problem problem_;
    const Method* method_;
    ChosenBy by_;
    Request request_;
    Tolerance asked_;
    RunRecord record_;
    std::optional<std::string> missed_;  // the tolerance, as a sentence
    std::optional<std::string> coarse_;  // the tolerance for something small, as a sentence
    std::optional<Violation> violation_;
    std::function<void()> count_;
    std::stop_source stop_;
    std::stop_callback<std::function<void()>> passed_on_;
};

/// What methods are made of that keep something along a run: short names for what they ask it most.
class MethodRun {
public:
    explicit MethodRun(Run& run) : run_(&run) {}

    Run& run() const { return *run_; }
    const Problem& problem() const { return run_->problem(); }
    const Request& request() const { return run_->request(); }
    const Options& options() const { return run_->options(); }

protected:
    Run* run_;
};

}  // namespace lento
