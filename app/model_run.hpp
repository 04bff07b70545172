/// What `run`, `compare` and `check` share: solving with progress and Ctrl-C, samples as rows, the summary, the exit status.
#pragma once

#include <filesystem>
#include <string>

#include "commands.hpp"
#include "lento/output/run_output.hpp"
#include "lento/solution/solution.hpp"
#include "loaded_model.hpp"

namespace lento::app {

struct RecordedRun {
    RunOutput output;
    Solution solution;
};

/// Solves; samples become rows of the output as they come. `what` is shown while it runs.
RecordedRun solve_and_record(const LoadedModel& loaded, Request request, const std::string& what);

/// JSON, a table, or nothing; and on standard error why a run did not complete.
void print_summary(const ModelArguments& arguments, const RunOutput& output, const std::filesystem::path& folder);

Exit status_of(const RunRecord& record);

}  // namespace lento::app
