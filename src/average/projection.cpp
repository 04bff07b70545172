#include "average/projection.hpp"

#include "base/number.hpp"

namespace lento {

ProjectedPoint Projection::operator()(double t, In x, In v) {
    constexpr int most_iterations = 40;
    auto point = begin(t, x, v);
    int slow = 0;
    for (double before = 0; point.iterations < most_iterations; before = point.residual) {
        iterate(t, point);
        if (point.residual < 1) {
            break;
        }
        slow = point.iterations > 1 && !(point.residual < 0.5 * before) ? slow + 1 : 0;
        // NOTE: near the manifold a residual that no longer falls is the glide, or rounding; far from it, it is a
        // motion that a window cannot average.
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
    auto point = begin(t, x, v);
    iterate(t, point);
    ++projections_;
    ++iterations_;
    return point;
}

ProjectedPoint Projection::begin(double t, In x, In v) {
    ProjectedPoint point{.position = {x.begin(), x.end()}, .velocity = {v.begin(), v.end()}};
    for (auto* values : {&point.measures, &rates_, &next_, &next_rates_}) {
        values->resize(problem_->springs->measures->count());
    }
    centre_ = point.position;
    window_->centre_at(t, centre_);
    window_->measures(window_->start(), point.measures);
    problem_->springs->measures->rates(point.position, point.velocity, t, Clock::running, rates_);
    return point;
}

void Projection::iterate(double t, ProjectedPoint& point) {
    window_->follow(point.velocity);
    const auto move = window_->move();
    window_->measures(move, next_);
    std::ranges::transform(centre_, move, point.position.begin(), std::plus<>());
    point.glide = largest_change(move, window_->start());
    // NOTE: a new centre costs one rounding of the position, which the springs feel omega^2 times; it is worth it only
    // while moves are so long that they would cost more.
    if (point.glide > 1e-6 * largest(point.position)) {
        centre_ = point.position;
        window_->centre_at(t, centre_);
    } else {
        window_->start_from_last();
    }
    point.velocity_glide = largest_change(window_->velocity(), point.velocity);
    point.velocity.assign(window_->velocity().begin(), window_->velocity().end());
    point.acceleration.assign(window_->acceleration().begin(), window_->acceleration().end());
    problem_->springs->measures->rates(point.position, point.velocity, t, Clock::running, next_rates_);
    const double change = largest_change(next_, point.measures);
    const double rate_change = largest_change(next_rates_, rates_);
    point.residual = larger(change / tolerance_.elongation, rate_change / tolerance_.rate);
    last_changes_harmless_ = change < harmless_.elongation && rate_change < harmless_.rate;
    std::swap(point.measures, next_);
    std::swap(rates_, next_rates_);
    if (++point.iterations == 1) {
        point.first_residual = point.residual;
    }
}

}  // namespace lento
