/// What steppers advance: a point y and its rate y'. For a second-order system y = (x, v) and y' = (v, a).
///
/// Steppers ask for rates by the fraction c of the step at which they need them; time itself is the caller's. So phases
/// stay exact fractions of a period, and one stepper serves both scales:
///
///     rate(c, y, dy)               first order
///     acceleration(c, x, v, a)     second order
#pragma once

#include "base/vector.hpp"
#include "lento/problem/forces.hpp"

namespace lento {

template <class S, std::size_t Extent = dynamic>
struct FirstOrderState {
    Vector<S, Extent> y, rate;

    explicit FirstOrderState(std::size_t dimension)
        : y(make_vector<S, Extent>(dimension)), rate(make_vector<S, Extent>(dimension)) {}
};

/// Extent counts coordinates; y and rate are twice as long.
template <class S, std::size_t Extent = dynamic>
struct MotionState : FirstOrderState<S, twice(Extent)> {
    using Base = FirstOrderState<S, twice(Extent)>;
    using View = std::span<S, Extent>;

    explicit MotionState(std::size_t dimension) : Base(2 * dimension) {}

    std::size_t dimension() const { return this->y.size() / 2; }
    View x() { return View(this->y.data(), dimension()); }
    View v() { return View(this->y.data() + dimension(), dimension()); }
    View a() { return View(this->rate.data() + dimension(), dimension()); }
};

/// Variables with the same face, so that windows and their loops serve both: x is y itself, a its rate. Rates of
/// variables do not look at velocities; there are none, and v is y again.
template <class S, std::size_t Extent = dynamic>
struct VariablesState : FirstOrderState<S, Extent> {
    using View = std::span<S, Extent>;
    using FirstOrderState<S, Extent>::FirstOrderState;

    View x() { return View(this->y); }
    View v() { return View(this->y); }
    View a() { return View(this->rate); }
};

/// Rates that can be asked for at two points with one time, the second of which depends on the first rate:
///
///     rates.two(c, y, at_y, from, z, factor, at_z)              y' at y, z = from + (z + factor y'), z' at z
///     accelerations.two(c, x, v, at_x, other_x, from, other_v, factor, at_other)      the same of velocities
///
/// so that what depends on the time alone, as a phase does, is computed once.
template <class One, class Two>
struct Rates : One {
    Two two;
};
template <class One, class Two>
Rates(One, Two) -> Rates<One, Two>;

}  // namespace lento
