#include "average/flow_field.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "average/harmonic.hpp"
#include "papers/slope.hpp"
#include "papers/stroboscopic_runs.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;
using Point = std::vector<double>;
namespace odeint = boost::numeric::odeint;

double distance(const Point& a, const Point& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::isnan(a[i] - b[i]) ? 1e300 : std::abs(a[i] - b[i]));
    }
    return largest;
}

/// The whole system by Boost's Fehlberg pair.
Point direct(const Problem& problem, Point y, double t_end) {
    const auto rate = [&](const Point& at, Point& derivative, double t) {
        problem.forces.at(at.data(), nullptr, t, problem.phases_at(t).data(), problem.parameters.data(),
                          derivative.data());
    };
    odeint::integrate_adaptive(odeint::make_controlled(1e-12, 1e-12, odeint::runge_kutta_fehlberg78<Point>()), rate, y,
                               0.0, t_end, 0.1);
    return y;
}

/// The true state at the end, with N sweeps over m phases; the slow motion by Boost's pair of Dormand and Prince.
template <class Field>
Point averaged(Field& field, int sweeps, std::size_t m, const Point& start, double t_end) {
    HarmonicAverage average(field, m);
    Point response(start.size());
    const auto respond = [&](double t, const Point& z) {
        average.sweep(sweeps, t, z, {});
        average.at_phase(average.response(), field.phase(t), response, {});
    };
    Point entered = start;
    field.enter(0, entered);
    Point z = entered;
    for (int k = 0; k < sweeps + 2; ++k) {
        respond(0, z);
        for (std::size_t i = 0; i < z.size(); ++i) {
            z[i] = entered[i] - response[i];
        }
    }
    const auto rate = [&](const Point& at, Point& derivative, double t) {
        average.sweep(sweeps, t, at, {});
        std::copy(average.force().begin(), average.force().end(), derivative.begin());
    };
    odeint::integrate_adaptive(odeint::make_controlled(1e-11, 1e-11, odeint::runge_kutta_dopri5<Point>()), rate, z, 0.0,
                               t_end, t_end / 20);
    respond(t_end, z);
    for (std::size_t i = 0; i < z.size(); ++i) {
        z[i] += response[i];
    }
    field.leave(t_end, z);
    return z;
}

/// N sweeps err by O(eps^(N+1)) over a time of t_slow/eps, in true states at one phase of the flow that is not that of
/// the start.
template <class Make>
void expect_orders(Make make, const Point& start, double t_slow, std::size_t m, const Point& eps, int most_sweeps) {
    std::vector<Point> errors(static_cast<std::size_t>(most_sweeps));
    for (const double e : eps) {
        const auto system = make(e);
        FlowField field(system);
        const double t_end = (std::round(t_slow / e / *field.period()) + 0.25) * *field.period();
        const auto truth = direct(system, start, t_end);
        for (int sweeps = 1; sweeps <= most_sweeps; ++sweeps) {
            errors[static_cast<std::size_t>(sweeps) - 1].push_back(
                distance(averaged(field, sweeps, m, start, t_end), truth));
        }
    }
    for (int sweeps = 1; sweeps <= most_sweeps; ++sweeps) {
        EXPECT_NEAR(papers::slope(eps, errors[static_cast<std::size_t>(sweeps) - 1]), sweeps + 1, 0.4) << sweeps;
    }
}

TEST(FlowField, n_sweeps_err_by_eps_to_the_n_plus_one_on_van_der_pol) {
    expect_orders(papers::van_der_pol, {0.5, 0.5}, pi, 24, {1. / 16, 1. / 32, 1. / 64}, 3);
}

TEST(FlowField, n_sweeps_err_by_eps_to_the_n_plus_one_on_a_perturbed_kepler_motion) {
    expect_orders(papers::perturbed_kepler, papers::kepler_start, pi / 8, 32, {1. / 128, 1. / 256, 1. / 512}, 2);
}

/// (sinh q, p) turns: the flow is periodic and not linear.
struct BentRotation {
    template <class S>
    void field(std::span<const S> y, std::span<S> rate) const {
        rate[0] = y[1] / cosh(y[0]);
        rate[1] = -sinh(y[0]);
    }
    template <class S>
    bool increment(double h, std::span<const S> y, std::span<S> du) {
        const S u = std::cos(h) * sinh(y[0]) + std::sin(h) * y[1];
        du[0] = log(u + sqrt(1 + u * u)) - y[0];
        du[1] = std::cos(h) * y[1] - std::sin(h) * sinh(y[0]) - y[1];
        return true;
    }
    std::optional<std::string> failure() const { return std::nullopt; }
};

TEST(FlowField, takes_flows_of_users_that_are_templates_on_their_numbers) {
    static_assert(SeriesFlow<BentRotation>);
    const auto make = [](double eps) {
        const auto whole = first_order_system(2, [eps](auto y, auto t, auto rate) {
            rate[0] = y[1] / cosh(y[0]) + eps * (y[0] - y[0] * y[0] * y[0]) * cos(eps * t);
            rate[1] = -sinh(y[0]) + eps * y[0] * y[1];
        });
        return split(whole.with_period(2 * pi), BentRotation());
    };
    expect_orders(make, {0.6, 0.3}, 1.3, 32, {1. / 32, 1. / 64, 1. / 128}, 2);
}

TEST(FlowField, goes_with_phases_that_share_the_period_of_the_flow) {
    const auto make = [](double eps) {
        const auto rate = [eps](auto y, auto, auto theta, auto r) {
            r[0] = 2 * y[1] + eps * cos(theta[0] + 0.3) * y[0] * y[1];
            r[1] = -2 * y[0] + eps * (sin(3 * theta[0]) - y[0] * y[0] * y[1]);
        };
        return split(first_order_system(2, {{.frequency = 1, .start = 0.4}}, rate),
                     LinearFlow(Eigen::MatrixXd{{0.0, 2.0}, {-2.0, 0.0}}));
    };
    FlowField field(make(0.1));
    EXPECT_EQ(field.period(), 2 * pi);
    EXPECT_FALSE(field.not_periodic(Point{0.7, 0.2}, 1e4, 1e-9));
    expect_orders(make, {0.7, 0.2}, 3, 48, {1. / 8, 1. / 16, 1. / 32, 1. / 64}, 3);
}

TEST(FlowField, is_the_perturbation_seen_from_the_turning_oscillator) {
    // q' = w p.., B = (0, b): z' = (-sin(w tau)/w, cos(w tau)) b.
    const double w = 50;
    const auto system = split(first_order_system(2,
                                                 [=](auto y, auto, auto r) {
                                                     r[0] = y[1];
                                                     r[1] = -w * w * y[0] + 3.0;
                                                 })
                                  .with_period(2 * pi / w),
                              OscillatorFlow({{0, 1, w}}));
    FlowField field(system);
    EXPECT_FALSE(field.second_order());
    EXPECT_NEAR(field.frequency(), w, 1e-13);
    constexpr std::size_t m = 5;
    const Point z(2 * m, 0.2);
    Point rate(2 * m);
    field.evaluate(0, m, 0, z, {}, rate);
    for (std::size_t k = 0; k < m; ++k) {
        const double angle = 2 * pi * static_cast<double>(k) / m;
        EXPECT_NEAR(rate[k], -3 * std::sin(angle) / w, 1e-13);
        EXPECT_NEAR(rate[m + k], 3 * std::cos(angle), 1e-12);
    }
    EXPECT_EQ(field.evaluations(), 5);
}

TEST(FlowField, leaves_as_it_entered_however_late) {
    FlowField field(papers::perturbed_kepler(0.01));
    const Point start{0.9, 0.2, -0.1, 1.1};
    for (const double t : {0.0, 2.5, pi, 100.0, 1e9, 1e12}) {
        Point y = start;
        field.enter(t, y);
        EXPECT_GT(t == 0 ? 1 : distance(y, start), 0.1) << t;
        field.leave(t, y);
        EXPECT_LT(distance(y, start), 1e-14) << t;
    }
    // Times that are whole periods to 2^40 turns.
    Point y = start;
    field.enter(std::nearbyint(1e12 / (2 * pi)) * 2 * pi, y);
    EXPECT_LT(distance(y, start), 2e-3);  // what an ulp of that time is
}

TEST(FlowField, is_not_a_number_where_the_flow_ends_and_says_why) {
    FlowField field(papers::perturbed_kepler(0.01));
    Point y{1, 0, 0, 2};
    field.enter(1, y);
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[3]));
    EXPECT_EQ(field.failure(), "the orbit's energy is not negative any more: it escapes");
    Point z(4 * 3, 0.0);
    for (std::size_t k = 0; k < 3; ++k) {
        z[k] = 1;
        z[9 + k] = k == 1 ? 2.0 : 1.0;
    }
    for (const int degree : {0, 2}) {
        z.resize(12 * static_cast<std::size_t>(degree + 1));
        Point rate(z.size());
        field.evaluate(degree, 3, 0, z, {}, rate);
        EXPECT_TRUE(std::isfinite(rate[0]) && std::isnan(rate[1]) && std::isfinite(rate[2]));
    }
}

TEST(FlowField, says_by_how_much_a_period_is_wrong) {
    const Point start{0.5, 0.5};
    const auto oscillator = [](double period) { return FlowField(papers::van_der_pol(0.01).with_period(period)); };
    EXPECT_FALSE(oscillator(2 * pi).not_periodic(start, 1e9, 1e-12));
    EXPECT_FALSE(oscillator(4 * pi).not_periodic(start, 1e9, 1e-12));
    EXPECT_FALSE(oscillator(6.2832).not_periodic(start, 10, 1e-3));
    EXPECT_EQ(oscillator(6.2832).not_periodic(start, 1000, 1e-3),
              "the exactly solved part does not have the period 6.2832: after it q is 7.35e-06 away from its start, "
              "1e-05 of its size, where 1e-06 is allowed");
    // At rest there is nothing to see but what is near.
    EXPECT_TRUE(oscillator(6.28).not_periodic(Point{0, 0}, 1, 1e-6));
}

TEST(FlowField, says_where_the_period_is_that_of_one_orbit_only) {
    const auto kepler = papers::perturbed_kepler(0.01);
    EXPECT_FALSE(FlowField(kepler).not_periodic(papers::kepler_start, 1e6, 1e-9));
    FlowField other(split(kepler, KeplerFlow<>({0, 1}, {2, 3}, 1.0)));
    const auto why = other.not_periodic(papers::kepler_start, 1e6, 1e-9);
    ASSERT_TRUE(why);
    EXPECT_NE(why->find("only at the start, not near it"), std::string::npos) << *why;
    EXPECT_FALSE(FlowField(kepler).not_periodic(Point{0.006, 0.008, -11.2, 8.4}, 1e9, 1e-9));  // nearly falling
    FlowField escaping(kepler);
    EXPECT_NE(escaping.not_periodic(Point{1, 0, 0, 2}, 1, 1e-6)->find("it escapes"), std::string::npos);
}

/// What the rate of the whole and that of the exact part have in common costs digits, and no more than that: z' is
/// known to ulps of A.
TEST(FlowField, knows_a_small_perturbation_to_ulps_of_the_large_part) {
    const double eps = 1e-8;
    FlowField field(papers::van_der_pol(eps));
    HarmonicAverage average(field, 16);
    average.sweep(1, 0, Point{0.5, 0.5}, {});
    // <(1 - q^2) p sin> ...: the amplitude grows as r' = eps r (4 - r^2) / 8.
    const double rate = (4 - 0.5) / 8 * 0.5 * eps;
    EXPECT_NEAR(average.force()[0], rate, 1e-16);
    EXPECT_NEAR(average.force()[1], rate, 1e-16);
}

}  // namespace
}  // namespace lento
