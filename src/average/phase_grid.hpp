/// m equally spaced phases phi_k = phi_0 + 2 pi k / m, and the harmonics below m/2 of functions on them:
///
///     mean       <g> = (1/m) sum_k g(phi_k)
///     analyse    g to c_h = (2/m) sum_k g(phi_k) cos(h phi_k) and s_h likewise, h = 1, ..., H = (m-1)/2 rounded down,
///                as c_1, s_1, c_2, s_2, ...
///     g(phi) = <g> + sum_h c_h cos(h phi) + s_h sin(h phi)
///
/// All is exact for trigonometric polynomials of degree below m/2. The highest harmonic of an even m, whose phase m
/// points do not tell, is left out.
#pragma once

#include <vector>

#include "lento/problem/forces.hpp"

namespace lento {

class PhaseGrid {
public:
    /// The first of them so many turns from phase zero.
    explicit PhaseGrid(std::size_t points, double first_turn = 0);

    std::size_t size() const { return m_; }
    double first_turn() const { return first_turn_; }
    /// H
    std::size_t highest() const { return highest_; }

    double mean(In g) const;
    /// g at the m phases to its 2 H harmonics.
    void analyse(In g, Out harmonics);
    /// Back, with a mean.
    void synthesise(double mean, In harmonics, Out g);
    /// sum_h c_h cos(h phi) + s_h sin(h phi), at any phase and for any number of harmonics.
    static double value(In harmonics, double phi);

private:
    enum class Table { by_phase, by_harmonic };
    In row(Table table, std::size_t k);

    std::size_t m_, highest_;
    double first_turn_;
    std::vector<double> circle_;   // cos(2 pi k / m), and sin
    std::vector<double> turning_;  // cos(h phi_0) and sin, for each h
    // cos(h phi_k) and sin(h phi_k): for each k all h side by side, and for each h all k. Of many phases one row only.
    std::vector<double> by_phase_, by_harmonic_, one_row_;
};

}  // namespace lento
