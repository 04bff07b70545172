#include "picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "label.hpp"

namespace lento::papers {
namespace {

constexpr double width = 640;
constexpr double left = 76;
constexpr double right = 20;
constexpr double top = 58;
constexpr double plot_width = width - left - right;
constexpr double plot_height = 370;
constexpr double below = 62;  // ticks and the name of the axis
constexpr double legend_line = 20;
constexpr double legend_sample = 30;
constexpr double legend_gap = 18;
constexpr double legend_size = 12;
constexpr double text_size = 13;
constexpr double title_size = 15;
constexpr std::array colours{"#0b5fa5", "#c2410c", "#15803d", "#7e22ce", "#525252", "#b91c1c", "#0e7490", "#a16207"};
constexpr std::array markers{Marker::circle, Marker::square, Marker::triangle, Marker::diamond,
                             Marker::plus,   Marker::cross,  Marker::star};
constexpr const char* reference_colour = "#737373";

/// A mark of seven or eight pixels, white inside where it has an inside.
std::string mark(Marker marker, double x, double y, const char* colour) {
    const auto shape = [&]() -> const char* {
        switch (marker) {
            case Marker::square:
                return "m-3.5 -3.5h7v7h-7z";
            case Marker::triangle:
                return "m0 -4.5l4.2 7.5h-8.4z";
            case Marker::diamond:
                return "m0 -5l4.2 5l-4.2 5l-4.2 -5z";
            case Marker::plus:
                return "m-4.5 0h9m-4.5 -4.5v9";
            case Marker::cross:
                return "m-3.5 -3.5l7 7m0 -7l-7 7";
            case Marker::star:
                return "m-4.5 0h9m-4.5 -4.5v9m-3.2 -7.7l6.4 6.4m0 -6.4l-6.4 6.4";
            default:
                return nullptr;
        }
    }();
    const auto paint = fmt::format("fill=\"white\" stroke=\"{}\" stroke-width=\"1.5\"", colour);
    return shape == nullptr ? fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.8\" {}/>\n", x, y, paint)
                            : fmt::format("<path d=\"M{:.1f} {:.1f}{}\" {}/>\n", x, y, shape, paint);
}
std::string dot(double x, double y, const char* colour) {
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.8\" fill=\"{}\"/>\n", x, y, colour);
}
std::string line(double x1, double y1, double x2, double y2, const char* colour) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
                       y2, colour);
}
enum class Anchor { start, middle, end };
std::string text(double x, double y, const std::string& label, Anchor anchor, double size = text_size) {
    constexpr std::array names{"start", "middle", "end"};
    return fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\" xml:space=\"preserve\">{}</text>\n", x, y,
        size, names[static_cast<std::size_t>(anchor)], set_label(label, size));
}

/// How a curve is drawn, in the picture and in the legend.
struct Pen {
    Curve::Style style;
    const char* colour;
    Marker marker;

    Pen(const Curve& curve, std::size_t n)
        : style(curve.style),
          colour(style == Curve::Style::reference ? reference_colour
                                                  : colours[curve.colour.value_or(n) % colours.size()]),
          marker(curve.marker.value_or(markers[n % markers.size()])) {}

    std::string stroke(const std::string& path) const {
        const bool dashed = style == Curve::Style::dashed || style == Curve::Style::reference;
        return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n", path, colour,
                           style == Curve::Style::reference ? 1 : 1.5, dashed ? " stroke-dasharray=\"6 4\"" : "");
    }
    std::string point(double x, double y) const {
        return style == Curve::Style::dots     ? dot(x, y, colour)
               : style == Curve::Style::marked ? mark(marker, x, y, colour)
                                               : "";
    }
    bool has_line() const { return style != Curve::Style::dots; }
};

class Drawing {
public:
    explicit Drawing(const Picture& picture) : picture_(picture), x_(picture.x_scale), y_(picture.y_scale) {
        const auto include = [](Axis& axis, const std::vector<double>& values) {
            for (const double value : values) {
                axis.include(value);
            }
        };
        include(x_, picture.x_shown);
        include(y_, picture.y_shown);
        for (const auto& curve : picture.curves) {
            include(x_, curve.x);
            include(y_, curve.y);
        }
        x_.widen();
        y_.widen();
        if (picture.axes == Picture::Axes::equal) {
            const double unit = std::max(x_.length() / plot_width, y_.length() / plot_height);
            x_.stretch(unit * plot_width);
            y_.stretch(unit * plot_height);
        }
    }

    std::string svg() const {
        const auto [legend, lines] = legend_and_lines();
        return fmt::format(
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
                   "font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                   width, top + plot_height + below + legend_line * static_cast<double>(lines)) +
               text(left, 22, picture_.title, Anchor::start, title_size) + frame() + curves() + legend + "</svg>\n";
    }

private:
    double at_x(double x) const { return left + x_.share(x) * plot_width; }
    double at_y(double y) const { return top + (1 - y_.share(y)) * plot_height; }

    std::string frame() const {
        constexpr double bottom = top + plot_height;
        constexpr const char* grid = "#e5e5e5";
        constexpr const char* minor = "#a3a3a3";
        std::string svg;
        for (const auto& tick : x_.ticks()) {
            const double x = at_x(tick.value);
            svg += tick.label.empty()
                       ? line(x, bottom, x, bottom - 4, minor)
                       : line(x, top, x, bottom, grid) + text(x, bottom + 18, tick.label, Anchor::middle);
        }
        for (const auto& tick : y_.ticks()) {
            const double y = at_y(tick.value);
            svg += tick.label.empty()
                       ? line(left, y, left + 4, y, minor)
                       : line(left, y, left + plot_width, y, grid) + text(left - 8, y + 4, tick.label, Anchor::end);
        }
        svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#737373\"/>\n",
                           left, top, plot_width, plot_height);
        // The name of the vertical axis stands above it, upright.
        return svg + text(left + plot_width / 2, bottom + 38, picture_.x_label, Anchor::middle) +
               text(left, top - 10, picture_.y_label, Anchor::start);
    }

    /// References lie below everything else.
    std::string curves() const {
        std::string references;
        std::string others;
        for (std::size_t n = 0; n < picture_.curves.size(); ++n) {
            const Pen pen(picture_.curves[n], n);
            (pen.style == Curve::Style::reference ? references : others) += drawn(picture_.curves[n], pen);
        }
        return references + others;
    }
    std::string drawn(const Curve& curve, const Pen& pen) const {
        std::string path;
        std::string points;
        bool down = false;
        for (std::size_t k = 0; k < curve.x.size(); ++k) {
            const double x = at_x(curve.x[k]);
            const double y = at_y(curve.y[k]);
            const bool finite = std::isfinite(x) && std::isfinite(y);
            if (finite) {
                path += fmt::format("{}{:.1f} {:.1f}", down ? "L" : "M", x, y);
                points += pen.point(x, y);
            }
            down = finite;
        }
        return "<g class=\"curve\">\n" + (pen.has_line() ? pen.stroke(path) : "") + points + "</g>\n";
    }

    /// In columns below the axes, as many as fit.
    std::pair<std::string, std::size_t> legend_and_lines() const {
        std::vector<std::size_t> named;
        for (std::size_t n = 0; n < picture_.curves.size(); ++n) {
            if (!picture_.curves[n].label.empty()) {
                named.push_back(n);
            }
        }
        if (named.empty()) {
            return {"", 0};
        }
        std::size_t columns = named.size();
        while (columns > 1 && whole_of(column_widths(named, columns)) > width - 2 * right) {
            --columns;
        }
        const std::size_t lines = (named.size() + columns - 1) / columns;
        columns = (named.size() + lines - 1) / lines;
        const auto widths = column_widths(named, columns);
        const double start = (width - whole_of(widths)) / 2;
        std::string svg;
        for (std::size_t k = 0; k < named.size(); ++k) {
            const auto before = widths.begin() + static_cast<std::ptrdiff_t>(k % columns);
            svg += legend_entry(named[k], std::accumulate(widths.begin(), before, start),
                                top + plot_height + below + legend_line * static_cast<double>(k / columns));
        }
        return {svg, lines};
    }
    std::vector<double> column_widths(const std::vector<std::size_t>& named, std::size_t columns) const {
        std::vector<double> widths(columns, 0.0);
        for (std::size_t k = 0; k < named.size(); ++k) {
            const double text = label_width(picture_.curves[named[k]].label, legend_size);
            widths[k % columns] = std::max(widths[k % columns], legend_sample + 6 + text + legend_gap);
        }
        return widths;
    }
    static double whole_of(const std::vector<double>& widths) {
        return std::accumulate(widths.begin(), widths.end(), -legend_gap);
    }
    std::string legend_entry(std::size_t n, double x, double y) const {
        const Pen pen(picture_.curves[n], n);
        return (pen.has_line() ? pen.stroke(fmt::format("M{:.1f} {:.1f}h{}", x, y - 4, legend_sample)) : "") +
               pen.point(x + legend_sample / 2, y - 4) +
               text(x + legend_sample + 6, y, picture_.curves[n].label, Anchor::start, legend_size);
    }

    const Picture& picture_;
    Axis x_, y_;
};

}  // namespace

Picture log_log(std::string title, std::string x_label, std::string y_label, std::vector<Curve> curves) {
    return {.title = std::move(title),
            .x_label = std::move(x_label),
            .y_label = std::move(y_label),
            .curves = std::move(curves),
            .x_scale = Scale::logarithmic,
            .y_scale = Scale::logarithmic};
}

Curve power_line(std::string label, const std::vector<double>& x, double first, double power) {
    Curve curve{.label = std::move(label), .x = x, .y = {}, .style = Curve::Style::reference};
    for (const double value : x) {
        curve.y.push_back(first * std::pow(value / x.front(), power));
    }
    return curve;
}

std::string svg_of(const Picture& picture) {
    return Drawing(picture).svg();
}

}  // namespace lento::papers
