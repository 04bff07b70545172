/// Axes, labels and curves of pictures.
#include "papers/picture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "papers/axis.hpp"
#include "papers/label.hpp"

namespace lento::papers {
namespace {

std::vector<std::string> labels(Scale scale, double from, double to) {
    Axis axis(scale);
    axis.include(from);
    axis.include(to);
    axis.widen();
    std::vector<std::string> result;
    for (const auto& tick : axis.ticks()) {
        if (!tick.label.empty()) {
            result.push_back(tick.label);
        }
    }
    return result;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++times;
    }
    return times;
}

using Labels = std::vector<std::string>;

TEST(Axis, logarithmic_ticks_are_powers_of_ten) {
    EXPECT_EQ(labels(Scale::logarithmic, 1e-3, 1), (Labels{"10^-3", "10^-2", "10^-1", "10^0"}));
}

TEST(Axis, over_many_decades_every_other_power_has_a_label) {
    EXPECT_EQ(labels(Scale::logarithmic, 1e-10, 1), (Labels{"10^-10", "10^-8", "10^-6", "10^-4", "10^-2", "10^0"}));
}

TEST(Axis, within_a_decade_there_are_at_least_two_labels) {
    EXPECT_EQ(labels(Scale::logarithmic, 0.0125, 0.1), (Labels{"0.02", "0.05", "0.1"}));
    EXPECT_GE(labels(Scale::logarithmic, 31, 45).size(), 2U);
}

TEST(Axis, linear_ticks_have_no_negative_zero) {
    EXPECT_EQ(labels(Scale::linear, -1, 1), (Labels{"-1", "-0.5", "0", "0.5", "1"}));
}

TEST(Axis, a_value_that_it_cannot_show_leaves_it_alone) {
    Axis axis(Scale::logarithmic);
    axis.include(0);
    axis.include(1);
    axis.include(std::nan(""));
    axis.include(100);
    EXPECT_EQ(axis.length(), 2);
    EXPECT_FALSE(std::isfinite(axis.share(0)));
    EXPECT_EQ(axis.share(10), 0.5);
}

TEST(Label, letters_and_indices_are_set) {
    EXPECT_EQ(set_label("omega < 2", 10), "&#969; &lt; 2");
    EXPECT_EQ(set_label("2^-12", 10), "2<tspan dy=\"-3.5\" font-size=\"7.5\">&#8722;12</tspan>");
    EXPECT_EQ(set_label("x_1' = 0", 10),
              "x<tspan dy=\"3.5\" font-size=\"7.5\">1</tspan><tspan dy=\"-3.5\">&#8242; = 0</tspan>");
    EXPECT_EQ(set_label("x^{a b}", 10), "x<tspan dy=\"-3.5\" font-size=\"7.5\">a b</tspan>");
}

TEST(Label, other_words_stay_as_they_are) {
    EXPECT_EQ(set_label("Acheson's epsilon & pie", 10), "Acheson's epsilon &amp; pie");
    EXPECT_EQ(set_label("a_", 10), "a");
    EXPECT_EQ(set_label("a^{b", 10), "a<tspan dy=\"-3.5\" font-size=\"7.5\">b</tspan>");
}

TEST(Picture, points_that_cannot_be_shown_interrupt_a_line) {
    const auto svg = svg_of(log_log("", "", "", {{"", {1, 2, 3, 4}, {1, 0, 2, 3}}}));
    const auto path = svg.substr(svg.find("class=\"curve\""));
    EXPECT_EQ(count(path, "M"), 2U);
    EXPECT_EQ(count(path, "L"), 1U);
    EXPECT_EQ(count(svg, "nan") + count(svg, "inf"), 0U);
}

TEST(Picture, without_anything_to_show_it_is_still_a_picture) {
    const auto svg = svg_of(log_log("title", "x", "y", {{"nothing", {1}, {-1}, Curve::Style::marked}}));
    EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
    EXPECT_EQ(count(svg, "nan") + count(svg, "inf"), 0U);
}

TEST(Picture, the_legend_makes_it_taller_and_hides_nothing) {
    const auto height = [](const std::string& svg) { return std::stod(svg.substr(svg.find(" height=\"") + 9)); };
    const std::vector<double> x{0, 1};
    Picture picture{"", "", "", {{"", x, x}, {"", x, x}, {"", x, x}}};
    const double bare = height(svg_of(picture));
    for (auto& curve : picture.curves) {
        curve.label = "a label so long that there is one on a line only";
    }
    EXPECT_NEAR(height(svg_of(picture)) - bare, 60, 1e-9);
}

TEST(Picture, an_order_is_a_straight_line) {
    const auto line = power_line("H^2", {0.1, 0.2, 0.4}, 3, 2);
    EXPECT_NEAR(line.y[1], 12, 1e-12);
    EXPECT_NEAR(line.y[2], 48, 1e-12);
}

}  // namespace
}  // namespace lento::papers
