#include "model_run.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "lento/base/outcome.hpp"
#include "lento/output/files.hpp"
#include "progress.hpp"

namespace lento::app {

namespace {

/// Where in the file the force or rate stands that is not finite at the start.
std::string place_of_divergence(const model::Model& model) {
    for (const auto& coordinate : model.coordinates) {
        const auto i = static_cast<std::size_t>(&coordinate - model.coordinates.data());
        const double force = model::values_at_start(model, {model.forces[i]})[0];
        if (!std::isfinite(force)) {
            return fmt::format("; the force on {} is {} there, see {}", coordinate.name, force,
                               model.source.place(coordinate.force.line > 0 ? coordinate.force : coordinate.mark));
        }
    }
    for (const auto& variable : model.variables) {
        const double rate = model::values_at_start(model, {variable.rate})[0];
        if (!std::isfinite(rate)) {
            return fmt::format("; the rate of {} is {} there, see {}", variable.name, rate,
                               model.source.place(variable.mark));
        }
    }
    return {};
}

}  // namespace

RecordedRun solve_and_record(const LoadedModel& loaded, Request request, const std::string& what) {
    RunOutput output = loaded.output();
    const auto record = [&](double t, std::span<const double> y) {
        output.slow.t.push_back(t);
        output.slow.rows.push_back(loaded.slow_row(request.method, loaded.snapshot(t, y)));
    };
    request.sink = record;
    Solution solution = [&] {
        Progress progress(what, request.t_start, request.t_end);
        request.progress = std::ref(progress);
        request.stop = progress.token();
        return loaded.solve(request);
    }();

    output.record = solution.record();
    if (output.record.outcome == Outcome::diverged && output.record.t_end == request.t_start) {
        output.record.explanation += place_of_divergence(loaded.model());
    }
    if (loaded.choice() && output.record.method != loaded.choice()->method) {
        output.choice = fmt::format("auto chose {} first; see the warnings", loaded.choice()->method);
    }
    output.record.warnings.insert(output.record.warnings.begin(), loaded.notes().begin(), loaded.notes().end());
    output.seconds.emplace_back("solve", solution.statistics().wall_seconds);
    const auto& final_state = solution.final_state();
    output.final_slow = loaded.slow_row(request.method, final_state);
    if (output.slow.t.empty() || output.slow.t.back() < final_state.t) {
        output.slow.t.push_back(final_state.t);  // a run that ended early shows how far it came
        output.slow.rows.push_back(output.final_slow);
    }
    if (solution.has_fast()) {
        output.final_fast = loaded.row(solution.reconstruct(final_state));
    }
    return {std::move(output), std::move(solution)};
}

namespace {

void print_summary(const ModelArguments& arguments, const RunOutput& output, const std::string& report) {
    if (arguments.json) {
        fmt::print("{}\n", json_text(summary_json(output)));
    } else if (!arguments.quiet) {
        fmt::print("{}  {:<18} {}\n", summary_text(output), "report", report);
    }
    const auto outcome = output.record.outcome;
    if (outcome != Outcome::completed && outcome != Outcome::interrupted) {
        fmt::print(stderr, "lento: {}: {}\n", name_of(outcome), output.record.explanation);
    }
}

}  // namespace

Exit finish_run(const ModelArguments& arguments, const RunOutput& output, const std::filesystem::path& folder) {
    try {
        write_run(folder, output);
    } catch (const Misuse&) {
        print_summary(arguments, output, "not written");
        throw;
    }
    print_summary(arguments, output, (folder / "report.html").string());
    switch (output.record.outcome) {
        case Outcome::completed:
            return Exit::done;
        case Outcome::interrupted:
            return Exit::interrupted;
        default:
            return Exit::failed;
    }
}

}  // namespace lento::app
