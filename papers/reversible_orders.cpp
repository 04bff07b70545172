/// Sections 2.2 and 3 of the paper reversible: the orders of its macro-steps, and whether they lead back.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "reproduction.hpp"
#include "reversible_systems.hpp"
#include "slope.hpp"

namespace lento::papers {
namespace {

using Eigen::VectorXd;

enum class MacroStep { euler, midpoint, field, tangent, nearest, symmetric };

struct NamedStep {
    MacroStep step;
    const char* name;
};
constexpr std::array macro_steps{NamedStep{MacroStep::euler, "(2.6)"},    NamedStep{MacroStep::midpoint, "midpoint"},
                                 NamedStep{MacroStep::field, "(2.7)"},    NamedStep{MacroStep::tangent, "(3.9)"},
                                 NamedStep{MacroStep::nearest, "(3.12)"}, NamedStep{MacroStep::symmetric, "symmetric"}};

Reconstruct reconstruct_of(MacroStep step) {
    switch (step) {
        case MacroStep::field:
            return Reconstruct::field;
        case MacroStep::tangent:
            return Reconstruct::tangent;
        case MacroStep::nearest:
            return Reconstruct::nearest;
        default:
            return Reconstruct::symmetric;
    }
}

/// A problem whose slow motion is known, and how far a state is from it.
struct Case {
    Problem problem;
    const char* micro;
    double h, width, T;
    VectorXd start;
    std::function<double(double t, const VectorXd& x)> error;
    /// x_1 where it is not to be found by a first step.
    std::function<VectorXd(double H)> second{};
};

class Orders {
public:
    explicit Orders(Case made)
        : case_(std::move(made)),
          average_(slow_average(case_.problem, case_.micro, 0, span_of(case_.start))),
          field_(paper_windows(*average_, case_.h, case_.width)) {}

    /// The largest error at macro-times.
    double error(MacroStep step, double H) {
        double worst = 0;
        const auto see = [&](double t, const VectorXd& x) { worst = larger(worst, case_.error(t, x)); };
        const auto steps = static_cast<std::int64_t>(std::llround(case_.T / H));
        if (step == MacroStep::euler || step == MacroStep::midpoint) {
            VectorXd x = case_.start;
            for (std::int64_t n = 1; n <= steps; ++n) {
                const double t = static_cast<double>(n - 1) * H;
                const VectorXd middle = step == MacroStep::euler ? x : VectorXd(x + H / 2 * field(t, x));
                x += H * field(step == MacroStep::euler ? t : t + H / 2, middle);
                see(t + H, x);
            }
            return worst;
        }
        LeapfrogMarch march(field_, {.interval = {0, case_.T}, .steps = steps, .kind = reconstruct_of(step)});
        const StepTaker taker{.point = see};
        const auto end =
            case_.second ? march.from(case_.start, case_.second(H), taker, {}) : march.from(case_.start, taker, {});
        return end.march.outcome == Outcome::completed ? worst : std::numeric_limits<double>::infinity();
    }

    /// Forward with steps H, and back with exchanged ends.
    double return_error(MacroStep step, double H, std::int64_t smooth_every = 0) {
        const auto steps = static_cast<std::int64_t>(std::llround(case_.T / H));
        LeapfrogPlan plan{.interval = {0, case_.T}, .steps = steps, .kind = reconstruct_of(step)};
        plan.smooth_every = smooth_every;
        const auto there = LeapfrogMarch(field_, plan).from(case_.start, {}, {});
        std::swap(plan.interval.from, plan.interval.to);
        return distance(LeapfrogMarch(field_, plan).from(there.end.last, there.end.before, {}, {}).end.last);
    }

    /// The same in the slow variables, where both last points are exchanged for others with the same slow variables.
    double slow_return_error(double H, const std::function<VectorXd(const VectorXd&)>& other) {
        const auto steps = static_cast<std::int64_t>(std::llround(case_.T / H));
        LeapfrogPlan plan{.interval = {0, case_.T}, .steps = steps, .kind = Reconstruct::nearest};
        const auto there = LeapfrogMarch(field_, plan).from(case_.start, {}, {});
        std::swap(plan.interval.from, plan.interval.to);
        const auto back = LeapfrogMarch(field_, plan).from(other(there.end.last), other(there.end.before), {}, {});
        return (field_.values(0, span_of(back.end.last)) - field_.values(0, span_of(case_.start))).norm();
    }

private:
    VectorXd field(double t, const VectorXd& x) { return SlowField::field(field_.at(t, span_of(x))); }
    double distance(const VectorXd& x) const { return (x - case_.start).norm() / case_.start.norm(); }

    Case case_;
    std::unique_ptr<SlowAverage> average_;
    SlowField field_;
};

constexpr double eps = 1e-7;

Case spiral() {
    return {.problem = expanding_spiral(eps),
            .micro = "rk4",
            .h = eps / 25,
            .width = 60 * eps,
            .T = 1,
            .start = VectorXd{{1, 0}},
            .error = [](double t, const VectorXd& x) { return std::abs(x.squaredNorm() - std::exp(2 * t)); }};
}

/// Along an ellipse, from two points that differ in phase by 2 H.
Case turned_spiral() {
    const auto at = [](double t, double angle) {
        return VectorXd{{std::exp(t) * std::cos(angle), std::exp(t) * std::sin(angle) / 2}};
    };
    return {
        .problem = elliptic_spiral(eps),
        .micro = "rk4",
        .h = eps / 25,
        .width = 60 * eps,
        .T = 1,
        .start = at(0, 0.7),
        .error = [](double t, const VectorXd& x) { return std::abs(x[0] * x[0] + 4 * x[1] * x[1] - std::exp(2 * t)); },
        .second = [at](double H) { return at(H, 0.7 + 2 * H); }};
}

Case pendulum(const std::array<double, 2>& psi, double T) {
    const auto exact = std::make_shared<Solution>(averaged_pendulum(T));
    return {.problem = slow_pendulum(eps),
            .micro = "dopri8",
            .h = eps / 12,
            .width = 16 * eps,
            .T = T,
            .start = VectorXd{{0, -0.4, psi[0], psi[1]}},
            .error = [exact](double t, const VectorXd& x) { return std::abs(x[0] - exact->slow(t).position[0]); }};
}

/// Another fast phase with the same slow variables (4.3).
VectorXd with_phase(const VectorXd& x, double turn) {
    VectorXd other = x;
    other[2] = std::cos(turn) * x[2] - std::sin(turn) * x[3];
    other[3] = std::sin(turn) * x[2] + std::cos(turn) * x[3];
    other[1] += slow_pendulum_velocity(span_of(x)) - slow_pendulum_velocity(span_of(other));
    return other;
}

/// The orders of all macro-steps in one case.
struct Measured {
    std::map<MacroStep, double> order{}, finest{};
};

class Section {
public:
    Result compute() {
        const Measured on_spiral = measure("spiral", spiral(), {1 / 20.0, 1 / 40.0, 1 / 80.0});
        const Measured turned = measure("ellipse, x_1 turned", turned_spiral(), {1 / 40.0, 1 / 80.0, 1 / 160.0});
        const Measured special = measure("pendulum, psi = (0, 1)", pendulum(special_psi, 2), pendulum_steps);
        const Measured generic = measure("pendulum, psi = (0.6, 0.8)", pendulum(generic_psi, 2), pendulum_steps);
        claim_orders(on_spiral, turned, special, generic);
        claim_returns();
        claim_return_of_slow_variables();
        return std::move(result_);
    }

private:
    static constexpr std::array special_psi{0.0, 1.0}, generic_psi{0.6, 0.8};
    const std::vector<double> pendulum_steps{1 / 16.0, 1 / 32.0, 1 / 64.0};
    Result result_;

    Measured measure(const std::string& name, Case made, const std::vector<double>& H) {
        Orders orders(std::move(made));
        Measured measured;
        for (const auto& [step, label] : macro_steps) {
            std::vector<double> errors;
            for (const double length : H) {
                errors.push_back(orders.error(step, length));
            }
            measured.order[step] = slope(H, errors);
            measured.finest[step] = errors.back();
            result_.rows.push_back({label, name + ": order", {}, measured.order[step]});
        }
        for (const auto& [step, label] : macro_steps) {
            result_.rows.push_back(
                {label, fmt::format("{}: error at H = 1/{:.0f}", name, 1 / H.back()), {}, measured.finest[step]});
        }
        return measured;
    }

    void claim_orders(const Measured& on_spiral, const Measured& turned, const Measured& special,
                      const Measured& generic) {
        const auto is = [](double order, double expected) { return std::abs(order - expected) <= 0.15; };
        const auto range = [&](MacroStep step) {
            return std::minmax({on_spiral.order.at(step), special.order.at(step), generic.order.at(step)});
        };
        const auto euler = range(MacroStep::euler);
        result_.claims.push_back(
            {"the forward Euler macro-step has a local truncation error of second order in H: "
             "smallest order of the whole run",
             euler.first, is(euler.first, 1) && is(euler.second, 1)});
        const auto share = [&](MacroStep step) {
            return on_spiral.finest.at(step) / on_spiral.finest.at(MacroStep::nearest);
        };
        const auto field = range(MacroStep::field);
        result_.claims.push_back(
            {"the method (2.7) is only first order accurate in H: largest order", field.second, is(field.second, 1),
             Source::paper,
             fmt::format(
                 "Of order {:.2f} on the spiral of section 3 and {:.2f} and {:.2f} on the pendulum; on the spiral "
                 "its error is {:.2f} of that of (3.11). It is of order {:.2f} where x_0 and x_1 differ in "
                 "their fast phase by O(H), as on the ellipse",
                 on_spiral.order.at(MacroStep::field), special.order.at(MacroStep::field),
                 generic.order.at(MacroStep::field), share(MacroStep::field), turned.order.at(MacroStep::field))});
        const auto tangent = range(MacroStep::tangent);
        result_.claims.push_back(
            {"using (3.9) the global error is of order H: largest order", tangent.second, is(tangent.second, 1),
             Source::paper,
             fmt::format(
                 "Of order {:.2f} on the spiral of section 3, {:.2f} and {:.2f} on the pendulum, and {:.2f} on the "
                 "ellipse, where the point nearest to x_1 forgets the turn at once; on the spiral its error is "
                 "{:.2f} of that of (3.11)",
                 on_spiral.order.at(MacroStep::tangent), special.order.at(MacroStep::tangent),
                 generic.order.at(MacroStep::tangent), turned.order.at(MacroStep::tangent),
                 share(MacroStep::tangent))});
        const auto nearest = range(MacroStep::nearest);
        result_.claims.push_back({"(3.11) with (3.12) is a second order method: smallest order", nearest.first,
                                  is(nearest.first, 2) && is(nearest.second, 2)});
        const auto midpoint = range(MacroStep::midpoint);
        result_.claims.push_back({"the midpoint rule is of second order too (section 4.1): smallest order",
                                  midpoint.first, is(midpoint.first, 2) && is(midpoint.second, 2)});
        const double turned_order = turned.order.at(MacroStep::symmetric);
        const auto symmetric = range(MacroStep::symmetric);
        result_.claims.push_back(
            {"(3.11) with x_2 - x_0 in the span of the gradients is of second order, on the ellipse "
             "too: smallest order",
             std::min(symmetric.first, turned_order),
             is(symmetric.first, 2) && is(symmetric.second, 2) && is(turned_order, 2), Source::lento});
    }

    /// Over T = 20, as in section 4.1.
    void claim_returns() {
        constexpr double rounding = 1e-6;
        constexpr double H = 1 / 16.0;
        constexpr std::int64_t smooth_every = 50;
        Orders special(pendulum(special_psi, 20));
        Orders generic(pendulum(generic_psi, 20));
        std::map<MacroStep, double> from_special, from_generic;
        for (const auto& [step, label] : macro_steps) {
            if (step == MacroStep::euler || step == MacroStep::midpoint) {
                continue;
            }
            from_special[step] = special.return_error(step, H);
            from_generic[step] = generic.return_error(step, H);
            result_.rows.push_back({label, "psi = (0, 1): return error, H = 1/16", {}, from_special[step]});
            result_.rows.push_back({label, "psi = (0.6, 0.8): return error, H = 1/16", {}, from_generic[step]});
        }
        const double printed = std::max(from_special[MacroStep::nearest], from_special[MacroStep::tangent]);
        result_.claims.push_back(
            {"given x_N and x_{N-1}, (3.9) and (3.12) trace back to x_0 and x_1 up to round-off "
             "errors, from psi = (0, 1) as in section 4.1: return error",
             printed, printed <= rounding});
        result_.claims.push_back(
            {"and in general, as from psi = (0.6, 0.8): when the process is reversed the solution closest to x_1 is "
             "identical to x_0: return error of (3.12)",
             from_generic[MacroStep::nearest], from_generic[MacroStep::nearest] <= rounding, Source::paper,
             fmt::format(
                 "What is nearest to x_1 going forward is not nearest going back: (3.9) returns to within {:.2g}, "
                 "(3.12) to within {:.2g}. (2.7), and (3.11) with x_2 - x_0 in the span of the gradients, "
                 "return to within {:.1g}",
                 from_generic[MacroStep::tangent], from_generic[MacroStep::nearest],
                 std::max(from_generic[MacroStep::field], from_generic[MacroStep::symmetric]))});
        const double ours = std::max(from_special[MacroStep::symmetric], from_generic[MacroStep::symmetric]);
        result_.claims.push_back(
            {"(3.11) with x_2 - x_0 in the span of the gradients returns from both starts: return error", ours,
             ours <= rounding, Source::lento});
        std::vector<double> steps, errors;
        for (const double length : {1 / 16.0, 1 / 32.0, 1 / 64.0}) {
            steps.push_back(length);
            errors.push_back(generic.return_error(MacroStep::symmetric, length, smooth_every));
            result_.rows.push_back(
                {fmt::format("1/{:.0f}", 1 / length), "psi = (0.6, 0.8), smoothed: return error", {}, errors.back()});
        }
        result_.claims.push_back(
            {"with the even-odd mode taken out every 50 steps the return error is of third order or "
             "higher in H: order",
             slope(steps, errors), slope(steps, errors) >= 2.85, Source::lento});
    }

    void claim_return_of_slow_variables() {
        Orders generic(pendulum(generic_psi, 20));
        const std::vector<double> steps{1 / 8.0, 1 / 16.0, 1 / 32.0};
        std::vector<double> errors;
        for (const double H : steps) {
            errors.push_back(generic.slow_return_error(H, [](const VectorXd& x) { return with_phase(x, 1); }));
        }
        const double order = slope(steps, errors);
        result_.claims.push_back(
            {"from other microscopic states with the same xi_N and xi_{N-1} the value of xi_0 will be different by an "
             "order H: order of the difference",
             order, std::abs(order - 1) <= 0.15, Source::paper,
             fmt::format("With the phase of the last two points turned by 1 it is of order {:.1f} by (3.12) on the "
                         "pendulum: {:.2g} at H = 1/32. A method of second order finds xi_0 to second order from any "
                         "phase",
                         order, errors.back())});
    }
};

}  // namespace

std::vector<Reproduction> reversible_orders() {
    return {{"reversible/section-3", "Orders of all macro-steps, and whether they lead back", "reversible",
             "(2.6) is Euler's method, (2.7) to (3.12) are leapfrogs, symmetric is (3.11) with x_2 - x_0 in the span "
             "of the "
             "gradients. eps = 1e-7. Spiral (3.1): z(0) = (1, 0), T = 1, RK4 micro-steps h = eps/25, eta = 60 eps, H = "
             "1/20, "
             "1/40, 1/80, "
             "error in xi. The same along the ellipse x^2 + 4 y^2 = e^(2t), x_1 given, its angle turned by 2H, H = "
             "1/40, 1/80, "
             "1/160. Pendulum of section 4.1: theta_1 = 0, theta_2 = -0.4, psi(0) as said, T = 2, micro-steps of order "
             "8 with "
             "h = eps/12, eta = 16 eps, H = 1/16, 1/32, 1/64, error in theta against the averaged equation; T = 20 for "
             "returns. "
             "Kernel (2.9), largest errors at macro-times, orders by least squares.",
             [] { return Section().compute(); }}};
}

}  // namespace lento::papers
