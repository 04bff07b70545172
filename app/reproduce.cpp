/// `lento reproduce`.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "lento/base/misuse.hpp"
#include "reproduction.hpp"

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

/// Counts as whole numbers, everything else with four digits.
std::string number(double value) {
    return std::abs(value) >= 10 && value == std::round(value) && std::abs(value) < 1e9 ? fmt::format("{:.0f}", value)
                                                                                        : fmt::format("{:.3e}", value);
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
                   row.published ? number(*row.published) : "-", number(row.computed), verdict);
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

/// FOLDER/paper-figure-1.svg, with -2, -3, ... for more of them.
void write_pictures(const std::filesystem::path& folder, std::string id, const std::vector<papers::Picture>& pictures) {
    std::replace(id.begin(), id.end(), '/', '-');
    std::filesystem::create_directories(folder);
    for (std::size_t k = 0; k < pictures.size(); ++k) {
        const auto path = folder / (id + (k == 0 ? "" : fmt::format("-{}", k + 1)) + ".svg");
        std::ofstream file(path);
        if (!(file << papers::svg_of(pictures[k])).flush()) {
            throw Misuse(fmt::format("cannot write the picture {}: {}", path.string(), std::strerror(errno)));
        }
    }
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
    bool agrees = true;
    auto documents = nlohmann::ordered_json::array();
    for (const auto* reproduction : list) {
        const Result result = reproduction->compute();
        agrees = agrees && result.agrees();
        if (arguments.folder) {
            write_pictures(*arguments.folder, reproduction->id, result.pictures);
        }
        if (arguments.json) {
            documents.push_back(as_json(*reproduction, result));
            continue;
        }
        if (!arguments.quiet) {
            print(*reproduction, result);
        }
        fmt::print("{} {}\n", reproduction->id, result.agrees() ? "agrees with print" : "DISAGREES with print");
    }
    if (arguments.json) {
        fmt::print("{}\n", (documents.size() == 1 ? documents[0] : documents).dump(2));
    }
    return agrees ? Exit::done : Exit::disagrees;
}

}  // namespace lento::app
