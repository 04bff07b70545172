#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "lento/output/page.hpp"
#include "lento/output/run_output.hpp"
#include "lento/output/version.hpp"

namespace lento {
namespace {

using Json = nlohmann::ordered_json;
using page::escaped;
using page::rounded;

constexpr std::size_t most_points = 2000;     // of a curve
constexpr std::size_t most_numbers = 60'000;  // of all curves of the whole run
constexpr std::size_t most_columns = 200;
constexpr std::size_t most_rows = 200;
constexpr std::size_t most_text = 100'000;  // of the model

std::string slow_meaning(const std::string& slow_is) {
    if (slow_is == "averaged") {
        return "the mean of the true motion over a vibration";
    }
    if (slow_is == "stroboscopic") {
        return "meets the true motion once a period";
    }
    if (slow_is == "slow manifold") {
        return "the motion without vibration that the true one swings about";
    }
    if (slow_is == "slow variables") {
        return "right in the slow variables; where on the fast orbit the state stands means nothing";
    }
    return "the motion itself, each vibration resolved";
}

/// A series at no more points than a chart can show; where points were left out, with the lowest and highest of them.
class Thinned {
public:
    Thinned(const Series& series, std::size_t columns) : series_(series) {
        const std::size_t most =
            std::clamp<std::size_t>(most_numbers / std::max<std::size_t>(1, columns), 50, most_points);
        size_ = series.t.size();
        stride_ = (size_ + most - 1) / most;
        stride_ = std::max<std::size_t>(1, stride_);
        for (std::size_t k = 0; k < size_; k += stride_) {
            picks_.push_back(std::min(k + stride_ / 2, size_ - 1));
        }
        if (stride_ > 1 && !picks_.empty()) {
            picks_.front() = 0;
            picks_.back() = size_ - 1;
        }
    }
    bool thinned() const { return stride_ > 1; }
    std::size_t size() const { return picks_.size(); }
    double t(std::size_t k) const { return series_.t[picks_[k]]; }
    double value(std::size_t k, std::size_t column) const { return series_.rows[picks_[k]][column]; }
    double extreme(std::size_t k, std::size_t column, bool high) const {
        double found = value(k, column);
        for (std::size_t i = k * stride_; i < std::min(size_, (k + 1) * stride_); ++i) {
            const double next = series_.rows[i][column];
            found = high ? std::max(found, next) : std::min(found, next);
        }
        return found;
    }

private:
    const Series& series_;
    std::size_t size_ = 0, stride_ = 1;
    std::vector<std::size_t> picks_;
};

/// Numbers as whole steps from a base: short, and as exact as a picture of this range needs.
class Quantized {
public:
    explicit Quantized(std::initializer_list<const std::vector<double>*> lists) {
        double low = HUGE_VAL;
        double high = -HUGE_VAL;
        for (const auto* list : lists) {
            for (const double value : *list) {
                if (std::isfinite(value)) {
                    low = std::min(low, value);
                    high = std::max(high, value);
                }
            }
        }
        constexpr double steps = 50'000;
        base_ = low <= high ? low : 0.0;
        step_ = high > low ? (high - low) / steps : std::max(std::abs(base_) * 1e-16, 1e-300);
    }
    Json base() const { return base_; }
    Json step() const { return step_; }
    Json operator()(const std::vector<double>& list) const {
        Json numbers = Json::array();
        for (const double value : list) {
            numbers.push_back(std::isfinite(value)
                                  ? Json(static_cast<std::int64_t>(std::llround((value - base_) / step_)))
                                  : Json(nullptr));
        }
        return numbers;
    }

private:
    double base_, step_;
};

Json column_json(const Level::Column& column) {
    const Quantized numbers{&column.slow, &column.low, &column.high, &column.truth};
    Json json{{"base", numbers.base()}, {"step", numbers.step()}, {"slow", numbers(column.slow)}};
    if (!column.low.empty()) {
        json["low"] = numbers(column.low);
        json["high"] = numbers(column.high);
    }
    if (!column.truth.empty()) {
        json["true"] = numbers(column.truth);
    }
    return json;
}

Json level_json(const RunOutput& output, const Level& level) {
    Json columns = Json::object();
    for (std::size_t i = 0; i < level.columns.size(); ++i) {
        columns[output.slow.names[i]] = column_json(level.columns[i]);
    }
    return {{"from", level.from}, {"to", level.to}, {"count", level.count}, {"columns", std::move(columns)}};
}

/// A level's value at t, straight between its points.
double between(const Level& level, const std::vector<double>& values, double t) {
    const double share = (t - level.from) / (level.to - level.from) * static_cast<double>(level.count - 1);
    const auto k = static_cast<std::size_t>(std::clamp(share, 0.0, static_cast<double>(level.count - 2)));
    const double part = std::clamp(share - static_cast<double>(k), 0.0, 1.0);
    return values[k] + part * (values[k + 1] - values[k]);
}

/// The samples, with the band that the vibration fills where it is known.
Json whole_run(const RunOutput& output, std::size_t columns) {
    const Thinned samples(output.slow, columns);
    Json t = Json::array();
    for (std::size_t k = 0; k < samples.size(); ++k) {
        t.push_back(samples.t(k));
    }
    Json json = Json::object();
    const Level* look = output.view.levels.empty() ? nullptr : &output.view.levels.front();
    for (std::size_t i = 0; i < columns; ++i) {
        Level::Column column;
        const bool band = look != nullptr && i < look->columns.size() && !look->columns[i].low.empty();
        for (std::size_t k = 0; k < samples.size(); ++k) {
            const double value = samples.value(k, i);
            column.slow.push_back(value);
            if (band) {
                // NOTE: where the slow solution is the true one it jumps about within the band.
                const auto& source = look->columns[i];
                const bool true_itself = output.record.slow_is == "true";
                const double slow = true_itself ? 0.0 : value - between(*look, source.slow, samples.t(k));
                column.low.push_back(slow + between(*look, source.low, samples.t(k)));
                column.high.push_back(slow + between(*look, source.high, samples.t(k)));
            } else if (samples.thinned()) {
                column.low.push_back(samples.extreme(k, i, false));
                column.high.push_back(samples.extreme(k, i, true));
            }
        }
        json[output.slow.names[i]] = column_json(column);
    }
    return {{"from", samples.t(0)},
            {"to", samples.t(samples.size() - 1)},
            {"count", samples.size()},
            {"t", std::move(t)},
            {"columns", std::move(json)}};
}

Json end_json(const Mechanism::End& end) {
    if (const auto* place = std::get_if<std::array<double, 2>>(&end)) {
        return Json::array({(*place)[0], (*place)[1]});
    }
    return std::get<std::size_t>(end);
}

Json mechanism_json(const RunOutput& output, const Mechanism& mechanism) {
    Json points = Json::array();
    for (const auto& point : mechanism.points) {
        points.push_back({output.slow.names[point[0]], output.slow.names[point[1]]});
    }
    Json links = Json::array();
    for (const auto& link : mechanism.links) {
        links.push_back({{"kind", link.kind == Mechanism::Link::Kind::rod ? "rod" : "spring"},
                         {"from", end_json(link.from)},
                         {"to", end_json(link.to)}});
    }
    return {{"points", std::move(points)}, {"links", std::move(links)}};
}

Json report_data(const RunOutput& output) {
    const std::size_t columns = std::min(most_columns, output.slow.names.size());
    Json data{{"columns", std::vector<std::string>(output.slow.names.begin(),
                                                   output.slow.names.begin() + static_cast<std::ptrdiff_t>(columns))},
              {"slow_label", output.record.slow_is == "true" ? "solution" : "slow"},
              {"period", output.view.period ? Json(*output.view.period) : Json(nullptr)}};
    Json levels = Json::array();
    if (!output.slow.t.empty()) {
        levels.push_back(whole_run(output, columns));
    }
    double shortest = output.slow.t.empty() ? 1 : (output.slow.t.back() - output.slow.t.front()) / 100;
    for (std::size_t k = 0; k < output.view.levels.size(); ++k) {
        const auto& level = output.view.levels[k];
        // NOTE: what the first one says of the whole run stands with the samples already, unless it is the true motion.
        if (level.columns.empty() || (k == 0 && level.columns[0].truth.empty())) {
            continue;
        }
        levels.push_back(level_json(output, level));
        shortest = std::min(shortest, (level.to - level.from) / 40);
    }
    data["shortest"] = shortest;
    data["levels"] = std::move(levels);
    const auto charts = [](const std::vector<Chart>& list) {
        Json json = Json::array();
        for (const auto& chart : list) {
            json.push_back(page::chart_json(chart));
        }
        return json;
    };
    data["charts"] = {{"course", charts(output.view.course)}, {"comparison", charts(output.view.comparison)}};
    if (output.view.mechanism) {
        const auto fits = [&](const auto& point) { return point[0] < columns && point[1] < columns; };
        if (std::ranges::all_of(output.view.mechanism->points, fits)) {
            data["mechanism"] = mechanism_json(output, *output.view.mechanism);
        }
    }
    return data;
}

/// 1234567 as 1,234,567.
std::string grouped(std::int64_t number) {
    const std::string digits = std::to_string(number);
    std::string text;
    for (std::size_t k = 0; k < digits.size(); ++k) {
        const bool first = text.empty() || text == "-";
        if (!first && (digits.size() - k) % 3 == 0) {
            text += ',';
        }
        text += digits[k];
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
    fact(html, "The slow solution is", record.slow_is, slow_meaning(record.slow_is));
    if (record.error_estimate.empty()) {
        fact(html, "Estimated error", "none", "this method gives no estimate; lento compare measures the error");
    } else {
        std::size_t worst = 0;
        for (std::size_t i = 0; i < record.error_estimate.size(); ++i) {
            worst = record.error_estimate[i] > record.error_estimate[worst] ? i : worst;
        }
        fact(html, "Estimated error", fmt::format("{:.1e}", record.error_estimate[worst]),
             fmt::format("of the true solution, the largest, in {}", output.slow.names[worst]));
    }
    fact(html, "Force evaluations", grouped(record.statistics.force_evaluations),
         fmt::format("{:.2g} s to solve", record.statistics.wall_seconds));
    if (output.view.resolving && record.statistics.force_evaluations > 0 && record.method != "direct") {
        const double factor = *output.view.resolving / static_cast<double>(record.statistics.force_evaluations);
        const bool gain = factor >= 1;
        fact(html, gain ? "Saved" : "More work", times(gain ? factor : 1 / factor),
             fmt::format("{} {:.2g} evaluations, {}",
                         gain ? "resolving each vibration takes" : "resolving each vibration takes only",
                         *output.view.resolving, output.view.resolving_is_measured ? "measured" : "estimated"));
    }
    return html + "</dl>\n";
}

std::string ending(const RunOutput& output) {
    const auto& record = output.record;
    std::string html;
    if (record.outcome != Outcome::completed) {
        html +=
            fmt::format("<div class=\"ended\" role=\"alert\"><strong>{}</strong> at t = {:.6g}{}. {}</div>\n",
                        escaped(name_of(record.outcome)), record.t_end,
                        output.wanted_end > record.t_end ? fmt::format(" of {:.6g}", output.wanted_end) : std::string(),
                        escaped(record.explanation.empty() ? "What there is, is shown below." : record.explanation));
    }
    for (const auto& warning : record.warnings) {
        html += fmt::format("<p class=\"warning\">{}</p>\n", escaped(warning));
    }
    return html;
}

void final_table(std::string& html, const RunOutput& output) {
    auto out = std::back_inserter(html);
    const auto& errors = output.record.error_estimate;
    fmt::format_to(out,
                   "<h2>At t = {:.9g}</h2>\n<div class=\"wide\"><table>\n<tr><th>quantity</th><th>slow</th>{}{}</tr>\n",
                   output.record.t_end, output.final_fast ? "<th>true</th>" : "",
                   errors.empty() ? "" : "<th>estimated error</th>");
    for (std::size_t i = 0; i < std::min(most_rows, output.final_slow.size()); ++i) {
        fmt::format_to(out, "<tr><td>{}</td><td>{:.10g}</td>", escaped(output.slow.names[i]), output.final_slow[i]);
        if (output.final_fast) {
            fmt::format_to(out, "<td>{:.10g}</td>", (*output.final_fast)[i]);
        }
        if (!errors.empty()) {
            html += i < errors.size() ? fmt::format("<td>{:.1e}</td>", errors[i]) : "<td></td>";
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

}  // namespace

std::string report_html(const RunOutput& output) {
    const auto data = report_data(output);
    std::string body = fmt::format("<h1>{}</h1>\n", escaped(output.title.empty() ? "Lento" : output.title));
    body += ending(output) + answer(output);
    if (output.slow.t.size() > 1) {
        body += "<h2>Solution</h2>\n";
        if (!output.view.levels.empty()) {
            body +=
                "<p class=\"soft\">The line is the slow solution; the band is what the true motion fills as it "
                "vibrates. Drag to zoom in, until "
                "single vibrations show; double click for the whole run. A chart that has the focus takes the arrow "
                "keys, +, -, 0 and n.</p>\n";
        } else {
            body +=
                "<p class=\"soft\">Drag to zoom in, double click for the whole run. A chart that has the focus takes "
                "the "
                "arrow keys, +, - and 0.</p>\n";
        }
        body += "<div id=\"solution\"></div>\n";
    } else {
        body += "<p>The run ended before there was a solution to show.</p>\n";
    }
    if (data.contains("mechanism") && output.slow.t.size() > 1) {
        body +=
            "<h2>Mechanism</h2>\n<p class=\"soft\">The slow solution, with the way of the last eighth of the "
            "run.</p>\n<div id=\"mechanism\"></div>\n";
    }
    if (!output.view.comparison.empty()) {
        body += "<h2>Beside a direct integration</h2>\n<div class=\"two\" data-charts=\"comparison\"></div>\n";
    }
    if (!output.view.course.empty()) {
        body += "<h2>How the run went</h2>\n<div class=\"two\" data-charts=\"course\"></div>\n";
    }
    final_table(body, output);
    details(body, output);
    body += fmt::format("<p class=\"soft\">Lento {}</p>", version);
    return page::document(output.title.empty() ? "Lento" : output.title, body, data);
}

}  // namespace lento
