/// Carries a first-order right-hand side over an interval with an off-the-shelf solver of SUNDIALS
/// (Hindmarsh et al. 2005; Gardner et al. 2022):
///
///     cvode-adams                  Adams-Moulton, orders 1 to 12, fixed-point iteration
///     cvode-bdf                    backward differentiation, orders 1 to 5, Newton: stiff problems
///     arkode-4, arkode-5           explicit Runge-Kutta: Zonneveld 4(3), Cash and Karp 5(4)
///     arkode-8                     explicit Runge-Kutta: Prince and Dormand 8(7)
///
/// Dense output is SUNDIALS' own. CVODE's is the polynomial that it steps with: as accurate as the steps. ARKODE's is a
/// Hermite polynomial of degree 3, 4, 5 for the orders 4, 5, 8, made with 0, 1, 3 further rates. For order 8 it is less
/// accurate than the steps: 1e-5 between those of an oscillator at a tolerance of 1e-8. Roots are found on it.
///
/// NOTE: the table of order 8 is not SUNDIALS' own. SUNDIALS 6.4 runs its default, Fehlberg 7(8), at order 7, since it
/// takes the last stage for the rate at the new point (LLNL/sundials issue 311); and Fehlberg's estimate is zero where
/// the rate depends on the time alone: y' = cos(t) was 17 off at t = 100 with rtol = 1e-6.
#pragma once

#include <stop_token>

#include "lento/march/recorder.hpp"
#include "march/controller.hpp"

namespace lento {

/// Zeros of functions of the solution, found by SUNDIALS while it marches.
struct RootSearch {
    std::size_t count = 0;
    std::function<void(double t, In y, Out values)> functions{};
    /// Told each root: when, which function, +1 rising or -1 falling, and the solution there. Returning false ends the
    /// march there, as completed.
    std::function<bool(double t, std::size_t which, int direction, In y)> found{};
};

const std::vector<std::string>& sundials_names();

/// y' = rate(t, y) over the interval. `y` ends as the last good state, that of the time `reached`. The dense outputs
/// tile the interval; where a step holds a root, one ends there before the root is told. The budget is of steps tried
/// and roots told.
MarchResult march_sundials(std::string_view name, const FirstOrderRate& rate, Interval interval,
                           const Tolerance& tolerance, std::vector<double>& y, const StepListener& listener,
                           const std::stop_token& stop, std::int64_t budget, const RootSearch& roots = {});

}  // namespace lento
