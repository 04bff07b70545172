/// Figures 3.1, 3.2 and 4.2 of the paper reversible.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "reproduction.hpp"
#include "reversible_systems.hpp"

namespace lento::papers {
namespace {

constexpr double pi = std::numbers::pi;

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Single macro-steps of the spiral, with a fast motion slow enough to be drawn.
class SpiralPicture {
public:
    SpiralPicture()
        : average_(slow_average(expanding_spiral(eps), "rk4", 0, std::array{1.0, 0.0})),
          field_(paper_windows(*average_, eps / 50, 6 * 2 * pi * eps)) {}

    /// x_0, and the end of an Euler step: on the ray through x_0 at the radius 1 + H.
    Result euler() {
        const Eigen::Vector2d x0(1, 0);
        const auto point = field_.at(0, std::array{1.0, 0.0});
        const Eigen::VectorXd x1 = x0 + H * SlowField::field(point);
        Result result;
        result.claims.push_back(claim("the end of the step differs from e^H in radius by O(H^2): at most H^2",
                                      std::abs(x1.norm() - std::exp(H)), H * H));
        result.claims.push_back(
            claim("it lies on the ray of its start: the fast phase stands still", std::abs(x1[1]), 1e-6));
        result.pictures.push_back(picture("Figure 3.1: a forward Euler step of the expanding spiral", {x0, x1}));
        return result;
    }

    /// x_0, x_1 in the middle, x_2.
    Result leapfrog() {
        const Eigen::Vector2d x0(1, 0);
        const Eigen::VectorXd x1 = std::exp(H) * x0;
        const auto middle = field_.at(H, std::span(x1.data(), 2));
        const auto found =
            reconstructed(Reconstruct::symmetric, middle, field_.curvatures(middle), x0, 2 * H * middle.rates);
        const auto back = field_.at(H, std::span(x1.data(), 2));
        const auto returned =
            reconstructed(Reconstruct::symmetric, back, field_.curvatures(back), found.x, -2 * H * back.rates);
        Result result;
        result.claims.push_back(claim("the end of the step differs from e^(2H) in radius by O(H^3): at most 4 H^3",
                                      std::abs(found.x.norm() - std::exp(2 * H)), 4 * H * H * H));
        result.claims.push_back(claim("with both ends exchanged the step leads back", (returned.x - x0).norm(), 1e-13));
        result.pictures.push_back(picture("Figure 3.2: a leapfrog step of the expanding spiral", {x0, x1, found.x}));
        return result;
    }

private:
    static constexpr double eps = 0.01;
    static constexpr double H = 0.1;

    static Claim claim(std::string text, double measured, double bound) {
        return {std::move(text), measured, measured <= bound};
    }
    static Picture picture(std::string title, const std::vector<Eigen::VectorXd>& points) {
        Curve spiral{.label = "the true motion", .x = {}, .y = {}};
        for (double t = -0.02; t < 2.2 * H; t += eps / 30) {
            spiral.x.push_back(std::exp(t) * std::cos(t / eps));
            spiral.y.push_back(std::exp(t) * std::sin(t / eps));
        }
        Curve marks{.label = "ends of macro-steps", .x = {}, .y = {}, .style = Curve::Style::dots};
        for (const auto& point : points) {
            marks.x.push_back(point[0]);
            marks.y.push_back(point[1]);
        }
        return {std::move(title), "z_1", "z_2", {spiral, marks}, Picture::Axes::equal};
    }

    std::unique_ptr<SlowAverage> average_;
    SlowField field_;
};

/// The pendulum of section 4.1 over T = 20.
class PendulumFigure {
public:
    Result compute() {
        Result result;
        const Run quarter = leapfrog(1 / 4.0);
        result.not_judged = "Seconds are those of another machine.";
        for (const auto& [label, H, reference] : {Expected{"1/4", 1 / 4.0, 0.25},
                                                  {"1/8", 1 / 8.0, 0.066},
                                                  {"1/16", 1 / 16.0, 0.0175},
                                                  {"1/32", 1 / 32.0, 0.0058}}) {
            result.rows.push_back({label, "leapfrog: error in theta", {}, leapfrog(H).error, true, 0.1, reference});
        }
        const Run midpoint = by_midpoint(1 / 4.0);
        const Run long_steps = by_midpoint(1 / 2.0);
        const Run eighth = leapfrog(1 / 8.0);
        const Run midpoint_eighth = by_midpoint(1 / 8.0);
        for (const auto& [label, run] : {std::pair{"1/4", &quarter}, {"1/8", &eighth}}) {
            result.rows.push_back({label, "leapfrog: error in xi_3", {}, run->velocity_error});
        }
        for (const auto& [label, run] :
             {std::pair{"1/2", &long_steps}, {"1/4", &midpoint}, {"1/8", &midpoint_eighth}}) {
            result.rows.push_back({label, "midpoint: error in theta", {}, run->error});
            result.rows.push_back({label, "midpoint: error in xi_3", {}, run->velocity_error});
        }
        result.rows.push_back({"1/4", "leapfrog: energy at the end over that at the start", {}, quarter.energy});
        result.rows.push_back({"1/4", "midpoint: energy at the end over that at the start", {}, midpoint.energy});
        result.rows.push_back({"1/4", "leapfrog: evaluations", {}, quarter.evaluations});
        result.rows.push_back({"1/4", "midpoint: evaluations", {}, midpoint.evaluations});
        result.rows.push_back({"1/2", "midpoint: evaluations", {}, long_steps.evaluations});
        result.claims.push_back(
            {"never more than two Newton iterations", double(quarter.iterations), quarter.iterations <= 2});
        result.claims.push_back({"xi_2 is constant with an error of less than 1e-8 %: in %", 100 * quarter.invariant,
                                 100 * quarter.invariant < 1e-8});
        result.claims.push_back(
            {"with the mid-point rule errors are visibly larger: largest error in theta over that of the leapfrog",
             midpoint.error / quarter.error,
             midpoint.error > quarter.error && midpoint.velocity_error > quarter.velocity_error, Source::paper,
             fmt::format("At H = 1/4 they are smaller in theta ({:.3f} against {:.3f}) and {} in xi_3 ({:.3f} against "
                         "{:.3f}), at H = 1/8 {:.4f} against {:.4f} in theta; what is larger is the energy at the end: "
                         "{:.2f} times that of the start against {:.2f}",
                         midpoint.error, quarter.error,
                         midpoint.velocity_error > quarter.velocity_error ? "larger" : "smaller",
                         midpoint.velocity_error, quarter.velocity_error, midpoint_eighth.error, eighth.error,
                         midpoint.energy, quarter.energy)});
        result.claims.push_back(
            {"the reversible method allows bigger macro-steps than a non-reversible method of the same order: error in "
             "theta of the midpoint rule with H = 1/4 over that of the leapfrog",
             midpoint.error / quarter.error, midpoint.error > quarter.error, Source::paper,
             fmt::format(
                 "With steps of equal length the midpoint rule is the more accurate one over T = 20. With as many "
                 "windows, which is H = 1/2 for the midpoint rule, its error is {:.2f} times that of the leapfrog",
                 long_steps.error / quarter.error)});
        result.claims.push_back(
            {"the energy of the averaged motion grows with the midpoint rule, by this factor, and stays within 10 % "
             "with the leapfrog",
             midpoint.energy, midpoint.energy > 1.5 && std::abs(quarter.energy - 1) <= 0.1, Source::lento});
        result.claims.push_back(
            {"with as many windows (H = 1/2) the midpoint rule's error in theta is larger: times that of the leapfrog",
             long_steps.error / quarter.error, long_steps.error > 1.5 * quarter.error, Source::lento});
        const double fewer = T / h / quarter.evaluations;
        result.claims.push_back(
            {"evaluations: about 4,000 times fewer than Verlet with the same micro-step, within 10 %", fewer,
             std::abs(fewer / 4000 - 1) <= 0.1, Source::lento});
        result.rows.push_back(
            {"1/4", "times faster than Verlet by the clock", 5000, verlet_seconds() / quarter.seconds, false});
        result.pictures.push_back(picture("Figure 4.2 (a): leapfrog, H = 1/4", quarter));
        result.pictures.push_back(picture("Figure 4.2 (b): midpoint rule, H = 1/4", midpoint));
        return result;
    }

private:
    static constexpr double eps = 1e-5;
    static constexpr double h = eps / 25;
    static constexpr double eta = 6.2 * eps;
    static constexpr double T = 20;
    const std::vector<double> start_{0, -0.4, 0, 1};

    struct Expected {
        const char* label;
        double H, error;
    };
    struct Run {
        double error = 0, velocity_error = 0, invariant = 0, energy = 0, evaluations = 0, seconds = 0;
        int iterations = 0;
        Curve angle{.label = "xi_1, HMM", .x = {}, .y = {}, .style = Curve::Style::dots, .colour = 0},
            velocity{.label = "xi_3, HMM", .x = {}, .y = {}, .style = Curve::Style::dots, .colour = 1};
    };

    /// Of the averaged equation theta'' = 2 sin theta - c^2/2 sin theta cos theta, c = 1/(2 pi l).
    static double energy(std::span<const double> x) {
        constexpr double c = 1 / (2 * pi * 0.05);
        const double w = slow_pendulum_velocity(x);
        return w * w / 2 + 2 * (std::cos(x[0]) - 1) + c * c / 4 * std::sin(x[0]) * std::sin(x[0]);
    }
    void add(Run& run, double t, std::span<const double> x) {
        const auto exact = averaged_.slow(t).position;
        run.error = larger(run.error, std::abs(x[0] - exact[0]));
        run.velocity_error = larger(run.velocity_error, std::abs(slow_pendulum_velocity(x) - exact[1]));
        run.invariant = larger(run.invariant, std::abs(x[2] * x[2] + x[3] * x[3] - 1));
        run.energy = energy(x) / 0.08;
        run.angle.x.push_back(t);
        run.angle.y.push_back(x[0]);
        run.velocity.x.push_back(t);
        run.velocity.y.push_back(slow_pendulum_velocity(x));
    }

    Run leapfrog(double H) {
        Run run;
        const double began = seconds();
        const auto average = slow_average(slow_pendulum(eps), "verlet", 0, start_);
        auto field = paper_windows(*average, h, eta);
        const auto steps = static_cast<std::int64_t>(std::round(T / H));
        std::vector<std::pair<double, Eigen::VectorXd>> points;
        const StepTaker taker{.point = [&](double t, const Eigen::VectorXd& x) { points.emplace_back(t, x); }};
        const auto result = LeapfrogMarch(field, {.interval = {0, T}, .steps = steps, .kind = Reconstruct::nearest})
                                .from(vector_of(start_), taker, {});
        run.seconds = seconds() - began;
        run.iterations = result.most_iterations;
        // The last window serves the outputs at the end alone.
        run.evaluations = static_cast<double>(average->flow().evaluations()) * static_cast<double>(steps + 1) /
                          static_cast<double>(steps + 2);
        for (const auto& [t, x] : points) {
            add(run, t, {x.data(), start_.size()});
        }
        return run;
    }
    Run by_midpoint(double H) {
        Run run;
        Request request{.start = start_, .t_end = T, .method = "reversible"};
        request.options = {.macro = "midpoint",
                           .macro_step = H,
                           .micro = "verlet",
                           .micro_step = h,
                           .filter = "gentle",
                           .window = eta};
        request.samples = static_cast<std::size_t>(std::round(T / H)) + 1;
        request.sink = [&](double t, std::span<const double> x) { add(run, t, x); };
        run.evaluations = static_cast<double>(plain_run(slow_pendulum(eps), request).statistics().force_evaluations);
        return run;
    }
    /// Of the whole run, from its first hundredth.
    double verlet_seconds() {
        constexpr double share = 0.01;
        const auto average = slow_average(slow_pendulum(eps), "verlet", 0, start_);
        std::vector<double> increment(start_.size());
        const double began = seconds();
        average->flow().follow({.h = h, .steps = static_cast<std::int64_t>(share * T / h)}, start_, increment);
        return (seconds() - began) / share;
    }

    Picture picture(std::string title, const Run& run) {
        Curve angle{.label = "xi_1, averaged equation", .x = {}, .y = {}, .colour = 0};
        Curve velocity{
            .label = "xi_3, averaged equation", .x = {}, .y = {}, .style = Curve::Style::dashed, .colour = 1};
        constexpr int intervals = 400;
        for (int k = 0; k <= intervals; ++k) {
            const double t = T * k / intervals;
            const auto state = averaged_.slow(t).position;
            angle.x.push_back(t);
            angle.y.push_back(state[0]);
            velocity.x.push_back(t);
            velocity.y.push_back(state[1]);
        }
        return {std::move(title), "t", "xi_1 = theta_1, xi_3", {run.angle, angle, run.velocity, velocity}};
    }

    const Solution averaged_ = averaged_pendulum(T);
};

}  // namespace

std::vector<Reproduction> reversible_figures() {
    const std::string paper = "reversible";
    const std::string spiral =
        "eps = 0.01, z(0) = (1, 0), one macro-step of H = 0.1 (a leapfrog step spans 2H); RK4 micro-steps h = eps/50, "
        "kernel (2.9) over six turns (eta = 12 pi eps).";
    return {
        {"reversible/figure-3.1", "A forward Euler step of the expanding spiral", paper, spiral,
         [] { return SpiralPicture().euler(); }},
        {"reversible/figure-3.2", "A leapfrog step of the expanding spiral", paper, spiral,
         [] { return SpiralPicture().leapfrog(); }},
        {"reversible/figure-4.2", "Inverted pendulum: leapfrog and midpoint rule", paper,
         "g = 0.1, l = 0.05, eps = 1e-5, theta_1 = 0, theta_2 = -0.4, psi_1 = 0, psi_2 = 1 at t = 0, T = 20. Verlet "
         "micro-steps h = eps/25, eta = 6.2 eps, kernel (2.9), H = 1/4 (leapfrog (3.12) also 1/8, 1/16, 1/32; midpoint "
         "rule also 1/2, 1/8). Largest errors against the averaged equation, solved with rtol = 1e-11, atol = 1e-13.",
         [] { return PendulumFigure().compute(); }}};
}

}  // namespace lento::papers
