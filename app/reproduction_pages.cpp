#include "reproduction_pages.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lento/output/files.hpp"
#include "lento/output/page.hpp"
#include "lento/output/version.hpp"

namespace lento::app {
namespace {

using page::escaped;
using papers::Result;
using papers::Row;

std::string file_name(std::string id) {
    std::replace(id.begin(), id.end(), '/', '-');
    return id;
}

const char* mark_of(const Row& row) {
    return !row.judged ? "" : !row.agrees() ? "disagrees" : row.published ? "agrees" : "";
}

std::string cell(const Row& row) {
    const std::string sign = !row.judged ? "not judged" : !row.agrees() ? "disagrees" : row.published ? "agrees" : "";
    return fmt::format(
        "<td class=\"{}\" title=\"{}\">{}{}{}</td>", mark_of(row), sign, figure_text(row.computed),
        row.published ? fmt::format(" <span class=\"soft\">| {}</span>", figure_text(*row.published)) : std::string(),
        !row.judged     ? " <span class=\"soft\">(not judged)</span>"
        : !row.agrees() ? " &#10007;"
        : row.published ? " &#10003;"
                        : "");
}

template <class Key>
std::vector<std::string> in_order(const std::vector<Row>& rows, Key key) {
    std::vector<std::string> list;
    for (const auto& row : rows) {
        if (std::ranges::find(list, row.*key) == list.end()) {
            list.push_back(row.*key);
        }
    }
    return list;
}

/// As printed: a line a label, a column a column.
std::string table(const std::vector<Row>& rows) {
    const auto labels = in_order(rows, &Row::label);
    const auto columns = in_order(rows, &Row::column);
    std::string html = "<p class=\"soft\">Computed here | printed.</p>\n<div class=\"wide\"><table>\n<tr><th></th>";
    for (const auto& column : columns) {
        html += fmt::format("<th>{}</th>", escaped(column));
    }
    html += "</tr>\n";
    for (const auto& label : labels) {
        html += fmt::format("<tr><td>{}</td>", escaped(label));
        for (const auto& column : columns) {
            const auto found =
                std::ranges::find_if(rows, [&](const Row& row) { return row.label == label && row.column == column; });
            html += found == rows.end() ? "<td></td>" : cell(*found);
        }
        html += "</tr>\n";
    }
    return html + "</table></div>\n";
}

std::string claims(const Result& result) {
    std::string html =
        "<h2>What it was to show</h2>\n<div class=\"wide\"><table>\n"
        "<tr><th class=\"text\">claim</th><th>measured</th><th></th></tr>\n";
    for (const auto& claim : result.claims) {
        html += fmt::format("<tr><td class=\"text\">{}</td><td>{:.4g}</td><td class=\"{}\">{}</td></tr>\n",
                            escaped(claim.text), claim.measured, claim.holds ? "agrees" : "disagrees",
                            claim.holds ? "holds &#10003;" : "fails &#10007;");
    }
    return html + "</table></div>\n";
}

}  // namespace

std::size_t Reproduced::judged() const {
    return static_cast<std::size_t>(
               std::ranges::count_if(result.rows, [](const Row& row) { return row.judged && row.published; })) +
           result.claims.size();
}

std::size_t Reproduced::agreeing() const {
    return static_cast<std::size_t>(std::ranges::count_if(
               result.rows, [](const Row& row) { return row.judged && row.published && row.agrees(); })) +
           static_cast<std::size_t>(
               std::ranges::count_if(result.claims, [](const papers::Claim& claim) { return claim.holds; }));
}

std::string figure_text(double value) {
    return std::abs(value) >= 10 && value == std::round(value) && std::abs(value) < 1e9 ? fmt::format("{:.0f}", value)
                                                                                        : fmt::format("{:.3e}", value);
}

void write_page(const std::filesystem::path& folder, const Reproduced& reproduced) {
    const auto& reproduction = *reproduced.reproduction;
    const auto& result = reproduced.result;
    const std::string name = file_name(reproduction.id);
    std::string body = fmt::format(
        "<p><a href=\"index.html\">All reproductions</a></p>\n<h1>{}</h1>\n<p class=\"soft\">{}, paper {}</p>\n"
        "<p class=\"{}\"><strong>{}</strong>: {} of {} judged figures and claims, {:.1f} s</p>\n"
        "<p>{}</p>\n<pre>lento reproduce {}</pre>\n",
        escaped(reproduction.title), escaped(reproduction.id), escaped(reproduction.paper),
        result.agrees() ? "agrees" : "disagrees", result.agrees() ? "agrees with print" : "disagrees with print",
        reproduced.agreeing(), reproduced.judged(), reproduced.seconds, escaped(reproduction.parameters),
        escaped(reproduction.id));
    for (std::size_t k = 0; k < result.pictures.size(); ++k) {
        const auto svg = papers::svg_of(result.pictures[k]);
        write_whole(folder / (name + (k == 0 ? "" : fmt::format("-{}", k + 1)) + ".svg"), svg);
        body += fmt::format("<figure role=\"img\" aria-label=\"{}\">{}</figure>\n", escaped(result.pictures[k].title),
                            fmt::format("<svg class=\"picture\"{}", svg.substr(4)));
    }
    if (!result.rows.empty()) {
        body += "<h2>Figures</h2>\n" + table(result.rows);
    }
    if (!result.claims.empty()) {
        body += claims(result);
    }
    body += fmt::format("<p class=\"soft\">Lento {}</p>", version);
    write_whole(folder / (name + ".html"), page::document(reproduction.id, body));
}

void write_index(const std::filesystem::path& folder, const std::vector<Reproduced>& all) {
    const auto agreeing = std::ranges::count_if(all, [](const Reproduced& each) { return each.result.agrees(); });
    double seconds = 0;
    for (const auto& each : all) {
        seconds += each.seconds;
    }
    std::string body = fmt::format(
        "<h1>Published tables and figures, recomputed</h1>\n<p class=\"{}\"><strong>{} of {} agree with "
        "print</strong>, {:.0f} s</p>\n<pre>lento reproduce --all</pre>\n<div class=\"wide\"><table>\n"
        "<tr><th>what</th><th class=\"text\">title</th><th>judged</th><th>seconds</th><th></th></tr>\n",
        agreeing == static_cast<std::ptrdiff_t>(all.size()) ? "agrees" : "disagrees", agreeing, all.size(), seconds);
    for (const auto& each : all) {
        body += fmt::format(
            "<tr><td><a href=\"{}.html\">{}</a></td><td class=\"text\">{}</td><td>{} of {}</td><td>{:.1f}</td>"
            "<td class=\"{}\">{}</td></tr>\n",
            file_name(each.reproduction->id), escaped(each.reproduction->id), escaped(each.reproduction->title),
            each.agreeing(), each.judged(), each.seconds, each.result.agrees() ? "agrees" : "disagrees",
            each.result.agrees() ? "agrees &#10003;" : "disagrees &#10007;");
    }
    body += fmt::format("</table></div>\n<p class=\"soft\">Lento {}</p>", version);
    write_whole(folder / "index.html", page::document("Lento: reproductions", body));
}

}  // namespace lento::app
