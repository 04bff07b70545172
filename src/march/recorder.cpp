#include "lento/march/recorder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {

std::vector<DenseStep>::const_iterator Trajectory::about(double t) const {
    return std::partition_point(steps_.begin(), steps_.end() - 1, [t](const DenseStep& s) { return s.to() < t; });
}

bool Trajectory::covers(double t) const {
    return !empty() && t >= about(t)->from() && t <= about(t)->to();
}

bool Recorder::Keep::meets(double from, double to) const {
    if (all_ || windows_.empty()) {
        return all_;
    }
    const auto next =
        std::partition_point(windows_.begin(), windows_.end(), [from](const Interval& w) { return w.to < from; });
    return next != windows_.end() && next->from <= to;
}

std::vector<double> Trajectory::value(double t) const {
    if (empty()) {
        throw Misuse("nothing of the solution was kept: ask the request to keep everything, or windows of it");
    }
    if (!covers(t)) {
        throw Misuse(fmt::format("the solution was asked for t = {}; it covers {} to {}{}", t, from(), to(),
                                 t >= from() && t <= to() ? " only in part, as was asked" : ""));
    }
    const auto step = about(t);
    std::vector<double> y(step->dimension());
    step->value(t, y);
    return y;
}

}  // namespace lento
