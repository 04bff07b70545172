/// DOP853, measured on motions that are known.
#include "step/dop853.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "papers/slope.hpp"
#include "tests/step/kepler.hpp"

namespace lento {
namespace {

struct Measured {
    double end = 0, dense = 0,
           estimate = 0;  ///< errors at the end and within steps, and what the stepper says of a step
};

/// Once round the ellipse in so many steps. The dense output is looked at in ten places of each.
template <std::size_t Extent>
Measured revolution(int steps) {
    const double h = Ellipse::period / steps;
    const auto start = Ellipse::at(0);
    std::vector<double> y(start.begin(), start.end()), y1(4), between(4);
    const std::vector<double> weights(4, 1.0);
    Dop853<Extent> stepper(4);
    const auto rate = [](double, auto at, auto derivative) {
        derivative[0] = at[2];
        derivative[1] = at[3];
        Ellipse::acceleration(at, derivative.subspan(2));
    };
    Measured found;
    for (int n = 0; n < steps; ++n) {
        stepper.attempt(rate, h, std::span<const double, Extent>(y.data(), 4));
        for (std::size_t i = 0; i < 4; ++i) {
            y1[i] = y[i] + stepper.increment()[i];
        }
        found.estimate = std::max(found.estimate, stepper.error(weights));
        const auto dense = stepper.dense(rate, n * h, (n + 1) * h, y, y1);
        for (int k = 1; k < 10; ++k) {
            dense.value((n + 0.1 * k) * h, between);
            found.dense = std::max(found.dense, Ellipse::distance(between, (n + 0.1 * k) * h));
        }
        stepper.accept();
        y = y1;
    }
    found.end = Ellipse::distance(y, Ellipse::period);
    return found;
}

/// The power of the length of steps that an error falls with.
double order_of(double Measured::*error, std::initializer_list<int> counts) {
    std::vector<double> lengths, errors;
    for (const int steps : counts) {
        lengths.push_back(1.0 / steps);
        errors.push_back(revolution<4>(steps).*error);
    }
    return papers::slope(lengths, errors);
}

TEST(Dop853, has_order_8) {
    EXPECT_NEAR(order_of(&Measured::end, {24, 32, 48, 64}), 8, 0.6);
}

TEST(Dop853, its_dense_output_errs_by_the_eighth_power_within_a_step) {
    EXPECT_NEAR(order_of(&Measured::dense, {24, 32, 48, 64}), 8, 0.6);
}

TEST(Dop853, its_estimate_falls_as_it_says) {
    EXPECT_NEAR(order_of(&Measured::estimate, {48, 64, 96, 128}), Dop853<4>::error_order, 0.4);
}

TEST(Dop853, its_estimate_of_a_step_is_no_less_than_the_error_of_one) {
    for (const int steps : {16, 32, 64}) {
        const auto found = revolution<4>(steps);
        EXPECT_GT(steps * found.estimate, found.end) << steps;
    }
}

TEST(Dop853, lengths_known_at_run_time_give_the_same_numbers) {
    const auto known = revolution<4>(20);
    const auto unknown = revolution<dynamic>(20);
    EXPECT_EQ(known.end, unknown.end);
    EXPECT_EQ(known.dense, unknown.dense);
    EXPECT_EQ(known.estimate, unknown.estimate);
}

TEST(Dop853, an_odd_number_of_components_is_covered) {
    // NOTE: two components share a register; the last one has none to share with.
    std::vector<double> y0{1, 1, 1};
    Dop853<dynamic> stepper(3);
    stepper.attempt(
        [](double, In y, Out dy) {
            for (std::size_t i = 0; i < 3; ++i) {
                dy[i] = -y[i];
            }
        },
        0.1, In(y0));
    EXPECT_NEAR(1 + stepper.increment()[0], std::exp(-0.1), 1e-15);
    EXPECT_EQ(stepper.increment()[0], stepper.increment()[1]);
    EXPECT_EQ(stepper.increment()[0], stepper.increment()[2]);
    const std::vector<double> weights_first{1, 0, 0}, weights_last{0, 0, 1};
    EXPECT_EQ(stepper.error(weights_first), stepper.error(weights_last));
    EXPECT_GT(stepper.error(weights_last), 0);
}

TEST(Dop853, the_rate_at_the_end_is_asked_for_once) {
    int calls = 0;
    const auto rate = [&](double, In y, Out dy) {
        ++calls;
        dy[0] = -y[0];
    };
    const std::vector<double> y0{1};
    Dop853<dynamic> stepper(1);
    stepper.attempt(rate, 0.1, In(y0));
    EXPECT_EQ(calls, 12);
    const std::vector<double> y1{1 + stepper.increment()[0]};
    stepper.dense(rate, 0, 0.1, y0, y1);
    EXPECT_EQ(calls, 16);
    stepper.accept();
    stepper.attempt(rate, 0.1, In(y1));
    EXPECT_EQ(calls, 27) << "the first stage is the end of the step before, which the dense output asked for";
    stepper.attempt(rate, 0.05, In(y1));
    EXPECT_EQ(calls, 38) << "and that of a step that is tried again";
}

/// sum_j w_j c_j^k
double moment(const Dop853Tableau::Row& w, int k) {
    double sum = 0;
    for (std::size_t j = 0; j < Dop853Tableau::stages; ++j) {
        sum += w[j] * std::pow(dop853_tableau.c[j], k);
    }
    return sum;
}

constexpr double rounding = 2e-14;  // of sums whose terms are as large as 50

TEST(Dop853Tableau, rows_integrate_constants_and_but_for_the_second_lines) {
    for (std::size_t i = 1; i < Dop853Tableau::stages; ++i) {
        const double c = dop853_tableau.c[i];
        EXPECT_NEAR(moment(dop853_tableau.a[i], 0), c, rounding) << i;
        if (i > 1) {
            EXPECT_NEAR(moment(dop853_tableau.a[i], 1), c * c / 2, rounding) << i;
        }
    }
}

TEST(Dop853Tableau, weights_integrate_polynomials_of_degree_7_and_no_more) {
    const auto& weights = dop853_tableau.a[Dop853Tableau::last];
    for (int k = 0; k < 8; ++k) {
        EXPECT_NEAR(moment(weights, k), 1.0 / (k + 1), rounding) << k;
    }
    EXPECT_GT(std::abs(moment(weights, 8) - 1.0 / 9), 1e-6);
}

TEST(Dop853Tableau, estimates_are_differences_to_methods_of_order_5_and_3) {
    for (int k = 0; k < 5; ++k) {
        EXPECT_NEAR(moment(dop853_tableau.error5, k), 0, rounding) << k;
    }
    EXPECT_GT(std::abs(moment(dop853_tableau.error5, 5)), 1e-5);
    for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(moment(dop853_tableau.error3, k), 0, rounding) << k;
    }
    EXPECT_GT(std::abs(moment(dop853_tableau.error3, 3)), 1e-5);
}

}  // namespace
}  // namespace lento
