#include "average/stiff_window.hpp"

#include "lento/problem/systems.hpp"

namespace lento {
namespace {

/// The motion as moves from the centre.
Problem moves_of(const Problem& problem, CentredForce& force) {
    auto moves = coordinates_problem(
        problem.dimension(), {}, Forces::of(problem.dimension(), 0, [&force](In d, In v, double s, In theta, Out f) {
            force.at(d, v, s, theta, f);
        }));
    // NOTE: as all forces of a problem, those near a centre are divided already by masses that vary.
    return problem.mass.varies() ? moves : moves.with_mass(problem.mass);
}

}  // namespace

StiffWindow::StiffWindow(const Problem& problem, std::string_view micro, const TimeScales& scales,
                         const WindowShape& shape)
    : force_(centred_force(problem)),
      acceleration_(std::make_unique<Acceleration>(moves_of(problem, *force_))),
      window_(make_window(micro, *acceleration_, scales, shape)),
      start_(problem.dimension()),
      move_(problem.dimension()),
      velocity_(problem.dimension()),
      mean_(problem.dimension()) {}

void StiffWindow::centre_at(double t, In x) {
    force_->centre(x, t);
    std::ranges::fill(start_, 0.0);
}

void StiffWindow::follow(In v) {
    window_->average_motion({.x = start_, .v = v, .t = 0, .time = ExplicitTime::running}, move_, velocity_, mean_);
}

}  // namespace lento
