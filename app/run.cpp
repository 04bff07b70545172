/// `lento run`.
#include <algorithm>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "loaded_model.hpp"
#include "model_run.hpp"
#include "output/files.hpp"

namespace lento::app {
namespace {

Interval fast_range(const LoadedModel& loaded, const std::string& text) {
    const auto colon = text.find(':');
    if (colon == std::string::npos) {
        throw Misuse(fmt::format("--fast '{}' is not of the form A:B", text));
    }
    const double from = loaded.model.number(text.substr(0, colon), "--fast A");
    const double to = loaded.model.number(text.substr(colon + 1), "--fast B");
    const auto& request = loaded.request;
    if (!(to > from) || from < request.t_start || to > request.t_end) {
        throw Misuse(fmt::format("--fast {}:{}: the second time must be later, and both within the run, {} to {}", from,
                                 to, request.t_start, request.t_end));
    }
    return {from, to};
}

/// The true solution between two times: 32 points a vibration, at most 200,000.
Series fast_series(const LoadedModel& loaded, const Solution& solution, const Interval& range) {
    const auto [from, to] = range;
    constexpr double most = 200'000;
    const double wanted = 32 * (to - from) / loaded.fastest_period().value_or(to - from);
    if (wanted > most) {
        fmt::print(stderr,
                   "lento: --fast {}:{} covers {:.3g} vibrations; {:.0f} points cannot show them all: take a shorter "
                   "interval\n",
                   from, to, wanted / 32, most);
    }
    const auto points = static_cast<std::size_t>(std::clamp(wanted, 200.0, most));
    Series series{loaded.model.columns()};
    for (std::size_t k = 0; k <= points; ++k) {
        const double t = from + (to - from) * static_cast<double>(k) / static_cast<double>(points);
        series.rows.append(t, loaded.model.row(solution.fast(t)));
    }
    return series;
}

}  // namespace

Exit run(const ModelArguments& arguments) {
    const LoadedModel loaded = load(arguments);
    const auto window = arguments.fast ? std::optional(fast_range(loaded, *arguments.fast)) : std::nullopt;
    if (arguments.plot) {
        require_plot_format(*arguments.plot);
    }
    // NOTE: the folder comes first, so that a run of an hour does not end in an unwritable place.
    make_folder(loaded.folder);
    require_room_for(loaded.request.samples, loaded);

    Request request = loaded.request;
    request.keep = window ? Recorder::Keep::everything : kept_for_closer_look(loaded, request);
    auto recorded = solve_and_record(loaded, request, "running");
    const bool no_fast =
        window && !recorded.solution.has_fast() && recorded.output.record.slow_is != name_of(SlowMeaning::true_motion);
    const bool shows_fast = window && !no_fast && has_result(recorded.solution.outcome());
    if (shows_fast) {
        recorded.output.fast = fast_series(loaded, recorded.solution, *window);
    }
    look_closer(loaded, request, shows_fast ? window : std::nullopt, recorded);
    const Exit exit = finish_run(arguments, recorded.output, loaded.folder);
    if (no_fast && exit == Exit::done) {
        fmt::print(stderr,
                   "lento: no fast.csv: the method {} gives only the slow motion for this system; the rest was "
                   "written. The method {} resolves the true motion\n",
                   recorded.output.record.method, method::direct.name);
        return Exit::failed;
    }
    return exit;
}

}  // namespace lento::app
