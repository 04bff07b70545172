/// Carries a point z = (y, t) over many revolutions of a map near the identity, each step over N of them.
///
/// Runge-Kutta methods for maps take steps of a given N (stroboscopic (30) to (32)). Adams methods choose N and their
/// order, 1 to 8: the past D_j = Psi(z_j) - z_j predict, D at the predicted point corrects, and the difference of two
/// correctors of neighbouring orders is the error. A step over one revolution is the map itself.
///
/// Listeners are given y, and behind it the number of revolutions if asked, as functions of the time.
#pragma once

#include "lento/march/result.hpp"
#include "march/controller.hpp"
#include "march/sundials.hpp"

namespace lento {

/// D(z) = Psi(z) - z; not finite where it cannot be had.
using MapChange = std::function<void(In z, Out change)>;

struct MapMarchSettings {
    double t_end = 0;
    Tolerance tolerance{};
    std::vector<double> scales{};                    ///< sizes that count as |y| where |y| is less; may be empty
    double time_tolerance = 0;                       ///< of t itself, where revolutions differ in length
    std::optional<std::int64_t> periods_per_step{};  ///< N; for Adams methods the largest, none: any
    double longest_stride = HUGE_VAL;     ///< in periods, of Adams methods too; not as wanted, but as must be
    int order = 8;                        ///< of Runge-Kutta methods; the highest of Adams methods
    bool pairs = false;                   ///< y = (x, v)
    bool revolutions = false;             ///< whether listeners are given their number
    std::int64_t budget = 1'000'000'000;  ///< of steps tried
};

struct MapMarch {
    MarchResult result{};
    double revolutions = 0;         ///< from the start to the time reached
    double steepest = 0;            ///< N times the slope of D, at its largest
    std::vector<double> final_y{};  ///< as listeners are given it
};

/// From z, which ends as the last point that is a whole number of revolutions away; the time reached is t_end.
MapMarch march_map_adams(const MapChange& change, const MapMarchSettings& settings, std::vector<double>& z,
                         const StepListener& listener, const std::stop_token& stop);
MapMarch march_map_runge_kutta(const MapChange& change, const MapMarchSettings& settings, std::vector<double>& z,
                               const StepListener& listener, const std::stop_token& stop);

}  // namespace lento
