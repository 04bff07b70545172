/// What a run leaves behind for its user, as names and numbers; the writers beside this file turn it into files.
#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "lento/problem/problem.hpp"
#include "lento/solution/solution.hpp"
#include "march/sample_store.hpp"

namespace lento {

inline constexpr std::string_view version = LENTO_VERSION;

using Json = nlohmann::ordered_json;

/// Columns of equal length, in the order of the model. However many rows there are, they take constant memory.
struct Series {
    std::vector<std::string> names;  ///< without t
    SampleStore rows{};
};

/// The solution at equally spaced times between two.
struct Level {
    struct Column {
        std::vector<double> slow;
        std::vector<double> low, high;  ///< of the true motion within a vibration; empty where it is not known
        std::vector<double> truth;      ///< the true motion itself, where vibrations are resolved; else empty
    };

    double from = 0, to = 0;
    std::size_t count = 0;
    std::vector<Column> columns;  ///< the first columns of the output
};

struct Chart {
    enum class Scale { linear, logarithmic };
    enum class Marks { none, points };
    struct Curve {
        std::string label;
        std::vector<double> x, y;
    };

    std::string title, x, y;
    Scale x_scale = Scale::linear, y_scale = Scale::linear;
    Marks marks = Marks::none;
    std::vector<Curve> curves{};
};

/// Points of two coordinates each, and what joins them.
struct Mechanism {
    /// A point by its number, or a place that does not move.
    using End = std::variant<std::size_t, std::array<double, 2>>;
    struct Link {
        enum class Kind { rod, spring } kind;
        End from, to;
    };

    std::vector<std::array<std::size_t, 2>> points;  ///< columns of the output
    std::vector<Link> links;
};

/// What a report shows besides the samples of a run: closer looks at the true motion, charts, the mechanism.
struct RunView {
    std::vector<Level> levels;               ///< the whole run first, then pieces of it
    std::optional<double> period;            ///< of the fastest vibration
    std::optional<double> resolving;         ///< evaluations that resolving each vibration would take
    std::string resolving_is = "estimated";  ///< or how it was measured
    bool along_exact_part = false;           ///< the slow solution is seen from the motion of an exactly solved part
    std::vector<Chart> course;               ///< how the run went: step sizes, residuals, energy, filter
    std::vector<Chart> comparison;           ///< with a direct run
    std::optional<Mechanism> mechanism;
};

/// Whether a run reached its end, so that there is a result: within its tolerance, or beside it with a warning.
bool has_result(Outcome outcome);

struct RunOutput {
    using Named = std::vector<std::pair<std::string, double>>;

    std::string title;
    RunRecord record;
    Series slow;
    std::vector<double> final_slow;                 ///< at the time reached, as slow.names
    std::optional<std::vector<double>> final_fast;  ///< the same of the reconstructed true solution
    Named error_estimate;                           ///< of the state and what follows from it; empty: not known
    Named left_out;                                 ///< amplitudes of the same that a slow manifold omits
    std::optional<Series> errors;                   ///< of every column over time, where a run was compared
    std::optional<Series> fast;                     ///< the true solution between two times, where it was asked for
    Named parameters;
    std::vector<Phase> phases;
    std::string model_text;
    std::string choice;     ///< why `auto` chose the method; empty if the user did
    Named seconds;          ///< what each stage took: read, compile, solve
    Json additions;         ///< to the summary
    RunView view;           ///< for the report
    double wanted_end = 0;  ///< the time that was to be reached
};

/// `summary.json`. What is not finite is null.
Json summary_json(const RunOutput& output);

/// JSON to print or write. Bytes that are not UTF-8 are replaced, numbers that are not finite are null.
std::string json_text(const Json& json);
/// One value a name.
Json by_name(const std::vector<std::string>& names, const std::vector<double>& values);
Json by_name(const RunOutput::Named& numbers);
/// Null where there is no number, and for an empty text.
Json or_null(const std::optional<double>& value);
Json or_null(const std::string& text);

void write_csv(std::ostream& file, const Series& series);

/// One self-contained page: the answer, charts of the solution and of how it was found, an animation of a mechanism.
std::string report_html(const RunOutput& output);

}  // namespace lento
