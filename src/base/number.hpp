/// Numbers: from text, alone or in lists, and compared so that a NaN shows.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lento {

/// The number that the whole of `text` spells. Throws Misuse, naming `what`, for anything else.
double number_from(std::string_view text, std::string_view what);

/// The larger of two numbers; NaN if either is. std::max would hide it.
constexpr double larger(double a, double b) {
    return a >= b ? a : b > a ? b : std::numeric_limits<double>::quiet_NaN();
}

/// The largest of size(i) for i < count, of |x_i|, and of |a_i - b_i|; NaN if there is one.
template <class Size>
double largest_of(std::size_t count, Size&& size) {
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        largest = larger(largest, size(i));
    }
    return largest;
}
inline double largest(std::span<const double> x) {
    return largest_of(x.size(), [&](std::size_t i) { return std::abs(x[i]); });
}
inline double largest_change(std::span<const double> a, std::span<const double> b) {
    return largest_of(a.size(), [&](std::size_t i) { return std::abs(a[i] - b[i]); });
}

/// y += factor x
inline void add_to(std::span<double> y, double factor, std::span<const double> x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        y[i] += factor * x[i];
    }
}

/// The sum of a_i b_i.
inline double product(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The items of a list written as text, in brackets or not: between commas outside parentheses, without spaces around.
std::vector<std::string> list_items(std::string_view text);
/// "NAME=VALUE", as the flag of the command line takes it. Throws Misuse for anything else.
std::pair<std::string, std::string> name_and_value(const std::string& text, std::string_view flag);

/// Points that fill an interval evenly, the same in every run: multiples of irrational numbers, modulo one.
/// Number `sample` of the sequence that belongs to `component`, in [0, 1).
inline double golden_fraction(std::size_t component, std::size_t sample) {
    const double root = std::sqrt(static_cast<double>(component) + 2.25);
    const double place = (static_cast<double>(sample) + 1) * (root + 0.6180339887498949);
    return place - std::floor(place);
}

}  // namespace lento
