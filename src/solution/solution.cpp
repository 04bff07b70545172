#include "lento/solution/solution.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {

std::vector<double> Trajectory::value(double t) const {
    if (empty()) {
        throw Misuse(
            "nothing of the solution was kept: leave the request without a sink, or ask it to keep everything");
    }
    if (!(t >= from() && t <= to())) {
        throw Misuse(fmt::format("the solution was asked for t = {}; it covers {} to {}", t, from(), to()));
    }
    const auto step =
        std::partition_point(steps_.begin(), steps_.end() - 1, [t](const DenseStep& s) { return s.to() < t; });
    std::vector<double> y(step->dimension());
    step->value(t, y);
    return y;
}

Snapshot Solution::slow(double t) const {
    if (t == final_.t && !final_.position.empty()) {
        return final_;
    }
    const auto y = trajectory_.value(t);
    const auto middle = y.begin() + static_cast<std::ptrdiff_t>(final_.position.size());
    return {t, {y.begin(), middle}, {middle, y.end()}};
}

Snapshot Solution::reconstruct(const Snapshot& slow_state) const {
    if (!reconstruction_) {
        throw Misuse(
            fmt::format("the method {} gives only the slow motion for this system: without a phase nothing tells the "
                        "fast one",
                        record_.method));
    }
    return reconstruction_(slow_state);
}

}  // namespace lento
