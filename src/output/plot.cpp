/// A static picture of the slow solution, by cairo.
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "model/mapped.hpp"
#include "output/files.hpp"

namespace lento {
namespace {

// Points, of which there are 72 an inch.
constexpr double width = 504;
constexpr double panel = 150;
constexpr double right = 18;
constexpr double top = 28;
constexpr double bottom = 40;
constexpr double gap = 14;
constexpr double beside_labels = 34;  // the name of an axis and what lies between
constexpr double pixels_a_point = 3;  // of a PNG

struct Colour {
    double red, green, blue, opacity = 1;
};
constexpr Colour ink{0.1, 0.12, 0.14};
constexpr Colour grid{0.85, 0.87, 0.89};
constexpr Colour curve{0.04, 0.38, 0.66};
constexpr Colour band{0.79, 0.42, 0.07, 0.25};

struct Range {
    double low = HUGE_VAL;
    double high = -HUGE_VAL;

    void include(double value) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    /// Never empty, so that a constant still draws as a line.
    Range widened() const {
        if (!(high >= low)) {
            return {0, 1};
        }
        const double margin =
            high > low ? std::max(0.06 * (high - low), 1e-13 * std::abs(high)) : std::max(1e-12, 0.1 * std::abs(high));
        return {low - margin, high + margin};
    }
};

/// Multiples of 1, 2 or 5 times a power of ten, about five of them, in one style: where values are near a large one
/// they count from it, where large or small in a power of ten; the axis' name says so.
class Ticks {
public:
    explicit Ticks(const Range& range) {
        const double length = range.high - range.low;
        const double rough = length / 5;
        const double unit = std::pow(10, std::floor(std::log10(rough)));
        const double share = rough / unit;
        const double step = unit * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
        const double far = std::max(std::abs(range.low), std::abs(range.high)) / length;
        if (far >= 1e4) {
            const int digits = std::min(15, static_cast<int>(std::ceil(std::log10(far))));
            base_ = std::strtod(fmt::format("{:.{}e}", range.low, digits - 1).c_str(), nullptr);
        }
        double largest = 0;
        for (double k = std::ceil(range.low / step); k * step <= range.high && marks_.size() < 20; ++k) {
            marks_.push_back(k * step);
            largest = std::max(largest, std::abs(k * step - base_));
        }
        const int size = largest > 0 ? decade(largest) : 0;
        power_ = size >= 6 || size < -3 ? size : 0;
        digits_ = std::max(0, power_ - decade(step));
    }
    const std::vector<double>& marks() const { return marks_; }
    std::string text(double mark) const {
        const auto words = fmt::format("{:.{}f}", (mark - base_) / std::pow(10, power_), digits_);
        return words.find_first_not_of("-0.") == std::string::npos && words[0] == '-' ? words.substr(1) : words;
    }
    std::string name(const std::string& quantity) const {
        return quantity + (base_ == 0 ? "" : fmt::format(" {} {:.15g}", base_ < 0 ? '+' : '-', std::abs(base_))) +
               (power_ == 0 ? "" : fmt::format(", in 1e{}", power_));
    }

private:
    static int decade(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

    std::vector<double> marks_;
    double base_ = 0;
    int power_ = 0, digits_ = 0;
};

class Canvas {
public:
    explicit Canvas(cairo_t* context) : context_(context) {
        cairo_select_font_face(context_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    }
    void use(const Colour& colour) {
        cairo_set_source_rgba(context_, colour.red, colour.green, colour.blue, colour.opacity);
    }
    void fill_all(double height) {
        cairo_set_source_rgb(context_, 1, 1, 1);
        cairo_rectangle(context_, 0, 0, width, height);
        cairo_fill(context_);
    }
    double width_of(const std::string& words, double size = 9.5) {
        cairo_set_font_size(context_, size);
        cairo_text_extents_t extents;
        cairo_text_extents(context_, words.c_str(), &extents);
        return extents.x_advance;
    }
    /// `anchor`: the share of the text that lies left of x.
    void text(double x, double y, const std::string& words, double anchor, double size = 9.5) {
        use(ink);
        cairo_move_to(context_, x - anchor * width_of(words, size), y);
        cairo_show_text(context_, words.c_str());
    }
    void upright(double x, double y, const std::string& words) {
        cairo_save(context_);
        cairo_translate(context_, x, y);
        cairo_rotate(context_, -std::acos(0.0));
        text(0, 0, words, 0.5, 10.5);
        cairo_restore(context_);
    }
    void line(double x0, double y0, double x1, double y1) {
        use(grid);
        cairo_set_line_width(context_, 0.6);
        cairo_move_to(context_, x0, y0);
        cairo_line_to(context_, x1, y1);
        cairo_stroke(context_);
    }
    void path(const std::vector<std::pair<double, double>>& points) {
        use(curve);
        cairo_set_line_width(context_, 1.4);
        cairo_set_line_join(context_, CAIRO_LINE_JOIN_ROUND);
        cairo_new_path(context_);
        bool pen = false;
        for (const auto& [x, y] : points) {
            if (std::isfinite(y)) {
                pen ? cairo_line_to(context_, x, y) : cairo_move_to(context_, x, y);
            }
            pen = std::isfinite(y);
        }
        cairo_stroke(context_);
    }
    void area(const std::vector<std::pair<double, double>>& outline) {
        use(band);
        cairo_new_path(context_);  // text leaves a point behind
        for (const auto& [x, y] : outline) {
            cairo_line_to(context_, x, y);
        }
        cairo_close_path(context_);
        cairo_fill(context_);
    }

private:
    cairo_t* context_;
};

/// A column of the samples as it is drawn: all of them, or of each few that follow each other the lowest and highest.
class Trace {
public:
    explicit Trace(std::size_t stride) : stride_(stride) {}

    void add(double t, double value) {
        range_.include(value);
        if (stride_ == 1) {
            points_.emplace_back(t, value);
            return;
        }
        if (count_ == 0 || !(value >= low_.second)) {
            low_ = {t, value};
        }
        if (count_ == 0 || !(value <= high_.second)) {
            high_ = {t, value};
        }
        if (++count_ == stride_) {
            finish();
        }
    }
    /// After the last sample.
    void finish() {
        if (count_ > 0) {
            points_.push_back(std::min(low_, high_));
            points_.push_back(std::max(low_, high_));  // by time
            count_ = 0;
        }
    }
    const Range& range() const { return range_; }
    const std::vector<std::pair<double, double>>& points() const { return points_; }

private:
    std::size_t stride_, count_ = 0;
    std::pair<double, double> low_{}, high_{};
    Range range_;
    std::vector<std::pair<double, double>> points_;
};

class Plot {
public:
    Plot(const RunOutput& output, std::vector<std::size_t> columns) : output_(output), columns_(std::move(columns)) {
        constexpr std::size_t most = 5000;
        SampleStore::Reader rows(output.slow.rows);
        traces_.assign(columns_.size(), Trace((rows.size() + most - 1) / most));
        for (std::size_t k = 0; k < rows.size(); ++k) {
            time_.include(rows.t(k));
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                traces_[i].add(rows.t(k), rows[k][columns_[i]]);
            }
        }
        std::ranges::for_each(traces_, &Trace::finish);
        if (!(time_.high > time_.low)) {
            time_ = time_.widened();
        }
    }

    double height() const {
        const auto panels = static_cast<double>(columns_.size());
        return top + panels * panel + (panels - 1) * gap + bottom;
    }

    void draw(cairo_t* context) const {
        Canvas canvas(context);
        canvas.fill_all(height());
        double widest = 0;
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            const Ticks ticks(range(k));
            for (const double mark : ticks.marks()) {
                widest = std::max(widest, canvas.width_of(ticks.text(mark)));
            }
        }
        const double left = beside_labels + widest;
        canvas.text(left, 17, output_.title, 0, 11);
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            draw_panel(canvas, k, left, top + static_cast<double>(k) * (panel + gap), k + 1 == columns_.size());
        }
    }

private:
    const Level* look(std::size_t column) const {
        const auto& levels = output_.view.levels;
        return levels.empty() || column >= levels[0].columns.size() || levels[0].columns[column].low.empty()
                   ? nullptr
                   : &levels[0];
    }

    Range range(std::size_t k) const {
        Range range = traces_[k].range();
        const auto include = [&](double value) { range.include(value); };
        if (const Level* level = look(columns_[k])) {
            std::ranges::for_each(level->columns[columns_[k]].low, include);
            std::ranges::for_each(level->columns[columns_[k]].high, include);
        }
        return range.widened();
    }

    void draw_panel(Canvas& canvas, std::size_t panel_number, double left, double y0, bool last) const {
        const std::size_t column = columns_[panel_number];
        const Level* level = look(column);
        const Range vertical = range(panel_number);
        const auto at_x = [&](double t) {
            return left + (t - time_.low) / (time_.high - time_.low) * (width - left - right);
        };
        const auto at_y = [&](double v) {
            return y0 + panel - (v - vertical.low) / (vertical.high - vertical.low) * panel;
        };
        const Ticks values(vertical);
        for (const double mark : values.marks()) {
            canvas.line(left, at_y(mark), width - right, at_y(mark));
            canvas.text(left - 6, at_y(mark) + 3.3, values.text(mark), 1);
        }
        const Ticks times(time_);
        for (const double mark : times.marks()) {
            canvas.line(at_x(mark), y0, at_x(mark), y0 + panel);
            if (last) {
                canvas.text(at_x(mark), y0 + panel + 14, times.text(mark), 0.5);
            }
        }
        if (last) {
            canvas.text((left + width - right) / 2, y0 + panel + 31, times.name("t"), 0.5, 10.5);
        }
        canvas.upright(14, y0 + panel / 2, values.name(output_.slow.names[column]));
        if (level != nullptr) {
            std::vector<std::pair<double, double>> outline;
            const auto t = [&](std::size_t k) {
                return level->from +
                       (level->to - level->from) * static_cast<double>(k) / static_cast<double>(level->count - 1);
            };
            for (std::size_t k = 0; k < level->count; ++k) {
                outline.emplace_back(at_x(t(k)), at_y(level->columns[column].low[k]));
            }
            for (std::size_t k = level->count; k-- > 0;) {
                outline.emplace_back(at_x(t(k)), at_y(level->columns[column].high[k]));
            }
            canvas.area(outline);
        }
        canvas.path(model::mapped(traces_[panel_number].points(),
                                  [&](const auto& point) { return std::pair(at_x(point.first), at_y(point.second)); }));
    }

    const RunOutput& output_;
    std::vector<std::size_t> columns_;
    std::vector<Trace> traces_;  // as columns_
    Range time_;
};

cairo_status_t append(void* text, const unsigned char* bytes, unsigned int length) {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), length);
    return CAIRO_STATUS_SUCCESS;
}

}  // namespace

void require_plot_format(const std::filesystem::path& path) {
    const auto extension = path.extension();
    if (extension != ".svg" && extension != ".png") {
        throw Misuse(fmt::format("--plot '{}': the name must end with .svg or .png", path.string()));
    }
}

void write_plot(const std::filesystem::path& path, const RunOutput& output, const std::vector<std::size_t>& columns) {
    require_plot_format(path);
    const Plot plot(output, columns);
    std::string text;
    const bool vector = path.extension() == ".svg";
    using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
    const Surface surface(vector
                              ? cairo_svg_surface_create_for_stream(append, &text, width, plot.height())
                              : cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * pixels_a_point),
                                                           static_cast<int>(plot.height() * pixels_a_point)),
                          cairo_surface_destroy);
    {
        const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> context(cairo_create(surface.get()), cairo_destroy);
        if (!vector) {
            cairo_scale(context.get(), pixels_a_point, pixels_a_point);
        }
        plot.draw(context.get());
    }
    if (!vector) {
        cairo_surface_write_to_png_stream(surface.get(), append, &text);
    }
    cairo_surface_finish(surface.get());
    if (const auto status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS && text.empty()) {
        throw Misuse(fmt::format("cannot draw {}: {}", path.string(), cairo_status_to_string(status)));
    }
    write_whole(path, text);
}

}  // namespace lento
