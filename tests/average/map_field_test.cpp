#include "average/map_field.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "average/micro_flow.hpp"
#include "lento/base/misuse.hpp"
#include "lento/lento.hpp"
#include "papers/slope.hpp"

namespace lento {
namespace {

/// A slow motion as the map that it is over a time eps: the field to be recovered is known.
const auto swing = first_order_system(2, [](auto y, auto, auto rate) {
    rate[0] = y[1];
    rate[1] = -sin(y[0]) - 0.3 * y[1] * y[0];
});

double recovery_error(Recovery recovery, int order, double eps) {
    const auto flow = micro_flow(swing, "dopri8", 0);
    FixedPeriod map(*flow, eps, 4);
    const std::vector<double> z{1, 0.5, 0};
    std::vector<double> field(3);
    MapField(recovery, order)(map, z, field);
    EXPECT_NEAR(field[2], eps, 1e-15);  // the time goes by evenly
    return std::hypot(field[0] / eps - z[1], field[1] / eps + std::sin(1.0) + 0.15);
}

double measured_order(Recovery recovery, int order, const std::vector<double>& lengths) {
    std::vector<double> errors;
    for (const double eps : lengths) {
        errors.push_back(recovery_error(recovery, order, eps));
    }
    return papers::slope(lengths, errors);
}

TEST(MapField, central_differences_have_their_order) {
    for (const int order : {2, 4, 6, 8}) {
        EXPECT_NEAR(measured_order(Recovery::central, order, {0.2, 0.1, 0.05}), order, 0.3) << order;
    }
}

TEST(MapField, one_sided_differences_have_their_order) {
    for (const int order : {1, 2, 3, 4, 6}) {
        EXPECT_NEAR(measured_order(Recovery::forward, order, {0.05, 0.025, 0.0125}), order, 0.3) << order;
        EXPECT_NEAR(measured_order(Recovery::backward, order, {0.05, 0.025, 0.0125}), order, 0.3) << order;
    }
}

TEST(MapField, kirchgrabers_formulas_have_their_order) {
    for (const int order : {1, 2, 3, 4}) {
        EXPECT_NEAR(measured_order(Recovery::nested, order, {0.1, 0.05, 0.025}), order, 0.3) << order;
    }
}

TEST(MapField, says_how_many_periods_it_takes) {
    EXPECT_EQ(MapField(Recovery::central, 6).periods(), 6u);
    EXPECT_EQ(MapField(Recovery::forward, 3).periods(), 3u);
    EXPECT_EQ(MapField(Recovery::nested, 4).periods(), 4u);
}

TEST(MapField, orders_that_are_not_there_are_refused) {
    EXPECT_THROW(MapField(Recovery::central, 3), Misuse);
    EXPECT_THROW(MapField(Recovery::central, 10), Misuse);
    EXPECT_THROW(MapField(Recovery::forward, 9), Misuse);
    EXPECT_THROW(MapField(Recovery::nested, 5), Misuse);
}

TEST(MapField, fractions_of_a_revolution_follow_the_slow_motion) {
    std::vector<double> lengths{0.2, 0.1, 0.05}, errors;
    for (const double eps : lengths) {
        const auto flow = micro_flow(swing, "dopri8", 0);
        FixedPeriod map(*flow, eps, 4);
        const std::vector<double> z{1, 0.5, 0};
        const auto change = fraction_of_revolution(map, z, -0.4, [](In) { return 0.0; });
        std::vector<double> exact(2);
        flow->follow({.t = 0, .h = -0.1 * eps, .turns = 0, .steps = 4}, std::span(z).first(2), exact);
        errors.push_back(std::hypot(change[0] - exact[0], change[1] - exact[1]));
        EXPECT_NEAR(change[2], -0.4 * eps, 1e-15);
    }
    EXPECT_NEAR(papers::slope(lengths, errors), 5, 0.4);
}

}  // namespace
}  // namespace lento
