#include "lento/solution/solution.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {

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
    const bool first = !tried.empty() && tried.front().method == record_.method;
    for (const auto& [method, outcome, why] : tried) {
        if (method != record_.method) {
            warnings.push_back(
                fmt::format("{}: {}; {} was {}", method, why, record_.method, first ? "kept" : "used instead"));
        }
    }
    record_.warnings.insert(record_.warnings.begin(), warnings.begin(), warnings.end());
    record_.tried = std::move(tried);
    record_.statistics.force_evaluations += evaluations;
    return std::move(*this);
}

Solution Solution::with_estimate(Estimated estimated) && {
    record_.error_estimate = std::move(estimated.errors);
    record_.slow_error_estimate = std::move(estimated.slow_errors);
    record_.left_out = std::move(estimated.left_out);
    record_.statistics.estimate_evaluations += estimated.evaluations;
    record_.statistics.wall_seconds += estimated.seconds;
    if (estimated.coarse) {
        record_.warnings.push_back(*std::move(estimated.coarse));
    }
    if (estimated.missed) {
        record_.warnings.push_back(*estimated.missed);
        record_.outcome = Outcome::tolerance_missed;
        record_.explanation = *std::move(estimated.missed);
    }
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
    const std::size_t revolutions = final_.revolutions ? 1 : 0;
    if (settling_) {
        std::vector<double> state(y.begin(), y.end() - static_cast<std::ptrdiff_t>(revolutions));
        settling_(t, state);
        state.insert(state.end(), y.end() - static_cast<std::ptrdiff_t>(revolutions), y.end());
        y = std::move(state);
    }
    return snapshot(t, y);
}

Snapshot Solution::snapshot(double t, std::span<const double> y) const {
    std::optional<double> revolutions;
    if (final_.revolutions && y.size() > final_.position.size() + final_.velocity.size()) {  // behind the state
        revolutions = y.back();
        y = y.first(y.size() - 1);
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

Reconstruction Solution::reconstruction_between(std::span<const Snapshot> looks) const {
    return vibration_ ? vibration_(looks) : Reconstruction();
}

}  // namespace lento
