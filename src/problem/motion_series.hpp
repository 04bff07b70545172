/// The Taylor coefficients of a motion under forces that know how to be differentiated again and again:
///
///     y(t + s) = Y_0 + Y_1 (s/h) + Y_2 (s/h)^2 + ...,     y' = (v, M^-1 f(x, v, t, theta))  or  y' = r(y, t, theta)
///
/// in units of a step h, so that they neither overflow nor vanish however fast the motion is. Every quantity that the
/// rates are made of is a series too, whose coefficient of order k follows from those of lower orders and from order k
/// of what it is made of; then Y_{k+1} = h r_k/(k + 1). See Jorba and Zou, A software package for the numerical
/// integration of ODEs by means of high-order Taylor methods, Experimental Mathematics 14 (2005) 99.
#pragma once

#include <cstddef>

namespace lento {

class MotionSeries {
public:
    virtual ~MotionSeries() = default;

    /// What one order costs: sums and products of what is known, and sums over all lower orders.
    struct Work {
        std::size_t operations = 0, sums = 0;
    };
    virtual Work work() const = 0;
    /// Whether inverse masses are a matrix by its rows; else they are one a coordinate.
    virtual bool masses_are_coupled() const = 0;

    /// Numbers of work space for coefficients up to an order. It is zero at first, aligned to `alignment` bytes, and
    /// one caller's.
    virtual std::size_t space(int order) const = 0;
    static constexpr std::size_t alignment = 32;

    /// Where a motion starts, but for y.
    struct Point {
        double t = 0, h = 1;
        const double* theta = nullptr;
        const double* turns = nullptr;           ///< of phases in h
        const double* parameters = nullptr;      ///< of the forces
        const double* inverse_masses = nullptr;  ///< of coordinates
    };
    /// From Y_0, the first numbers of `y`, all up to Y_order, one after the other. Any thread may call it.
    virtual void coefficients(const Point& point, int order, double* space, double* y) const = 0;
};

}  // namespace lento
