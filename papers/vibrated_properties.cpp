/// What the paper vibrated says in sections 2.5 and 3.1 without a table: geometry of the two algorithms, the averaged
/// force (3.7), orders, and the cost.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Dense>

#include "average/window.hpp"
#include "base/number.hpp"
#include "derivative.hpp"
#include "lento/lento.hpp"
#include "pendulum.hpp"
#include "plain_run.hpp"
#include "reproduction.hpp"
#include "slope.hpp"
#include "step/verlet.hpp"
#include "two_coordinates.hpp"

namespace lento::papers {
namespace {

const Pendulum pendulum;

/// The averaged acceleration of Algorithm 2 on its own: one-period filter, Verlet micro-steps.
class RestWindow {
public:
    RestWindow(const Problem& problem, std::size_t steps_per_period)
        : acceleration_(problem),
          window_(
              make_window("verlet", acceleration_, time_scales(problem),
                          {FilterWeights(Filter("period"), steps_per_period / 2), steps_per_period, Sides::forward})),
          rest_(problem.dimension(), 0.0),
          phases_(problem.phases.size(), 0.0) {}

    void operator()(In x, Out a) { window_->average_acceleration({.x = x, .v = rest_, .phases = phases_}, a); }

private:
    Acceleration acceleration_;
    std::unique_ptr<Window> window_;
    std::vector<double> rest_, phases_;
};

/// One macro-step of Algorithm 2 with the Verlet formulas, y = (x, v).
Eigen::VectorXd macro_step(RestWindow& force, const Eigen::VectorXd& y, double H) {
    const auto d = static_cast<std::size_t>(y.size() / 2);
    MotionState<double> state(d);
    std::copy(y.data(), y.data() + y.size(), state.y.begin());
    const auto rate = [&](double, std::span<const double> x, std::span<const double>, std::span<double> a) {
        force(x, a);
    };
    rate(0, state.x(), state.v(), state.a());
    Verlet<double>(d).step(rate, H, state);
    return Eigen::Map<Eigen::VectorXd>(state.y.data(), y.size());
}

/// |J^T S J - S| for the Jacobian J of one macro-step, by central differences of fourth order.
double symplecticity_defect(double omega) {
    const auto system = TwoCoordinates{}.vibrated(omega);
    RestWindow force(system, 64);
    constexpr double H = 0.05;
    const Eigen::VectorXd y = (Eigen::VectorXd(4) << 0.7, -0.4, 0.3, 0.5).finished();
    Eigen::MatrixXd J(4, 4);
    constexpr double delta = 2e-3;
    for (Eigen::Index j = 0; j < 4; ++j) {
        const Eigen::VectorXd e = delta * Eigen::VectorXd::Unit(4, j);
        J.col(j) = (8 * (macro_step(force, y + e, H) - macro_step(force, y - e, H)) -
                    (macro_step(force, y + 2 * e, H) - macro_step(force, y - 2 * e, H))) /
                   (12 * delta);
    }
    Eigen::MatrixXd S = Eigen::MatrixXd::Zero(4, 4);
    S.topRightCorner(2, 2).setIdentity();
    S.bottomLeftCorner(2, 2) = -Eigen::MatrixXd::Identity(2, 2);
    return (J.transpose() * S * J - S).cwiseAbs().maxCoeff();
}

/// How far from its start a run of 50 macro-steps of the pendulum comes back when its velocity is turned round at the
/// end.
double return_error(const std::string& method, const std::string& filter) {
    const Options options{.macro = "verlet",
                          .steps = 50,
                          .micro = "verlet",
                          .micro_steps_per_period = 20,
                          .filter = filter,
                          .initial = "averaged"};
    const auto there = plain_run(pendulum.vibrated(1e4),
                                 {.start = {0.5}, .velocity = {0.3}, .t_end = 1, .method = method, .options = options});
    const auto& end = there.final_state();
    const auto back = plain_run(
        pendulum.vibrated(1e4),
        {.start = end.position, .velocity = {-end.velocity[0]}, .t_end = 1, .method = method, .options = options});
    return std::abs(back.final_state().position[0] - 0.5);
}

struct EnergyHistory {
    double drift = 0;   ///< mean over the last tenth minus mean over the first
    double spread = 0;  ///< largest minus smallest
    Curve means;        ///< over every thousand macro-steps
};

/// The averaged energy over 1e5 macro-steps.
EnergyHistory energy_history(const std::string& method, const std::string& filter) {
    constexpr std::size_t steps = 100'000;
    constexpr double H = 1.0 / 80;
    std::vector<double> energies;
    const auto run = plain_run(
        pendulum.vibrated(1e4),
        {.start = {0.5},
         .t_end = steps * H,
         .method = method,
         .options = {.macro = "verlet",
                     .steps = steps,
                     .micro = "verlet",
                     .micro_steps_per_period = 16,
                     .filter = filter,
                     .initial = "averaged"},
         .samples = steps + 1,
         .sink = [&](double, std::span<const double> y) { energies.push_back(pendulum.averaged_energy(y[0], y[1])); },
         .keep = Recorder::Keep::nothing});
    if (run.outcome() != Outcome::completed) {
        return {std::nan(""), std::nan(""), {}};
    }
    Curve means{.label = method == "hmm-sync" ? "Algorithm 1" : "Algorithm 2", .x = {}, .y = {}};
    constexpr std::size_t block = 1000;
    for (std::size_t k = 0; k + block < energies.size(); k += block) {
        const auto begin = energies.begin() + static_cast<std::ptrdiff_t>(k);
        means.x.push_back((static_cast<double>(k) + block / 2.0) * H);
        means.y.push_back(std::accumulate(begin, begin + block, 0.0) / block);
    }
    const std::size_t tenth = energies.size() / 10;
    double first = 0;
    double last = 0;
    for (std::size_t k = 0; k < tenth; ++k) {
        first += energies[k] / static_cast<double>(tenth);
        last += energies[energies.size() - 1 - k] / static_cast<double>(tenth);
    }
    const auto [low, high] = std::minmax_element(energies.begin(), energies.end());
    return {last - first, *high - *low, means};
}

/// Section 2.5.
Result geometry() {
    Result result;
    const auto system = TwoCoordinates{}.vibrated(1e4);
    RestWindow force(system, 32);
    const Eigen::VectorXd start = (Eigen::VectorXd(4) << 0.7, -0.4, 0.3, 0.5).finished();
    Eigen::VectorXd y = start;
    for (int n = 0; n < 100; ++n) {
        y = macro_step(force, y, 0.05);
    }
    for (int n = 0; n < 100; ++n) {
        y = macro_step(force, y, -0.05);
    }
    const double returned = (y - start).cwiseAbs().maxCoeff();
    result.claims.push_back({"Algorithm 2 is reversible: 100 macro-steps forward and back return to the start up to",
                             returned, returned < 1e-11});

    const double async_return = return_error("hmm-async", "period");
    const double sync_return = return_error("hmm-sync", "cos8");
    result.rows.push_back({"Algorithm 1", "return error of 50 macro-steps", std::nullopt, sync_return, true, 0});
    result.rows.push_back({"Algorithm 2", "return error of 50 macro-steps", std::nullopt, async_return, true, 0});
    result.claims.push_back({"Algorithm 1 is not reversible: its return error over that of Algorithm 2",
                             sync_return / async_return, sync_return > 1e6 * async_return && async_return < 1e-11});

    const std::vector<double> omegas{1e2, 1e3, 1e4};
    std::vector<double> defects;
    for (const double omega : omegas) {
        defects.push_back(symplecticity_defect(omega));
        result.rows.push_back({fmt::format("1e{}", std::lround(std::log10(omega))),
                               "symplecticity defect, two coordinates", std::nullopt, defects.back(), true, 0});
    }
    const double order = slope(omegas, defects);
    result.claims.push_back(
        {"if f is the gradient of a scalar potential, Algorithm 2 is symplectic (section 3.1): defect for two "
         "coordinates, omega = 1e4",
         defects.back(), defects.back() < 1e-8, Source::paper,
         fmt::format(
             "The mean of gradients along a motion is no gradient itself: the defect is {:.2g} at omega = 1e2 and "
             "{:.2g} at 1e4, O(1/omega). With one coordinate every such map is symplectic.",
             defects.front(), defects.back())});
    result.claims.push_back({"with two coordinates Algorithm 2 is symplectic up to O(1/omega): slope of the defect",
                             order, std::abs(order + 1) < 0.1, Source::lento});

    const auto two = energy_history("hmm-async", "period");
    const auto one = energy_history("hmm-sync", "cos8");
    for (const auto& [name, history] : {std::pair{"Algorithm 1", one}, std::pair{"Algorithm 2", two}}) {
        result.rows.push_back(
            {name, "drift of the averaged energy over 1e5 macro-steps", std::nullopt, history.drift, true, 0});
        result.rows.push_back({name, "spread of the averaged energy", std::nullopt, history.spread, true, 0});
    }
    result.pictures = {
        log_log("Section 2.5: symplecticity of Algorithm 2, two coordinates", "omega", "defect of a macro-step",
                {{"Algorithm 2", omegas, defects, Curve::Style::marked},
                 power_line("1/omega", omegas, 0.5 * defects.front(), -1)}),
        {"Section 2.5: averaged energy, means over 1,000 macro-steps", "t", "energy", {one.means, two.means}}};
    const double share = std::abs(two.drift) / two.spread;
    result.claims.push_back(
        {"the averaged energy of Algorithm 2 does not drift over 1e5 macro-steps: drift over spread", share,
         share < 1e-2, Source::lento});
    const double against = std::abs(one.drift) / std::max(std::abs(two.drift), 1e-300);
    result.claims.push_back({"the averaged energy of Algorithm 1, which is not reversible, drifts more, by a factor",
                             against, against > 10, Source::lento});
    return result;
}

/// Section 3.1.
Result averaged_force() {
    Result result;
    const TwoCoordinates example{.mass = (Eigen::Matrix2d() << 2.0, 0.3, 0.3, 1.0).finished()};
    const std::vector<double> X{0.7, -0.4};
    const auto exact = example.averaged_force(X);
    std::vector<double> omegas{1e3, 1e4, 1e5, 1e6};
    std::vector<double> differences;
    for (const double omega : omegas) {
        const auto system = example.vibrated(omega);
        Acceleration acceleration(system);
        const auto window =
            make_window("verlet8", acceleration, time_scales(system), {FilterWeights(Filter("cos8"), 12 * 16), 32});
        std::vector<double> F(2);
        const std::vector<double> rest(2, 0.0);
        const std::vector<double> phases(1, 0.0);
        window->average_acceleration({.x = X, .v = rest, .phases = phases}, F);
        const double difference = std::hypot(F[0] - exact[0], F[1] - exact[1]);
        differences.push_back(difference);
        result.rows.push_back({fmt::format("1e{}", std::lround(std::log10(omega))), "averaged force minus (3.7)",
                               std::nullopt, difference, true, 0});
    }
    const double order = slope(omegas, differences);
    result.claims.push_back(
        {"the averaged force differs from (3.7) by O(1/omega): slope", order, std::abs(order + 1) < 0.1});

    auto& picture = result.pictures.emplace_back(
        log_log("Section 3.1: differences that fall as 1/omega", "omega", "difference",
                {{"averaged force and (3.7)", omegas, differences, Curve::Style::marked}}));

    omegas = {1e2, 1e3, 1e4, 1e5};
    differences.clear();
    std::vector<double> from_same_numbers, from_averages;
    const auto reference = pendulum.averaged_reference();
    for (const double omega : omegas) {
        const auto oscillatory = solve(pendulum.vibrated(omega),
                                       {.start = {0.5}, .t_end = 1, .method = "direct", .rtol = 1e-10, .atol = 1e-12});
        const auto averaged = plain_run(
            pendulum.vibrated(omega), {.start = {0.5}, .t_end = 1, .method = "hmm-async", .rtol = 1e-9, .atol = 1e-11});
        const double mean = 0.5 + pendulum.v_max / (pendulum.l * omega) * std::sin(0.5);  // (2.4)
        const auto corresponding = pendulum.averaged_reference(1, mean);
        const auto largest_difference = [&](const Solution& other) {
            constexpr int looks = 2000;
            double most = 0;
            for (int k = 0; k <= looks; ++k) {
                const double t = static_cast<double>(k) / looks;
                most = larger(most, std::abs(oscillatory.slow(t).position[0] - other.slow(t).position[0]));
            }
            return most;
        };
        differences.push_back(largest_difference(averaged));
        from_same_numbers.push_back(omega * largest_difference(reference));
        from_averages.push_back(omega * largest_difference(corresponding));
        const std::string label = fmt::format("1e{}", std::lround(std::log10(omega)));
        const auto row = [&](const char* column, double value) {
            result.rows.push_back({label, column, std::nullopt, value, true, 0});
        };
        row("Algorithm 2 minus true solution", differences.back());
        row("that times omega", omega * differences.back());
        row("(2.5) from Q(0) = 0.5 minus (2.2), times omega", from_same_numbers.back());
        row("(2.5) from the average of the start minus (2.2), times omega", from_averages.back());
    }
    const double same = from_same_numbers[2];
    result.claims.push_back(
        {"the maximum over 0 <= t <= T of the difference between the solutions of (2.2) and (2.5) is approximately "
         "20/omega (section 2.2): omega times it at 1e4",
         same, std::abs(same / 20 - 1) < 0.1, Source::paper,
         fmt::format("It is {:.1f}/omega where both start from q = 0.5, and {:.1f}/omega, the amplitude of the "
                     "oscillation, where (2.5) starts from the average (2.4) of that start; the motion that Algorithm "
                     "2 follows is {:.1f}/omega away at omega = 1e3 and {:.1f}/omega at 1e4",
                     same, from_averages[2], omegas[1] * differences[1], omegas[2] * differences[2])});
    picture.curves.push_back({"Algorithm 2 and true solution", omegas, differences, Curve::Style::marked});
    picture.curves.push_back(power_line("1/omega", omegas, 2 * differences.front(), -1));
    const double distance = slope(omegas, differences);
    result.claims.push_back({"Algorithm 2 is within O(1/omega) of the true solution: slope from omega = 1e2 to 1e5",
                             distance, std::abs(distance + 1) < 0.15});

    std::int64_t least = 0;
    std::int64_t most = 0;
    for (const double omega : {1e3, 1e4, 1e5, 1e6, 1e7, 1e8}) {
        const auto run = plain_run(pendulum.vibrated(omega), {.start = {0.5},
                                                              .t_end = 1,
                                                              .method = "hmm-async",
                                                              .options = {.steps = 80, .micro_steps_per_period = 32}});
        const auto evaluations = run.outcome() == Outcome::completed ? run.statistics().force_evaluations : -1;
        least = least == 0 ? evaluations : std::min(least, evaluations);
        most = std::max(most, evaluations);
        result.rows.push_back({fmt::format("1e{}", std::lround(std::log10(omega))), "force evaluations, 80 macro-steps",
                               std::nullopt, static_cast<double>(evaluations), true, 0});
    }
    result.claims.push_back(
        {"the work does not depend on the frequency from omega = 1e3 to 1e8: most evaluations minus fewest",
         static_cast<double>(most - least), most == least});
    return result;
}

}  // namespace

std::vector<Reproduction> vibrated_properties() {
    const std::string example =
        "Two coordinates: M x'' = -omega grad(sin x_1 cos 2 x_2 + x_1 x_2/2) cos(omega t) - grad(x_1^2 + 2 x_2^2 + "
        "x_1^2 x_2^2)/2";
    return {{"vibrated/section-2.5", "Reversibility, symplecticity and energy of Algorithms 1 and 2", "vibrated",
             example +
                 ", M = 1, at (0.7, -0.4) with velocity (0.3, 0.5), H = 0.05, 32 or 64 Verlet micro-steps a period. "
                 "Pendulum: " +
                 pendulum_parameters() +
                 ", omega = 1e4, from 0.5; 50 steps of H = 1/50 and back (20 micro-steps a period), 1e5 steps of H = "
                 "1/80 (16); Algorithm 1 with the cos8 filter, Algorithm 2 with the one-period filter.",
             geometry},
            {"vibrated/section-3.1", "Averaged force, distance from the true solution, and cost", "vibrated",
             example +
                 ", M = (2, 0.3; 0.3, 1), force at (0.7, -0.4): cos8 filter over 12 periods, 32 steps of order 8 in "
                 "each. Pendulum: " +
                 pendulum_parameters() +
                 ", q(0) = 0.5 at rest, T = 1; Algorithm 2 with rtol = 1e-9, atol = 1e-11 beside direct integration "
                 "with rtol = 1e-10, atol = 1e-12, and with 80 macro-steps and 32 micro-steps a period.",
             averaged_force}};
}

}  // namespace lento::papers
