/// What `run` and `compare` share: solving with progress and Ctrl-C, samples as rows, report, summary, exit status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "lento/solution/solution.hpp"
#include "loaded_model.hpp"
#include "output/run_output.hpp"

namespace lento::app {

/// The macro-steps of a run, from the times that it tells as it goes; few of many.
class StepLog {
public:
    explicit StepLog(double t_start) : start_(t_start), last_(t_start) {}

    void operator()(double t);
    /// Of the march that took about so many steps: a run may have had others before it, or beside it for its estimate.
    Chart chart(std::int64_t steps) const;

private:
    static constexpr std::size_t most = 2000;

    struct March {
        std::size_t every = 1, count = 0;
        std::vector<double> t{}, h{};
    };

    double start_, last_;
    std::vector<March> marches_{{}};
};

struct RecordedRun {
    RunOutput output;
    Solution solution;
    StepLog steps;
};

/// What a run says of its error, by the names of the columns. What is observed, and slow variables, follow by the chain
/// rule at a few samples; multipliers are not part of it, nor is anything observed of very large systems.
RunOutput::Named estimates_by_name(const LoadedModel& loaded, const Solution& solution, const SampleStore& samples);
/// The same of amplitudes that it leaves out.
RunOutput::Named left_out_by_name(const LoadedModel& loaded, const Solution& solution, const SampleStore& samples);

/// Throws Misuse where files with so many samples would not fit onto the disk.
void require_room_for(std::size_t samples, const LoadedModel& loaded);

/// Solves; samples become rows of the output as they come. `what` is shown while it runs.
RecordedRun solve_and_record(const LoadedModel& loaded, Request request, const std::string& what);

/// What has to be kept of the solution to look closer: the steps about the times to be shown.
Recorder::Keep kept_for_closer_look(const LoadedModel& loaded, const Request& request);

/// Adds what the report shows besides the samples, as far as the request made the solution keep it, and `window`.
void look_closer(const LoadedModel& loaded, const Request& request, const std::optional<Interval>& window,
                 RecordedRun& run);

/// The period and the true motion at several scales, as much of it as there is, within a second or two.
void add_levels(const LoadedModel& loaded, const Request& request, const Solution& solution,
                const std::optional<Interval>& extra, RunView& view);

/// How a run went, by its samples and options: constraint residuals, energy, the filter, what that lets through.
std::vector<Chart> course_charts(const LoadedModel& loaded, const RunOutput& output);

/// Coordinates whose names differ by an x in place of a y (x1, y1; px, py) make a point. A constraint or elongation of
/// one point joins it to a fixed place, one of two joins these. None where there are none, too many, or in space.
std::optional<Mechanism> mechanism_of(const model::Model& model);

/// Prints the summary (JSON, a table, or nothing) and, on standard error, why a run did not complete.
void print_summary(const ModelArguments& arguments, const RunOutput& output, const std::string& report);

/// Writes the files and prints the summary, even where the files cannot be written.
Exit finish_run(const ModelArguments& arguments, const RunOutput& output, const std::filesystem::path& folder);

}  // namespace lento::app
