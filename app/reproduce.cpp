/// `lento reproduce`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands.hpp"
#include "lento/base/misuse.hpp"
#include "model/mapped.hpp"
#include "output/files.hpp"
#include "reproduction.hpp"
#include "reproduction_pages.hpp"
#include "terminal.hpp"

namespace lento::app {
namespace {

using papers::Reproduction;
using papers::Result;

Json as_json(const Reproduction& reproduction, const Result& result) {
    Json rows = Json::array();
    for (const auto& row : result.rows) {
        rows.push_back({{"label", row.label},
                        {"column", row.column},
                        {"published", or_null(row.published)},
                        {"computed", row.computed},
                        {"judged", row.judged},
                        {"tolerance", row.tolerance}});
        if (row.reference) {
            rows.back()["reference"] = *row.reference;  // not print: measured beforehand
        }
        if (!row.erratum.empty()) {
            rows.back()["erratum"] = row.erratum;
        }
    }
    const auto claims = model::mapped(result.claims, [](const papers::Claim& claim) {
        Json json{{"text", claim.text},
                  {"measured", claim.measured},
                  {"holds", claim.holds},
                  {"source", claim.source == papers::Source::paper ? "paper" : "lento"}};
        if (!claim.erratum.empty()) {
            json["erratum"] = claim.erratum;
        }
        return json;
    });
    Json json{{"id", reproduction.id}, {"title", reproduction.title}, {"paper", reproduction.paper}, {"rows", rows},
              {"claims", claims},      {"agrees", result.agrees()}};
    if (!result.not_judged.empty()) {
        json["not_judged"] = result.not_judged;  // why rows without an erratum are not
    }
    return json;
}

void print(const Reproduction& reproduction, const Result& result) {
    fmt::print("{}: {}\n  {}\n", reproduction.id, reproduction.title, papers::citation(reproduction.paper));
    std::size_t widest = 10;
    for (const auto& row : result.rows) {
        widest = std::max(widest, row.column.size());
    }
    // Columns of nothing are left out.
    const auto line = [&](const std::string& label, const std::string& column, const std::string& printed,
                          const std::string& reference, const std::string& computed, const std::string& sign) {
        fmt::print("  {:<12} {:<{}}{}{} {:>12}  {}\n", label, column, widest,
                   result.has_published() ? fmt::format(" {:>12}", printed) : "",
                   result.has_references() ? fmt::format(" {:>12}", reference) : "", computed, sign);
    };
    const auto text = [](std::optional<double> value) { return value ? figure_text(*value) : "-"; };
    if (!result.rows.empty()) {
        line("", "", "printed", "reference", "computed", "");
    }
    std::string last;
    for (const auto& row : result.rows) {
        const auto verdict = verdict_of(row);
        line(row.label == last ? "" : row.label, row.column, text(row.published), text(row.reference),
             figure_text(row.computed), verdict == "disagrees" ? "DISAGREES" : verdict);
        last = row.label;
    }
    if (result.has_references()) {
        fmt::print("  {}\n", result.references);
    }
    if (!result.not_judged.empty()) {
        fmt::print("  Not judged: {}\n", result.not_judged);
    }
    for (const auto& erratum : result.errata()) {
        fmt::print("  Erratum: {}\n", erratum);
    }
    for (const auto& claim : result.claims) {
        const char* verdict = claim.refuted() ? "does not hold" : claim.agrees() ? "holds" : "FAILS";
        fmt::print("  {:<13}  {}{}: {:.4g}\n", verdict, claim.source == papers::Source::lento ? "Lento: " : "",
                   claim.text, claim.measured);
        if (!claim.erratum.empty()) {
            fmt::print("  {:<13}  Erratum: {}\n", "", claim.erratum);
        }
    }
}

std::vector<std::string> all_ids() {
    return model::mapped(papers::reproductions(), &Reproduction::id);
}

std::vector<const Reproduction*> chosen(const ReproduceArguments& arguments) {
    std::vector<const Reproduction*> list;
    const auto& known = papers::reproductions();
    if (arguments.all) {
        list = model::mapped(known, [](const Reproduction& each) { return &each; });
    }
    for (const auto& id : arguments.ids) {
        const auto* found = model::found(known, id, &Reproduction::id);
        if (found == nullptr) {
            throw Misuse(fmt::format("'{}' cannot be reproduced{}; `lento reproduce --list` lists what can", id,
                                     suggestion(id, all_ids())));
        }
        list.push_back(found);
    }
    if (list.empty()) {
        throw Misuse("say what to reproduce: one or more ids from `lento reproduce --list`, or --all");
    }
    return list;
}

/// One line each, at the end of many.
void print_table(const std::vector<Entry>& all) {
    const Terminal terminal(stdout);
    fmt::print("\n  {:<34} {:>12} {:>9}\n", "reproduced", "judged", "seconds");
    for (const auto& each : all) {
        fmt::print("  {:<34} {:>4} of {:>4} {:>9.1f}  {} with {}\n", each.reproduction->id, each.agreeing, each.judged,
                   each.seconds, each.agrees ? terminal.good("agrees") : terminal.bad("DISAGREES"),
                   compared_with(each));
    }
    fmt::print("  {}\n", summary(all));
}

/// The ids of each paper below it.
void print_list() {
    std::string paper;
    for (const auto& reproduction : papers::reproductions()) {
        if (reproduction.paper != paper) {
            fmt::print("{}{}\n", paper.empty() ? "" : "\n", papers::citation(reproduction.paper));
            paper = reproduction.paper;
        }
        fmt::print("  {:<34} {}\n", reproduction.id, reproduction.title);
    }
}

}  // namespace

Exit reproduce(const ReproduceArguments& arguments) {
    if (arguments.list) {
        arguments.json ? fmt::print("{}\n", Json(all_ids()).dump(2)) : print_list();
        return Exit::done;
    }
    const auto list = chosen(arguments);
    const std::filesystem::path folder = arguments.folder.value_or("out/reproduce");
    make_folder(folder);
    std::vector<Entry> all;
    Json documents = Json::array();
    for (const auto* reproduction : list) {
        Waiting waiting(fmt::format("{} ({} of {})", reproduction->id, all.size() + 1, list.size()));
        const auto began = std::chrono::steady_clock::now();
        const Result result = reproduction->compute();
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
        all.push_back(write_page(folder, *reproduction, result, spent.count()));
        write_index(folder);
        waiting.over();
        if (arguments.json) {
            documents.push_back(as_json(*reproduction, result));
            continue;
        }
        if (!arguments.quiet) {
            print(*reproduction, result);
        }
        fmt::print("{} {} with {}\n", reproduction->id, all.back().agrees ? "agrees" : "DISAGREES",
                   compared_with(all.back()));
    }
    if (arguments.json) {
        fmt::print("{}\n", (documents.size() == 1 ? documents[0] : documents).dump(2));
    } else {
        if (all.size() > 1) {
            print_table(all);
        }
        fmt::print("  pages {}\n", (folder / "index.html").string());
    }
    return std::ranges::all_of(all, &Entry::agrees) ? Exit::done : Exit::disagrees;
}

}  // namespace lento::app
