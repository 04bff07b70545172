/// The motion of the pendulum of the paper vibrated: figure 2.1, what section 2.1 says of its structure, and its slow
/// variables (appendix A).
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "average/fast_part.hpp"
#include "base/number.hpp"
#include "lento/lento.hpp"
#include "pendulum.hpp"
#include "plain_run.hpp"
#include "problem/partition.hpp"
#include "problem/probe.hpp"
#include "reproduction.hpp"
#include "slope.hpp"

namespace lento::papers {
namespace {

const Pendulum pendulum;
constexpr std::array frequencies{4e3, 1.6e4, 6.4e4};
constexpr int looks = 2000;  // at a run of length 1

/// (2.2) with every vibration resolved.
Solution resolved(double omega) {
    return solve(pendulum.vibrated(omega),
                 {.start = {0.5}, .t_end = 1, .method = "direct", .rtol = 1e-10, .atol = 1e-11});
}

/// Figures at several frequencies, rows of a column, and their slope.
struct Column {
    std::string name;
    std::vector<double> omegas{}, values{};

    void add(Result& result, double omega, double value) {
        omegas.push_back(omega);
        values.push_back(value);
        result.rows.push_back({fmt::format("omega={:g}", omega), name, std::nullopt, value, true, 0});
    }
    double slope() const { return papers::slope(omegas, values); }
    Curve curve() const { return {name, omegas, values, Curve::Style::marked}; }
};

void claim_order(Result& result, const std::string& text, const Column& column, double order) {
    const double found = column.slope();
    result.claims.push_back({text + ": slope in omega", found, std::abs(found - order) < 0.1});
}

// --- Figure 2.1 and section 2.1 ------------------------------------------------------------------------------------

/// Of q and q', with the time in the middle.
PhasePoint mean_over_period(const Solution& motion, double t, double omega) {
    constexpr int parts = 32;
    PhasePoint mean{{0}, {0}};
    for (int j = 0; j < parts; ++j) {
        const auto x = motion.slow(t + 2 * std::numbers::pi / omega * ((j + 0.5) / parts - 0.5));
        mean.position[0] += x.position[0] / parts;
        mean.velocity[0] += x.velocity[0] / parts;
    }
    return mean;
}

/// q and q' for omega = 200, oscillatory and averaged: the curves at ten times, and what the picture shows.
Result figure() {
    constexpr double omega = 200;
    const auto oscillatory =
        solve(pendulum.vibrated(omega), {.start = {0.5}, .t_end = 1, .method = "direct", .rtol = 1e-10, .atol = 1e-12});
    const auto averaged =
        plain_run(pendulum.vibrated(omega), {.start = {0.5}, .t_end = 1, .method = "hmm-async", .rtol = 1e-8});
    Result result;
    double displacement = 0, velocity = 0, sine = 0, highest = 0;
    Picture angle{
        "Figure 2.1, left: pendulum angle, omega = 200", "t", "q", {{"oscillatory", {}, {}}, {"averaged", {}, {}}}};
    Picture rate{
        "Figure 2.1, right: angular velocity, omega = 200", "t", "q'", {{"oscillatory", {}, {}}, {"averaged", {}, {}}}};
    const auto draw = [](Curve& curve, double t, double value) {
        curve.x.push_back(t);
        curve.y.push_back(value);
    };
    constexpr int samples = 2000;
    for (int k = 0; k <= samples; ++k) {
        const double t = static_cast<double>(k) / samples;
        const auto q = oscillatory.slow(t);
        const auto Q = averaged.slow(t);
        if (k % (samples / 10) == 0) {
            const std::string label = fmt::format("{:.1f}", t);
            result.rows.push_back({label, "q", std::nullopt, q.position[0], true, 0});
            result.rows.push_back({label, "q averaged", std::nullopt, Q.position[0], true, 0});
            result.rows.push_back({label, "q'", std::nullopt, q.velocity[0], true, 0});
            result.rows.push_back({label, "q' averaged", std::nullopt, Q.velocity[0], true, 0});
        }
        draw(angle.curves[0], t, q.position[0]);
        draw(angle.curves[1], t, Q.position[0]);
        draw(rate.curves[0], t, q.velocity[0]);
        draw(rate.curves[1], t, Q.velocity[0]);
        if (std::abs(t - 0.5) < 0.5 - std::numbers::pi / omega) {
            const auto mean = mean_over_period(oscillatory, t, omega);
            displacement = larger(displacement, std::abs(q.position[0] - mean.position[0]));
            velocity = larger(velocity, std::abs(q.velocity[0] - mean.velocity[0]));
            sine = larger(sine, std::abs(std::sin(mean.position[0])));
        }
        highest = larger(highest, std::abs(q.position[0]));
    }
    result.pictures = {angle, rate};
    // The upward position is a well of (2.5) between the angles at which its averaged force vanishes again.
    const double brim = std::acos(2 * pendulum.g * pendulum.l / (pendulum.v_max * pendulum.v_max));
    constexpr double same_size = 0.1;  // O(1/omega), and what a mean over one vibration, 0.03, smooths away
    const double small = displacement / (pendulum.v_max / (pendulum.l * omega) * sine);
    const double large = velocity / (pendulum.v_max / pendulum.l * sine);
    result.claims.push_back({fmt::format("the pendulum oscillates around the upward position, which is where |q| < "
                                         "{:.3f}: largest |q|",
                                         brim),
                             highest, highest < brim});
    result.claims.push_back(
        {"q is an averaged motion plus a rapid oscillation of small amplitude v_max/(l omega) sin "
         "Q: largest distance over that",
         small, std::abs(small - 1) < same_size});
    result.claims.push_back(
        {"the difference between q' and its average is not small: largest difference over v_max/l "
         "sin Q",
         large, std::abs(large - 1) < same_size});
    return result;
}

Result structure() {
    Result result;
    Column position{"|q - Q - s sin(Q)/l|"}, velocity{"|p - P - v sin(Q)/l|"}, gap{"|p - P|"}, rate{"|p'|"};
    for (const double omega : frequencies) {
        const auto exact = resolved(omega);
        // The slow motion to any order in 1/omega, so that nothing of it is left in the differences.
        const auto slow = solve(pendulum.vibrated(omega),
                                {.start = {0.5}, .t_end = 1, .method = "harmonic", .rtol = 1e-9, .atol = 1e-10});
        double q = 0, p = 0, apart = 0, steep = 0;
        for (int k = 0; k <= looks; ++k) {
            const double t = static_cast<double>(k) / looks;
            const auto x = exact.slow(t);
            const auto X = slow.slow(t);
            const double theta = reduced_phase(omega, t, 0);
            const double s = -pendulum.v_max / omega * std::cos(theta);
            const double v = pendulum.v_max * std::sin(theta);
            const double along = std::sin(X.position[0]) / pendulum.l;
            q = larger(q, std::abs(x.position[0] - X.position[0] - s * along));
            p = larger(p, std::abs(x.velocity[0] - X.velocity[0] - v * along));
            apart = larger(apart, std::abs(x.velocity[0] - X.velocity[0]));
            steep = larger(steep, std::abs((pendulum.g + pendulum.v_max * omega * std::cos(theta)) / pendulum.l *
                                           std::sin(x.position[0])));
        }
        position.add(result, omega, q);
        velocity.add(result, omega, p);
        gap.add(result, omega, apart);
        rate.add(result, omega, steep);
    }
    claim_order(result, "up to terms of size O(omega^-2), q is Q + s sin(Q)/l (2.4)", position, -2);
    claim_order(result, "up to terms of size O(omega^-1), p is P + v sin(Q)/l (2.7)", velocity, -1);
    claim_order(result, "the difference between p and P is not small", gap, 0);
    claim_order(result, "the true angular velocity has p' = O(omega)", rate, 1);
    result.pictures.push_back(log_log("Section 2.1: what (2.4) and (2.7) leave out", "omega", "largest difference",
                                      {position.curve(), velocity.curve(), gap.curve()}));
    return result;
}

// --- Appendix A ----------------------------------------------------------------------------------------------------

/// What is fast along the motion: of the momentum p*, and of the velocity p.
void follow_momenta(Result& result) {
    Column momentum{"|p*|"}, slow{"|p*'|"}, fast{"|p'|"}, swing_q{"|q - Q|"}, swing_p{"|p* - P*|"};
    for (const double omega : frequencies) {
        const auto system = pendulum.in_momentum(omega);
        Acceleration rates(system);
        const auto averaged =
            solve(system, {.start = {0.5, 0}, .t_end = 1, .method = "harmonic", .rtol = 1e-8, .atol = 1e-9});
        const auto exact = resolved(omega);
        double size = 0, steep = 0, steeper = 0, q = 0, p = 0;
        for (int k = 0; k <= looks; ++k) {
            const double t = static_cast<double>(k) / looks;
            const double theta = reduced_phase(omega, t, 0);
            const auto x = exact.slow(t);
            const double star = x.velocity[0] - pendulum.v_max * std::sin(theta) / pendulum.l * std::sin(x.position[0]);
            const auto Y = averaged.slow(t).position;
            size = larger(size, std::abs(star));
            steep = larger(steep, std::abs(rates.at(std::vector{x.position[0], star}, {}, t, std::vector{theta})[1]));
            steeper = larger(steeper, std::abs((pendulum.g + pendulum.v_max * omega * std::cos(theta)) / pendulum.l *
                                               std::sin(x.position[0])));
            q = larger(q, std::abs(x.position[0] - Y[0]));
            p = larger(p, std::abs(star - Y[1]));
        }
        momentum.add(result, omega, size);
        slow.add(result, omega, steep);
        fast.add(result, omega, steeper);
        swing_q.add(result, omega, q);
        swing_p.add(result, omega, p);
    }
    claim_order(result, "p* takes O(1) values", momentum, 0);
    claim_order(result, "p* evolves slowly", slow, 0);
    claim_order(result, "p evolves fast", fast, 1);
    claim_order(result, "the micro-variable q varies slowly, its distance from its average falls", swing_q, -1);
    claim_order(result, "the micro-variable p* varies slowly, its distance from its average falls", swing_p, -1);
    result.pictures.push_back(log_log("Appendix A: fast parts and rates along the motion", "omega", "largest",
                                      {slow.curve(), fast.curve(), swing_q.curve(), swing_p.curve()}));
}

/// The rates averaged in a window at (0.5, 0.7), phase 1, less (P, F(Q)) of (2.5).
double error_of_rates(double omega, const std::string& filter_name, const std::vector<double>& moved) {
    const auto system = pendulum.in_momentum(omega);
    Acceleration rates(system);
    const Filter filter(filter_name);
    const auto each_side = static_cast<std::size_t>(filter.usual_periods() * 32);
    const auto window = make_window("dopri8", rates, time_scales(system), {FilterWeights(filter, each_side), 64});
    const auto y = combined(std::vector{0.5, 0.7}, 1, moved);
    const std::vector<double> phases{1.0};
    std::vector<double> F(2);
    window->average_acceleration({.x = y, .v = {}, .phases = phases}, F);
    return std::hypot(F[0] - 0.7, F[1] - pendulum.averaged_force(0.5));
}

void average_rates(Result& result) {
    Column plain{"averaged rates minus (2.5), windows from (Q, P*)"}, moved{"windows from the true state"},
        flat{"the same with flat8"};
    for (const double omega : frequencies) {
        const auto system = pendulum.in_momentum(omega);
        Acceleration rates(system);
        const std::vector<double> Y{0.5, 0.7};
        const auto fast = FastPart(rates, Y, {}, 0).at(Y, {}, 0, std::vector{1.0}).displacement;
        plain.add(result, omega, error_of_rates(omega, "cos8", {0, 0}));
        moved.add(result, omega, error_of_rates(omega, "cos8", fast));
        flat.add(result, omega, error_of_rates(omega, "flat8", fast));
    }
    result.claims.push_back(
        {"an HMM similar to Algorithm 1 could be applied without having to worry about non-trivial relations: error of "
         "rates averaged from (Q, P*) as it is, slope in omega",
         plain.slope(), std::abs(plain.slope() + 1) < 0.15});
    result.claims.push_back({"with the fast part of q and p* added, as hmm-sync does, it is of second order: slope",
                             moved.slope(), std::abs(moved.slope() + 2) < 0.15, Source::lento});
}

/// Runs of both algorithms on (q, p*): from averaged data against (2.5), and the true motion against (2.2).
void follow_motion(Result& result) {
    const auto reference = pendulum.averaged_reference();
    for (const std::string method : {"hmm-sync", "hmm-async"}) {
        Column from_true{fmt::format("{} minus (2.5)", method)},
            true_motion{fmt::format("{}, true q at t = 1", method)};
        for (const double omega : frequencies) {
            const auto run = plain_run(pendulum.in_momentum(omega), {.start = {0.5, 0},
                                                                     .t_end = 1,
                                                                     .method = method,
                                                                     .rtol = 1e-10,
                                                                     .atol = 1e-10,
                                                                     .options = {.filter = "cos8"}});
            double distance = 0;
            for (int k = 0; k <= looks; ++k) {
                const double t = static_cast<double>(k) / looks;
                distance = larger(distance, std::abs(run.slow(t).position[0] - reference.slow(t).position[0]));
            }
            from_true.add(result, omega, distance);
            true_motion.add(result, omega,
                            std::abs(run.fast(1).position[0] - resolved(omega).final_state().position[0]));
        }
        result.claims.push_back({fmt::format("{} on (q, p*) is within O(1/omega) of (2.5): slope", method),
                                 from_true.slope(), std::abs(from_true.slope() + 1) < 0.1, Source::lento});
        result.claims.push_back({fmt::format("{} on (q, p*) has the true motion to second order: slope", method),
                                 true_motion.slope(), std::abs(true_motion.slope() + 2) < 0.15, Source::lento});
    }
}

Result slow_variables() {
    Result result;
    follow_momenta(result);
    average_rates(result);
    follow_motion(result);
    const auto parts = partition_of(pendulum.in_momentum(1e4), 0, std::vector{0.5, 0.0});
    result.claims.push_back(
        {"the Hamiltonian problem is not separable and cannot be integrated by Verlet: 1 if q and p* "
         "are no position and momentum of their own",
         parts ? 0.0 : 1.0, !parts});
    return result;
}

}  // namespace

std::vector<Reproduction> vibrated_motion() {
    const std::string given = pendulum_parameters() + ", q(0) = 0.5 at rest, T = 1. ";
    return {
        {"vibrated/figure-2.1", "Pendulum angle and velocity for omega = 200, oscillatory and averaged", "vibrated",
         pendulum_parameters() + ", omega = 200, q(0) = 0.5, q'(0) = 0, T = 1. Oscillatory: direct integration with "
                                 "rtol = 1e-10, atol = 1e-12; averaged: Algorithm 2 with rtol = 1e-8, atol = 1e-9.",
         figure},
        {"vibrated/section-2.1", "How far position and velocity are from (2.4) and (2.7)", "vibrated",
         given + "(2.2) by direct integration and the slow motion by harmonic averages, with rtol = 1e-10 and "
                 "1e-9, atol a tenth of that; the largest difference at 2,001 times.",
         structure},
        {"vibrated/appendix-a", "Slow variables of the pendulum: the angle and the momentum of its Lagrangian",
         "vibrated",
         given + "p* over m l^2. The motion by direct integration, averages by harmonic ones, with rtol = 1e-10 and "
                 "1e-8, atol a tenth of that. Rates at q = 0.5, p* = 0.7 and phase 1, with 64 steps of order 8 a "
                 "period and "
                 "the cos8 or flat8 filter; hmm-sync and hmm-async with cos8 and rtol = atol = 1e-10.",
         slow_variables}};
}

}  // namespace lento::papers
