#include "average/filter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lento/base/misuse.hpp"
#include "papers/slope.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;

/// Simpson's rule on a fine grid with joints at 0 and 1/2: an independent quadrature.
double by_simpson(const Filter& filter, const std::function<double(double)>& factor) {
    constexpr int n = 20000;
    double sum = 0;
    double mass = 0;
    for (int k = 0; k <= n; ++k) {
        const double xi = static_cast<double>(k) / n;
        const double weight = (k == 0 || k == n ? 1 : k % 2 == 1 ? 4 : 2) / (3.0 * n);
        sum += 2 * weight * filter.shape(xi) * factor(xi);
        mass += 2 * weight * filter.shape(xi);
    }
    return sum / mass;
}

TEST(Filter, moments_and_leakage_agree_with_simpson) {
    for (const char* name : {"exponential", "gentle", "cubic", "cos2", "cos4", "cos8", "period"}) {
        const Filter filter(name);
        for (const int k : {0, 2, 4}) {
            EXPECT_NEAR(filter.moment(k), by_simpson(filter, [k](double xi) { return std::pow(xi, k); }), 1e-12)
                << name << " moment " << k;
        }
        for (const double periods : {1.0, 2.5, 7.3, 12.0}) {
            EXPECT_NEAR(filter.leakage(periods),
                        by_simpson(filter, [periods](double xi) { return std::cos(pi * periods * xi); }), 1e-12)
                << name << " over " << periods;
        }
    }
}

TEST(Filter, leakage_of_the_exponential_filter_is_as_published) {
    const Filter filter("exponential");
    EXPECT_NEAR(std::abs(filter.leakage(10)), 3.63e-5, 0.005e-5);
    EXPECT_NEAR(std::abs(filter.leakage(20)), 2.25e-7, 0.005e-7);
    EXPECT_NEAR(std::abs(filter.leakage(40)), 4.43e-11, 0.005e-11);
}

TEST(Filter, closed_forms_of_leakage) {
    for (const double n : {0.7, 1.5, 3.3}) {
        EXPECT_NEAR(Filter("period").leakage(n), std::sin(pi * n) / (pi * n), 1e-13);
        EXPECT_NEAR(Filter("cos2").leakage(n), std::sin(pi * n) / (pi * n * (1 - n * n)), 1e-13);
    }
}

TEST(Filter, cosine_filters_let_nothing_through_over_whole_periods_beyond_half_their_power) {
    for (int power = 2; power <= 12; power += 2) {
        const Filter filter("cos" + std::to_string(power));
        for (int n = 1; n <= 20; ++n) {
            if (n > power / 2) {
                EXPECT_LT(std::abs(filter.leakage(n)), 1e-15) << power << " over " << n;
                EXPECT_LT(std::abs(FilterWeights(filter, static_cast<std::size_t>(8 * n)).leakage(16)), 1e-15)
                    << power << " over " << n;
            } else {
                EXPECT_GT(std::abs(filter.leakage(n)), 1e-4);
            }
        }
    }
}

TEST(Filter, vanishing_moments_and_bias) {
    EXPECT_EQ(Filter("exponential").vanishing_moments(), 1);
    EXPECT_EQ(Filter("cubic").vanishing_moments(), 3);
    EXPECT_EQ(Filter("cos4").vanishing_moments(), 1);
    EXPECT_EQ(Filter("period").vanishing_moments(), 1);
    EXPECT_NEAR(Filter("period").bias(), 1.0 / 6, 1e-14);
    // A slow signal cos(t): the average is 1 - bias (eta/2)^2 for mu = 1, 1 + bias (eta/2)^4 for mu = 3.
    const double half = 0.05;
    for (const char* name : {"exponential", "cos4", "cos8", "period"}) {
        const Filter filter(name);
        const double average = by_simpson(filter, [half](double xi) { return std::cos(half * xi); });
        EXPECT_NEAR((1 - average) / (half * half), filter.bias(), 1e-3 * filter.bias()) << name;
    }
    const Filter cubic("cubic");
    const double average = by_simpson(cubic, [](double xi) { return std::cos(0.2 * xi); });
    EXPECT_NEAR((average - 1) / std::pow(0.2, 4), cubic.bias(), 1e-2 * std::abs(cubic.bias()));
}

TEST(Filter, smoothness_is_the_decay_of_the_leakage_measured) {
    for (const char* name : {"cubic", "cos2", "cos4", "cos6", "period"}) {
        const Filter filter(name);
        std::vector<double> periods;
        std::vector<double> envelopes;
        for (const double n : {30.0, 60.0}) {
            double envelope = 0;
            for (int k = 0; k < 64; ++k) {
                envelope = std::max(envelope, std::abs(filter.leakage(n + k / 16.0)));
            }
            periods.push_back(n + 0.5);
            envelopes.push_back(envelope);
        }
        EXPECT_NEAR(papers::slope(periods, envelopes), -filter.smoothness(), 0.15) << name;
    }
    // Faster than any power: the slope itself steepens.
    const Filter exponential("exponential");
    EXPECT_TRUE(std::isinf(exponential.smoothness()));
    const auto steepness = [&](double n) {
        return std::log2(std::abs(exponential.leakage(n)) / std::abs(exponential.leakage(2 * n)));
    };
    EXPECT_GT(steepness(10), 7);
    EXPECT_GT(steepness(20), 12);
}

TEST(FilterWeights, sum_to_one_and_average_a_pure_tone_to_the_leakage) {
    for (const char* name : {"exponential", "cubic", "cos8"}) {
        const Filter filter(name);
        const FilterWeights weights(filter, 10 * 24);
        double sum = weights[0];
        double tone = weights[0];
        for (std::size_t k = 1; k <= weights.each_side(); ++k) {
            sum += 2 * weights[k];
            tone += 2 * weights[k] * std::cos(2 * pi * static_cast<double>(k) / 24);
        }
        EXPECT_NEAR(sum, 1, 1e-14);
        EXPECT_NEAR(tone, weights.leakage(24), 1e-15);
        // The smoother the filter, the closer the sum is to the integral.
        const double quadrature = std::string(name) == "cubic" ? 2e-5 : 1e-12;
        EXPECT_NEAR(weights.leakage(24), filter.leakage(20), quadrature) << name;
    }
}

TEST(FilterWeights, the_one_period_filter_is_the_trapezoidal_rule) {
    const FilterWeights weights(Filter("period"), 5);
    EXPECT_DOUBLE_EQ(weights[0], 0.1);
    EXPECT_DOUBLE_EQ(weights[4], 0.1);
    EXPECT_DOUBLE_EQ(weights[5], 0.05);
    EXPECT_LT(std::abs(weights.leakage(10)), 1e-16);
}

TEST(Filter, unknown_names_are_refused_with_those_there_are) {
    for (const char* name : {"cos3", "cos0", "cos", "cosine", "expo", "", "cos66", "cos4x"}) {
        EXPECT_THROW(Filter{name}, Misuse) << name;
    }
    try {
        Filter filter("exponentiel");
        FAIL();
    } catch (const Misuse& misuse) {
        EXPECT_NE(std::string(misuse.what()).find("did you mean 'exponential'"), std::string::npos);
    }
}

}  // namespace
}  // namespace lento
