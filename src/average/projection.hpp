/// The iterated projection onto the slow manifold (slow-manifold, section 3.2). Each iteration follows the motion from
/// (q_m, p_m) in a window and filters it,
///
///     q_{m+1} = sum_k w_|k| q_k,   p_{m+1} = sum_k w_|k| p_k                            (10)
///
/// which damps the fast oscillation by a factor R that does not depend on its frequency, until
///
///     |g(q_{m+1}) - g(q_m)| < eps,   |g.(q_{m+1}, p_{m+1}) - g.(q_m, p_m)| < eps         (14)
///
/// Iterations beyond that only glide along the manifold (section 4.2): where the test cannot be met because of the
/// glide, the iteration ends as stalled. The acceleration filtered in the last window is that of the slow motion;
/// evaluated at the projected point it would carry the error of the position times omega^2.
#pragma once

#include "average/stiff_window.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

/// When an iteration stops: changes of elongations and of their rates below this.
struct ProjectionTolerance {
    double elongation = 0;
    double rate = 0;
};

struct ProjectedPoint {
    enum class Ending { converged, stalled, failed };

    std::vector<double> position{}, velocity{};
    std::vector<double> acceleration{};  ///< filtered in the last window
    std::vector<double> measures{};      ///< of the springs, with more digits than the position has
    int iterations = 0;
    double residual = 0;        ///< the larger change over its tolerance, in the last iteration
    double first_residual = 0;  ///< in the first
    /// How far the last iteration moved the point: once the springs are at rest, along the slow manifold.
    double glide = 0, velocity_glide = 0;
    Ending ending = Ending::converged;
};

class Projection {
public:
    /// Changes below `harmless` do nothing to the slow motion; an iteration may stall there.
    Projection(StiffWindow& window, const Problem& problem, ProjectionTolerance tolerance, ProjectionTolerance harmless)
        : window_(&window), problem_(&problem), tolerance_(tolerance), harmless_(harmless) {}

    ProjectedPoint operator()(double t, In x, In v);

    /// One pass through the filter, whatever it does to the residual.
    ProjectedPoint once(double t, In x, In v);

    const ProjectionTolerance& tolerance() const { return tolerance_; }
    std::int64_t projections() const { return projections_; }
    std::int64_t iterations() const { return iterations_; }
    double largest_residual() const { return largest_residual_; }

private:
    ProjectedPoint begin(double t, In x, In v);
    void iterate(double t, ProjectedPoint& point);

    StiffWindow* window_;
    const Problem* problem_;
    ProjectionTolerance tolerance_, harmless_;
    bool last_changes_harmless_ = false;
    std::vector<double> centre_, rates_, next_, next_rates_;
    std::int64_t projections_ = 0;
    std::int64_t iterations_ = 0;
    double largest_residual_ = 0;
};

}  // namespace lento
