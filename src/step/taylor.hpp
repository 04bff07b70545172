/// Steps by the Taylor series of the motion (`problem/motion_series.hpp`), of any order N:
///
///     y(t + h) = y(t) + sum_{k=1}^N Y_k sigma^k,     sigma = h/h_0
///
/// with coefficients in units of the step before, h_0. How long a step may be follows from the last two coefficients
/// (Jorba and Zou (2005), section 3.2): their terms are at most a tenth of what a step may err by (there e^-2), and
/// what is left out falls as they do. No step is ever rejected, and the series is its own dense output.
#pragma once

#include <span>
#include <vector>

#include "lento/problem/forces.hpp"
#include "lento/step/dense.hpp"
#include "problem/motion_series.hpp"

namespace lento {

class TaylorStep {
public:
    /// For terms that fall to this share of the motion's size: -ln(tolerance)/2 + 1 orders take the least work where
    /// that grows as their square (Jorba and Zou (2005), section 3.1), and nine more where, as here, what a step takes
    /// whatever its order counts too (measured by `bench/taylor.cpp`; two orders more or less change little).
    static int order_for(double tolerance);

    TaylorStep(const MotionSeries& series, std::size_t unknowns, int order);

    int order() const { return order_; }
    /// Whether the motion from y has finite coefficients, in units of point.h.
    bool expand(const MotionSeries::Point& point, In y);
    /// The longest step of which the last terms are within the weights, in units of point.h.
    double longest(In weights) const;
    /// What the step adds to y.
    In increment(double sigma);
    /// h_0 y' at its end, as the series has it.
    In slope(double sigma);
    DenseStep dense(double from, double to, double sigma) const;

private:
    double size(int k, In weights) const;
    In coefficient(int k) const {
        return In(coefficients_).subspan(static_cast<std::size_t>(k) * unknowns_, unknowns_);
    }

    struct alignas(MotionSeries::alignment) Aligned {
        double numbers[MotionSeries::alignment / sizeof(double)];
    };

    const MotionSeries& series_;
    std::size_t unknowns_;
    int order_;
    std::vector<Aligned> space_;
    std::vector<double> coefficients_, increment_, slope_;
};

}  // namespace lento
