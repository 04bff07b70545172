#include "average/slow_state.hpp"

namespace lento {

PhasePoint averaged_state(Acceleration& acceleration, In q, In v, double t) {
    constexpr int passes = 6;
    PhasePoint slow{{q.begin(), q.end()}, {v.begin(), v.end()}};
    FastPart fast(acceleration, q, v, t);
    const auto theta = acceleration.problem().phases_at(t);
    for (int pass = 0; pass < passes; ++pass) {
        const auto part = fast.at(slow.position, slow.velocity, t, theta);
        for (std::size_t i = 0; i < q.size(); ++i) {
            slow.position[i] = q[i] - part.displacement[i];
            slow.velocity[i] = v[i] - part.velocity[i];
        }
    }
    return slow;
}

PhasePoint true_state(Acceleration& acceleration, In X, In V, double t) {
    auto part = FastPart(acceleration, X, V, t).at(X, V, t, acceleration.problem().phases_at(t));
    for (std::size_t i = 0; i < X.size(); ++i) {
        part.displacement[i] += X[i];
        part.velocity[i] += V[i];
    }
    return {std::move(part.displacement), std::move(part.velocity)};
}

PhasePoint filtered_state(Window& window, In q, In v, double t) {
    PhasePoint slow{std::vector<double>(q.size()), std::vector<double>(q.size())};
    std::vector<double> acceleration(q.size());
    window.average_motion({.x = q, .v = v, .t = t, .time = ExplicitTime::running}, slow.position, slow.velocity,
                          acceleration);
    return slow;
}

}  // namespace lento
