/// What a report shows besides the samples of a run: closer looks at the true motion, charts, the mechanism.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lento {

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

}  // namespace lento
