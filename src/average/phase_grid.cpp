#include "average/phase_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "base/compensated_sum.hpp"
#include "lento/base/misuse.hpp"

namespace lento {
namespace {

/// sum += factor row, which the vector unit can do without changing the order of any sum.
template <class Size>
inline void add_row(Size size, double factor, const double* row, double* sum) {
    for (std::size_t k = 0; k < size; ++k) {
        sum[k] += factor * row[k];
    }
}

constexpr std::size_t most_tabulated = 129;  // phases: a table has as many numbers as their square

/// result = mean + sum_j factor_j row_j, the rows one after the other; where their length is known sums stay in
/// registers. The mean comes last: it is large, and rounds once.
template <class Size>
inline void combine(Size size, double mean, In factors, const double* rows, Out result) {
    std::array<double, Size::value> sum{};
    for (std::size_t j = 0; j < factors.size(); ++j) {
        add_row(size, factors[j], rows + j * size, sum.data());
    }
    for (std::size_t k = 0; k < size; ++k) {
        result[k] = mean + sum[k];
    }
}

template <std::size_t size>
using Known = std::integral_constant<std::size_t, size>;

}  // namespace

PhaseGrid::PhaseGrid(std::size_t points, double first_turn)
    : m_(points), highest_((points - 1) / 2), first_turn_(first_turn), circle_(2 * points) {
    if (points < 2) {
        throw Misuse(fmt::format("{} phases are too few to average over; take 2 at least", points));
    }
    for (std::size_t k = 0; k < m_; ++k) {
        const double phi = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(m_);
        circle_[k] = std::cos(phi);
        circle_[m_ + k] = std::sin(phi);
    }
    for (std::size_t h = 1; h <= highest_; ++h) {
        const double turned = 2 * std::numbers::pi * std::fmod(static_cast<double>(h) * first_turn, 1.0);
        turning_.insert(turning_.end(), {std::cos(turned), std::sin(turned)});
    }
    if (m_ > most_tabulated) {
        return;
    }
    std::vector<double> rows;
    for (const auto table : {Table::by_phase, Table::by_harmonic}) {
        rows.clear();
        for (std::size_t k = 0; k < (table == Table::by_phase ? m_ : 2 * highest_); ++k) {
            const In next = row(table, k);
            rows.insert(rows.end(), next.begin(), next.end());
        }
        // NOTE: only when it is whole does `row` read it.
        (table == Table::by_phase ? by_phase_ : by_harmonic_) = rows;
    }
}

In PhaseGrid::row(Table table, std::size_t k) {
    const bool by_phase = table == Table::by_phase;
    const std::size_t length = by_phase ? 2 * highest_ : m_;
    if (const auto& rows = by_phase ? by_phase_ : by_harmonic_; !rows.empty()) {
        return In(rows).subspan(k * length, length);
    }
    one_row_.resize(length);
    for (std::size_t j = 0; j < length; ++j) {
        const std::size_t number = by_phase ? j : k;  // of the harmonic
        const std::size_t phase = by_phase ? k : j;
        const std::size_t turns = (number / 2 + 1) * phase % m_;
        const double cosine = circle_[turns];
        const double sine = circle_[m_ + turns];
        const double* const turned = &turning_[number / 2 * 2];
        one_row_[j] = number % 2 == 0 ? cosine * turned[0] - sine * turned[1] : sine * turned[0] + cosine * turned[1];
    }
    return one_row_;
}

double PhaseGrid::mean(In g) const {
    // NOTE: forces of size omega cancel to a mean of size one.
    CompensatedSum<double> sum;
    for (const double value : g) {
        sum.add(value);
    }
    return sum.value() / static_cast<double>(m_);
}

void PhaseGrid::analyse(In g, Out harmonics) {
    // NOTE: most runs need few phases; with their number known the loops are unrolled.
    switch (m_) {
        case 5:
            combine(Known<4>{}, 0, g, by_phase_.data(), harmonics);
            break;
        case 7:
            combine(Known<6>{}, 0, g, by_phase_.data(), harmonics);
            break;
        case 9:
            combine(Known<8>{}, 0, g, by_phase_.data(), harmonics);
            break;
        default:
            std::ranges::fill(harmonics, 0.0);
            for (std::size_t k = 0; k < m_; ++k) {
                add_row(harmonics.size(), g[k], row(Table::by_phase, k).data(), harmonics.data());
            }
    }
    for (double& harmonic : harmonics) {
        harmonic *= 2 / static_cast<double>(m_);
    }
}

void PhaseGrid::synthesise(double mean, In harmonics, Out g) {
    switch (m_) {
        case 5:
            return combine(Known<5>{}, mean, harmonics, by_harmonic_.data(), g);
        case 7:
            return combine(Known<7>{}, mean, harmonics, by_harmonic_.data(), g);
        case 9:
            return combine(Known<9>{}, mean, harmonics, by_harmonic_.data(), g);
        default:
            std::ranges::fill(g, 0.0);
            for (std::size_t j = 0; j < harmonics.size(); ++j) {
                add_row(m_, harmonics[j], row(Table::by_harmonic, j).data(), g.data());
            }
            for (double& value : g) {
                value += mean;
            }
    }
}

double PhaseGrid::value(In harmonics, double phi) {
    double sum = 0;
    for (std::size_t h = harmonics.size() / 2; h > 0; --h) {
        const double angle = static_cast<double>(h) * phi;
        sum += harmonics[2 * h - 2] * std::cos(angle) + harmonics[2 * h - 1] * std::sin(angle);
    }
    return sum;
}

}  // namespace lento
