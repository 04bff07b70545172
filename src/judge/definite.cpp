#include "judge/definite.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/eigenvalues.hpp"
#include "lento/base/misuse.hpp"
#include "lento/march/result.hpp"
#include "problem/acceleration.hpp"
#include "problem/probe.hpp"
#include "problem/symmetric_factor.hpp"
#include "problem/time_scales.hpp"
#include "step/runge_kutta.hpp"

namespace lento {
namespace {

Rows entries_at(const Problem& problem, In x, double t) {
    const std::size_t n = problem.dimension();
    const Mass mass = problem.mass.at(x, t);
    Rows entries(n, n);
    for (std::size_t k = 0; k < n * n; ++k) {
        entries.entries[k] = mass.entry(k / n, k % n);
    }
    return entries;
}

/// That of one coordinate is its mass.
double smallest_eigenvalue(const Problem& problem, In x, double t) {
    const Rows entries = entries_at(problem, x, t);
    const auto n = static_cast<Eigen::Index>(entries.rows);
    const Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(entries.entries.data(), n, n);
    return matrix.allFinite() ? symmetric_eigenvalues(matrix).minCoeff() : std::numeric_limits<double>::quiet_NaN();
}

/// The pivots of L D L^T; none where the matrix is not positive definite.
std::vector<double> pivots(const Problem& problem, In x, double t) {
    const std::size_t n = problem.dimension();
    std::vector<double> entries(SymmetricEntries<double>::count(n)), found;
    problem.mass.function().at(x, t, entries);
    if (factorise(std::span(entries), n)) {
        for (std::size_t i = 0; i < n; ++i) {
            found.push_back(entries[SymmetricEntries<double>::place(i, i)]);
        }
    }
    return found;
}

constexpr double nothing = 1e-6;  // of what masses were at the start: marches stop at less, or beyond
constexpr double little = 1e-2;   // so that a run that fails for no other reason may have failed for that

/// The least share of a pivot that is left of that at the start; zero where masses are not positive definite.
class Remainder {
public:
    Remainder(const Problem& problem, In x, double t) : problem_(&problem), start_(pivots(problem, x, t)) {}

    double operator()(In x, double t) const {
        const auto here = pivots(*problem_, x, t);
        double least = here.empty() ? 0.0 : HUGE_VAL;
        for (std::size_t i = 0; i < here.size(); ++i) {
            least = std::min(least, here[i] / start_[i]);
        }
        return least;
    }

private:
    const Problem* problem_;
    std::vector<double> start_;
};

struct Place {
    double t = 0;
    std::vector<double> x{};
};

/// The first place of this kind on the way of the motion, resolved; none within so many steps.
std::optional<Place> along_the_motion(const Problem& problem, const Remainder& remainder, const MarchEnd& end) {
    constexpr int steps_a_vibration = 32, most_steps = 4096, at_least = 256;
    Acceleration acceleration(problem);
    MotionState<double> state(problem.dimension());
    std::ranges::copy(end.x, state.x().begin());
    std::ranges::copy(end.v, state.v().begin());
    const auto accelerate = [&](double t, In x, In v, Out a) { acceleration(x, v, t, problem.phases_at(t), a); };
    accelerate(end.t, state.x(), state.v(), state.a());
    const double h = std::min(end.ahead / at_least, fastest_period(problem).value_or(HUGE_VAL) / steps_a_vibration);
    OnMotion<RungeKutta4, double> stepper(problem.dimension());
    for (int k = 0; k < most_steps && k * h < end.ahead; ++k) {
        const double t = end.t + k * h;
        const Place next{t + h, combined(state.x(), h, state.v())};
        stepper.step([&](double c, In x, In v, Out a) { accelerate(t + c * h, x, v, a); }, h, state);
        if (first_not_finite(state.y)) {
            return remainder(next.x, next.t) < nothing ? std::optional(next) : std::nullopt;
        }
        if (remainder(state.x(), t + h) < nothing) {
            return Place{t + h, {state.x().begin(), state.x().end()}};
        }
    }
    return std::nullopt;
}

std::optional<Place> straight_ahead(const Remainder& remainder, const MarchEnd& end) {
    constexpr int looks = 256;
    for (int k = 0; k <= looks; ++k) {
        const double s = end.ahead * k / looks;
        Place place{end.t + s, combined(end.x, s, end.v)};
        if (remainder(place.x, place.t) < nothing) {
            return place;
        }
    }
    return std::nullopt;
}

}  // namespace

void require_definite_masses(const Problem& problem, In x, double t) {
    if (!problem.mass.varies()) {
        return;
    }
    const Rows entries = entries_at(problem, x, t);
    if (entries.rows == 1) {
        require_positive(entries(0, 0), fmt::format("the mass of {} at the start", problem.names[0]));
        return;
    }
    try {
        (void)Mass::full(entries);
    } catch (const Misuse& wrong) {
        throw Misuse(fmt::format("at the start {}", wrong.what()));
    }
}

std::optional<MassesAtEnd> masses_at_end(const Problem& problem, const Outset& from, const MarchEnd& end) {
    if (!problem.mass.varies() || first_not_finite(end.x) || first_not_finite(end.v)) {
        return std::nullopt;
    }
    const Remainder remainder(problem, from.start, from.t_start);
    const bool single = problem.dimension() == 1;
    const auto numbers = [&](In x, double t) {
        return fmt::format("{:.3g} there, and {:.3g} at the start", smallest_eigenvalue(problem, x, t),
                           smallest_eigenvalue(problem, from.start, from.t_start));
    };
    const double left = remainder(end.x, end.t);
    auto place = left < nothing ? std::optional(Place{end.t, {end.x.begin(), end.x.end()}})
                                : along_the_motion(problem, remainder, end);
    if (!place) {
        place = straight_ahead(remainder, end);
    }
    if (place) {
        return MassesAtEnd{
            true, fmt::format("{} near t = {:.6g}: {} {}; the equations of motion end where masses do: end the run "
                              "before, or take coordinates that describe the motion beyond",
                              single ? fmt::format("the mass of {} ceases to be positive", problem.names[0])
                                     : "the mass matrix ceases to be positive definite",
                              place->t, single ? "it is" : "its smallest eigenvalue is", numbers(place->x, place->t))};
    }
    if (left < little) {
        return MassesAtEnd{false, fmt::format("{} is {}",
                                              single ? fmt::format("the mass of {}", problem.names[0])
                                                     : "the smallest eigenvalue of the mass matrix",
                                              numbers(end.x, end.t))};
    }
    return std::nullopt;
}

}  // namespace lento
