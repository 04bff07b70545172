/// m equally spaced phases phi_k = 2 pi k / m, and trigonometric interpolation on them:
///
///     mean        <g> = (1/m) sum_k g(phi_k)
///     inverse     P, the antiderivative by phi without a mean, of what is left of g without its mean; a circulant matrix
///     value       g at any phase
///
/// All are exact for trigonometric polynomials of degree below m/2; of the highest harmonic of an even m, whose phase m points do not tell,
/// P takes nothing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lento {

class PhaseGrid {
public:
    explicit PhaseGrid(std::size_t points);

    std::size_t size() const { return m_; }

    double mean(std::span<const double> g) const;

    /// result = factor P (g - rate h); h is not looked at where the rate is zero.
    void inverse(double factor, std::span<const double> g, double rate, std::span<const double> h,
                 std::span<double> result) const;

    /// Of g(phi_k) in g(phi).
    double weight(std::size_t k, double phi) const;
    /// g(phi)
    double value(std::span<const double> g, double phi) const;

private:
    std::size_t m_;
    std::vector<double> circulant_;  // P_(k, j) = circulant_[m - 1 + k - j]
};

}  // namespace lento
