/// Whether declared slow variables are what the method reversible needs: slow, independent, and enough of them.
///
/// Slow: |d xi/dt| stays bounded as the fast motion becomes faster (reversible (2.1)). Where the same system is at hand
/// with a faster motion, it must move less within a period of that; else it counts as fast if it moves by a tenth of
/// its size. This is looked at from the start and from points near it: rates may vanish at special points.
///
/// Independent: the gradients are, at some of these points.
///
/// Enough: with the fast phase they make a chart of the state, so that d - 1 are needed; d where the phase is declared.
/// Fewer will do if the fast motion falls onto a limit cycle by itself: a period then shrinks what they leave open.
#pragma once

#include "average/slow_average.hpp"
#include "lento/run/request.hpp"

namespace lento {

struct SlowMeasure {
    std::string name{};
    double rate = 0;                                      ///< the largest |d xi/dt| seen within a fast period
    double swing = 0;                                     ///< by how much of its size it moves in that time
    std::optional<double> faster_rate{}, faster_swing{};  ///< the same with the faster motion
    bool slow = true;
};

struct SlowReport {
    std::vector<SlowMeasure> outputs{};  ///< variables and alternatives
    std::size_t declared = 0, needed = 0;
    double independence = 0;  ///< the smallest singular value of the gradients, each of length 1, at the best point
    std::optional<double> contraction{};  ///< in a period, of what the slow variables leave open
    std::int64_t evaluations = 0;         ///< that the look took
    std::string problem{};                ///< a sentence; empty if all is well
};

/// Where and how the fast motion is looked at.
struct SlowLook {
    double t = 0;
    double period = 0;  ///< or a time that covers some
    double length = 0;  ///< of the run
    std::vector<double> start{};
    bool period_is_known = true;
};

/// With the same problem at hand in a faster form, where it knows one (`Problem::faster`).
SlowReport slow_report(const Problem& problem, SlowAverage& average, const SlowLook& look);

/// The start, and points near it that are the same in every run.
std::vector<std::vector<double>> points_near(SlowAverage& average, const SlowLook& look);

/// What a run would say of the slow variables of a problem before it starts.
SlowReport judged_slow_variables(const Problem& problem, const Request& request);

}  // namespace lento
