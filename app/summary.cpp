/// The summary of a run, as a table for the terminal or as JSON.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "lento/run/method.hpp"
#include "model_run.hpp"
#include "terminal.hpp"

namespace lento::app {
namespace {

std::string line(const Terminal& terminal, std::string_view name, const std::string& value) {
    return fmt::format("  {} {}\n", terminal.soft(fmt::format("{:<18}", name)), value);
}

/// The values at the end, in columns as wide as they need.
std::string final_table(const RunOutput& output, const Terminal& terminal) {
    constexpr std::size_t most_lines = 40;
    const auto& errors = output.error_estimate;
    const auto& left_out = output.left_out;
    std::vector<std::vector<std::string>> lines{{fmt::format("at t = {:.6g}", output.record.t_end), "slow", "true"}};
    if (!errors.empty()) {
        lines[0].emplace_back("estimated error");
    }
    if (!left_out.empty()) {
        lines[0].emplace_back("left out");
    }
    for (std::size_t i = 0; i < std::min(most_lines, output.final_slow.size()); ++i) {
        lines.push_back({output.slow.names[i], fmt::format("{:.9g}", output.final_slow[i]),
                         output.final_fast ? fmt::format("{:.9g}", (*output.final_fast)[i]) : "-"});
        for (const auto* of : {&errors, &left_out}) {
            if (!of->empty()) {
                const auto* number = model::found(*of, output.slow.names[i], &std::pair<std::string, double>::first);
                lines.back().push_back(number != nullptr ? fmt::format("{:.1e}", number->second) : "");
            }
        }
    }
    std::vector<std::size_t> widths{18, 16, 16, 16, 10};
    for (const auto& line : lines) {
        for (std::size_t k = 0; k < line.size(); ++k) {
            widths[k] = std::max(widths[k], line[k].size());
        }
    }
    std::string text = "\n";
    for (std::size_t row = 0; row < lines.size(); ++row) {
        std::string line = fmt::format("  {:<{}}", lines[row][0], widths[0]);
        for (std::size_t k = 1; k < lines[row].size(); ++k) {
            line += fmt::format(" {:>{}}", lines[row][k], widths[k]);
        }
        text += (row == 0 ? terminal.strong(line) : line) + "\n";
    }
    if (output.final_slow.size() > most_lines) {
        text += fmt::format("  and {} more in summary.json\n", output.final_slow.size() - most_lines);
    }
    return text;
}

std::string summary_text(const RunOutput& output, const Terminal& terminal) {
    const auto& record = output.record;
    const auto& s = record.statistics;
    std::string text;
    const auto add = [&](std::string_view name, const std::string& value) { text += line(terminal, name, value); };
    text += terminal.strong(output.title) + "\n";
    add("method", output.choice.empty() ? record.method : fmt::format("{} ({})", record.method, output.choice));
    const auto outcome = name_of(record.outcome);
    add("outcome", record.outcome == Outcome::completed          ? terminal.good(outcome)
                   : record.outcome == Outcome::tolerance_missed ? terminal.warning(outcome)
                                                                 : terminal.bad(outcome));
    add("slow solution is", record.slow_is);
    add("time reached", fmt::format("{:.6g}", record.t_end));
    add("macro-steps", fmt::format("{} ({} rejected)", s.macro_steps, s.rejected_steps));
    add("micro-steps", fmt::format("{}", s.micro_steps));
    std::string saved;
    if (output.view.resolving && s.all_evaluations() > 0 && record.method != method::direct.name) {
        const double factor = *output.view.resolving / s.all_evaluations();
        saved = factor >= 1 ? fmt::format(" (about {:.2g} times fewer than resolving each vibration)", factor)
                            : std::string(" (resolving each vibration takes fewer)");
    }
    const bool estimated = s.estimate_evaluations > 0;
    add("force evaluations", fmt::format("{}{}", s.force_evaluations, estimated ? std::string() : saved));
    if (estimated) {
        add("for the estimate", fmt::format("{} more{}", s.estimate_evaluations, saved));
    }
    double total = 0;
    std::vector<std::string> stages;
    for (const auto& [stage, seconds] : output.seconds) {
        stages.push_back(fmt::format("{} {:.2g}", stage, seconds));
        total += seconds;
    }
    add("seconds", fmt::format("{:.2g} ({})", total, fmt::join(stages, ", ")));
    const auto options =
        model::mapped(record.options, [](const UsedOption& option) { return option.name + "=" + option.value; });
    add("options", fmt::format("{}", fmt::join(options, " ")));
    text += final_table(output, terminal);
    if (!record.warnings.empty()) {
        text += "\n";
    }
    for (const auto& warning : record.warnings) {
        fmt::format_to(std::back_inserter(text), "  {} {}\n", terminal.warning("warning:"), warning);
    }
    return text + "\n";
}

}  // namespace

void print_summary(const ModelArguments& arguments, const RunOutput& output, const std::string& report) {
    if (arguments.json) {
        fmt::print("{}\n", json_text(summary_json(output)));
    } else if (!arguments.quiet) {
        const Terminal terminal(stdout);
        fmt::print("{}{}", summary_text(output, terminal), line(terminal, "report", report));
        if (arguments.plot) {
            fmt::print("{}", line(terminal, "picture", *arguments.plot));
        }
    }
    const auto outcome = output.record.outcome;
    // NOTE: of a tolerance that was missed a warning has told already.
    if (!has_result(outcome) && outcome != Outcome::interrupted) {
        fmt::print(stderr, "lento: {}: {}\n", name_of(outcome), output.record.explanation);
    }
}

}  // namespace lento::app
