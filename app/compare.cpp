/// `lento compare`: a method beside a direct integration with tight tolerances.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "loaded_model.hpp"
#include "model_run.hpp"
#include "output/files.hpp"

namespace lento::app {
namespace {

constexpr double default_budget = 2e8;

/// Vibrations over which the price of a direct run is found out.
constexpr double trial_periods = 20;

Request direct_request(const LoadedModel& loaded) {
    Request request = loaded.request_for(method::direct);
    constexpr double rounding = 1e-13;
    request.rtol = std::max(rounding, request.rtol / 1000);
    request.atol /= 1000;
    return request;
}

struct Price {
    double evaluations = 0, seconds = 0;
};

/// What a direct run will cost, from its first vibrations.
Price price_of(const LoadedModel& loaded, Request request) {
    const auto period = loaded.fastest_period();
    const double length = request.t_end - request.t_start;
    if (!period || trial_periods * *period >= length) {
        return {};  // nothing to go by, or nothing to fear
    }
    request.t_end = request.t_start + trial_periods * *period;
    const Solution trial = solve(loaded.problem, request);
    const double factor = length / (trial_periods * *period);
    return {trial.statistics().all_evaluations() * factor, trial.statistics().wall_seconds * factor};
}

struct Errors {
    Series over_time;
    std::vector<double> largest;
    std::vector<double> final;  ///< at the last sample
};

/// At the samples of a run, of the true solution; of the slow one where the method gives no other.
Errors errors_of(const LoadedModel& loaded, const RecordedRun& method, const RecordedRun& direct) {
    const std::size_t columns = loaded.model.columns().size();
    Errors errors{{loaded.model.columns()}, std::vector<double>(columns), std::vector<double>(columns)};
    const bool reconstructs =
        method.solution.has_fast() && method.output.record.slow_is != name_of(SlowMeaning::true_motion);
    SampleStore::Reader rows(method.output.slow.rows), resolved(direct.output.slow.rows);
    std::vector<double> row;
    for (std::size_t k = 0; k < std::min(rows.size(), resolved.size()); ++k) {
        if (reconstructs) {
            row = loaded.model.row(method.solution.fast(rows.t(k)));
        } else {
            row.assign(rows[k].begin(), rows[k].end());
        }
        for (std::size_t i = 0; i < columns; ++i) {
            errors.final[i] = std::abs(row[i] - resolved[k][i]);
            errors.largest[i] = larger(errors.largest[i], errors.final[i]);
        }
        errors.over_time.rows.append(rows.t(k), errors.final);
    }
    return errors;
}

/// The errors of coordinates or variables over time.
Chart error_chart(const LoadedModel& loaded, const Errors& errors) {
    constexpr std::size_t most_curves = 8;
    Chart chart{.title = "Error", .x = "t", .y = "error of the true solution", .y_scale = Chart::Scale::logarithmic};
    SampleStore::Reader rows(errors.over_time.rows);
    const std::size_t stride = std::max<std::size_t>(1, rows.size() / 1000);
    for (std::size_t i = 0; i < std::min(most_curves, loaded.problem.dimension()); ++i) {
        auto& curve = chart.curves.emplace_back(Chart::Curve{errors.over_time.names[i], {}, {}});
        for (std::size_t k = 0; k < rows.size(); k += stride) {
            curve.x.push_back(rows.t(k));
            curve.y.push_back(rows[k][i]);
        }
    }
    return chart;
}

/// The largest error among coordinates or variables.
double worst_of(const LoadedModel& loaded, const Errors& errors) {
    return largest(std::span(errors.largest).first(loaded.problem.dimension()));
}

/// The largest error among positions and velocities, in tolerances of the run.
double tolerances_off(const LoadedModel& loaded, const Errors& errors, const RecordedRun& direct) {
    SampleStore::Reader rows(direct.output.slow.rows);
    const Tolerance tolerance = tolerance_of(loaded.problem, loaded.request);
    std::vector<double> sizes(loaded.problem.unknowns());
    for (std::size_t k = 0; k < rows.size(); ++k) {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            sizes[i] = larger(sizes[i], std::abs(rows[k][i]));
        }
    }
    double off = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        off = larger(off, errors.largest[i] / tolerance.of(i, sizes[i]));
    }
    return off;
}

/// A direct run that is to be no more wrong than the method was: with tolerances that are what that was off by.
Request equally_wrong(const LoadedModel& loaded, const Request& reference, double off) {
    constexpr double loosest = 1e-2;
    Request request = reference;
    request.rtol = std::clamp(loaded.request.rtol * off, reference.rtol, loosest);
    request.atol = loaded.request.atol * request.rtol / loaded.request.rtol;
    return request;
}

/// The same request with more or less care: other tolerances, or other steps where these are fixed. Errors are
/// measured, so none is estimated.
Request with_care(Request request, double factor) {
    auto& options = request.options;
    options.estimate = "none";
    if (options.macro_step) {
        *options.macro_step *= std::sqrt(factor);
    } else if (options.steps) {
        *options.steps =
            std::max<std::size_t>(1, std::llround(static_cast<double>(*options.steps) / std::sqrt(factor)));
    } else {
        request.rtol *= factor;
        request.atol *= factor;
    }
    return request;
}

/// Error against work, of the method and of direct integration, with more and less care. None where that takes long.
std::optional<Chart> work_chart(const LoadedModel& loaded, const RecordedRun& method, const RecordedRun& direct,
                                const Request& kept) {
    constexpr double most_evaluations = 2e7;
    constexpr double most_seconds = 5;
    if (static_cast<double>(direct.output.record.statistics.force_evaluations) > most_evaluations ||
        direct.output.record.statistics.wall_seconds > most_seconds ||
        method.output.record.statistics.wall_seconds > most_seconds) {
        return {};
    }
    Chart chart{.title = "Work and precision",
                .x = "force evaluations",
                .y = "largest error",
                .x_scale = Chart::Scale::logarithmic,
                .y_scale = Chart::Scale::logarithmic,
                .marks = Chart::Marks::points};
    const auto add = [&](const std::string& label, const std::vector<Request>& requests) {
        std::vector<std::pair<double, double>> points;
        for (const auto& request : requests) {
            const auto run = solve_and_record(loaded, request, "measuring");
            const auto& record = run.output.record;
            if (record.outcome == Outcome::interrupted) {
                return;
            }
            const double error = has_result(record.outcome) ? worst_of(loaded, errors_of(loaded, run, direct)) : NAN;
            if (error > 0) {
                points.emplace_back(static_cast<double>(record.statistics.force_evaluations), error);
            }
        }
        std::ranges::sort(points);
        auto& curve = chart.curves.emplace_back(Chart::Curve{label, {}, {}});
        for (const auto& [work, error] : points) {
            curve.x.push_back(work);
            curve.y.push_back(error);
        }
    };
    add(method.output.record.method,
        {with_care(kept, 100), with_care(kept, 10), kept, with_care(kept, 0.1), with_care(kept, 0.01)});
    Request resolving = with_care(direct_request(loaded), 1);
    std::vector<Request> requests;
    for (const double rtol : {1e-3, 1e-5, 1e-7, 1e-9}) {
        resolving.rtol = rtol;
        resolving.atol = rtol / 1000;
        requests.push_back(resolving);
    }
    add(std::string(method::direct.name), requests);
    return chart;
}

/// What the method saves, direct over method.
struct Saved {
    double evaluations = 0, time = 0;
};

/// What a run has to do with, with its estimate or without.
struct Work {
    double evaluations = 0, seconds = 0;
};

Work work_of(const RunRecord& record, bool estimated) {
    const auto& s = record.statistics;
    const double all = s.all_evaluations();
    const double plain = static_cast<double>(s.force_evaluations);
    return estimated ? Work{all, s.wall_seconds} : Work{plain, s.wall_seconds * plain / all};
}

Json comparison_json(const RunOutput& direct, const Errors& errors, const Saved& saved) {
    const Json summary = summary_json(direct);
    Json error = Json::object();
    for (std::size_t i = 0; i < errors.largest.size(); ++i) {
        error[direct.slow.names[i]] = {{"max", errors.largest[i]}, {"final", errors.final[i]}};
    }
    return {{"direct",
             {{"statistics", summary["statistics"]},
              {"final", summary["final"]},
              {"error_estimate", summary["error_estimate"]}}},
            {"error", error},
            {"saved", {{"evaluations", saved.evaluations}, {"time", saved.time}}}};
}

void print_comparison(const RunOutput& method, const RunRecord& reference, const Work& ours, const Work& theirs,
                      const Errors& errors, const Saved& saved) {
    fmt::print("\n  {:<18} {:>16} {:>16} {:>12}\n", "at equal error", method.record.method, method::direct.name,
               "saved");
    fmt::print("  {:<18} {:>16.0f} {:>16.0f} {:>11.3g}x\n", "evaluations", ours.evaluations, theirs.evaluations,
               saved.evaluations);
    fmt::print("  {:<18} {:>16.3g} {:>16.3g} {:>11.3g}x\n", "seconds", ours.seconds, theirs.seconds, saved.time);
    fmt::print("\n  {:<18} {:>16} {:>16}\n", "error", "largest", "final");
    for (std::size_t i = 0; i < errors.largest.size(); ++i) {
        fmt::print("  {:<18} {:>16.3e} {:>16.3e}\n", method.slow.names[i], errors.largest[i], errors.final[i]);
    }
    fmt::print(
        "  (of the true solution, at the sample times, beside a resolved run of {:.0f} evaluations{}; over time in "
        "error.csv)\n",
        reference.statistics.all_evaluations(),
        reference.error_estimate.empty()
            ? std::string()
            : fmt::format(" whose own error is at most {:.1e}", largest(reference.error_estimate)));
}

}  // namespace

Exit compare(const ModelArguments& arguments) {
    const LoadedModel loaded = load(arguments);
    const double budget = arguments.budget ? loaded.model.number(*arguments.budget, "--budget") : default_budget;
    require_positive(budget, "--budget");
    if (arguments.plot) {
        require_plot_format(*arguments.plot);
    }
    make_folder(loaded.folder);
    require_room_for(loaded.request.samples, loaded);

    Request kept = loaded.request;
    kept.keep = Recorder::Keep::everything;  // the true motion is asked for afterwards
    auto method = solve_and_record(loaded, kept, "running");
    look_closer(loaded, kept, {}, method);
    auto& record = method.output.record;
    const auto finish = [&] { return finish_run(arguments, method.output, loaded.folder); };
    const auto without_direct = [&](Outcome outcome, const std::string& why) {
        record.outcome = outcome;
        record.explanation = why;
        method.output.additions = {{"direct", nullptr}, {"error", nullptr}, {"saved", nullptr}};
        return finish();
    };
    if (!has_result(record.outcome)) {
        return without_direct(record.outcome, record.explanation);
    }

    Request request = direct_request(loaded);
    if (const Price price = price_of(loaded, request); price.evaluations > budget) {
        return without_direct(
            Outcome::refused,
            fmt::format("resolving every vibration would take about {:.2g} force evaluations and {:.2g} s; the budget "
                        "is {:.2g} evaluations: shorten the run with --t-end, or raise the budget with --budget {:.1g}",
                        price.evaluations, price.seconds, budget, 2 * price.evaluations));
    }
    constexpr double evaluations_a_step = 24;  // of DOP853, and of the march before
    request.most_steps = static_cast<std::int64_t>(std::min(budget / evaluations_a_step, 1e15)) + 1;
    const auto direct = solve_and_record(loaded, request, std::string(method::direct.name));
    if (const auto outcome = direct.output.record.outcome; outcome == Outcome::interrupted) {
        return without_direct(outcome, "the reference was interrupted");
    } else if (!has_result(outcome)) {
        const char* advice = outcome == Outcome::budget_exhausted ? "; or raise the budget with --budget" : "";
        return without_direct(outcome, "the reference: " + direct.output.record.explanation + advice);
    }

    Errors errors = errors_of(loaded, method, direct);
    const auto equal = equally_wrong(loaded, request, tolerances_off(loaded, errors, direct));
    const auto resolved = equal.rtol == request.rtol
                              ? direct.output.record
                              : solve_and_record(loaded, equal, std::string(method::direct.name)).output.record;
    if (!has_result(resolved.outcome)) {
        return without_direct(resolved.outcome, "the resolved run of equal error did not end");
    }
    // NOTE: with an estimate on both sides, or on neither.
    const bool estimated = kept.options.estimate != "none";
    const Work ours = work_of(record, estimated);
    const Work theirs = work_of(resolved, estimated);
    const Saved saved{theirs.evaluations / ours.evaluations, theirs.seconds / ours.seconds};
    method.output.additions = comparison_json(direct.output, errors, saved);
    method.output.view.resolving = theirs.evaluations;
    method.output.view.resolving_is = fmt::format("measured, with rtol = {:.1g}, for the same error", equal.rtol);
    method.output.view.comparison.push_back(error_chart(loaded, errors));
    if (auto chart = work_chart(loaded, method, direct, kept)) {
        method.output.view.comparison.push_back(std::move(*chart));
    }
    method.output.errors = std::move(errors.over_time);
    const Exit exit = finish();
    if (!arguments.json && !arguments.quiet) {
        print_comparison(method.output, direct.output.record, ours, theirs, errors, saved);
    }
    return exit;
}

}  // namespace lento::app
