/// The iterated projection onto the slow manifold (slow-manifold, section 3.2). Each iteration follows the motion from (q_m, p_m) in a
/// window and filters it,
///
///     q_{m+1} = sum_k w_|k| q_k,   p_{m+1} = sum_k w_|k| p_k                            (10)
///
/// which damps the fast oscillation by a factor R that does not depend on its frequency, until
///
///     |g(q_{m+1}) - g(q_m)| < eps,   |g.(q_{m+1}, p_{m+1}) - g.(q_m, p_m)| < eps         (14)
///
/// Iterations beyond that only glide along the manifold (section 4.2): where the test cannot be met because of the glide, the iteration
/// ends as stalled. The acceleration filtered in the last window is that of the slow motion; evaluated at the projected point it would
/// carry the error of the position times omega^2.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lento/average/stiff_window.hpp"
#include "lento/base/number.hpp"
#include "lento/problem/constraints.hpp"

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

template <class Springs>
class Projection {
public:
    /// Changes below `harmless` do nothing to the slow motion; an iteration may stall there.
    Projection(StiffWindow<Springs>& window, const Springs& springs, ProjectionTolerance tolerance,
               ProjectionTolerance harmless)
        : window_(&window), springs_(&springs), tolerance_(tolerance), harmless_(harmless) {}

    /// One pass through the filter, whatever it does to the residual.
    ProjectedPoint once(double t, std::span<const double> x, std::span<const double> v) {
        ProjectedPoint point{.position = {x.begin(), x.end()}, .velocity = {v.begin(), v.end()}};
        begin(t, point);
        iterate(t, point);
        ++projections_;
        return point;
    }

    ProjectedPoint operator()(double t, std::span<const double> x, std::span<const double> v) {
        ProjectedPoint point{.position = {x.begin(), x.end()}, .velocity = {v.begin(), v.end()}};
        begin(t, point);
        int slow = 0;
        for (double before = 0; point.iterations < most; before = point.residual) {
            iterate(t, point);
            if (point.residual < 1) {
                break;
            }
            slow = point.iterations > 1 && !(point.residual < 0.5 * before) ? slow + 1 : 0;
            // NOTE: near the manifold a residual that no longer falls is the glide, or rounding; far from it, it is a motion
            // that a window cannot average.
            if (slow == 2 || !std::isfinite(point.residual)) {
                break;
            }
        }
        if (!(point.residual < 1)) {
            point.ending =
                slow == 2 && last_changes_harmless_ ? ProjectedPoint::Ending::stalled : ProjectedPoint::Ending::failed;
        }
        ++projections_;
        iterations_ += point.iterations;
        largest_residual_ = larger(largest_residual_, point.residual);
        return point;
    }

    StiffWindow<Springs>& window() { return *window_; }
    const ProjectionTolerance& tolerance() const { return tolerance_; }
    std::int64_t projections() const { return projections_; }
    std::int64_t iterations() const { return iterations_; }
    double largest_residual() const { return largest_residual_; }

private:
    static constexpr int most = 40;

    void begin(double t, ProjectedPoint& point) {
        const std::size_t count = springs_->measures().count();
        point.measures.resize(count);
        rates_.resize(count);
        next_.resize(count);
        next_rates_.resize(count);
        centre_ = point.position;
        window_->centre_at(t, centre_);
        window_->measures(window_->start(), point.measures);
        springs_->measures().rates(point.position, point.velocity, t, Clock::running, rates_);
    }

    void iterate(double t, ProjectedPoint& point) {
        window_->follow(point.velocity);
        const auto move = window_->move();
        window_->measures(move, next_);
        double moved = 0;
        double size = 0;
        for (std::size_t i = 0; i < move.size(); ++i) {
            moved = larger(moved, std::abs(move[i] - window_->start()[i]));
            point.position[i] = centre_[i] + move[i];
            size = larger(size, std::abs(point.position[i]));
        }
        // NOTE: a new centre costs one rounding of the position, which the springs feel omega^2 times; it is worth it only while moves are
        // so long that they would cost more.
        if (moved > 1e-6 * size) {
            centre_ = point.position;
            window_->centre_at(t, centre_);
        } else {
            window_->start_from_last();
        }
        point.glide = moved;
        point.velocity_glide = 0;
        for (std::size_t i = 0; i < move.size(); ++i) {
            point.velocity_glide = larger(point.velocity_glide, std::abs(window_->velocity()[i] - point.velocity[i]));
        }
        point.velocity.assign(window_->velocity().begin(), window_->velocity().end());
        point.acceleration.assign(window_->acceleration().begin(), window_->acceleration().end());
        springs_->measures().rates(point.position, point.velocity, t, Clock::running, next_rates_);
        double change = 0;
        double rate_change = 0;
        for (std::size_t j = 0; j < next_.size(); ++j) {
            change = larger(change, std::abs(next_[j] - point.measures[j]));
            rate_change = larger(rate_change, std::abs(next_rates_[j] - rates_[j]));
        }
        point.residual = larger(change / tolerance_.elongation, rate_change / tolerance_.rate);
        last_changes_harmless_ = change < harmless_.elongation && rate_change < harmless_.rate;
        std::swap(point.measures, next_);
        std::swap(rates_, next_rates_);
        if (++point.iterations == 1) {
            point.first_residual = point.residual;
        }
    }

    StiffWindow<Springs>* window_;
    const Springs* springs_;
    ProjectionTolerance tolerance_, harmless_;
    bool last_changes_harmless_ = false;
    std::vector<double> centre_, rates_, next_, next_rates_;
    std::int64_t projections_ = 0;
    std::int64_t iterations_ = 0;
    double largest_residual_ = 0;
};

}  // namespace lento
