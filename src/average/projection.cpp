#include "average/projection.hpp"

#include <cmath>

#include "base/number.hpp"

namespace lento {

namespace {

constexpr int most_iterations = 40;

}  // namespace

ProjectedPoint Projection::operator()(double t, In x, In v) {
    ProjectedPoint point{.position = {x.begin(), x.end()}, .velocity = {v.begin(), v.end()}};
    begin(t, point);
    int slow = 0;
    for (double before = 0; point.iterations < most_iterations; before = point.residual) {
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

ProjectedPoint Projection::once(double t, In x, In v) {
    ProjectedPoint point{.position = {x.begin(), x.end()}, .velocity = {v.begin(), v.end()}};
    begin(t, point);
    iterate(t, point);
    ++projections_;
    ++iterations_;
    return point;
}

void Projection::begin(double t, ProjectedPoint& point) {
    const std::size_t count = problem_->springs->measures->count();
    point.measures.resize(count);
    rates_.resize(count);
    next_.resize(count);
    next_rates_.resize(count);
    centre_ = point.position;
    window_->centre_at(t, centre_);
    window_->measures(window_->start(), point.measures);
    problem_->springs->measures->rates(point.position, point.velocity, t, Clock::running, rates_);
}

void Projection::iterate(double t, ProjectedPoint& point) {
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
    problem_->springs->measures->rates(point.position, point.velocity, t, Clock::running, next_rates_);
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

}  // namespace lento
