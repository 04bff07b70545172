/// The march that estimates its own error, on motions whose error is known.
#include "march/estimating.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lento {
namespace {

/// x'' = -x from (1, 0): cos t, -sin t.
class Swing final : public MultistepForce {
public:
    bool second_order() const override { return true; }
    std::size_t dimension() const override { return 1; }
    void evaluate(double, std::span<const double> y, const AuxiliarySeries&, std::span<double> force,
                  std::span<double>) override {
        force[0] = -y[0];
    }
};

constexpr double t_end = 20;

struct Estimate {
    EstimatingMarch::Estimated found;
    int passes = 0;
    double worst = 0;  ///< the true error of the last pass
};

Estimate swing(double rtol, std::size_t wanted = 0) {
    const EstimatingMarch march({0, t_end}, {rtol, rtol}, wanted);
    Swing force;
    Estimate result;
    const auto pass = [&](double tightness) {
        ++result.passes;
        return march.multistep(force, {.t = 0, .y = {1, 0}, .series = {-1}}, {.longest = 2, .shortest = 1e-6},
                               tightness, {});
    };
    result.found = march.run({.first = 0.02, .looser = 5},
                             {.march = pass, .prepare = {}, .errors = [&](const Pass& coarse, const Pass& fine) {
                                  return march.differences(coarse, fine);
                              }});
    SampleStore::Reader samples(result.found.pass.samples);
    for (std::size_t k = 0; k < march.samples(); ++k) {
        const auto y = samples[k];
        result.worst = std::max(
            {result.worst, std::abs(y[0] - std::cos(march.time(k))), std::abs(y[1] + std::sin(march.time(k)))});
    }
    return result;
}

TEST(EstimatingMarch, keeps_its_tolerance_and_knows_its_error) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
        const auto [found, passes, worst] = swing(rtol);
        ASSERT_EQ(found.pass.result.outcome, Outcome::completed);
        EXPECT_LE(found.excess, 1);
        EXPECT_LT(worst, *std::max_element(found.errors.begin(), found.errors.end())) << rtol;
        EXPECT_LT(worst, 2 * rtol);
        EXPECT_GE(passes, 2);
        EXPECT_LE(passes, 6);
    }
}

TEST(EstimatingMarch, sends_the_samples_that_are_wanted) {
    const EstimatingMarch march({0, t_end}, {1e-6, 1e-6}, 11);
    const auto run = swing(1e-6, 11);
    std::vector<double> times;
    march.send(run.found.pass, [&](double t, std::span<const double> y) {
        times.push_back(t);
        EXPECT_NEAR(y[0], std::cos(t), 1e-5);
    });
    ASSERT_EQ(times.size(), 11U);
    EXPECT_EQ(times[1], 2);
    EXPECT_EQ(times.back(), t_end);
}

TEST(EstimatingMarch, a_pass_that_ends_early_is_the_last_one) {
    const EstimatingMarch march({0, 1}, {1e-6, 1e-6}, 0);
    int passes = 0;
    const auto found = march.run({.first = 0.1}, {.march =
                                                      [&](double tightness) {
                                                          ++passes;
                                                          return Pass{.result = {.outcome = Outcome::diverged},
                                                                      .tightness = tightness};
                                                      },
                                                  .prepare = {},
                                                  .errors = {}});
    EXPECT_EQ(found.pass.result.outcome, Outcome::diverged);
    EXPECT_TRUE(found.errors.empty());
    EXPECT_EQ(passes, 1);
}

TEST(EstimatingMarch, steps_that_became_too_short_are_tried_longer) {
    const EstimatingMarch march({0, 1}, {1e-6, 1e-6}, 0);
    std::vector<double> tried;
    const auto found = march.run({.first = 0.01, .looser = 100},
                                 {.march =
                                      [&](double tightness) {
                                          tried.push_back(tightness);
                                          Pass pass{.final_state = {1}, .scales = {1}, .tightness = tightness};
                                          pass.result.outcome =
                                              tightness < 0.05 ? Outcome::not_converged : Outcome::completed;
                                          return pass;
                                      },
                                  .prepare = {},
                                  .errors = [](const Pass&, const Pass&) { return std::vector<double>{1e-7}; }});
    EXPECT_EQ(found.pass.result.outcome, Outcome::completed);
    EXPECT_LE(found.excess, 1);
    ASSERT_EQ(tried.size(), 3U);
    EXPECT_NEAR(tried[2], 0.1, 1e-12) << "between the two";
}

}  // namespace
}  // namespace lento
