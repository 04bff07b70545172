#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "lento/run/method.hpp"
#include "model/mapped.hpp"
#include "output/page.hpp"

namespace lento {
namespace {

using page::escaped;

constexpr std::size_t most_rows = 200;
constexpr std::size_t most_text = 100'000;  // of the model

std::string slow_meaning(const RunOutput& output) {
    if (output.view.along_exact_part) {
        return "averaged where the exactly solved part stands still; near the true motion once a period";
    }
    constexpr std::pair<SlowMeaning, const char*> meanings[] = {
        {SlowMeaning::averaged, "the mean of the true motion over a vibration"},
        {SlowMeaning::stroboscopic, "meets the true motion once a period"},
        {SlowMeaning::slow_manifold, "the motion without vibration that the true one swings about"},
        {SlowMeaning::slow_variables,
         "right in the slow variables; where on the fast orbit the state stands means nothing"}};
    for (const auto& [meaning, words] : meanings) {
        if (output.record.slow_is == name_of(meaning)) {
            return words;
        }
    }
    return "the motion itself, each vibration resolved";
}

/// 1234567 as 1,234,567.
std::string grouped(std::int64_t number) {
    std::string text = std::to_string(number);
    for (auto at = std::ssize(text) - 3; at > (number < 0 ? 1 : 0); at -= 3) {
        text.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return text;
}

/// A factor with two digits that count, in words that need no exponent.
std::string times(double factor) {
    const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(factor)) - 1));
    return factor >= 100 && factor < 1e15
               ? fmt::format("{} times", grouped(std::llround(std::round(factor / unit) * unit)))
               : fmt::format("{:.2g} times", factor);
}

void fact(std::string& html, std::string_view name, const std::string& value, const std::string& more = "") {
    fmt::format_to(std::back_inserter(html), "<div><dt>{}</dt><dd>{}{}</dd></div>\n", name, escaped(value),
                   more.empty() ? "" : fmt::format("<small>{}</small>", escaped(more)));
}

/// What came out, in a few boxes.
std::string answer(const RunOutput& output) {
    const auto& record = output.record;
    std::string html = "<dl class=\"answer\">\n";
    fact(html, "Method", record.method, output.choice);
    fact(html, "The slow solution is", record.slow_is, slow_meaning(output));
    if (output.error_estimate.empty()) {
        fact(html, "Estimated error", "none",
             record.outcome == Outcome::completed
                 ? "estimate=none asked for one plain run; lento compare measures the error"
                 : "there is no result to estimate, or nothing to estimate it by");
    } else {
        // NOTE: of the state, or of slow variables where there is no other; then come quantities that follow from it.
        const std::size_t count = std::max(record.error_estimate.size(), record.slow_error_estimate.size());
        const auto of_state = std::span(output.error_estimate).first(std::min(count, output.error_estimate.size()));
        const auto& [name, worst] = *std::ranges::max_element(of_state, {}, &RunOutput::Named::value_type::second);
        fact(html, "Estimated error", fmt::format("{:.1e}", worst),
             fmt::format("of the {} solution, the largest, in {}", output.final_fast ? "true" : "slow", name));
    }
    if (!record.left_out.empty()) {
        const auto of_state = std::span(output.left_out).first(record.left_out.size());
        const auto& [name, widest] = *std::ranges::max_element(of_state, {}, &RunOutput::Named::value_type::second);
        fact(html, "Left out", fmt::format("{:.1e}", widest),
             fmt::format("the amplitude of fast oscillations that the slow manifold omits, the largest, in {}", name));
    }
    const auto for_estimate = record.statistics.estimate_evaluations;
    fact(html, "Force evaluations", grouped(record.statistics.force_evaluations),
         fmt::format("{}{:.2g} s to solve",
                     for_estimate > 0 ? fmt::format("and {} for the estimate; ", grouped(for_estimate)) : std::string(),
                     record.statistics.wall_seconds));
    if (output.view.resolving && record.statistics.all_evaluations() > 0 && record.method != method::direct.name) {
        const double factor = *output.view.resolving / record.statistics.all_evaluations();
        const bool gain = factor >= 1;
        fact(html, gain ? "Saved" : "More work", times(gain ? factor : 1 / factor),
             fmt::format("resolving each vibration takes {}{:.2g} evaluations, {}", gain ? "" : "only ",
                         *output.view.resolving, output.view.resolving_is));
    }
    return html + "</dl>\n";
}

std::string ending(const RunOutput& output) {
    const auto& record = output.record;
    std::string html;
    const bool missed = record.outcome == Outcome::tolerance_missed;
    if (missed) {
        html += fmt::format("<div class=\"missed\"><strong>{}</strong>: the end was reached; {}</div>\n",
                            escaped(name_of(record.outcome)), escaped(record.explanation));
    } else if (record.outcome != Outcome::completed) {
        html +=
            fmt::format("<div class=\"ended\" role=\"alert\"><strong>{}</strong> at t = {:.6g}{}: {}</div>\n",
                        escaped(name_of(record.outcome)), record.t_end,
                        output.wanted_end > record.t_end ? fmt::format(" of {:.6g}", output.wanted_end) : std::string(),
                        escaped(record.explanation.empty() ? "what there is, is shown below" : record.explanation));
    }
    for (const auto& warning : record.warnings) {
        if (missed && warning == record.explanation) {
            continue;
        }
        html += fmt::format("<p class=\"warning\">{}</p>\n", escaped(warning));
    }
    return html;
}

void final_table(std::string& html, const RunOutput& output) {
    auto out = std::back_inserter(html);
    const auto& errors = output.error_estimate;
    const auto& left_out = output.left_out;
    fmt::format_to(
        out, "<h2>At t = {:.9g}</h2>\n<div class=\"wide\"><table>\n<tr><th>quantity</th><th>slow</th>{}{}{}</tr>\n",
        output.record.t_end, output.final_fast ? "<th>true</th>" : "", errors.empty() ? "" : "<th>estimated error</th>",
        left_out.empty() ? "" : "<th>left out</th>");
    for (std::size_t i = 0; i < std::min(most_rows, output.final_slow.size()); ++i) {
        fmt::format_to(out, "<tr><td>{}</td><td>{:.10g}</td>", escaped(output.slow.names[i]), output.final_slow[i]);
        if (output.final_fast) {
            fmt::format_to(out, "<td>{:.10g}</td>", (*output.final_fast)[i]);
        }
        for (const auto* of : {&errors, &left_out}) {
            if (!of->empty()) {
                const auto* number = model::found(*of, output.slow.names[i], &std::pair<std::string, double>::first);
                html += number != nullptr ? fmt::format("<td>{:.1e}</td>", number->second) : "<td></td>";
            }
        }
        html += "</tr>\n";
    }
    html += "</table></div>\n";
    if (output.final_slow.size() > most_rows) {
        fmt::format_to(out, "<p class=\"soft\">and {} more in summary.json</p>\n",
                       output.final_slow.size() - most_rows);
    }
}

void row(std::string& html, std::string_view name, const std::string& value) {
    fmt::format_to(std::back_inserter(html), "<tr><td>{}</td><td>{}</td></tr>\n", escaped(name), escaped(value));
}

void details(std::string& html, const RunOutput& output) {
    const auto& s = output.record.statistics;
    html += "<h2>Work and settings</h2>\n<div class=\"two\"><div class=\"wide\"><table>\n";
    row(html, "macro-steps", fmt::format("{}, {} rejected", grouped(s.macro_steps), grouped(s.rejected_steps)));
    row(html, "micro-steps", grouped(s.micro_steps));
    row(html, "force evaluations", grouped(s.force_evaluations));
    if (s.estimate_evaluations > 0) {
        row(html, "estimate evaluations", grouped(s.estimate_evaluations));
    }
    if (s.newton_iterations > 0) {
        row(html, "Newton iterations", grouped(s.newton_iterations));
    }
    if (s.projections > 0) {
        row(html, "projections", grouped(s.projections));
    }
    for (const auto& [stage, seconds] : output.seconds) {
        row(html, fmt::format("seconds to {}", stage), fmt::format("{:.2g}", seconds));
    }
    html += "</table></div>\n<div class=\"wide\"><table>\n";
    row(html, "requested method", output.record.requested_method);
    for (const auto& option : output.record.options) {
        row(html, option.name, option.value);
    }
    for (const auto& phase : output.phases) {
        row(html, "frequency of " + phase.name, fmt::format("{:.9g}", phase.frequency));
    }
    html += "</table></div></div>\n";
    if (!output.parameters.empty()) {
        html += "<details><summary>Parameters</summary><div class=\"wide\"><table>\n";
        for (std::size_t k = 0; k < std::min(most_rows, output.parameters.size()); ++k) {
            row(html, output.parameters[k].first, fmt::format("{:.12g}", output.parameters[k].second));
        }
        html += "</table></div></details>\n";
    }
    if (!output.model_text.empty()) {
        html += fmt::format("<details><summary>The model</summary><pre>{}{}</pre></details>\n",
                            escaped(std::string_view(output.model_text).substr(0, most_text)),
                            output.model_text.size() > most_text ? "\n... and so on" : "");
    }
}

/// How to read the charts of the solution, by what is known of the true motion.
std::string solution_words(const RunOutput& output) {
    const auto& levels = output.view.levels;
    const bool whole = !levels.empty() && !levels.front().columns.empty();
    const bool true_itself = output.record.slow_is == name_of(SlowMeaning::true_motion);
    const bool ripples = std::ranges::any_of(
        levels, [](const Level& level) { return !level.columns.empty() && !level.columns[0].truth.empty(); });
    std::string words = "<p class=\"soft\">";
    words += true_itself ? "The line is the motion at the sample times, which may miss its vibrations"
                         : "The line is the slow solution";
    words += whole ? "; the band is what the true motion fills as it vibrates. " : ". ";
    words += fmt::format("Drag to zoom in{}; double click for the whole run. ",
                         ripples ? ", until single vibrations show (<code>--fast A:B</code> adds a window)" : "");
    if (!output.final_fast && !true_itself) {
        words += "This method leaves the fast motion behind: there are no vibrations to zoom to. ";
    }
    return words +
           fmt::format(
               "A chart that has the focus takes the arrow keys (with Shift they move the cursor), +, -, 0{}.</p>\n",
               ripples ? " and n" : "");
}

}  // namespace

std::string report_html(const RunOutput& output) {
    const auto data = page::report_data(output);
    const std::string title = output.title.empty() ? "Lento" : output.title;
    std::string body = fmt::format("<h1>{}</h1>\n", escaped(title));
    body += ending(output) + answer(output);
    if (output.slow.rows.size() > 1) {
        body += "<h2>Solution</h2>\n" + solution_words(output) + "<div id=\"solution\"></div>\n";
    } else {
        body += "<p>The run ended before there was a solution to show.</p>\n";
    }
    if (data.contains("mechanism") && output.slow.rows.size() > 1) {
        body +=
            "<h2>Mechanism</h2>\n<p class=\"soft\">The slow solution, with the way of the last eighth of the "
            "run.</p>\n<div id=\"mechanism\"></div>\n";
    }
    if (!output.view.comparison.empty()) {
        body += "<h2>Beside every vibration resolved</h2>\n<div class=\"two\" data-charts=\"comparison\"></div>\n";
    }
    if (!output.view.course.empty()) {
        body += "<h2>How the run went</h2>\n<div class=\"two\" data-charts=\"course\"></div>\n";
    }
    final_table(body, output);
    details(body, output);
    return page::document(title, body, data);
}

}  // namespace lento
