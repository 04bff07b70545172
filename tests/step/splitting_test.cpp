#include "step/splitting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lento/problem/exact_flow.hpp"
#include "papers/slope.hpp"

namespace lento {
namespace {

using Point = std::vector<double>;

const std::vector<SplittingCoefficients> all{strang_splitting,           aba84_splitting,           aba104_splitting,
                                             suzuki4_splitting,          merged(suzuki4_splitting), kahan_li6_splitting,
                                             merged(kahan_li6_splitting)};

/// An oscillator of frequency 1 and one of frequency sqrt 2, coupled by eps V(q) = eps (sin(q_1 + q_2 / 2) + q_1^2
/// q_2). y = (q_1, q_2, p_1, p_2)
template <class S>
void force(const S* q, S* result) {
    const S c = std::cos(q[0] + q[1] / 2);
    result[0] = -(c + 2 * q[0] * q[1]);
    result[1] = -(c / 2 + q[0] * q[0]);
}

OscillatorFlow oscillators() {
    return OscillatorFlow({{0, 2, 1}, {1, 3, std::numbers::sqrt2}});
}

const Point start{0.8, -0.5, 0.3, 0.6};
constexpr double span_of_time = 12;

/// phi(start) - start by `steps` steps.
template <class Perturbation>
Point result(const SplittingCoefficients& coefficients, int steps, Perturbation&& perturb, double time = span_of_time) {
    auto flow = oscillators();
    Splitting splitting(coefficients, 4);
    Point u(4);
    for (int n = 0; n < steps; ++n) {
        EXPECT_TRUE(splitting.step(flow, perturb, time / steps, start, u));
    }
    return u;
}

auto kicks(double eps) {
    return PerturbationStep(4, PerturbationRule::kick,
                            [eps](std::span<const double> y, double, std::span<double> rate) {
                                rate[0] = rate[1] = 0;
                                force(y.data(), rate.data() + 2);
                                rate[2] *= eps;
                                rate[3] *= eps;
                            });
}

/// By the classical Runge-Kutta method in long double, for any perturbation `add(y, rate)`.
template <class Perturbation>
Point exact(Perturbation&& add, double time) {
    using Long = long double;
    const auto rate = [&](const std::array<Long, 4>& y) {
        std::array<Long, 4> r{y[2], y[3], -y[0], -2 * y[1]};
        add(y, r);
        return r;
    };
    std::array<Long, 4> y{};
    std::copy(start.begin(), start.end(), y.begin());
    constexpr int steps = 30000;
    const Long h = static_cast<Long>(time) / steps;
    for (int n = 0; n < steps; ++n) {
        const auto along = [&](const std::array<Long, 4>& k, Long by) {
            auto at = y;
            for (std::size_t i = 0; i < 4; ++i) {
                at[i] += by * k[i];
            }
            return at;
        };
        const auto k1 = rate(y);
        const auto k2 = rate(along(k1, h / 2));
        const auto k3 = rate(along(k2, h / 2));
        const auto k4 = rate(along(k3, h));
        for (std::size_t i = 0; i < 4; ++i) {
            y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
        }
    }
    Point u(4);
    for (std::size_t i = 0; i < 4; ++i) {
        u[i] = static_cast<double>(y[i] - static_cast<Long>(start[i]));
    }
    return u;
}

Point exact_with_kicks(double eps, double time = span_of_time) {
    return exact(
        [eps](const std::array<long double, 4>& y, std::array<long double, 4>& rate) {
            std::array<long double, 2> f{};
            force(y.data(), f.data());
            rate[2] += eps * f[0];
            rate[3] += eps * f[1];
        },
        time);
}

double distance(const Point& a, const Point& b) {
    double square = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        square += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return std::sqrt(square);
}

/// The slope of error(steps) in the step size.
template <class Error>
double order(const std::vector<int>& steps, Error&& error) {
    std::vector<double> lengths, errors;
    for (const int n : steps) {
        lengths.push_back(span_of_time / n);
        errors.push_back(error(n));
    }
    return papers::slope(lengths, errors);
}

double order_with_kicks(const SplittingCoefficients& coefficients, double eps, const std::vector<int>& steps) {
    const Point reference = exact_with_kicks(eps);
    return order(steps, [&](int n) { return distance(result(coefficients, n, kicks(eps)), reference); });
}

TEST(SplittingCoefficients, sum_to_one_and_are_symmetric) {
    for (const auto& c : all) {
        const auto a = std::span(c.a).first(c.flows);
        const auto b = std::span(c.b).first(c.perturbations);
        EXPECT_NEAR(std::accumulate(a.begin(), a.end(), 0.0), 1, 1e-15) << c.name;
        EXPECT_NEAR(std::accumulate(b.begin(), b.end(), 0.0), 1, 1e-15) << c.name;
        EXPECT_EQ(c.flows, c.first == SplittingPart::flow ? c.perturbations + 1 : c.perturbations - 1) << c.name;
        for (std::size_t i = 0; i < a.size(); ++i) {
            EXPECT_EQ(a[i], a[a.size() - 1 - i]) << c.name;
        }
        for (std::size_t i = 0; i < b.size(); ++i) {
            EXPECT_EQ(b[i], b[b.size() - 1 - i]) << c.name;
            EXPECT_NEAR(c.fractions[i] + c.fractions[b.size() - 1 - i], 1, 1e-15) << c.name;
        }
    }
    EXPECT_NEAR(aba104_splitting.a[3], -0.0145300417428969, 1e-15);
    EXPECT_NEAR(aba104_splitting.b[3], 0.8267085775712504, 1e-15);
}

TEST(SplittingCoefficients, integrate_polynomials_below_their_order_for_small_perturbations) {
    for (const auto& c : all) {
        for (int power = 0; power < c.order_small; ++power) {
            double sum = 0;
            for (std::size_t i = 0; i < c.perturbations; ++i) {
                sum += c.b[i] * std::pow(c.fractions[i], power);
            }
            EXPECT_NEAR(sum, 1.0 / (power + 1), 3e-15) << c.name << " " << power;
        }
    }
}

TEST(SplittingCoefficients, merged_have_half_the_perturbations_of_a_composition) {
    EXPECT_EQ(suzuki4_splitting.perturbations, 10u);
    EXPECT_EQ(merged(suzuki4_splitting).perturbations, 6u);
    EXPECT_EQ(kahan_li6_splitting.perturbations, 18u);
    EXPECT_EQ(merged(kahan_li6_splitting).perturbations, 10u);
    EXPECT_EQ(merged(strang_splitting).perturbations, 2u);
    EXPECT_EQ(merged(aba84_splitting).perturbations, aba84_splitting.perturbations);
    EXPECT_EQ(merged(suzuki4_splitting).fractions[5], 1);
}

TEST(Splitting, calls_its_parts_in_order) {
    struct Recorder {
        std::string* said;
        void field(std::span<const double>, std::span<double>) const {}
        bool increment(double h, std::span<const double>, std::span<double> du) const {
            du[0] = h;
            *said += 'A';
            return true;
        }
        std::optional<std::string> failure() const { return std::nullopt; }
    };
    for (const auto& c : all) {
        std::string said;
        double fallen_behind = 0;
        Recorder flow{&said};
        const Point base{5};
        Point u{0};
        Splitting splitting(c, 1);
        // The flow moves the only variable like a clock: the fraction is what it has done, at each perturbation.
        EXPECT_TRUE(splitting.step(
            flow,
            [&](double fraction, double, std::span<const double>, std::span<double> now) {
                said += 'B';
                fallen_behind = std::max(fallen_behind, std::abs(0.5 * fraction - now[0]));
                return true;
            },
            0.5, base, u));
        EXPECT_NEAR(u[0], 0.5, 1e-15);
        EXPECT_LT(fallen_behind, 1e-15) << c.name;
        if (c.name == "strang") {
            EXPECT_EQ(said, "BAB");
        } else if (c.name == "aba84") {
            EXPECT_EQ(said, "ABABABABABA");
        } else if (c.name == "aba104") {
            EXPECT_EQ(said, "ABABABABABABABA");
        } else if (c.name == "suzuki4") {
            EXPECT_EQ(said, c.perturbations == 6 ? "BABABABABAB" : "BABBABBABBABBAB");
        }
    }
}

TEST(Splitting, compositions_have_their_orders) {
    EXPECT_NEAR(order_with_kicks(strang_splitting, 0.3, {40, 80, 160, 320}), 2, 0.1);
    EXPECT_NEAR(order_with_kicks(suzuki4_splitting, 0.3, {20, 40, 80, 160}), 4, 0.1);
    EXPECT_NEAR(order_with_kicks(merged(suzuki4_splitting), 0.3, {20, 40, 80, 160}), 4, 0.1);
    EXPECT_NEAR(order_with_kicks(kahan_li6_splitting, 0.3, {20, 30, 40, 60}), 6, 0.2);
    EXPECT_NEAR(order_with_kicks(merged(kahan_li6_splitting), 0.3, {20, 30, 40, 60}), 6, 0.2);
}

/// Of one step, the part of the error that is of first order in eps, over eps: half the difference of what eps and -eps
/// give has no eps^2 h^5 in it.
double local_error_over_eps(const SplittingCoefficients& c, double h) {
    const double eps = 1e-4;
    Point part(4);
    for (const double sign : {1., -1.}) {
        const Point u = result(c, 1, kicks(sign * eps), h);
        const Point reference = exact_with_kicks(sign * eps, h);
        for (std::size_t i = 0; i < 4; ++i) {
            part[i] += sign * (u[i] - reference[i]) / (2 * eps);
        }
    }
    return distance(part, Point(4));
}

TEST(Splitting, of_near_integrable_motion_has_orders_eight_and_ten_for_small_perturbations) {
    const std::vector<double> lengths{1, 0.9, 0.8, 0.7, 0.6};
    for (const auto& c : {aba84_splitting, aba104_splitting}) {
        std::vector<double> errors;
        for (const double h : lengths) {
            errors.push_back(local_error_over_eps(c, h));
        }
        EXPECT_NEAR(papers::slope(lengths, errors), c.order_small + 1, 0.15) << c.name;  // one more in a single step
    }
}

TEST(Splitting, of_near_integrable_motion_has_order_four_for_large_perturbations) {
    EXPECT_NEAR(order_with_kicks(aba84_splitting, 0.3, {40, 80, 160, 320}), 4, 0.1);
    EXPECT_NEAR(order_with_kicks(aba104_splitting, 0.3, {40, 80, 160, 320}), 4, 0.1);
}

TEST(Splitting, of_near_integrable_motion_has_an_error_of_eps_and_then_of_eps_squared) {
    // Many steps: eps^2 h^4 is what is left. Few: eps h^8.
    const auto slope_in_eps = [](const SplittingCoefficients& c, int steps, const std::vector<double>& eps) {
        std::vector<double> errors;
        for (const double e : eps) {
            errors.push_back(distance(result(c, steps, kicks(e)), exact_with_kicks(e)));
        }
        return papers::slope(eps, errors);
    };
    EXPECT_NEAR(slope_in_eps(aba84_splitting, 50, {1e-3, 1e-2, 1e-1}), 2, 0.1);
    EXPECT_NEAR(slope_in_eps(aba104_splitting, 40, {1e-3, 1e-2, 1e-1}), 2, 0.1);
    EXPECT_NEAR(slope_in_eps(aba84_splitting, 10, {1e-8, 1e-7, 1e-6}), 1, 0.05);
    EXPECT_NEAR(slope_in_eps(aba104_splitting, 8, {1e-8, 1e-7, 1e-6}), 1, 0.05);
}

/// A perturbation that is not a kick, and no Hamiltonian either.
template <class Y, class Rate>
void twisted(double eps, const Y& y, Rate& rate) {
    rate[0] += eps * (y[1] * y[2] - y[0]);
    rate[1] += eps * (y[3] * y[3] - y[0] * y[1]);
    rate[2] += eps * (std::sin(y[0]) + y[3]);
    rate[3] += eps * (y[1] - y[2] * y[3]);
}
auto twists(double eps, PerturbationRule rule = PerturbationRule::midpoint) {
    return PerturbationStep(4, rule, [eps](std::span<const double> y, double, std::span<double> rate) {
        std::fill(rate.begin(), rate.end(), 0.0);
        twisted(eps, y, rate);
    });
}
Point exact_with_twists(double eps) {
    return exact(
        [eps](const std::array<long double, 4>& y, std::array<long double, 4>& rate) { twisted(eps, y, rate); },
        span_of_time);
}

TEST(Splitting, keeps_the_order_of_a_composition_with_the_midpoint_rule_unless_merged) {
    const double eps = 0.3;
    const Point reference = exact_with_twists(eps);
    const auto measured = [&](const SplittingCoefficients& c, const std::vector<int>& steps) {
        return order(steps, [&](int n) { return distance(result(c, n, twists(eps)), reference); });
    };
    EXPECT_NEAR(measured(strang_splitting, {40, 80, 160, 320}), 2, 0.1);
    EXPECT_NEAR(measured(suzuki4_splitting, {20, 40, 80, 160}), 4, 0.2);
    EXPECT_NEAR(measured(kahan_li6_splitting, {30, 40, 60, 80}), 6, 0.3);
    EXPECT_NEAR(measured(merged(kahan_li6_splitting), {80, 160, 320, 640}), 2, 0.2);
    EXPECT_NEAR(measured(aba104_splitting, {80, 160, 320, 640}), 2, 0.2);
}

TEST(Splitting, keeps_its_order_with_runge_kutta_steps) {
    const double eps = 0.3;
    const Point reference = exact_with_twists(eps);
    for (const auto& c : {aba84_splitting, aba104_splitting}) {
        EXPECT_NEAR(
            order({40, 80, 160, 320},
                  [&](int n) { return distance(result(c, n, twists(eps, PerturbationRule::runge_kutta)), reference); }),
            4, 0.25)
            << c.name;
    }
}

TEST(Splitting, with_the_midpoint_rule_has_an_error_of_eps_cubed_where_the_order_is_lost) {
    std::vector<double> eps{0.01, 0.03, 0.1};
    std::vector<double> errors;
    for (const double e : eps) {
        errors.push_back(distance(result(aba104_splitting, 320, twists(e)), exact_with_twists(e)));
    }
    EXPECT_NEAR(papers::slope(eps, errors), 3, 0.2);
}

template <class Perturbation>
double way_back(const SplittingCoefficients& c, Perturbation&& perturb) {
    auto flow = oscillators();
    Splitting splitting(c, 4);
    Point u(4);
    for (const double h : {0.4, -0.4}) {
        for (int n = 0; n < 50; ++n) {
            EXPECT_TRUE(splitting.step(flow, perturb, h, start, u));
        }
    }
    return distance(u, Point(4));
}

TEST(Splitting, is_reversible_to_rounding) {
    for (const auto& c : all) {
        EXPECT_LT(way_back(c, kicks(0.05)), 1e-13) << c.name;
        EXPECT_LT(way_back(c, twists(0.05)), 1e-12) << c.name;
    }
}

TEST(Splitting, keeps_the_digits_of_short_steps) {
    // One step of 1e-9: the increment is known to its own last digits, not to those of y.
    const double h = 1e-9;
    const double eps = 0.5;
    std::vector<double> f(2);
    force(start.data(), f.data());
    const Point rate{start[2], start[3], -start[0] + eps * f[0], -2 * start[1] + eps * f[1]};
    for (const auto& c : all) {
        const Point u = result(c, 1, kicks(eps), h);
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_NEAR(u[i] / h, rate[i], 5 * h) << c.name;
        }
        const Point v = result(c, 1, kicks(eps), -h);
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_NEAR((u[i] - v[i]) / (2 * h), rate[i], 2e-15) << c.name;  // even powers are gone
        }
    }
}

TEST(Splitting, stops_where_a_part_fails) {
    KeplerFlow flow({0, 1}, {2, 3}, 1.0);
    Splitting splitting(strang_splitting, 4);
    const Point base(4);
    Point u(4);
    int calls = 0;
    EXPECT_FALSE(splitting.step(
        flow, [&](double, double, std::span<const double>, std::span<double>) { return ++calls > 0; }, 0.1, base, u));
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(flow.failure(), "the orbit runs into the centre: the distance is zero");
    const Point fine{1, 0, 0, 1};
    EXPECT_FALSE(splitting.step(
        flow, [](double, double, std::span<const double>, std::span<double>) { return false; }, 0.1, fine, u));
}

TEST(PerturbationStep, solves_the_midpoint_rule) {
    // u' = -(base + u): u_1 = -h / (1 + h/2) base
    PerturbationStep step(1, PerturbationRule::midpoint,
                          [](std::span<const double> y, double, std::span<double> rate) { rate[0] = -y[0]; });
    const Point base{3};
    for (const double h : {1e-12, 1e-3, 0.1, 0.8, -0.8}) {
        Point u{0};
        ASSERT_TRUE(step(0, h, base, u)) << h;
        EXPECT_NEAR(u[0], -3 * h / (1 + h / 2), 3e-15 * std::abs(h)) << h;
    }
}

TEST(PerturbationStep, takes_a_step_of_the_classical_runge_kutta_method) {
    PerturbationStep step(1, PerturbationRule::runge_kutta,
                          [](std::span<const double> y, double, std::span<double> rate) { rate[0] = -y[0]; });
    const Point base{3};
    for (const double h : {1e-12, 1e-3, 0.1, -0.8}) {
        Point u{0};
        ASSERT_TRUE(step(0, h, base, u)) << h;
        EXPECT_NEAR(u[0], 3 * (-h + h * h / 2 - h * h * h / 6 + h * h * h * h / 24), 3e-15 * std::abs(h)) << h;
    }
    EXPECT_EQ(step.evaluations(), 16);
}

TEST(PerturbationStep, counts_its_evaluations_and_passes_the_fraction_on) {
    int calls = 0;
    const auto rate = [&calls](std::span<const double> y, double fraction, std::span<double> r) {
        EXPECT_EQ(fraction, 0.25);
        r[0] = std::sin(y[0]);
        ++calls;
    };
    const Point base{1};
    Point u{0};
    PerturbationStep kick(1, PerturbationRule::kick, rate);
    EXPECT_TRUE(kick(0.25, 0.1, base, u));
    EXPECT_EQ(u[0], 0.1 * std::sin(1.0));
    EXPECT_EQ(kick.evaluations(), 1);
    PerturbationStep midpoint(1, PerturbationRule::midpoint, rate);
    EXPECT_TRUE(midpoint(0.25, 1e-3, base, u));
    EXPECT_EQ(midpoint.evaluations(), calls - 1);
    EXPECT_LE(midpoint.evaluations(), 6);
}

TEST(PerturbationStep, says_so_and_moves_nothing_where_it_does_not_converge) {
    const Point base{1};
    Point u{0.5};
    for (const double strength : {3., 1e10, std::numeric_limits<double>::infinity()}) {
        PerturbationStep step(
            1, PerturbationRule::midpoint,
            [strength](std::span<const double> y, double, std::span<double> rate) { rate[0] = -strength * y[0]; });
        EXPECT_FALSE(step(0, 1, base, u)) << strength;
        EXPECT_EQ(u[0], 0.5);
        EXPECT_LE(step.evaluations(), 50);
    }
    PerturbationStep kick(1, PerturbationRule::kick, [](std::span<const double>, double, std::span<double> rate) {
        rate[0] = std::numeric_limits<double>::quiet_NaN();
    });
    EXPECT_FALSE(kick(0, 1, base, u));
    EXPECT_EQ(u[0], 0.5);
}

}  // namespace
}  // namespace lento
