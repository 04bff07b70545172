/// `lento reproduce`.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "lento/base/misuse.hpp"
#include "lento/output/files.hpp"
#include "progress.hpp"
#include "reproduction.hpp"
#include "reproduction_pages.hpp"
#include "terminal.hpp"

namespace lento::app {
namespace {

using papers::Reproduction;
using papers::Result;

nlohmann::ordered_json as_json(const Reproduction& reproduction, const Result& result) {
    auto rows = nlohmann::ordered_json::array();
    for (const auto& row : result.rows) {
        rows.push_back(
            {{"label", row.label},
             {"column", row.column},
             {"published", row.published ? nlohmann::ordered_json(*row.published) : nlohmann::ordered_json(nullptr)},
             {"computed", row.computed},
             {"judged", row.judged},
             {"tolerance", row.tolerance}});
    }
    auto claims = nlohmann::ordered_json::array();
    for (const auto& claim : result.claims) {
        claims.push_back({{"text", claim.text}, {"measured", claim.measured}, {"holds", claim.holds}});
    }
    return {{"id", reproduction.id}, {"title", reproduction.title}, {"paper", reproduction.paper}, {"rows", rows},
            {"claims", claims},      {"agrees", result.agrees()}};
}

void print(const Reproduction& reproduction, const Result& result) {
    fmt::print("{}: {}\n", reproduction.id, reproduction.title);
    std::size_t widest = 10;
    for (const auto& row : result.rows) {
        widest = std::max(widest, row.column.size());
    }
    if (!result.rows.empty()) {
        fmt::print("  {:<12} {:<{}} {:>12} {:>12}\n", "", "", widest, "printed", "computed");
    }
    std::string last;
    for (const auto& row : result.rows) {
        const char* verdict = !row.judged ? "not judged" : !row.published ? "" : row.agrees() ? "agrees" : "DISAGREES";
        fmt::print("  {:<12} {:<{}} {:>12} {:>12}  {}\n", row.label == last ? "" : row.label, row.column, widest,
                   row.published ? figure_text(*row.published) : "-", figure_text(row.computed), verdict);
        last = row.label;
    }
    for (const auto& claim : result.claims) {
        fmt::print("  {}  {}: {:.4g}\n", claim.holds ? "holds" : "FAILS", claim.text, claim.measured);
    }
}

std::vector<const Reproduction*> chosen(const ReproduceArguments& arguments) {
    std::vector<const Reproduction*> list;
    std::vector<std::string> known;
    for (const auto& reproduction : papers::reproductions()) {
        known.push_back(reproduction.id);
        if (arguments.all) {
            list.push_back(&reproduction);
        }
    }
    for (const auto& id : arguments.ids) {
        const auto found = std::find(known.begin(), known.end(), id);
        if (found == known.end()) {
            throw Misuse(fmt::format("'{}' cannot be reproduced{}; `lento reproduce --list` lists what can", id,
                                     suggestion(id, known)));
        }
        list.push_back(&papers::reproductions()[static_cast<std::size_t>(found - known.begin())]);
    }
    if (list.empty()) {
        throw Misuse("say what to reproduce: one or more ids from `lento reproduce --list`, or --all");
    }
    return list;
}

/// One line each, at the end of many.
void print_table(const std::vector<Reproduced>& all) {
    const Terminal terminal(stdout);
    fmt::print("\n  {:<34} {:>12} {:>9}\n", "reproduced", "judged", "seconds");
    for (const auto& each : all) {
        fmt::print("  {:<34} {:>4} of {:>4} {:>9.1f}  {}\n", each.reproduction->id, each.agreeing(), each.judged(),
                   each.seconds, each.result.agrees() ? terminal.good("agrees") : terminal.bad("DISAGREES"));
    }
    const auto agreeing = std::ranges::count_if(all, [](const Reproduced& each) { return each.result.agrees(); });
    fmt::print("  {} of {} agree with print\n", agreeing, all.size());
}

}  // namespace

Exit reproduce(const ReproduceArguments& arguments) {
    if (arguments.list) {
        auto ids = nlohmann::ordered_json::array();
        for (const auto& reproduction : papers::reproductions()) {
            ids.push_back(reproduction.id);
            if (!arguments.json) {
                fmt::print("{:<24} {}\n", reproduction.id, reproduction.title);
            }
        }
        if (arguments.json) {
            fmt::print("{}\n", ids.dump(2));
        }
        return Exit::done;
    }
    const auto list = chosen(arguments);
    const std::filesystem::path folder = arguments.folder.value_or("out/reproduce");
    make_folder(folder);
    std::vector<Reproduced> all;
    auto documents = nlohmann::ordered_json::array();
    for (const auto* reproduction : list) {
        Waiting waiting(fmt::format("{} ({} of {})", reproduction->id, all.size() + 1, list.size()));
        const auto began = std::chrono::steady_clock::now();
        auto result = reproduction->compute();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        all.push_back({reproduction, std::move(result), seconds});
        write_page(folder, all.back());
        write_index(folder, all);
        waiting.over();
        if (arguments.json) {
            documents.push_back(as_json(*reproduction, all.back().result));
            continue;
        }
        if (!arguments.quiet) {
            print(*reproduction, all.back().result);
        }
        fmt::print("{} {}\n", reproduction->id,
                   all.back().result.agrees() ? "agrees with print" : "DISAGREES with print");
    }
    if (arguments.json) {
        fmt::print("{}\n", (documents.size() == 1 ? documents[0] : documents).dump(2));
    } else {
        if (all.size() > 1) {
            print_table(all);
        }
        fmt::print("  pages {}\n", (folder / "index.html").string());
    }
    const bool agrees = std::ranges::all_of(all, [](const Reproduced& each) { return each.result.agrees(); });
    return agrees ? Exit::done : Exit::disagrees;
}

}  // namespace lento::app
