/// `lento run`.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "builtin.hpp"
#include "commands.hpp"
#include "lento/base/misuse.hpp"
#include "lento/base/number.hpp"
#include "lento/method/options.hpp"
#include "lento/method/request.hpp"
#include "lento/output/files.hpp"
#include "lento/output/run_output.hpp"

namespace lento::app {
namespace {

volatile std::sig_atomic_t interrupt_requested = 0;

/// "NAME=VALUE"
std::pair<std::string, std::string> name_and_value(const std::string& text, std::string_view flag) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw Misuse(fmt::format("{} '{}' is not of the form NAME=VALUE", flag, text));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

const Builtin& find_problem(const std::string& name) {
    std::vector<std::string> known;
    for (const auto& problem : builtins()) {
        if (problem.name == name) {
            return problem;
        }
        known.push_back(problem.name);
    }
    throw Misuse(
        fmt::format("problem '{}' is not known{}; there are {}", name, suggestion(name, known), listed(known)));
}

Values values_for(const Builtin& problem, const std::vector<std::string>& assignments) {
    Values values;
    std::vector<std::string> known;
    for (const auto& parameter : problem.parameters) {
        values[parameter.name] = parameter.value;
        known.push_back(parameter.name);
    }
    for (const auto& assignment : assignments) {
        const auto [name, text] = name_and_value(assignment, "--set");
        if (!values.contains(name)) {
            throw Misuse(fmt::format("{} has no parameter '{}'{}; it has {}", problem.name, name,
                                     suggestion(name, known), listed(known)));
        }
        values[name] = number_from(text, "--set " + name);
    }
    return values;
}

/// Shows the time reached on a terminal, after two seconds, and passes Ctrl-C on to the run.
class Progress {
public:
    Progress(double t_start, double t_end) : t_start_(t_start), t_end_(t_end) {}

    std::stop_token token() const { return source_.get_token(); }

    void operator()(double t) {
        if (interrupt_requested != 0) {
            source_.request_stop();
        }
        const auto now = std::chrono::steady_clock::now();
        const double elapsed = std::chrono::duration<double>(now - began_).count();
        if (!visible_ || elapsed < 2 || now - shown_ < std::chrono::milliseconds(200)) {
            return;
        }
        shown_ = now;
        const double share = (t - t_start_) / (t_end_ - t_start_);
        fmt::print(stderr, "\r  t = {:.6g} of {:.6g}, {:.0f} s left   ", t, t_end_,
                   share > 0 ? elapsed * (1 - share) / share : 0.0);
        printed_ = true;
    }
    void finish() const {
        if (printed_) {
            fmt::print(stderr, "\r{:60}\r", "");
        }
    }

private:
    double t_start_, t_end_;
    std::stop_source source_;
    bool visible_ = isatty(STDERR_FILENO) == 1;
    bool printed_ = false;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point shown_ = began_;
};

/// Positions, velocities and observed quantities, in the order of the columns.
std::vector<double> row_of(const Builtin& problem, const Values& values, std::span<const double> x,
                           std::span<const double> v) {
    std::vector<double> row(x.begin(), x.end());
    row.insert(row.end(), v.begin(), v.end());
    const auto observed = problem.observe(values, x, v);
    row.insert(row.end(), observed.begin(), observed.end());
    return row;
}

std::vector<double> joined(const Snapshot& state) {
    std::vector<double> y = state.position;
    y.insert(y.end(), state.velocity.begin(), state.velocity.end());
    return y;
}

std::size_t samples_from(std::int64_t samples) {
    constexpr std::int64_t most = 10'000'000;
    if (samples < 2 || samples > most) {
        throw Misuse(fmt::format("samples is {}; it must be at least 2, both ends, and at most {}", samples, most));
    }
    return static_cast<std::size_t>(samples);
}

std::pair<double, double> fast_range(const std::string& text, double t_start, double t_end) {
    const auto colon = text.find(':');
    if (colon == std::string::npos) {
        throw Misuse(fmt::format("--fast '{}' is not of the form A:B", text));
    }
    const double from = number_from(text.substr(0, colon), "--fast A");
    const double to = number_from(text.substr(colon + 1), "--fast B");
    if (!(to > from) || from < t_start || to > t_end) {
        throw Misuse(fmt::format("--fast {}:{}: the second time must be later, and both within the run, {} to {}", from,
                                 to, t_start, t_end));
    }
    return {from, to};
}

/// The true solution between two times: 32 points a vibration, at most 200,000.
Series fast_series(const Builtin& problem, const Values& values, const Solution& solution,
                   std::pair<double, double> range, const std::vector<std::string>& names) {
    const auto [from, to] = range;
    constexpr double most = 200'000;
    const double wanted = 32 * (to - from) / problem.period(values);
    if (wanted > most) {
        fmt::print(stderr,
                   "lento: --fast {}:{} covers {:.3g} vibrations; {:.0f} points cannot show them all: take a shorter "
                   "interval\n",
                   from, to, wanted / 32, most);
    }
    const auto points = static_cast<std::size_t>(std::clamp(wanted, 200.0, most));
    Series series{names, {}, {}};
    for (std::size_t k = 0; k <= points; ++k) {
        const double t = from + (to - from) * static_cast<double>(k) / static_cast<double>(points);
        const auto state = solution.fast(t);
        series.t.push_back(t);
        series.rows.push_back(row_of(problem, values, state.position, state.velocity));
    }
    return series;
}

}  // namespace

Exit run(const RunArguments& arguments) {
    const Builtin& problem = find_problem(arguments.problem);
    const Values values = values_for(problem, arguments.set);
    const std::filesystem::path folder = arguments.folder.value_or("out/" + problem.name);

    RunOutput output;
    output.title = problem.title;
    for (const auto& parameter : problem.parameters) {
        output.parameters.emplace_back(parameter.name, values.find(parameter.name)->second);
    }
    output.slow.names = problem.coordinates;
    for (const auto& name : problem.coordinates) {
        output.slow.names.push_back(name + "_dot");
    }
    output.slow.names.insert(output.slow.names.end(), problem.observed.begin(), problem.observed.end());

    Request request{.start = {}, .t_end = arguments.t_end.value_or(problem.t_end), .method = arguments.method};
    request.rtol = arguments.rtol.value_or(request.rtol);
    request.atol = arguments.atol.value_or(request.atol);
    request.samples = samples_from(arguments.samples.value_or(static_cast<std::int64_t>(request.samples)));
    request.keep = arguments.fast ? Recorder::Keep::everything : Recorder::Keep::nothing;
    for (const auto& option : arguments.options) {
        const auto [name, value] = name_and_value(option, "--option");
        set_option(request.options, name, value);
    }
    const auto fast_times =
        arguments.fast ? fast_range(*arguments.fast, request.t_start, request.t_end) : std::pair{0.0, 0.0};
    const std::size_t d = problem.coordinates.size();
    request.sink = [&](double t, std::span<const double> y) {
        output.slow.t.push_back(t);
        output.slow.rows.push_back(row_of(problem, values, y.first(d), y.last(d)));
    };
    // NOTE: the folder comes first, so that a run of an hour does not end in an unwritable place.
    make_folder(folder);
    Progress progress(request.t_start, request.t_end);
    request.progress = std::ref(progress);
    request.stop = progress.token();
    // NOTE: a second Ctrl-C ends the program at once.
    std::signal(SIGINT, [](int) {
        interrupt_requested = 1;
        std::signal(SIGINT, SIG_DFL);
    });

    const Solution solution = problem.solve(values, request);
    progress.finish();
    std::signal(SIGINT, SIG_DFL);

    output.record = solution.record();
    const auto& final_state = solution.final_state();
    output.final_slow = row_of(problem, values, final_state.position, final_state.velocity);
    if (output.slow.t.empty() || output.slow.t.back() < final_state.t) {
        request.sink(final_state.t, joined(final_state));  // a run that ended early shows how far it came
    }
    if (solution.has_fast()) {
        const auto fast = solution.reconstruct(final_state);
        output.final_fast = row_of(problem, values, fast.position, fast.velocity);
    }
    write_run(folder, output);
    if (arguments.fast && solution.outcome() == Outcome::completed) {
        write_whole(folder / "fast.csv",
                    csv_text(fast_series(problem, values, solution, fast_times, output.slow.names)));
    }

    if (arguments.json) {
        fmt::print("{}\n", summary_json(output).dump(2));
    } else if (!arguments.quiet) {
        fmt::print("{}  report             {}\n", summary_text(output), (folder / "report.html").string());
    }
    switch (solution.outcome()) {
        case Outcome::completed:
            return Exit::done;
        case Outcome::interrupted:
            return Exit::interrupted;
        default:
            fmt::print(stderr, "lento: {}: {}\n", name_of(solution.outcome()), solution.explanation());
            return Exit::failed;
    }
}

}  // namespace lento::app
