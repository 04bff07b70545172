/// What a run leaves behind for its user, as names and numbers; the writers beside this file turn it into files.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "lento/solution/solution.hpp"
#include "output/run_view.hpp"

namespace lento {

/// Columns of equal length, in the order of the model.
struct Series {
    std::vector<std::string> names;  ///< without t
    std::vector<double> t;
    std::vector<std::vector<double>> rows;  ///< rows[k][column]
};

struct RunOutput {
    struct FastPhase {
        std::string name;
        double frequency = 0, start = 0;
    };
    using Named = std::vector<std::pair<std::string, double>>;

    std::string title;
    RunRecord record;
    Series slow;
    std::vector<double> final_slow;                 ///< at the time reached, as slow.names
    std::optional<std::vector<double>> final_fast;  ///< the same of the reconstructed true solution
    std::optional<Series> errors;                   ///< of every column over time, where a run was compared
    std::optional<Series> fast;                     ///< the true solution between two times, where it was asked for
    Named parameters;
    std::vector<FastPhase> phases;
    std::string model_text;
    std::string choice;                ///< why `auto` chose the method; empty if the user did
    Named seconds;                     ///< what each stage took: read, compile, solve
    nlohmann::ordered_json additions;  ///< to the summary
    RunView view;                      ///< for the report
    double wanted_end = 0;             ///< the time that was to be reached
};

/// `summary.json`. What is not finite is null.
nlohmann::ordered_json summary_json(const RunOutput& output);

/// JSON to print or write. Bytes that are not UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json& json);

std::string csv_text(const Series& series);

/// One self-contained page: the answer, charts of the solution and of how it was found, an animation where there is a mechanism.
std::string report_html(const RunOutput& output);

}  // namespace lento
