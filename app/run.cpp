/// `lento run`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include <fmt/format.h>

#include "closer_look.hpp"
#include "lento/base/misuse.hpp"
#include "loaded_model.hpp"
#include "model_run.hpp"
#include "output/files.hpp"

namespace lento::app {
namespace {

std::pair<double, double> fast_range(const LoadedModel& loaded, const std::string& text) {
    const auto colon = text.find(':');
    if (colon == std::string::npos) {
        throw Misuse(fmt::format("--fast '{}' is not of the form A:B", text));
    }
    const double from = loaded.model().number(text.substr(0, colon), "--fast A");
    const double to = loaded.model().number(text.substr(colon + 1), "--fast B");
    const auto& request = loaded.request();
    if (!(to > from) || from < request.t_start || to > request.t_end) {
        throw Misuse(fmt::format("--fast {}:{}: the second time must be later, and both within the run, {} to {}", from,
                                 to, request.t_start, request.t_end));
    }
    return {from, to};
}

/// The true solution between two times: 32 points a vibration, at most 200,000.
Series fast_series(const LoadedModel& loaded, const Solution& solution, std::pair<double, double> range) {
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
    Series series{loaded.model().columns(), {}, {}};
    for (std::size_t k = 0; k <= points; ++k) {
        const double t = from + (to - from) * static_cast<double>(k) / static_cast<double>(points);
        series.t.push_back(t);
        series.rows.push_back(loaded.model().row(solution.fast(t)));
    }
    return series;
}

}  // namespace

Exit run(const RunArguments& arguments) {
    const LoadedModel loaded(arguments);
    const auto fast_times = arguments.fast ? fast_range(loaded, *arguments.fast) : std::pair{0.0, 0.0};
    if (arguments.plot) {
        require_plot_format(*arguments.plot);
    }
    // NOTE: the folder comes first, so that a run of an hour does not end in an unwritable place.
    make_folder(loaded.folder());

    Request request = loaded.request();
    request.keep = arguments.fast ? Recorder::Keep::everything : CloserLook(loaded, request).keep();
    auto recorded = solve_and_record(loaded, request, "running");
    std::optional<Interval> window;
    const bool no_fast = arguments.fast && !recorded.solution.has_fast() &&
                         recorded.output.record.slow_is != name_of(SlowMeaning::true_motion);
    if (arguments.fast && !no_fast && recorded.solution.outcome() == Outcome::completed) {
        recorded.output.fast = fast_series(loaded, recorded.solution, fast_times);
        window = Interval{fast_times.first, fast_times.second};
    }
    look_closer(loaded, request, window, recorded);
    const Exit exit = finish_run(arguments, recorded.output, loaded.folder());
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
