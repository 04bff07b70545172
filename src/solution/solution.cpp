#include "lento/solution/solution.hpp"

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

Snapshot snapshot_of(double t, std::span<const double> y, std::size_t dimension, std::size_t constraints) {
    Snapshot state{.t = t};
    const auto part = [&](std::size_t first, std::size_t count) {
        const auto values = y.subspan(std::min(first, y.size()), std::min(count, y.size() - std::min(first, y.size())));
        return std::vector<double>(values.begin(), values.end());
    };
    state.position = part(0, dimension);
    state.velocity = part(dimension, dimension);
    state.multipliers = part(2 * dimension, constraints);
    state.total_multipliers = part(2 * dimension + constraints, constraints);
    return state;
}

Solution Solution::after(std::vector<Tried> tried, std::int64_t evaluations) && {
    std::vector<std::string> warnings;
    for (const auto& [method, outcome, why] : tried) {
        warnings.push_back(fmt::format("{}: {}; {} was used instead", method, why, record_.method));
    }
    record_.warnings.insert(record_.warnings.begin(), warnings.begin(), warnings.end());
    record_.tried = std::move(tried);
    record_.statistics.force_evaluations += evaluations;
    return std::move(*this);
}

Solution Solution::completed_by(Settling completion) && {
    std::vector<double> y = final_.position;
    const std::size_t d = y.size();
    y.insert(y.end(), final_.velocity.begin(), final_.velocity.end());
    completion(final_.t, y);
    final_ = snapshot_of(final_.t, y, d, (y.size() - 2 * d) / 2);
    settling_ = std::move(completion);
    return std::move(*this);
}

Snapshot Solution::slow(double t) const {
    if (t == final_.t && !final_.position.empty()) {
        return final_;
    }
    auto y = trajectory_.value(t);
    std::optional<double> revolutions;
    if (final_.revolutions) {  // they come behind the state
        revolutions = y.back();
        y.pop_back();
    }
    if (settling_) {
        settling_(t, y);
    }
    auto state = snapshot_of(t, y, final_.position.size(), final_.multipliers.size());
    state.revolutions = revolutions;
    return state;
}

Snapshot Solution::reconstruct(const Snapshot& slow_state) const {
    if (!reconstruction_) {
        throw Misuse(fmt::format(
            "the method {} gives only the slow motion for this system: without a phase nothing tells the fast one",
            record_.method));
    }
    return reconstruction_(slow_state);
}

}  // namespace lento
