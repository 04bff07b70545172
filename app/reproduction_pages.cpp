#include "reproduction_pages.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "output/files.hpp"
#include "output/page.hpp"

namespace lento::app {
namespace {

using page::escaped;
using papers::Claim;
using papers::Result;
using papers::Row;
using papers::Source;

std::string file_name(std::string id) {
    std::replace(id.begin(), id.end(), '/', '-');
    return id;
}

const char* agreement(bool agrees) {
    return agrees ? "agrees" : "disagrees";
}

/// Nothing if there are none.
std::string but_for(std::size_t errata) {
    return errata == 0 ? "" : errata == 1 ? " but for 1 erratum" : fmt::format(" but for {} errata", errata);
}

const char* sign(bool agrees) {
    return agrees ? " &#10003;" : " &#10007;";
}

std::string cell(const Row& row) {
    const auto verdict = verdict_of(row);
    const auto expected =
        row.expected() ? fmt::format(" <span class=\"soft\">| {}</span>", figure_text(*row.expected())) : "";
    const char* mark = !row.erratum.empty() ? " <span class=\"soft\">(erratum)</span>"
                       : !row.judged        ? " <span class=\"soft\">(not judged)</span>"
                       : !verdict.empty()   ? sign(row.agrees())
                                            : "";
    return fmt::format("<td class=\"{}\" title=\"{}\">{}{}{}</td>", row.judged ? verdict : "", verdict,
                       figure_text(row.computed), expected, mark);
}

std::vector<std::string> in_order(const std::vector<Row>& rows, std::string Row::*key) {
    std::vector<std::string> list;
    for (const auto& row : rows) {
        if (std::ranges::find(list, row.*key) == list.end()) {
            list.push_back(row.*key);
        }
    }
    return list;
}

std::string heading(const std::vector<Row>& rows, const std::string& column) {
    const auto has = [&](std::optional<double> Row::*number) {
        return std::ranges::any_of(rows, [&](const Row& row) { return row.column == column && row.*number; });
    };
    const char* numbers = has(&Row::published)   ? "<br><span class=\"soft\">computed | printed</span>"
                          : has(&Row::reference) ? "<br><span class=\"soft\">computed | reference</span>"
                                                 : "";
    return fmt::format("<th>{}{}</th>", escaped(column), numbers);
}

/// As printed: a line a label, a column a column.
std::string table(const Result& result) {
    const auto& rows = result.rows;
    const auto labels = in_order(rows, &Row::label);
    const auto columns = in_order(rows, &Row::column);
    std::string html = "<h2>Figures</h2>\n<div class=\"wide\"><table>\n<tr><th></th>";
    for (const auto& column : columns) {
        html += heading(rows, column);
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
    html += "</table></div>\n";
    if (result.has_references()) {
        html += fmt::format("<p class=\"soft\">{}</p>\n", escaped(result.references));
    }
    if (!result.not_judged.empty()) {
        html += fmt::format("<p class=\"soft\">Not judged: {}</p>\n", escaped(result.not_judged));
    }
    return html;
}

/// In the order of the paper, ours beside what they go with. An erratum stands below its sentence.
std::string claims(const Result& result) {
    if (result.claims.empty()) {
        return "";
    }
    const bool both = std::ranges::find(result.claims, Source::paper, &Claim::source) != result.claims.end() &&
                      std::ranges::find(result.claims, Source::lento, &Claim::source) != result.claims.end();
    std::string html = "<h2>Claims</h2>\n";
    if (both) {
        html += "<p class=\"soft\">Of the paper; those that begin with Lento are ours.</p>\n";
    }
    html +=
        "<div class=\"wide\"><table>\n<tr><th class=\"text\">claim</th><th>measured</th><th "
        "class=\"text\"></th></tr>\n";
    for (const auto& claim : result.claims) {
        const auto erratum = claim.erratum.empty()
                                 ? ""
                                 : fmt::format("<br><span class=\"soft\">Erratum: {}</span>", escaped(claim.erratum));
        html +=
            fmt::format("<tr><td class=\"text\">{}{}{}</td><td>{:.4g}</td><td class=\"text {}\">{}</td></tr>\n",
                        claim.source == Source::lento ? "<span class=\"soft\">Lento:</span> " : "", escaped(claim.text),
                        erratum, claim.measured, claim.refuted() ? "" : agreement(claim.agrees()),
                        claim.refuted()  ? "does not hold"
                        : claim.agrees() ? "holds &#10003;"
                                         : "fails &#10007;");
    }
    return html + "</table></div>\n";
}

std::string errata(const Result& result) {
    const auto sentences = result.errata();
    std::string html = sentences.empty() ? "" : "<p>Errata:</p>\n<ul>\n";
    for (const auto& sentence : sentences) {
        html += fmt::format("<li>{}</li>\n", escaped(sentence));
    }
    return html + (sentences.empty() ? "" : "</ul>\n");
}

/// None where there is no page, or its entry cannot be read.
std::optional<Entry> entry_in(const std::filesystem::path& folder, const papers::Reproduction& reproduction) {
    const std::string name = file_name(reproduction.id);
    std::ifstream file(folder / (name + ".json"));
    if (!file || !std::filesystem::exists(folder / (name + ".html"))) {
        return std::nullopt;
    }
    try {
        const auto json = nlohmann::json::parse(file);
        return Entry{&reproduction,
                     json.at("judged_by"),
                     json.at("judged"),
                     json.at("agreeing"),
                     json.value("refuted", std::size_t{0}),
                     json.at("seconds"),
                     json.at("agrees")};
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

}  // namespace

std::string verdict_of(const Row& row) {
    return !row.erratum.empty()              ? "erratum"
           : !row.judged                     ? "not judged"
           : row.agrees() && !row.expected() ? ""
                                             : agreement(row.agrees());
}

std::string compared_with(const Entry& entry) {
    return entry.judged_by + (entry.agrees ? but_for(entry.refuted) : "");
}

std::string summary(const std::vector<Entry>& entries) {
    const auto by_print = [](const Entry& entry) { return entry.judged_by.starts_with("print"); };
    const auto agreeing = std::ranges::count_if(entries, &Entry::agrees);
    const auto with_print =
        std::ranges::count_if(entries, [&](const Entry& entry) { return entry.agrees && by_print(entry); });
    std::size_t errata = 0;
    for (const auto& entry : entries) {
        errata += entry.agrees ? entry.refuted : 0;
    }
    const auto counts = fmt::format("{} of {} agree", agreeing, entries.size());
    const auto print = std::ranges::all_of(entries, by_print)    ? " with print"
                       : std::ranges::none_of(entries, by_print) ? ""
                                                                 : fmt::format(", {} of them with print", with_print);
    return counts + print + but_for(errata);
}

std::string figure_text(double value) {
    return std::abs(value) >= 10 && value == std::round(value) && std::abs(value) < 1e9 ? fmt::format("{:.0f}", value)
                                                                                        : fmt::format("{:.3e}", value);
}

Entry write_page(const std::filesystem::path& folder, const papers::Reproduction& reproduction, const Result& result,
                 double seconds) {
    const Entry entry{&reproduction, result.judged_by(), result.judged(), result.agreeing(), result.refuted(),
                      seconds,       result.agrees()};
    const std::string name = file_name(reproduction.id);
    std::string body = fmt::format(
        "<p><a href=\"index.html\">All reproductions</a></p>\n<h1>{}</h1>\n<p class=\"soft\">{}: {}</p>\n"
        "<p class=\"{}\"><strong>{} with {}</strong>: {} of {} judged figures and claims, {:.1f} s</p>\n"
        "<p>{}</p>\n<pre>lento reproduce {}</pre>\n",
        escaped(reproduction.title), escaped(reproduction.id), escaped(papers::citation(reproduction.paper)),
        agreement(entry.agrees), agreement(entry.agrees), compared_with(entry), entry.agreeing, entry.judged, seconds,
        escaped(reproduction.parameters), escaped(reproduction.id));
    for (std::size_t k = 0; k < result.pictures.size(); ++k) {
        const auto svg = papers::svg_of(result.pictures[k]);
        write_whole(folder / (name + (k == 0 ? "" : fmt::format("-{}", k + 1)) + ".svg"), svg);
        body += fmt::format("<figure role=\"img\" aria-label=\"{}\">{}</figure>\n", escaped(result.pictures[k].title),
                            fmt::format("<svg class=\"picture\"{}", svg.substr(4)));
    }
    if (!result.rows.empty()) {
        body += table(result) + errata(result);
    }
    body += claims(result);
    write_whole(folder / (name + ".html"), page::document(reproduction.id, body));
    const Json json{{"judged_by", entry.judged_by}, {"judged", entry.judged},   {"agreeing", entry.agreeing},
                    {"refuted", entry.refuted},     {"seconds", entry.seconds}, {"agrees", entry.agrees}};
    write_whole(folder / (name + ".json"), json.dump(2) + "\n");
    return entry;
}

void write_index(const std::filesystem::path& folder) {
    std::vector<Entry> entries;
    double seconds = 0;
    for (const auto& reproduction : papers::reproductions()) {
        if (const auto entry = entry_in(folder, reproduction)) {
            entries.push_back(*entry);
            seconds += entry->seconds;
        }
    }
    std::string body = fmt::format(
        "<h1>Published tables and figures, recomputed</h1>\n<p class=\"{}\"><strong>{}</strong>, {:.0f} s</p>\n"
        "<pre>lento reproduce ID</pre>\n<div class=\"wide\"><table>\n"
        "<tr><th>ID</th><th class=\"text\">title</th><th>judged</th><th>seconds</th><th class=\"text\"></th></tr>\n",
        agreement(std::ranges::all_of(entries, &Entry::agrees)), summary(entries), seconds);
    std::string paper;
    for (const auto& entry : entries) {
        const auto* reproduction = entry.reproduction;
        if (reproduction->paper != paper) {
            paper = reproduction->paper;
            body += fmt::format("<tr><td class=\"text soft\" colspan=\"5\">{}</td></tr>\n",
                                escaped(papers::citation(paper)));
        }
        body += fmt::format(
            "<tr><td><a href=\"{}.html\">{}</a></td><td class=\"text\">{}</td><td>{} of {}</td><td>{:.1f}</td><td "
            "class=\"text {}\">{} with {}{}</td></tr>\n",
            file_name(reproduction->id), escaped(reproduction->id), escaped(reproduction->title), entry.agreeing,
            entry.judged, entry.seconds, agreement(entry.agrees), agreement(entry.agrees),
            escaped(compared_with(entry)), sign(entry.agrees));
    }
    body += "</table></div>\n";
    write_whole(folder / "index.html", page::document("Lento: reproductions", body));
}

}  // namespace lento::app
