/// Simple pictures of curves, as SVG.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "axis.hpp"

namespace lento::papers {

enum class Marker { circle, square, triangle, diamond, plus, cross, star };

struct Curve {
    enum class Style {
        line,
        dashed,
        dots,
        marked,    ///< a line with markers
        reference  ///< dashed, thin and grey: what is known beforehand
    };

    std::string label;  ///< in the legend, if it is not empty
    std::vector<double> x, y;
    Style style = Style::line;
    std::optional<std::size_t> colour{};  ///< number in the palette; by default each curve has its own,
    std::optional<Marker> marker{};       ///< and its own marker
};

/// Labels are written as in label.hpp.
struct Picture {
    enum class Axes { free, equal };

    std::string title, x_label, y_label;
    std::vector<Curve> curves;
    Axes axes = Axes::free;
    Scale x_scale = Scale::linear, y_scale = Scale::linear;
    std::vector<double> x_shown{},
        y_shown{};  ///< values that the axes reach in any case, so that pictures can be compared
};

/// Logarithmic on both axes.
Picture log_log(std::string title, std::string x_label, std::string y_label, std::vector<Curve> curves);

/// y = y[0] (x/x[0])^power over the abscissae given: the line of an order on logarithmic axes.
Curve power_line(std::string label, const std::vector<double>& x, double first, double power);

/// A document of its own. The legend stands below the axes; points that an axis cannot show interrupt a line.
std::string svg_of(const Picture& picture);

}  // namespace lento::papers
