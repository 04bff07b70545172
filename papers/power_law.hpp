/// Power laws as they are measured: a column of errors against a variable, its curve, and a claim on the exponent.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reproduction.hpp"
#include "slope.hpp"

namespace lento::papers {

/// A variable, and its values as rows are labelled with them.
struct Scan {
    std::vector<double> values;
    std::vector<std::string> labels;

    /// eps = 2^-p for each p given.
    static Scan negative_powers(const std::string& name, const std::vector<int>& powers) {
        Scan scan;
        for (const int power : powers) {
            scan.values.push_back(std::pow(2.0, -power));
            scan.labels.push_back(fmt::format("{}=2^-{}", name, power));
        }
        return scan;
    }
    /// whole/n for each n given, the rows labelled by n.
    static Scan parts(const std::string& name, double whole, const std::vector<std::size_t>& counts) {
        Scan scan;
        for (const std::size_t n : counts) {
            scan.values.push_back(whole / static_cast<double>(n));
            scan.labels.push_back(fmt::format("{}={}", name, n));
        }
        return scan;
    }
};

/// A column of what is measured at each value, with its curve.
template <class Measure>
Curve measured_column(Result& result, const Scan& scan, const std::string& column, Measure&& measure) {
    Curve curve{.label = column, .x = scan.values, .y = {}, .style = Curve::Style::marked};
    for (std::size_t k = 0; k < scan.values.size(); ++k) {
        curve.y.push_back(measure(scan.values[k]));
        result.rows.push_back({.label = scan.labels[k], .column = column, .computed = curve.y.back()});
    }
    return curve;
}

/// What an exponent may differ by from that of its limit.
inline constexpr double exponent_tolerance = 0.2;

inline void claim_exponent(Result& result, const Curve& curve, double expected, std::string text,
                           Source source = Source::paper) {
    const double exponent = slope(curve.x, curve.y);
    result.claims.push_back({std::move(text), exponent, std::abs(exponent - expected) < exponent_tolerance, source});
}

}  // namespace lento::papers
