#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "lento/output/run_output.hpp"

namespace lento {
namespace {

constexpr double width = 720;
constexpr double height = 260;
constexpr double left = 76;
constexpr double bottom = 40;
constexpr double top = 14;
constexpr double right = 14;
constexpr std::size_t most_points = 2000;
constexpr std::size_t most_charts = 24;
constexpr std::size_t most_rows = 200;

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

struct Range {
    double low = HUGE_VAL;
    double high = -HUGE_VAL;

    void include(double value) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    /// Never empty, so that a constant still draws as a line.
    Range widened() const {
        if (!(high >= low)) {
            return {0, 1};
        }
        const double margin = high > low ? 0.05 * (high - low) : std::max(1e-12, 0.1 * std::abs(high));
        return {low - margin, high + margin};
    }
};

/// Round numbers 1, 2, 5 times a power of ten, about five of them.
std::vector<double> ticks(const Range& range) {
    const double rough = (range.high - range.low) / 5;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double share = rough / power;
    const double step = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
    std::vector<double> marks;
    for (double k = std::ceil(range.low / step); k * step <= range.high && marks.size() < 20; ++k) {
        marks.push_back(k * step);
    }
    return marks;
}

std::string chart(const Series& series, std::size_t column) {
    Range t;
    Range y;
    for (std::size_t k = 0; k < series.t.size(); ++k) {
        t.include(series.t[k]);
        y.include(series.rows[k][column]);
    }
    const Range vertical = y.widened();
    const auto x_at = [&](double value) {
        return left + (value - t.low) / (t.high > t.low ? t.high - t.low : 1) * (width - left - right);
    };
    const auto y_at = [&](double value) {
        return height - bottom - (value - vertical.low) / (vertical.high - vertical.low) * (height - bottom - top);
    };

    std::string svg;
    auto out = std::back_inserter(svg);
    const auto name = escaped(series.names[column]);
    fmt::format_to(out,
                   "<figure><figcaption>{0}</figcaption><svg viewBox=\"0 0 {1} {2}\" role=\"img\" aria-label=\"{0} "
                   "against time\">",
                   name, width, height);
    for (const double mark : ticks(vertical)) {
        fmt::format_to(out,
                       "<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/><text x=\"{:.1f}\" y=\"{:.1f}\" "
                       "text-anchor=\"end\">{:.6g}</text>",
                       left, y_at(mark), width - right, left - 8, y_at(mark) + 4,
                       std::abs(mark) < 1e-12 * (vertical.high - vertical.low) ? 0.0 : mark);
    }
    for (const double mark : ticks(t.high > t.low ? t : t.widened())) {
        fmt::format_to(out,
                       "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/><text x=\"{0:.1f}\" y=\"{3:.1f}\" "
                       "text-anchor=\"middle\">{4:.6g}</text>",
                       x_at(mark), top, height - bottom, height - bottom + 17, mark);
    }
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">t</text><polyline points=\"",
                   (left + width - right) / 2, height - 5);
    const std::size_t stride = std::max<std::size_t>(1, series.t.size() / most_points);
    for (std::size_t k = 0; k < series.t.size(); k += stride) {
        if (std::isfinite(series.rows[k][column])) {
            fmt::format_to(out, "{:.2f},{:.2f} ", x_at(series.t[k]), y_at(series.rows[k][column]));
        }
    }
    svg += "\"/></svg></figure>\n";
    return svg;
}

constexpr std::string_view style = R"(
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5c6670;--line:#d9dee3;--curve:#0b62a8;--paper:#fff;--bad:#a8320b}
@media(prefers-color-scheme:dark){:root{--ink:#e8ebee;--soft:#9aa5af;--line:#343b42;--curve:#6cb6f2;--paper:#14181c;--bad:#ff9a73}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:46rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin-bottom:.2rem}p.answer{color:var(--soft);margin-top:0}p.ended{color:var(--bad);font-weight:600}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{text-align:right;padding:.2rem .5rem;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{text-align:left}figure{margin:1.5rem 0}figcaption{font-weight:600}svg{width:100%;height:auto}
svg text{font-size:12px;fill:var(--soft)}.grid{stroke:var(--line)}polyline{fill:none;stroke:var(--curve);stroke-width:1.8}
)";

}  // namespace

std::string report_html(const RunOutput& output) {
    const auto& record = output.record;
    const auto& s = record.statistics;
    std::string page;
    auto out = std::back_inserter(page);
    const auto title = escaped(output.title);
    fmt::format_to(out,
                   "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                   "content=\"width=device-width\">"
                   "<title>{0}</title><style>{1}</style></head><body><h1>{0}</h1>\n",
                   title, style);
    if (record.outcome != Outcome::completed) {
        fmt::format_to(out, "<p class=\"ended\">This run ended as {} at t = {:.6g}. {}</p>\n", name_of(record.outcome),
                       record.t_end, escaped(record.explanation));
    }
    fmt::format_to(out,
                   "<p class=\"answer\">Method {}; the slow solution is {}. {} macro-steps, {} micro-steps, {} force "
                   "evaluations, {:.3g} s.</p>\n",
                   record.method, record.slow_is, s.macro_steps, s.micro_steps, s.force_evaluations, s.wall_seconds);
    for (const auto& warning : record.warnings) {
        fmt::format_to(out, "<p>Warning: {}.</p>\n", escaped(warning));
    }
    fmt::format_to(out, "<table><thead><tr><th>at t = {:.6g}</th><th>slow</th><th>true</th></tr></thead><tbody>\n",
                   record.t_end);
    for (std::size_t i = 0; i < std::min(most_rows, output.final_slow.size()); ++i) {
        fmt::format_to(out, "<tr><td>{}</td><td>{:.9g}</td><td>{}</td></tr>\n", escaped(output.slow.names[i]),
                       output.final_slow[i], output.final_fast ? fmt::format("{:.9g}", (*output.final_fast)[i]) : "");
    }
    page += "</tbody></table>\n";
    const std::size_t charts = output.slow.t.size() > 1 ? std::min(most_charts, output.slow.names.size()) : 0;
    for (std::size_t column = 0; column < charts; ++column) {
        page += chart(output.slow, column);
    }
    if (output.slow.names.size() > most_charts) {
        fmt::format_to(out,
                       "<p>The first {} of {} quantities are drawn, and at most {} listed; all are in solution.csv and "
                       "solution.h5.</p>\n",
                       charts, output.slow.names.size(), most_rows);
    }
    page += "</body></html>\n";
    return page;
}

}  // namespace lento
