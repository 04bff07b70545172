/// What is lost because times are doubles: at t they are eps t apart, and with each of them a motion of rate y' is
/// known to eps t |y'|. At t = 1e8 a phase of frequency 1e6 is known to 0.02 of a radian.
#pragma once

#include <vector>

#include "lento/judge/outset.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

/// How far apart times of the run are, at most.
double rounding_of_times(const Outset& outset);

/// The largest |y_i'| at the start, over some phases; empty where vibrations are not so fast, nor times so late, that
/// it would count.
std::vector<double> rates_at_late_times(const Problem& problem, const Outset& outset);

}  // namespace lento
