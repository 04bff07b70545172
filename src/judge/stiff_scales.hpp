/// The time scales of stiff springs, and whether a window through a filter can serve them. Of a force -mu^2 y a window
/// with the leakage R leaves -R(mu) mu^2 y, and with it a slow motion that grows like exp(sqrt(-R) mu t) where R < 0;
/// where R > 0 it swings with sqrt(R) mu, which a macro-step has to resolve. With N periods in the window
///
///     R ~ N^-(P+1)  for flatP, cosP,  R ~ exp(-c sqrt(N))  for exponential (vibrated (2.15), slow-manifold, lemma 3.2)
#pragma once

#include "average/filter.hpp"
#include "lento/base/options.hpp"
#include "problem/spring_spectrum.hpp"
#include "problem/time_scales.hpp"

namespace lento {

/// The nominal periods: the micro-step comes from the fastest spring, the window from the slowest.
TimeScales spring_scales(const std::vector<SpringEntry>& springs);

/// What a method takes for a window where the user says nothing. Periods and steps are nominal; windows are widened and
/// steps shortened where the true frequencies ask for it.
struct WindowDefaults {
    std::vector<std::string> filters;  ///< the one that does with the narrowest window; the last, if none does
    double periods = 0;                ///< of the slowest spring
    std::size_t steps_per_period = 0;  ///< of the fastest spring
    double least_periods = 0;          ///< of the lowest true frequency
    double least_steps = 0;            ///< a period of the highest true frequency
    /// The window is widened until what it leaves grows by no more than exp(this) over the run; 0: as it is.
    double most_growth = 0;
    double margin = 1;  ///< by which frequencies may fall on the way
};

/// The options with the window and the micro-steps filled in.
Options with_window(Options options, const WindowDefaults& defaults, const TimeScales& scales,
                    const SpringSpectrum& spectrum, double length);

/// What a window lets through of springs with frequencies mu from `spectrum`, as the micro-stepper gives them.
struct Leakage {
    double share = 0;      ///< the largest |R|
    double frequency = 0;  ///< the largest sqrt(|R|) mu
};
Leakage leakage(const FilterWeights& weights, std::string_view micro, double micro_step,
                const SpringSpectrum& spectrum);

/// A sentence with a window or filter for which the leaked frequency stays below `limit`.
std::string better_windows(const Options& options, const TimeScales& scales, const SpringSpectrum& spectrum,
                           double limit);

}  // namespace lento
