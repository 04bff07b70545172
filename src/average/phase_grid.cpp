#include "average/phase_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

/// sum += factor C (g - rate h), column by column, which the vector unit can do without changing the order of any sum.
template <class Size>
inline void multiply(Size m, const double* circulant, double factor, const double* g, double rate, const double* h,
                     double* sum) {
    for (std::size_t j = 0; j < m; ++j) {
        const double* column = circulant + (m - 1 - j);
        const double value = factor * (rate == 0 ? g[j] : g[j] - rate * h[j]);
        for (std::size_t k = 0; k < m; ++k) {
            sum[k] += column[k] * value;
        }
    }
}

}  // namespace

PhaseGrid::PhaseGrid(std::size_t points) : m_(points), circulant_(2 * points - 1) {
    if (points < 2) {
        throw Misuse(fmt::format("{} phases are too few to average over; take 2 at least", points));
    }
    const auto m = static_cast<double>(points);
    for (std::size_t d = 0; d < circulant_.size(); ++d) {
        // The antiderivative of the interpolant of a point: (2/m) sum_h sin(h (phi_k - phi_j)) / h.
        const double steps = static_cast<double>(d) - (m - 1);
        double sum = 0;
        for (std::size_t h = (points - 1) / 2; h > 0; --h) {
            const auto harmonic = static_cast<double>(h);
            sum += std::sin(2 * std::numbers::pi * std::fmod(harmonic * steps, m) / m) / harmonic;
        }
        circulant_[d] = 2 * sum / m;
    }
}

double PhaseGrid::mean(std::span<const double> g) const {
    // NOTE: forces of size omega cancel to a mean of size one.
    double sum = 0;
    double lost = 0;
    for (const double value : g) {
        const double next = sum + value;
        lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
        sum = next;
    }
    return (sum + lost) / static_cast<double>(m_);
}

void PhaseGrid::inverse(double factor, std::span<const double> g, double rate, std::span<const double> h,
                        std::span<double> result) const {
    // NOTE: most runs need few phases; with their number known the loops are unrolled.
    const auto few = [&](auto m) {
        std::array<double, m> sum{};
        multiply(m, circulant_.data(), factor, g.data(), rate, h.data(), sum.data());
        std::copy(sum.begin(), sum.end(), result.begin());
    };
    switch (m_) {
        case 5:
            return few(std::integral_constant<std::size_t, 5>{});
        case 7:
            return few(std::integral_constant<std::size_t, 7>{});
        case 9:
            return few(std::integral_constant<std::size_t, 9>{});
        default:
            std::fill_n(result.begin(), m_, 0.0);
            multiply(m_, circulant_.data(), factor, g.data(), rate, h.data(), result.data());
    }
}

double PhaseGrid::weight(std::size_t k, double phi) const {
    // The interpolant of a point: (1/m) (1 + 2 sum_h cos(h d)), with half of the highest harmonic of an even m.
    const auto m = static_cast<double>(m_);
    const double d = phi - 2 * std::numbers::pi * static_cast<double>(k) / m;
    double kernel = 1;
    for (std::size_t h = 1; h <= (m_ - 1) / 2; ++h) {
        kernel += 2 * std::cos(static_cast<double>(h) * d);
    }
    if (m_ % 2 == 0) {
        kernel += std::cos(m / 2 * d);
    }
    return kernel / m;
}

double PhaseGrid::value(std::span<const double> g, double phi) const {
    double sum = 0;
    for (std::size_t k = 0; k < m_; ++k) {
        sum += weight(k, phi) * g[k];
    }
    return sum;
}

}  // namespace lento
