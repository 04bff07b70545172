#include "model_run.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "judge/price.hpp"
#include "lento/base/misuse.hpp"
#include "lento/base/outcome.hpp"
#include "model/parts.hpp"
#include "output/files.hpp"
#include "terminal.hpp"

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

/// The first six coordinates or variables and observed quantities: without the name of a velocity or a multiplier.
std::vector<std::size_t> plotted_columns(const RunOutput& output) {
    constexpr std::size_t most = 6;
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < output.slow.names.size() && columns.size() < most; ++i) {
        const auto& name = output.slow.names[i];
        if (!name.ends_with("_dot") && !name.starts_with("lambda_")) {
            columns.push_back(i);
        }
    }
    return columns;
}

}  // namespace

void require_room_for(std::size_t samples, const LoadedModel& loaded) {
    const auto columns = static_cast<double>(loaded.model.columns().size() + 1);
    const auto require = [&](const std::filesystem::path& folder, double bytes, const char* advice) {
        std::error_code error;
        const auto room = std::filesystem::space(folder, error);
        const double wanted = bytes * static_cast<double>(samples) * columns;
        if (!error && wanted > static_cast<double>(room.available)) {
            throw Misuse(fmt::format(
                "{} samples of {} numbers each would take about {:.2g} GB in {}, where {:.2g} GB are left: "
                "take fewer, and look closer with --fast A:B{}",
                samples, columns, wanted / 1e9, folder.string(), static_cast<double>(room.available) / 1e9, advice));
        }
    };
    // Bytes of a number: as text and in HDF5; while the run is under way.
    require(loaded.folder, 30, ", or choose another folder with -o DIR");
    std::error_code error;
    if (const auto folder = std::filesystem::temp_directory_path(error); !error) {
        require(folder, 30, ", or set TMPDIR to a folder with more room");
    }
}

RecordedRun solve_and_record(const LoadedModel& loaded, Request request, const std::string& what) {
    const auto& parsed = loaded.model.parsed();
    RunOutput output;
    output.title = loaded.model.title();
    output.slow.names = loaded.model.columns();
    output.parameters =
        model::mapped(parsed.parameters, [](const auto& each) { return std::pair(each.name, each.value); });
    output.model_text = parsed.source.text();
    output.phases = loaded.problem.phases;
    output.choice = loaded.choice;
    // NOTE: what a row means depends on the method that ran, which is known at the end.
    SampleStore samples;
    request.sink = [&](double t, std::span<const double> y) { samples.append(t, y); };
    StepLog steps(request.t_start);
    Solution solution = [&] {
        Progress progress(what, request.t_start, request.t_end);
        request.progress = [&](double t) {
            steps(t);
            progress(t);
        };
        request.stop = progress.token();
        return solve(loaded.problem, request);
    }();

    output.record = solution.record();
    if (output.record.outcome == Outcome::diverged && output.record.t_end == request.t_start) {
        output.record.explanation += place_of_divergence(parsed);
    }
    if (!output.record.tried.empty()) {
        output.choice = fmt::format("{} chose {} first", method::automatic, output.record.tried.front().method);
    }
    const auto row = [&](const Snapshot& state) {
        return loaded.model.slow_row(state, output.record, request.t_start);
    };
    SampleStore::Reader states(samples);
    for (std::size_t k = 0; k < states.size(); ++k) {
        output.slow.rows.append(states.t(k), row(loaded.model.snapshot(states.t(k), states[k])));
    }
    const auto [read, compile] = loaded.model.seconds();
    output.seconds = {{"read", read}, {"compile", compile}, {"solve", solution.statistics().wall_seconds}};
    const auto& final_state = solution.final_state();
    output.final_slow = row(final_state);
    if (states.size() == 0 || states.t(states.size() - 1) < final_state.t) {
        output.slow.rows.append(final_state.t, output.final_slow);  // a run that ended early shows how far it came
    }
    if (solution.has_fast()) {
        output.final_fast = loaded.model.row(solution.reconstruct(final_state));
    }
    output.error_estimate = estimates_by_name(loaded, solution, samples);
    output.left_out = left_out_by_name(loaded, solution, samples);
    output.wanted_end = request.t_end;
    return {std::move(output), std::move(solution), std::move(steps)};
}

void look_closer(const LoadedModel& loaded, const Request& request, const std::optional<Interval>& window,
                 RecordedRun& run) {
    auto& view = run.output.view;
    add_levels(loaded, request, run.solution, window, view);
    if (view.period && has_result(run.output.record.outcome)) {
        view.resolving =
            price_of_direct(loaded.problem, (request.t_end - request.t_start) / *view.period, request.rtol);
    }
    view.along_exact_part = run.output.record.slow_is == name_of(SlowMeaning::averaged) && loaded.problem.exact;
    view.mechanism = mechanism_of(loaded.model.parsed());
    view.course = course_charts(loaded, run.output);
    if (run.solution.statistics().macro_steps > 1) {
        view.course.insert(view.course.begin(), run.steps.chart(run.solution.statistics().macro_steps));
    }
}

Exit finish_run(const ModelArguments& arguments, const RunOutput& output, const std::filesystem::path& folder) {
    try {
        write_run(folder, output);
        if (arguments.plot) {
            write_plot(*arguments.plot, output, plotted_columns(output));
        }
    } catch (const Misuse& misuse) {
        print_summary(arguments, output, "not written");
        fmt::print(stderr, "lento: {}\n", misuse.what());
        return Exit::bad_input;
    }
    print_summary(arguments, output, (folder / "report.html").string());
    const auto outcome = output.record.outcome;
    return has_result(outcome) ? Exit::done : outcome == Outcome::interrupted ? Exit::interrupted : Exit::failed;
}

}  // namespace lento::app
