/// Carries a first-order right-hand side over an interval with Adams' methods of variable order and step, as Shampine
/// and Gordon choose them (Computer Solution of Ordinary Differential Equations (1975)), with the conventions of ode113
/// (Shampine, Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18 (1997)). The formulas are in `march/adams.hpp`:
/// PECE, orders k = 1 to 12, the result of order k + 1, two evaluations a step.
///
/// - A step is accepted where correcting changes each y_i by at most max(rtol |y_i|, atol) more than it would with one
///   order less.
/// - It starts with order 1 and the longest h for which 4 h |y'_i| is at most sqrt(rtol) max(|y_i|, atol/rtol), and
///   raises the order and doubles the step each time until the first rejection or sign that a lower order does as well.
/// - With e_j the estimated local error of order j over the tolerance, the order falls where e_{k-1} and e_{k-2} are at
///   most e_k (e_1 <= e_2/2 for k = 2), rises, after k + 1 steps of one length, where e_{k+1} is below e_k and e_{k-1}
///   (e_2 < e_1/2 for k = 1).
/// - The step doubles where its error would still be within half the tolerance; is multiplied by
///   (1/(2 e_k))^(1/(k+1)), between 1/2 and 0.9, where e_k is above 1/2; else it stays, which keeps the formulas those
///   of equal steps. Rejections halve it; the third goes back to order 1.
/// - The longest step is a tenth of the interval; the last is stretched by a tenth to reach the end.
///
/// The sums y + increment and t + h keep what they lose, so that many steps lose no more digits than one.
#pragma once

#include <stop_token>

#include "lento/march/recorder.hpp"
#include "march/controller.hpp"

namespace lento {

inline constexpr const char* ode113_name = "ode113";

/// y' = rate(t, y) over the interval; `y` ends as the last good state, that of the time `reached`. The dense outputs
/// tile the interval, without jumps. The budget is of steps tried.
MarchResult march_ode113(const FirstOrderRate& rate, Interval interval, const Tolerance& tolerance,
                         std::vector<double>& y, const StepListener& listener, const std::stop_token& stop,
                         std::int64_t budget);

}  // namespace lento
