#include "picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace lento::papers {
namespace {

constexpr double width = 640;
constexpr double height = 480;
constexpr double left = 70;
constexpr double right = 20;
constexpr double top = 40;
constexpr double bottom = 60;
constexpr std::array colours{"#0b5fa5", "#c2410c", "#15803d", "#7e22ce", "#525252", "#b91c1c"};

struct Range {
    double from = HUGE_VAL, to = -HUGE_VAL;

    void include(double value) {
        if (std::isfinite(value)) {
            from = std::min(from, value);
            to = std::max(to, value);
        }
    }
    void widen() {
        if (!(from <= to)) {
            from = 0;
            to = 1;
        }
        const double margin = to > from ? 0.05 * (to - from) : 0.5;
        from -= margin;
        to += margin;
    }
    double length() const { return to - from; }
};

/// 1, 2 or 5 times a power of ten, some six of which fill the range.
double tick_of(const Range& range) {
    const double rough = range.length() / 6;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double share : {1.0, 2.0, 5.0}) {
        if (share * power >= rough) {
            return share * power;
        }
    }
    return 10 * power;
}

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    }
    return result;
}

class Drawing {
public:
    explicit Drawing(const Picture& picture) : picture_(picture) {
        for (const auto& curve : picture.curves) {
            for (std::size_t k = 0; k < curve.x.size(); ++k) {
                x_.include(curve.x[k]);
                y_.include(curve.y[k]);
            }
        }
        x_.widen();
        y_.widen();
        if (picture.axes == Picture::Axes::equal) {
            equalise();
        }
    }

    std::string svg() {
        text_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
            "font-family=\"sans-serif\" "
            "font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
            width, height);
        label(width / 2, 22, picture_.title, "middle");
        axes();
        for (std::size_t k = 0; k < picture_.curves.size(); ++k) {
            curve(picture_.curves[k], colours[k % colours.size()]);
            legend(k);
        }
        return text_ + "</svg>\n";
    }

private:
    double at_x(double x) const { return left + (x - x_.from) / x_.length() * (width - left - right); }
    double at_y(double y) const { return height - bottom - (y - y_.from) / y_.length() * (height - top - bottom); }

    void equalise() {
        const double unit = std::max(x_.length() / (width - left - right), y_.length() / (height - top - bottom));
        const auto stretch = [&](Range& range, double pixels) {
            const double more = (unit * pixels - range.length()) / 2;
            range.from -= more;
            range.to += more;
        };
        stretch(x_, width - left - right);
        stretch(y_, height - top - bottom);
    }
    void label(double x, double y, const std::string& text, const char* anchor, const char* more = "") {
        text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                             escaped(text));
    }
    void line(double x1, double y1, double x2, double y2, const char* colour) {
        text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
                             x2, y2, colour);
    }
    void axes() {
        const double x_tick = tick_of(x_);
        for (double x = std::ceil(x_.from / x_tick) * x_tick; x <= x_.to; x += x_tick) {
            line(at_x(x), top, at_x(x), height - bottom, "#e5e5e5");
            label(at_x(x), height - bottom + 18, number(x, x_tick), "middle");
        }
        const double y_tick = tick_of(y_);
        for (double y = std::ceil(y_.from / y_tick) * y_tick; y <= y_.to; y += y_tick) {
            line(left, at_y(y), width - right, at_y(y), "#e5e5e5");
            label(left - 8, at_y(y) + 4, number(y, y_tick), "end");
        }
        text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#737373\"/>\n",
                             left, top, width - left - right, height - top - bottom);
        label(left + (width - left - right) / 2, height - 18, picture_.x_label, "middle");
        label(18, top - 10, picture_.y_label, "start");
    }
    static std::string number(double value, double tick) {
        return fmt::format("{:.6g}", std::abs(value) < 1e-9 * tick ? 0.0 : value);
    }
    void curve(const Curve& curve, const char* colour) {
        if (curve.style == Curve::Style::dots) {
            for (std::size_t k = 0; k < curve.x.size(); ++k) {
                if (std::isfinite(curve.x[k]) && std::isfinite(curve.y[k])) {
                    text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n",
                                         at_x(curve.x[k]), at_y(curve.y[k]), colour);
                }
            }
            return;
        }
        std::string path;
        bool pen = false;
        for (std::size_t k = 0; k < curve.x.size(); ++k) {
            const bool finite = std::isfinite(curve.x[k]) && std::isfinite(curve.y[k]);
            if (finite) {
                path += fmt::format("{}{:.1f} {:.1f}", pen ? "L" : "M", at_x(curve.x[k]), at_y(curve.y[k]));
            }
            pen = finite;
        }
        text_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n", path, colour,
                             curve.style == Curve::Style::dashed ? " stroke-dasharray=\"6 4\"" : "");
    }
    void legend(std::size_t k) {
        const double y = top + 18 + 18 * static_cast<double>(k);
        const char* colour = colours[k % colours.size()];
        text_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"204\" height=\"18\" fill=\"white\" fill-opacity=\"0.85\"/>\n",
            width - right - 206, y - 14);
        line(width - right - 200, y - 4, width - right - 178, y - 4, colour);
        label(width - right - 172, y, picture_.curves[k].label, "start");
    }

    const Picture& picture_;
    Range x_, y_;
    std::string text_;
};

}  // namespace

std::string svg_of(const Picture& picture) {
    return Drawing(picture).svg();
}

}  // namespace lento::papers
