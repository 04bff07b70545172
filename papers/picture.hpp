/// Simple pictures of curves, as SVG.
#pragma once

#include <string>
#include <vector>

namespace lento::papers {

struct Curve {
    enum class Style { line, dashed, dots };

    std::string label;
    std::vector<double> x, y;
    Style style = Style::line;
};

struct Picture {
    enum class Axes { free, equal };

    std::string title, x_label, y_label;
    std::vector<Curve> curves;
    Axes axes = Axes::free;
};

/// A document of its own. Curves are told apart by colour and named in a legend; points that are not finite interrupt a line.
std::string svg_of(const Picture& picture);

}  // namespace lento::papers
