/// Dense output: the polynomial that a step leaves behind.
///
///     y(t) = sum_k p_k s^k,     s = (t - from) / (to - from) in [0, 1]
///
/// It comes from the quintic through x, x', x'' at both ends of a step of a second-order system, error O(h^6), from the
/// cubic through y, y' of a first-order system, error O(h^4), or from a stepper that knows better.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace [[gnu::visibility("default")]] lento {

class DenseStep {
public:
    DenseStep() = default;
    DenseStep(double from, double to, std::size_t dimension, std::size_t degree)
        : from_(from), to_(to), dimension_(dimension), coefficients_(dimension * (degree + 1)) {}

    double from() const { return from_; }
    double to() const { return to_; }
    std::size_t dimension() const { return dimension_; }

    std::size_t terms() const { return coefficients_.size() / dimension_; }
    /// The coefficient of s^k, one per component.
    std::span<double> coefficient(std::size_t k) { return {coefficients_.data() + k * dimension_, dimension_}; }

    /// Components from `first` on become their own derivatives by t.
    void differentiate_from(std::size_t first) {
        for (std::size_t i = first; i < dimension_; ++i) {
            for (std::size_t k = 0; k + 1 < terms(); ++k) {
                coefficient(k)[i] = static_cast<double>(k + 1) * coefficient(k + 1)[i] / (to_ - from_);
            }
            coefficient(terms() - 1)[i] = 0;
        }
    }

    void value(double t, std::span<double> y) const {
        const double s = (t - from_) / (to_ - from_);
        for (std::size_t i = 0; i < dimension_; ++i) {
            double sum = 0;
            for (std::size_t k = terms(); k-- > 0;) {
                sum = sum * s + coefficients_[k * dimension_ + i];
            }
            y[i] = sum;
        }
    }

private:
    double from_ = 0;
    double to_ = 0;
    std::size_t dimension_ = 0;
    std::vector<double> coefficients_;
};

/// From (x, v) and a at both ends of a step; the result is y = (x, v), in which v is the derivative of x.
DenseStep quintic_hermite(double from, double to, std::span<const double> y0, std::span<const double> a0,
                          std::span<const double> y1, std::span<const double> a1);

/// From y and y' at both ends of a step.
DenseStep cubic_hermite(double from, double to, std::span<const double> y0, std::span<const double> rate0,
                        std::span<const double> y1, std::span<const double> rate1);

}  // namespace lento
