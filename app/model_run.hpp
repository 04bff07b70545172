/// What `run`, `compare` and `check` share: solving with progress and Ctrl-C, samples as rows, the summary, the exit status.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "commands.hpp"
#include "course.hpp"
#include "lento/solution/solution.hpp"
#include "loaded_model.hpp"
#include "output/run_output.hpp"

namespace lento::app {

struct RecordedRun {
    RunOutput output;
    Solution solution;
    StepLog steps;
};

/// Solves; samples become rows of the output as they come. `what` is shown while it runs.
RecordedRun solve_and_record(const LoadedModel& loaded, Request request, const std::string& what);

/// Adds what the report shows besides the samples, as far as the request made the solution keep it; `window` is shown too.
void look_closer(const LoadedModel& loaded, const Request& request, const std::optional<Interval>& window,
                 RecordedRun& run);

/// Writes the files, prints the summary (JSON, a table, or nothing) and, on standard error, why a run did not complete. The summary is
/// printed even where the files cannot be written.
Exit finish_run(const ModelArguments& arguments, const RunOutput& output, const std::filesystem::path& folder);

}  // namespace lento::app
