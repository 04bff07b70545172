/// Section 4 of the paper vibrated, its figure 4.1 and appendix B.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "average/window.hpp"
#include "base/number.hpp"
#include "chain.hpp"
#include "lento/lento.hpp"
#include "march/constrained.hpp"
#include "plain_run.hpp"
#include "reproduction.hpp"
#include "slope.hpp"
#include "step/catalogue.hpp"

namespace lento::papers {
namespace {

const Chain pendulum = double_pendulum();
const std::vector<double> start = pendulum.position({0.5, 0.0});

std::string power_of_ten(double value) {
    return fmt::format("1e{}", std::lround(std::log10(value)));
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
    double difference = a.size() == b.size() ? 0.0 : std::nan("");
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference = larger(difference, std::abs(a[i] - b[i]));
    }
    return difference;
}

// --- Figure 4.1 ----------------------------------------------------------------------------------------------------

/// h = (2 pi / omega) (H / T_macro) with T_macro = 0.4: 0.4/H micro-steps a period, half of them by symmetry.
Solution figure_run(const std::string& method, double omega, std::size_t steps) {
    return plain_run(pendulum.vibrated(omega), {.start = start,
                                                .t_end = 1,
                                                .method = method,
                                                .options = {.steps = steps,
                                                            .micro = "shake",
                                                            .micro_steps_per_period = 2 * steps / 5,
                                                            .filter = "period",
                                                            .initial = "averaged"}});
}

/// The closing window, which gives only velocity and multipliers at the end, is not in the printed counts.
double printed_micro_steps(const Solution& run) {
    const auto windows = run.statistics().macro_steps + 1;
    return static_cast<double>(run.statistics().micro_steps / windows * (windows - 1));
}

std::array<double, 2> angles(const Snapshot& state) {
    return {pendulum.angle(state.position, 0), pendulum.angle(state.position, 1)};
}

/// A picture each of both angles and both multipliers, with the signs of the paper.
void draw(Result& result, const Solution& run, const std::string& label) {
    constexpr std::array<const char*, 4> names{"q_1", "q_2", "Lambda_1", "Lambda_2"};
    for (std::size_t n = result.pictures.size(); n < names.size(); ++n) {
        result.pictures.push_back({fmt::format("Figure 4.1: {} of the double pendulum", names[n]), "t", names[n], {}});
    }
    for (std::size_t n = 0; n < names.size(); ++n) {
        Curve curve{label, {}, {}};
        constexpr int intervals = 160;
        for (int k = 0; k <= intervals; ++k) {
            const double t = static_cast<double>(k) / intervals;
            const auto state = run.slow(t);
            curve.x.push_back(t);
            curve.y.push_back(n < 2 ? pendulum.angle(state.position, n) : -state.multipliers[n - 2]);
        }
        result.pictures[n].curves.push_back(std::move(curve));
    }
}

void angles_and_multipliers(Result& result, std::size_t steps, double published_micro_steps) {
    const auto run = figure_run("shake-shake", 1e4, steps);
    const std::string H = fmt::format("H=1/{}", steps);
    for (int k = 0; k <= 10; ++k) {
        const auto state = run.slow(k / 10.0);
        const auto [q1, q2] = angles(state);
        const std::string label = fmt::format("t={}", k / 10.0);
        const std::array<std::pair<const char*, double>, 6> values{{{"q1", q1},
                                                                    {"q2", q2},
                                                                    {"-Lambda1", state.multipliers[0]},
                                                                    {"-Lambda2", state.multipliers[1]},
                                                                    {"total lambda1", state.total_multipliers[0]},
                                                                    {"total lambda2", state.total_multipliers[1]}}};
        for (const auto& [name, value] : values) {
            result.rows.push_back({label, fmt::format("{} {}", name, H), std::nullopt, value, true, 0});
        }
    }
    result.rows.push_back({"micro-steps", H, published_micro_steps, printed_micro_steps(run), true, 0});
    draw(result, run, fmt::format("H = 1/{}", steps));
}

void expect_angles(Result& result, double omega, std::size_t steps, double q1, double q2) {
    const auto found = angles(figure_run("shake-shake", omega, steps).final_state());
    const auto row = [&](const char* column, double value, double reference) {
        result.rows.push_back({.label = fmt::format("H=1/{}, omega={}", steps, power_of_ten(omega)),
                               .column = column,
                               .computed = value,
                               .tolerance = 5.1e-5 / reference,
                               .reference = reference});
    };
    row("q1 at t=1", found[0], q1);
    row("q2 at t=1", found[1], q2);
}

Result figure() {
    Result result;
    angles_and_multipliers(result, 80, 1280);
    angles_and_multipliers(result, 160, 5120);
    expect_angles(result, 1e4, 80, 0.0047, 0.7740);
    expect_angles(result, 1e4, 160, 0.0438, 0.8694);
    expect_angles(result, 1e4, 320, 0.0633, 0.8510);
    expect_angles(result, 1e4, 640, 0.0690, 0.8432);
    expect_angles(result, 1e6, 80, 0.0077, 0.6034);
    expect_angles(result, 1e6, 640, 0.0301, 0.8647);

    std::vector<std::array<double, 2>> settling;
    for (const std::size_t steps : {320, 640, 1280, 2560}) {
        settling.push_back(angles(figure_run("shake-shake", 1e4, steps).final_state()));
    }
    for (const std::size_t i : {0, 1}) {
        const double order = std::log2((settling[1][i] - settling[2][i]) / (settling[2][i] - settling[3][i]));
        result.claims.push_back({fmt::format("q{} settles to order 2 for H below 1/320: order from differences", i + 1),
                                 order, std::abs(order - 2) < 0.2, Source::lento});
    }

    const auto found = [&](std::size_t steps) { return angles(figure_run("shake-shake", 1e4, steps).final_state()); };
    const auto coarse = found(80), fine = found(160), finer = found(320);
    const double shrinks = largest_difference(fine, finer) / largest_difference(coarse, fine);
    result.claims.push_back(
        {"the algorithm exhibits a convergent behaviour: largest change of an angle at t = 1 from H = "
         "1/160 to 1/320 over that from 1/80 to 1/160",
         shrinks, shrinks < 1});
    double farthest = 0;
    const auto figure_at = figure_run("shake-shake", 1e4, 160);
    for (int k = 0; k <= 160; ++k) {
        farthest = larger(farthest, largest_difference(angles(figure_at.slow(k / 160.0)), std::array{0.0, 0.0}));
    }
    result.claims.push_back(
        {"both rods up are a stable equilibrium of the vibrated system: largest |q1|, |q2| of the "
         "figure, H = 1/160, where a fall would be pi",
         farthest, farthest < std::numbers::pi / 2});

    double apart = 0;
    double frequencies_apart = 0;
    double from_smaller = 0;
    bool same_cost = true;
    for (const std::size_t steps : {80, 160}) {
        const auto shake = figure_run("shake-shake", 1e4, steps);
        const auto rattle = figure_run("rattle-shake", 1e4, steps);
        for (const auto& step : shake.trajectory().steps()) {
            apart = larger(apart, largest_difference(shake.slow(step.to()).position, rattle.slow(step.to()).position));
        }
    }
    for (const std::size_t steps : {80, 160, 640}) {
        const auto fast = figure_run("shake-shake", 1e6, steps);
        const auto faster = figure_run("shake-shake", 1e8, steps);
        frequencies_apart =
            larger(frequencies_apart, largest_difference(angles(fast.final_state()), angles(faster.final_state())));
        const auto slower = figure_run("shake-shake", 1e4, steps);
        from_smaller =
            larger(from_smaller,
                   steps > 160 ? 0.0 : largest_difference(angles(slower.final_state()), angles(fast.final_state())));
        same_cost = same_cost && slower.statistics().force_evaluations == fast.statistics().force_evaluations;
        same_cost = same_cost && fast.statistics().force_evaluations == faster.statistics().force_evaluations;
    }
    result.claims.push_back({"RATTLE-SHAKE has the positions of SHAKE-SHAKE: largest difference", apart, apart < 1e-9});
    constexpr double seen = 0.01;  // in a figure of this size
    const double q2_at_4 = angles(figure_run("shake-shake", 1e4, 80).final_state())[1];
    const double q2_at_6 = angles(figure_run("shake-shake", 1e6, 80).final_state())[1];
    result.claims.push_back(
        {"larger frequencies, omega = 1e6 or 1e8, lead to the same results: largest difference of an angle at t = 1 "
         "from omega = 1e4, H = 1/80 and 1/160",
         from_smaller, from_smaller < seen, Source::paper,
         fmt::format(
             "With H = 1/80, q2 at t = 1 is {:.3f} for omega = 1e4 and {:.3f} for 1e6: what averaging neglects, "
             "O(1/omega), is large at 1e4. 1e6 and 1e8 do lead to the same results.",
             q2_at_4, q2_at_6)});
    result.claims.push_back({"omega = 1e6 and 1e8 give the same angles at t = 1: largest difference", frequencies_apart,
                             frequencies_apart < seen, Source::lento});
    result.claims.push_back(
        {"they require the same computational effort: 1 if force evaluations are equal at omega = "
         "1e4, 1e6 and 1e8",
         same_cost ? 1.0 : 0.0, same_cost});
    return result;
}

// --- Orders, residuals, reversibility ---

/// The averaged force of the double pendulum on its own, and what is met on the way to it.
class PendulumForce {
public:
    PendulumForce(double omega, std::size_t steps_per_period, const std::string& micro)
        : problem_(pendulum.vibrated(omega)),
          active_(problem_.free()),
          manifold_(problem_),
          window_(make_constrained_window(micro, active_, manifold_, time_scales(problem_),
                                          {FilterWeights(Filter("period"), steps_per_period / 2), steps_per_period,
                                           Sides::forward, VelocityUse::none})) {}

    void operator()(double, std::span<const double> x, std::span<const double>, std::span<double> F) {
        window_->average_acceleration({.x = x, .v = rest_, .phases = phase_}, F);
    }
    const Problem& problem() const { return problem_; }

private:
    Problem problem_;
    Acceleration active_;
    Manifold manifold_;
    std::unique_ptr<Window> window_;
    std::vector<double> rest_ = std::vector<double>(4, 0.0);
    std::vector<double> phase_ = {0.0};
};

struct Nobody {
    bool wants(double) const { return false; }
    void take(const DenseStep&) {}
};

/// The end of a run of the averaged double pendulum: `steps` macro-steps with a stepper through the same averaged
/// force.
std::vector<double> macro_end(const std::string& macro, double t_end, std::size_t steps) {
    PendulumForce force(1e4, 32, "shake");
    Manifold manifold(force.problem());
    ConstrainedMarch march(manifold, std::ref(force));
    auto point = march.point_at(0, start, std::vector<double>(4, 0.0));
    with_constrained_stepper(macro, "macro", [&](auto choice) {
        typename decltype(choice)::Stepper stepper(manifold, VelocityUse::none);
        march.fixed(stepper, {0, t_end}, t_end / static_cast<double>(steps), point, Nobody{}, {});
    });
    return {point.y.begin(), point.y.begin() + 8};
}

Result orders() {
    Result result;
    constexpr double t_end = 0.25;
    const auto reference = macro_end("rattle8", t_end, 640);
    struct Measured {
        const char* macro;
        double order;
        std::vector<std::size_t> steps;
    };
    const std::vector<Measured> measured{{"shake", 2, {80, 160, 320}},
                                         {"rattle", 2, {80, 160, 320}},
                                         {"lobatto", 4, {40, 80, 160}},
                                         {"rattle4", 4, {40, 80, 160}},
                                         {"rattle6", 6, {40, 56, 80}}};
    auto& picture = result.pictures.emplace_back(log_log("Section 4.3: macro-steps of different orders", "macro-step H",
                                                         "largest error in positions and velocities", {}));
    for (const auto& [macro, expected, counts] : measured) {
        std::vector<double> H;
        std::vector<double> errors;
        for (const std::size_t steps : counts) {
            H.push_back(t_end / static_cast<double>(steps));
            errors.push_back(largest_difference(macro_end(macro, t_end, steps), reference));
            result.rows.push_back({fmt::format("{} steps", steps), fmt::format("error of {}", macro), std::nullopt,
                                   errors.back(), true, 0});
        }
        picture.curves.push_back({fmt::format("{}, order {}", macro, expected), H, errors, Curve::Style::marked});
        const double order = slope(H, errors);
        result.claims.push_back({fmt::format("order of {} in H, micro-steps a period fixed: {}", macro, expected),
                                 order, std::abs(order - expected) < 0.25, Source::lento});
    }

    const auto there =
        plain_run(pendulum.vibrated(1e4),
                  {.start = start,
                   .t_end = 1000 / 160.0,
                   .method = "rattle-shake",
                   .options = {.steps = 1000, .micro = "shake", .micro_steps_per_period = 64, .initial = "averaged"}});
    auto turned = there.final_state().velocity;
    std::transform(turned.begin(), turned.end(), turned.begin(), std::negate<>());
    const auto back =
        plain_run(pendulum.vibrated(1e4),
                  {.start = there.final_state().position,
                   .velocity = turned,
                   .t_end = 1000 / 160.0,
                   .method = "rattle-shake",
                   .options = {.steps = 1000, .micro = "shake", .micro_steps_per_period = 64, .initial = "averaged"}});
    const double returned = largest_difference(back.final_state().position, start);
    result.claims.push_back({"RATTLE-SHAKE is reversible: 1,000 steps of H = 1/160 forward and back return up to",
                             returned, returned < 1e-10 && back.outcome() == Outcome::completed});
    return result;
}

// --- Appendix B ------------------------------------------------------------------------------------------------------

Result appendix_b() {
    Result result;
    // Tangential parts: what lies across the manifold is taken by the multipliers.
    const auto x = pendulum.position({0.5, 0.2});
    const std::vector<double> rest(4, 0.0);
    const auto averaged = pendulum.averaged();
    const auto tangential = [&](std::span<const double> acceleration) {
        Manifold manifold(averaged);
        std::vector<double> gradient(manifold.entries());
        std::vector<double> a(acceleration.begin(), acceleration.end());
        std::vector<double> lambda(2);
        manifold.gradient(x, 0, gradient);
        if (!manifold.factorise(gradient)) {
            return std::vector<double>(4, std::nan(""));
        }
        manifold.constrain_acceleration(gradient, x, rest, 0, a, lambda);
        return a;
    };
    std::vector<double> exact(4);
    pendulum.averaged_force(x, exact);
    for (std::size_t i = 0; i < 4; ++i) {
        exact[i] /= pendulum.masses[i / 2];
    }
    std::vector<double> omegas{1e3, 1e4, 1e5, 1e6};
    std::vector<double> differences;
    for (const double omega : omegas) {
        std::vector<double> F(6);
        PendulumForce(omega, 64, "rattle6")(0, x, rest, F);
        differences.push_back(largest_difference(tangential(std::span(F).first(4)), tangential(exact)));
        result.rows.push_back({power_of_ten(omega), "averaged force minus appendix B, tangential accelerations",
                               std::nullopt, differences.back(), true, 0});
    }
    auto& picture = result.pictures.emplace_back(
        log_log("Appendix B: differences that fall as 1/omega", "omega", "largest difference",
                {{"averaged force and formula", omegas, differences, Curve::Style::marked}}));
    const double force_slope = slope(omegas, differences);
    result.claims.push_back({"the averaged force differs from the formula of appendix B by O(1/omega): slope",
                             force_slope, std::abs(force_slope + 1) < 0.1});

    constexpr double t_end = 0.3;
    const auto exactly =
        solve(averaged, {.start = start, .t_end = t_end, .method = "direct", .rtol = 1e-11, .atol = 1e-13});
    omegas = {1e4, 1e5, 1e6};
    differences.clear();
    for (const double omega : omegas) {
        const auto run =
            plain_run(pendulum.vibrated(omega),
                      {.start = start,
                       .t_end = t_end,
                       .method = "rattle-shake",
                       .rtol = 1e-9,
                       .atol = 1e-11,
                       .options = {.micro = "rattle6", .micro_steps_per_period = 64, .initial = "averaged"}});
        differences.push_back(largest_difference(run.final_state().position, exactly.final_state().position));
        result.rows.push_back({power_of_ten(omega), "rattle-shake minus the averaged equation at t = 0.3", std::nullopt,
                               differences.back(), true, 0});
    }
    picture.curves.push_back({"motion and averaged equation", omegas, differences, Curve::Style::marked});
    const double averaged_slope = slope(omegas, differences);
    result.claims.push_back(
        {"the computed motion approaches that of the averaged equation of appendix B as 1/omega: slope", averaged_slope,
         std::abs(averaged_slope + 1) < 0.15});

    omegas = {3e3, 1e4, 3e4, 1e5};
    differences.clear();
    for (const double omega : omegas) {
        const auto run =
            plain_run(pendulum.vibrated(omega),
                      {.start = start, .t_end = t_end, .method = "rattle-shake", .rtol = 1e-8, .atol = 1e-10});
        const auto direct = solve(pendulum.vibrated(omega),
                                  {.start = start, .t_end = t_end, .method = "direct", .rtol = 1e-9, .atol = 1e-11});
        double distance = 0;
        for (int k = 0; k <= 30; ++k) {
            distance = larger(
                distance, largest_difference(run.slow(t_end * k / 30).position, direct.slow(t_end * k / 30).position));
        }
        differences.push_back(distance);
        result.rows.push_back(
            {fmt::format("{:.0e}", omega), "rattle-shake minus the true solution", std::nullopt, distance, true, 0});
    }
    picture.curves.push_back({"averaged and true motion", omegas, differences, Curve::Style::marked});
    picture.curves.push_back(power_line("1/omega", {1e3, 1e6}, 2e3 * differences.front(), -1));
    const double true_slope = slope(omegas, differences);
    result.claims.push_back({"the averaged motion is within O(1/omega) of the true one: slope", true_slope,
                             std::abs(true_slope + 1) < 0.15});

    const Request to_one{.start = start, .t_end = 1, .method = "direct", .rtol = 1e-10, .atol = 1e-12};
    const auto at_one = [&](const char* label, const Solution& run, double reference) {
        result.rows.push_back({.label = label,
                               .column = "q1 at t=1",
                               .computed = angles(run.final_state())[0],
                               .tolerance = 1e-4 / reference,
                               .reference = reference});
    };
    at_one("averaged equation", solve(averaged, to_one), 0.0310);
    at_one("true solution, 1e4", solve(pendulum.vibrated(1e4), to_one), 0.10273);
    return result;
}

}  // namespace

std::vector<Reproduction> vibrated_constraints() {
    const std::string paper = "vibrated";
    return {
        {"vibrated/figure-4.1", "Double pendulum in descriptor form: angles and multipliers", paper,
         double_pendulum_parameters() +
             "; omega = 1e4, T = 1. SHAKE-SHAKE with H = 1/80 and 1/160, h = (2 pi/omega)(H/0.4), one-period filter "
             "(half of it by symmetry); for the claims also RATTLE-SHAKE, omega = 1e6 and 1e8, H down to 1/2560.",
         figure},
        {"vibrated/section-4.3", "Orders on the constraints, and reversibility of RATTLE-SHAKE", paper,
         double_pendulum_parameters() + "; omega = 1e4, one-period filter. Orders at t = 0.25 with 32 SHAKE "
                                        "micro-steps a period, against 640 steps of RATTLE composed to order 8; "
                                        "reversibility over 1,000 steps of H = 1/160 with 64 micro-steps a period.",
         orders},
        {"vibrated/appendix-b", "Averaged force and motion on the constraints", paper,
         double_pendulum_parameters() +
             ", T = 0.3 (and 1). Forces at q_1 = 0.5, q_2 = 0.2 with 64 micro-steps of order 6 a period and the "
             "one-period filter; RATTLE-SHAKE with rtol = 1e-9, atol = 1e-11, beside the true motion with rtol = 1e-8, "
             "atol = 1e-10; the averaged equation and the true motion: direct integration with rtol from 1e-9 to "
             "1e-11.",
         appendix_b}};
}

}  // namespace lento::papers
