#include "lento/problem/exact_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "lento/base/jet.hpp"
#include "lento/base/misuse.hpp"
#include "lento/problem/exact_part.hpp"

namespace lento {
namespace {

using std::numbers::pi;
using Point = std::vector<double>;

template <class Flow>
Point increment(Flow& flow, double h, const Point& y) {
    Point du(y.size(), std::numeric_limits<double>::quiet_NaN());
    EXPECT_TRUE(flow.increment(h, In(y), Out(du))) << flow.failure().value_or("");
    EXPECT_FALSE(flow.failure());
    return du;
}

template <class Flow>
Point moved(Flow& flow, double h, Point y) {
    const Point du = increment(flow, h, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += du[i];
    }
    return y;
}

double distance(const Point& a, const Point& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::isnan(a[i] - b[i]) ? 1e300 : std::abs(a[i] - b[i]));
    }
    return largest;
}

/// By the classical Runge-Kutta method.
template <class Flow>
Point integrated(const Flow& flow, double h, Point y, int steps) {
    const double step = h / steps;
    std::vector<Point> k(4, Point(y.size(), std::numeric_limits<double>::quiet_NaN()));
    for (int n = 0; n < steps; ++n) {
        for (std::size_t stage = 0; stage < 4; ++stage) {
            Point at = y;
            for (std::size_t i = 0; i < y.size() && stage > 0; ++i) {
                at[i] += (stage == 3 ? step : step / 2) * k[stage - 1][i];
            }
            flow.field(In(at), Out(k[stage]));
        }
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] += step / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
    return y;
}

/// The flow against its field: over a time, in two parts, backwards, and for no time at all.
template <class Flow>
void expect_flow_of_its_field(Flow flow, const Point& y, double h) {
    EXPECT_LT(distance(moved(flow, h, y), integrated(flow, h, y, 8000)), 1e-11);
    EXPECT_LT(distance(moved(flow, -h, y), integrated(flow, -h, y, 8000)), 1e-11);
    EXPECT_LT(distance(moved(flow, h, y), moved(flow, 0.7 * h, moved(flow, 0.3 * h, y))), 1e-14);
    EXPECT_LT(distance(moved(flow, -h, moved(flow, h, y)), y), 1e-14);
    EXPECT_EQ(distance(increment(flow, 0, y), Point(y.size(), 0.0)), 0);
    // h so small that y + du would have no digit of du: du is the first order, to the last digit.
    Point rate(y.size());
    flow.field(In(y), Out(rate));
    const double tiny = 1e-17;
    const Point du = increment(flow, tiny, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(du[i], tiny * rate[i], 1e-15 * tiny * std::abs(rate[i]) + 10 * tiny * tiny) << i;
    }
}

Eigen::MatrixXd some_matrix() {
    Eigen::MatrixXd A(3, 3);
    A << -0.3, 1.2, 0.1, -1.1, 0.2, 0.4, 0.5, -0.6, -0.1;
    return A;
}

TEST(LinearFlow, is_the_flow_of_its_field) {
    expect_flow_of_its_field(LinearFlow(some_matrix()), {0.7, -0.4, 1.1}, 1.3);
}

TEST(LinearFlow, of_a_rotation_keeps_its_digits_over_a_million_periods) {
    Eigen::MatrixXd A(2, 2);
    for (const double w : {1., 1e3, 6.5e6}) {
        A << 0, w, -w, 0;
        const double h = 0.9;
        const auto E = exponential_less_one(Rows(A * h));
        const long double angle = static_cast<long double>(w * h);
        EXPECT_NEAR(E(0, 0), static_cast<double>(std::cos(angle) - 1), 1e-19 * w + 3e-16);
        EXPECT_NEAR(E(0, 1), static_cast<double>(std::sin(angle)), 1e-19 * w + 3e-16);
        EXPECT_NEAR(E(1, 0), -static_cast<double>(std::sin(angle)), 1e-19 * w + 3e-16);
    }
}

TEST(LinearFlow, keeps_the_digits_of_small_and_of_very_different_exponents) {
    for (const double h : {1e-200, 1e-12, 1e-5, 0.1, 0.5, 1., 30.}) {
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 3);
        A(0, 0) = -1;
        A(1, 1) = 1e-9;
        A(2, 2) = -200;
        const auto E = exponential_less_one(Rows(A * h));
        for (std::size_t i = 0; i < 3; ++i) {
            const auto k = static_cast<Eigen::Index>(i);
            const double exact = std::expm1(A(k, k) * h);
            EXPECT_NEAR(E(i, i), exact, 3e-16 * std::abs(exact)) << i << " " << h;
        }
    }
}

TEST(LinearFlow, agrees_with_a_series_of_long_doubles) {
    using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    for (const double h : {1e-9, 0.01, 0.3, 2., 4.}) {
        const Matrix A = (some_matrix() * h).cast<long double>();
        Matrix term = A;
        Matrix sum = A;
        for (int k = 2; k < 80; ++k) {
            term = term * A / static_cast<long double>(k);
            sum += term;
        }
        const auto found = exponential_less_one(Rows(some_matrix() * h));
        const Matrix wrong =
            Matrix::NullaryExpr(3, 3,
                                [&](Eigen::Index i, Eigen::Index j) -> long double {
                                    return found(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
                                }) -
            sum;
        EXPECT_LT(static_cast<double>((wrong.cwiseAbs().array() / sum.cwiseAbs().array()).maxCoeff()), 3e-16) << h;
    }
}

TEST(LinearFlow, follows_a_nilpotent_matrix) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 3);
    A(0, 1) = A(1, 2) = 1;
    LinearFlow flow(A);
    const Point du = increment(flow, 10, {1, 2, 3});
    EXPECT_LT(distance(du, {20 + 150, 30, 0}), 1e-13);
}

TEST(LinearFlow, keeps_more_step_sizes_than_it_has_room_for) {
    LinearFlow flow(some_matrix());
    const Point y{1, 2, 3};
    const Point once = increment(flow, 0.01, y);
    for (std::size_t k = 0; k < 3 * LinearFlow::most_kept; ++k) {
        increment(flow, 0.02 * static_cast<double>(k), y);
    }
    EXPECT_EQ(increment(flow, 0.01, y), once);
}

TEST(LinearFlow, says_where_it_overflows) {
    LinearFlow flow(Eigen::MatrixXd::Identity(2, 2));
    const Point y{1, 0};
    Point du(2);
    EXPECT_FALSE(flow.increment(1e4, In(y), Out(du)));
    EXPECT_EQ(flow.failure(), "the motion of the linear part is not finite");
    EXPECT_FALSE(flow.increment(std::numeric_limits<double>::infinity(), In(y), Out(du)));
    EXPECT_TRUE(flow.increment(1, In(y), Out(du)));
    EXPECT_FALSE(flow.failure());
}

TEST(LinearFlow, refuses_what_is_not_a_square_matrix_of_numbers) {
    EXPECT_THROW(LinearFlow(Eigen::MatrixXd(2, 3)), Misuse);
    EXPECT_THROW(LinearFlow(Eigen::MatrixXd(0, 0)), Misuse);
    EXPECT_THROW(LinearFlow(Eigen::MatrixXd::Constant(2, 2, std::nan(""))), Misuse);
}

TEST(OscillatorFlow, is_the_flow_of_its_field_and_moves_nothing_else) {
    const OscillatorFlow flow({{3, 0, 2.5}, {1, 4, 0.3}, {5, 6, 0}});
    const Point y{0.4, -0.8, 7, 1.3, 0.6, 0.2, -0.5};
    expect_flow_of_its_field(flow, y, 1.7);
    OscillatorFlow same = flow;
    EXPECT_EQ(increment(same, 1.7, y)[2], 0);
}

TEST(OscillatorFlow, is_the_closed_form) {
    OscillatorFlow flow({{0, 1, 50}});
    for (const double h : {1e-300, 1e-9, 1e-3, 0.7, -3.}) {
        const Point du = increment(flow, h, {1, 2});
        const long double angle = 50.0L * h;
        const long double less = -2 * std::sin(angle / 2) * std::sin(angle / 2);
        const double q = static_cast<double>(less + 2 * std::sin(angle) / 50);
        const double p = static_cast<double>(2 * less - 50 * std::sin(angle));
        EXPECT_NEAR(du[0], q, 1e-15 * std::abs(q) + (std::abs(h) > 0.1 ? 1e-14 : 0)) << h;
        EXPECT_NEAR(du[1], p, 1e-15 * std::abs(p) + (std::abs(h) > 0.1 ? 1e-12 : 0)) << h;
    }
}

TEST(OscillatorFlow, refuses_a_component_in_two_oscillators_and_a_negative_frequency) {
    EXPECT_THROW(OscillatorFlow({{0, 1, 1}, {1, 2, 1}}), Misuse);
    EXPECT_THROW(OscillatorFlow({{0, 1, -1}}), Misuse);
    EXPECT_THROW(OscillatorFlow({{0, 1, std::nan("")}}), Misuse);
}

TEST(OscillatorFlow, says_where_it_is_not_finite) {
    OscillatorFlow flow({{0, 1, 1}});
    Point du(2);
    const Point nowhere{std::nan(""), 0};
    EXPECT_FALSE(flow.increment(1, In(nowhere), Out(du)));
    EXPECT_EQ(flow.failure(), "the motion of the oscillators is not finite");
}

/// A point of an orbit with the pericentre on the first axis, by the classical equation of Kepler. `mean` is the mean
/// anomaly, n t.
Point on_orbit(long double a, long double e, long double mean, long double mu) {
    const bool closed = e < 1;
    const long double n = std::sqrt(mu / (a * a * a));
    long double E = closed ? mean : std::asinh(mean / e);
    for (int k = 0; k < 200; ++k) {  // damped, so that it converges from anywhere
        const long double excess = closed ? E - e * std::sin(E) - mean : e * std::sinh(E) - E - mean;
        const long double slope = closed ? 1 - e * std::cos(E) : e * std::cosh(E) - 1;
        E -= std::clamp(excess / slope, -0.5L, 0.5L);
    }
    const long double c = closed ? std::cos(E) : std::cosh(E);
    const long double s = closed ? std::sin(E) : std::sinh(E);
    const long double b = a * std::sqrt(std::abs(1 - e * e));
    const long double rate = n / std::abs(1 - e * c);
    const long double sign = closed ? 1 : -1;
    return {static_cast<double>(a * sign * (c - e)), static_cast<double>(b * s), static_cast<double>(-a * s * rate),
            static_cast<double>(b * c * rate)};
}

/// How far apart the ends of motions are whose starts, and times, differ in the last digit.
template <class Flow>
double rounding(Flow& flow, double h, const Point& y) {
    const double ulp = std::numeric_limits<double>::epsilon();
    const double shift = 1e-9;
    const Point end = moved(flow, h, y);
    double sum = distance(moved(flow, h * (1 + shift), y), end) / shift * ulp;
    for (std::size_t i = 0; i < y.size(); ++i) {
        Point other = y;
        other[i] *= 1 + shift;
        sum += distance(moved(flow, h, other), end) / shift * ulp;
    }
    return sum + ulp * distance(end, Point(y.size(), 0.0));
}

TEST(KeplerFlow, is_the_flow_of_its_field) {
    expect_flow_of_its_field(KeplerFlow({0, 1}, {2, 3}, 1.0), {1, 0.1, -0.2, 0.9}, 2.0);
    // A hyperbola and a parabola; three dimensions, the components in disorder, two more that do not move.
    expect_flow_of_its_field(KeplerFlow({0, 1}, {2, 3}, 1.0), {1, 0.1, -0.2, 1.9}, 2.0);
    expect_flow_of_its_field(KeplerFlow({0, 1}, {2, 3}, 0.5), {1, 0, 0, 1}, 2.0);
    expect_flow_of_its_field(KeplerFlow({7, 2, 4}, {0, 5, 1}, 1.3), {0.3, -0.5, 1.2, 9, 0.1, 0.8, -7, 0.4}, 2.0);
}

TEST(KeplerFlow, follows_the_equation_of_kepler_for_any_eccentricity) {
    const double mu = 1.7;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> anywhere(-pi, pi);
    for (const double e : {1e-12, 0.1, 0.6, 0.9, 0.99, 0.9999, 1.0001, 1.1, 3., 50.}) {
        const double a = 0.8;
        const double n = std::sqrt(mu / (a * a * a));
        KeplerFlow flow({0, 1}, {2, 3}, mu);
        double worst = 0;
        for (int k = 0; k < 200; ++k) {
            const double from = anywhere(random);
            const double to = 3 * anywhere(random);
            const Point y = on_orbit(a, e, from, mu);
            const Point end = on_orbit(a, e, to, mu);
            const Point arrived = moved(flow, (to - from) / n, y);
            worst = std::max(worst, distance(arrived, end) / rounding(flow, (to - from) / n, y));
        }
        EXPECT_LT(worst, e < 1 ? 10 : 50) << e;
    }
}

TEST(KeplerFlow, returns_after_whole_periods_both_ways) {
    KeplerFlow flow({0, 1}, {2, 3}, 1.0);
    for (const double e : {0., 0.3, 0.9, 0.99}) {
        for (const double mean : {0.3, 3., 5.}) {
            const Point y = on_orbit(1, e, mean, 1);
            const double r = std::hypot(y[0], y[1]);
            for (const double periods : {1., -1., 1000., -1000.}) {
                const double lost = 1e-15 * 2 * pi * std::abs(periods) / (r * r * r);
                EXPECT_LT(distance(moved(flow, 2 * pi * periods, y), y), 10 * lost) << e << " " << mean;
            }
        }
    }
}

TEST(KeplerFlow, keeps_energy_and_angular_momentum_over_many_steps) {
    KeplerFlow flow({0, 1}, {2, 3}, 1.0);
    for (const double e : {0.1, 0.6, 0.99}) {
        Point y = on_orbit(1, e, 1, 1);
        const double energy = flow.energy(y);
        const double momentum = y[0] * y[3] - y[1] * y[2];
        double worst_energy = 0;
        double worst_momentum = 0;
        for (int k = 0; k < 10000; ++k) {
            y = moved(flow, 0.37, y);
            worst_energy = std::max(worst_energy, std::abs(flow.energy(y) - energy));
            worst_momentum = std::max(worst_momentum, std::abs(y[0] * y[3] - y[1] * y[2] - momentum));
        }
        EXPECT_LT(worst_energy, 1e-12 / (1 - e)) << e;
        EXPECT_LT(worst_momentum, 1e-12) << e;
    }
}

TEST(KeplerFlow, keeps_the_digits_of_short_motions) {
    KeplerFlow flow({0, 1}, {2, 3}, 1.0);
    for (const double e : {0.2, 0.99, 1.5}) {
        const Point y = on_orbit(1, e, 0.4, 1);
        const double r = std::hypot(y[0], y[1]);
        for (const double h : {1e-12, 1e-7, -1e-7, 1e-5}) {
            const Point du = increment(flow, h, y);
            // x h - mu x / r^3 h^2 / 2 and so on to third order
            const double pull = 1 / (r * r * r);
            const double radial = (y[0] * y[2] + y[1] * y[3]) / (r * r);
            const double jerk_x = 3 * pull * radial;
            for (std::size_t i = 0; i < 2; ++i) {
                const double x = y[i];
                const double v = y[i + 2];
                const double third = jerk_x * x - pull * v;
                const double left = 20 * std::pow(std::abs(h), 3) / std::pow(r, 5);
                EXPECT_NEAR(du[i] / h, v - h / 2 * pull * x + h * h / 6 * third, 3e-15 * std::abs(v) + left) << e;
                EXPECT_NEAR(du[i + 2] / h, -pull * x + h / 2 * third, 3e-15 * pull * r + left / std::abs(h)) << e;
            }
        }
    }
}

TEST(KeplerFlow, with_the_time_factor_of_its_period_gives_every_bound_orbit_the_period_two_pi) {
    const auto factor = [](std::span<const double> y) {
        const double energy = (y[2] * y[2] + y[3] * y[3]) / 2 - 1 / std::hypot(y[0], y[1]);
        return std::pow(-2 * energy, -1.5);
    };
    KeplerFlow flow({0, 1}, {2, 3}, 1.0, factor);
    for (const double a : {0.01, 1., 700.}) {
        for (const double e : {0., 0.5, 0.9}) {
            const Point y = on_orbit(a, e, 2, 1);
            const double r = std::hypot(y[0], y[1]) / a;
            const Point du = increment(flow, 2 * pi, y);
            EXPECT_LT(std::hypot(du[0], du[1]) / a, 2e-14 / r) << a << " " << e;
            EXPECT_LT(std::hypot(du[2], du[3]) * std::sqrt(a), 2e-14 / (r * r)) << a << " " << e;
            EXPECT_GT(std::abs(increment(flow, pi, y)[0]), 0.1 * a);
        }
    }
    expect_flow_of_its_field(flow, {1, 0.1, -0.2, 0.9}, 1.0);
}

TEST(KeplerFlow, falls_towards_the_centre_and_back) {
    KeplerFlow flow({0, 1}, {2, 3}, 1.0);
    // Dropped from rest at 2: the period is 2 pi, and after half of it, through the centre, it is at rest again.
    const Point halfway = moved(flow, 1.5, {2, 0, 0, 0});
    EXPECT_GT(halfway[0], 1);
    EXPECT_NEAR(halfway[2] * halfway[2] / 2 - 1 / halfway[0], -0.5, 1e-14);
    EXPECT_LT(distance(moved(flow, 2 * pi, {2, 0, 0, 0}), {2, 0, 0, 0}), 1e-14);
}

TEST(KeplerFlow, follows_fast_and_far_flights) {
    KeplerFlow flow({0, 1}, {2, 3}, 1.0);
    for (const double v : {std::sqrt(2.0), 1.5, 10., 1e4}) {
        for (const double time : {1e-8, 1., 1e3, 1e8}) {
            const Point y{0.6, -0.8, 0.6 * v, 0.8 * v};
            const Point there = moved(flow, time, y);
            const double scale = std::hypot(there[0], there[1]) + std::hypot(there[2], there[3]);
            EXPECT_NEAR(flow.energy(there), flow.energy(y), 1e-13 * v * v) << v << " " << time;
            EXPECT_GT(scale, 1);
            // NOTE: all is told by |x|, |v| and <x, v>, which know a flyby to ulps of (r / pericentre)^2.
            const double lost = 1e-15 * (1 + v * v) * std::pow(1 + v * time, 2);
            if (lost > 1e-3) {
                continue;
            }
            const Point turned{there[0], there[1], -there[2], -there[3]};
            const Point back = moved(flow, time, turned);
            EXPECT_LT(distance(back, {y[0], y[1], -y[2], -y[3]}), lost) << v << " " << time;
        }
    }
}

TEST(KeplerFlow, is_the_same_backwards_to_the_last_bit) {
    KeplerFlow flow({0, 1}, {2, 3}, 1.0);
    const Point forwards = increment(flow, 3, {1, 0.2, 0.3, 0.9});
    const Point backwards = increment(flow, -3, {1, 0.2, -0.3, -0.9});
    EXPECT_EQ(forwards[0], backwards[0]);
    EXPECT_EQ(forwards[3], -backwards[3]);
}

TEST(KeplerFlow, says_what_is_wrong_with_a_point) {
    const auto factor = [](std::span<const double> y) {
        const double energy = (y[2] * y[2] + y[3] * y[3]) / 2 - 1 / std::hypot(y[0], y[1]);
        return std::pow(-2 * energy, -1.5);
    };
    KeplerFlow flow({0, 1}, {2, 3}, 1.0, factor);
    Point du(4);
    const auto why = [&](const Point& y) {
        EXPECT_FALSE(flow.increment(0.1, In(y), Out(du)));
        return flow.failure().value_or("");
    };
    EXPECT_EQ(why({1, 0, 0, 2}), "the orbit's energy is not negative any more: it escapes");
    EXPECT_EQ(why({2, 0, 0, 1}), "the orbit's energy is not negative any more: it escapes");  // exactly zero
    EXPECT_EQ(why({0, 0, 0, 1}), "the orbit runs into the centre: the distance is zero");
    EXPECT_EQ(why({std::nan(""), 0, 0, 1}), "the orbit's position or velocity is not finite");
    EXPECT_EQ(why({1, 0, 0, std::numeric_limits<double>::infinity()}),
              "the orbit's position or velocity is not finite");
    EXPECT_TRUE(flow.increment(0.1, Point{1, 0, 0, 1}, du));
    EXPECT_FALSE(flow.failure());
    const auto broken = [](std::span<const double>) { return std::nan(""); };
    KeplerFlow other({0, 1}, {2, 3}, 1.0, broken);
    EXPECT_FALSE(other.increment(0.1, Point{1, 0, 0, 1}, du));
    EXPECT_EQ(other.failure(), "the time factor of the orbit is not finite");
}

TEST(KeplerFlow, refuses_a_wrong_number_of_components_and_no_attraction) {
    EXPECT_THROW(KeplerFlow({0}, {1}, 1.0), Misuse);
    EXPECT_THROW(KeplerFlow({0, 1, 2}, {3, 4}, 1.0), Misuse);
    EXPECT_THROW(KeplerFlow({0, 1}, {1, 2}, 1.0), Misuse);
    EXPECT_THROW(KeplerFlow({0, 1}, {2, 3}, 0.0), Misuse);
}

/// A curve through a point, with many terms.
Taylor curve(double value, std::size_t i, int degree) {
    Taylor x = Taylor::shaped(degree, value);
    for (int k = 1; k <= degree; ++k) {
        x[k] = std::cos(1.0 + 2.0 * static_cast<double>(i) + 3.0 * k) * std::pow(0.1, k);
    }
    return x;
}

double at(const Taylor& x, double s) {
    double sum = 0;
    for (int k = x.top(); k >= 0; --k) {
        sum = sum * s + x[k];
    }
    return sum;
}

Point at(const std::vector<Taylor>& y, double s) {
    Point values;
    for (const auto& component : y) {
        values.push_back(at(component, s));
    }
    return values;
}

template <class S, class Flow>
std::vector<S> carried(Flow& flow, double h, const std::vector<S>& y, std::vector<S> w) {
    std::vector<S> dw(w.size());
    EXPECT_TRUE((carry<S>(flow, h, std::span<const S>(y), std::span<const S>(w), std::span<S>(dw))));
    for (std::size_t i = 0; i < w.size(); ++i) {
        w[i] += dw[i];
    }
    return w;
}

/// Series through y: they meet the motions of the points on the curve; directions are turned as differences of motions
/// are, and come back as they went. `rounding` is what the flow makes of an ulp.
template <class Flow>
void expect_series_and_derivative(Flow flow, const Point& y, double h, double rounding = 2e-15) {
    constexpr int degree = 9;
    const std::size_t n = y.size();
    std::vector<Taylor> through;
    std::vector<Taylor> direction;
    for (std::size_t i = 0; i < n; ++i) {
        through.push_back(curve(y[i], i, degree));
        direction.push_back(curve(0, i + n, degree));  // NOTE: it starts with zero
    }
    std::vector<Taylor> du(n);
    std::vector<Taylor> field(n);
    ASSERT_TRUE(flow.increment(h, std::span<const Taylor>(through), std::span<Taylor>(du))) << flow.failure().value();
    flow.field(std::span<const Taylor>(through), std::span<Taylor>(field));
    const auto turned = carried(flow, h, through, direction);
    const auto back = carried(
        flow, -h,
        [&] {
            auto there = through;
            for (std::size_t i = 0; i < n; ++i) {
                there[i] += du[i];
            }
            return there;
        }(),
        turned);
    const double s = 0.02;
    const Point here = at(through, s);
    Point rate(n);
    flow.field(In(here), Out(rate));
    EXPECT_LT(distance(at(field, s), rate), 10 * rounding);
    EXPECT_LT(distance(at(du, s), increment(flow, h, here)), 10 * rounding) << h;
    const Point w = at(direction, s);
    const double shift = 1e-5;
    Point plus = here;
    Point minus = here;
    for (std::size_t i = 0; i < n; ++i) {
        plus[i] += shift * w[i];
        minus[i] -= shift * w[i];
    }
    plus = moved(flow, h, plus);
    minus = moved(flow, h, minus);
    const Point by_series = at(turned, s);
    const Point by_numbers = carried<double>(flow, h, here, w);
    for (std::size_t i = 0; i < n; ++i) {
        EXPECT_NEAR((plus[i] - minus[i]) / (2 * shift), by_numbers[i], 2e-10 + rounding / shift) << i;
        EXPECT_NEAR(by_series[i], by_numbers[i], 100 * rounding) << i;
        for (int k = 0; k <= degree; ++k) {
            const double allowed = 100 * rounding * std::pow(4, k);
            EXPECT_NEAR(k <= back[i].top() ? back[i][k] : 0.0, direction[i][k], allowed) << i << " " << k;
        }
    }
}

TEST(LinearFlow, takes_series_and_turns_directions) {
    expect_series_and_derivative(LinearFlow(some_matrix()), {0.7, -0.4, 1.1}, 1.3);
    expect_series_and_derivative(LinearFlow(some_matrix()), {0.7, -0.4, 1.1}, -1.3);
}

TEST(OscillatorFlow, takes_series_and_turns_directions) {
    expect_series_and_derivative(OscillatorFlow({{3, 0, 2.5}, {1, 4, 0.3}, {5, 6, 0}}),
                                 {0.4, -0.8, 7, 1.3, 0.6, 0.2, -0.5}, 1.7, 4e-15);
}

/// (-2 E)^(-3/2) in two dimensions.
struct UnitPeriod {
    template <class S>
    S operator()(std::span<const S> y) const {
        using std::pow, std::sqrt;
        return pow(2 / sqrt(y[0] * y[0] + y[1] * y[1]) - y[2] * y[2] - y[3] * y[3], -1.5);
    }
};

TEST(KeplerFlow, takes_series_and_turns_directions) {
    const KeplerFlow<> flow({0, 1}, {2, 3}, 1.0);
    for (const double h : {-2.0, 0.1, 2.0, 20.0}) {  // 20: three revolutions
        expect_series_and_derivative(flow, {1, 0.1, -0.2, 0.9}, h, 1e-14);
    }
    expect_series_and_derivative(flow, {1, 0.1, -0.2, 1.9}, 2.0, 1e-14);        // a hyperbola
    expect_series_and_derivative(flow, {1, 0, 0, std::sqrt(2.0)}, 2.0, 1e-14);  // a parabola
    expect_series_and_derivative(flow, {1, 0, 0, 0.999 * std::sqrt(2.0)}, -9, 1e-13);
    expect_series_and_derivative(KeplerFlow<>({7, 2, 4}, {0, 5, 1}, 1.3), {0.3, -0.5, 1.2, 9, 0.1, 0.8, -7, 0.4}, 2.0,
                                 1e-14);
}

TEST(KeplerFlow, with_a_time_factor_turns_directions_along_with_its_periods) {
    KeplerFlow<UnitPeriod> flow({0, 1}, {2, 3}, 1.0);
    const Point y{1, 0.1, -0.2, 0.9};
    for (const double h : {-pi, 0.3, 2.0, pi}) {
        expect_series_and_derivative(flow, y, h, 1e-14);
    }
    // A period leaves all directions alone; without the factor it is that of one orbit only.
    const Point w{0.3, -0.2, 0.5, 0.1};
    EXPECT_LT(distance(carried<double>(flow, 2 * pi, y, w), w), 1e-13);
    KeplerFlow<> other({0, 1}, {2, 3}, 1.0);
    const double period = 2 * pi * UnitPeriod()(std::span<const double>(y));
    EXPECT_LT(distance(moved(other, period, y), y), 1e-13);
    EXPECT_GT(distance(carried<double>(other, period, y, w), w), 1);
}

TEST(KeplerFlow, takes_series_where_its_time_factor_does) {
    const auto on_numbers_alone = [](std::span<const double>) { return 1.0; };
    static_assert(SeriesFlow<LinearFlow> && SeriesFlow<OscillatorFlow> && SeriesFlow<KeplerFlow<>>);
    static_assert(SeriesFlow<KeplerFlow<UnitPeriod>>);
    static_assert(FlowFunction<KeplerFlow<decltype(on_numbers_alone)>>);
    static_assert(!SeriesFlow<KeplerFlow<decltype(on_numbers_alone)>>);
    KeplerFlow<UnitPeriod> flow({0, 1}, {2, 3}, 1.0);
    std::vector<Taylor> y{1.0, 0.0, 0.0, 2.0};
    std::vector<Taylor> du(4);
    EXPECT_FALSE(flow.increment(0.1, std::span<const Taylor>(y), std::span<Taylor>(du)));
    EXPECT_EQ(flow.failure(), "the orbit's energy is not negative any more: it escapes");
}

}  // namespace
}  // namespace lento
